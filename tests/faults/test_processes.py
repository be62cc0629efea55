"""A server that is asked to end, is killed, or whose client's process is gone, in each phase of its work.

Whatever it was at: no process of its is left, its log is whole and says what was cut short, half a file is nowhere, and
the next server goes on with the session.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.event_checker import check
from support.long_log import write_long_log
from support.lsp_client import NO_ANSWER
from support.processes import alive_with, wait_gone
from support.served_process import Place, Running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
ALL = bool(os.environ.get("STEERSMAN_CRASH"))
LONG = "All of this will have to be summed up. " * 1000
TAPE = (
    *({"when": "and now?"}, {"text": "Going on."}),
    *({"when": "<record>"}, {"text": "## Goal", "hang": True}),
    *({"when": "talk"}, {"text": LONG}),
    *({"when": "stream"}, {"text": "And then", "hang": True}),
    *(
        {"when": "run"},
        {"toolCalls": [{"name": "bash", "arguments": {"command": "echo begun; sleep 300"}}]},
    ),
    *(
        {"when": "write"},
        {"toolCalls": [{"name": "write", "arguments": {"path": "a.txt", "content": "a\n"}}]},
        {"text": "Written."},
    ),
    *(
        {"when": "edit"},
        {
            "toolCalls": [
                {
                    "name": "edit",
                    "arguments": {"path": "b.txt", "edits": [{"oldText": "old", "newText": "new"}]},
                }
            ]
        },
        {"text": "Edited."},
    ),
    *({"when": "fail"}, {"error": {"kind": "network", "message": "No connection."}}),
)


# The phases: each returns the session, once the server is at it.


async def idle(running: Running) -> str:
    started = await running.start("talk")
    await running.event("agent_end")
    return str(started["session"])


async def streaming(running: Running) -> str:
    started = await running.start("stream")
    await running.event("message_update", "And then")
    return str(started["session"])


async def running_a_command(running: Running) -> str:
    started = await running.start("run")
    await running.event("tool_execution_update", "begun")
    await running.place.sleeping(1)
    return str(started["session"])


async def waiting_for_an_answer(running: Running) -> str:
    started = await running.client.command("steersman.start", {"prompt": "write", "mode": "ask"})
    await running.client.wait_for_method("window/showMessageRequest")
    return str(started["session"])


async def waiting_to_ask_again(running: Running) -> str:
    started = await running.start("fail")
    await running.event("retry")
    return str(started["session"])


async def compacting(running: Running) -> str:
    session = await idle(running)
    again = await running.start("talk", session=session)
    await running.client.wait_for(lambda m: again["run"] in json.dumps(m) and "agent_end" in json.dumps(m))
    await running.client.command("steersman.compact", {"session": session})
    await running.event("compaction_start")
    return session


async def reverting(running: Running) -> str:
    """An edit in the editor that it never makes."""
    path = running.place.root / "b.txt"
    path.write_text("old\n")
    started = await running.start("edit")
    await running.event("agent_end", "Edited.")
    item = {"uri": path.as_uri(), "languageId": "plain", "version": 1, "text": path.read_text()}
    running.client.notify("textDocument/didOpen", {"textDocument": item})
    argument = {"session": started["session"], "checkpoint": started["run"], "preview": False}
    await running.client.command("steersman.revert", argument)
    await running.event("revert_start")
    await running.client.wait_for_method("workspace/applyEdit")
    return str(started["session"])


async def exporting(running: Running) -> str:
    """A transcript that takes a second to write, of a log that ends in the middle of a run."""
    session = "ses_long"
    folder = running.place.home.exports
    await running.client.command("steersman.export", {"session": session})
    async with asyncio.timeout(60):
        while not (folder.is_dir() and any(folder.iterdir())):
            await running.client.command("steersman.status")
    return session


PHASES: dict[str, Callable[[Running], Awaitable[str]]] = {
    phase.__name__: phase
    for phase in (
        *(idle, streaming, running_a_command, waiting_for_an_answer),
        *(waiting_to_ask_again, compacting, reverting, exporting),
    )
}
ENDS = {"SIGTERM": 128 + signal.SIGTERM, "SIGKILL": -signal.SIGKILL, "parent gone": 1}
SAMPLE = {(phase, list(ENDS)[number % len(ENDS)]) for number, phase in enumerate(PHASES)}


@pytest.fixture
def parent() -> Iterator["subprocess.Popen[bytes]"]:
    """The process that the client says it is."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("phase", "end"),
    [(phase, end) for phase in PHASES for end in ENDS if ALL or (phase, end) in SAMPLE],
    ids=lambda each: str(each).replace("_", " "),
)
async def test_however_and_whenever_a_server_ends_the_next_one_goes_on(tmp_path, parent, *, phase, end):
    place = Place(tmp_path, *TAPE)
    if phase == "exporting":
        write_long_log(place.home.sessions / "ses_long.jsonl", "ses_long", 6000, root=place.root)
    first = Running(place)
    again: Running | None = None
    try:
        await first.initialize(
            processId=parent.pid,
            capabilities={
                "window": {"workDoneProgress": True},
                "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
            },
        )
        for method in ("window/showMessageRequest", "workspace/applyEdit"):
            first.client.on_request(method, lambda _: NO_ANSWER)
        session = await PHASES[phase](first)
        sleepers = place.sleepers()
        if end == "parent gone":
            parent.kill()
        else:
            first.process.send_signal(getattr(signal, end))
        assert await first.ended() == ENDS[end], first.errors
        for pid in sleepers:
            await asyncio.to_thread(wait_gone, pid)
        assert alive_with(place.mark) == set()
        if end != "SIGKILL":
            assert _half_written(tmp_path) == []
        _is_whole(place.log(session), closed=end != "SIGKILL" and phase != "exporting")

        again = Running(place)
        await again.initialize()
        on = await again.start("and now?", session=session)
        assert (await again.event("agent_end", "Going on."))["stopReason"] == "complete"
        log = place.log(session)
        _is_whole(log, closed=True)
        assert (log[-1]["run"], log[-1]["type"]) == (on["run"], "agent_end")
        assert _half_written(tmp_path) == []
        await again.client.shut_down()
        assert await again.ended() == 0, again.errors
    finally:
        for running in (first, again):
            if running is not None:
                await running.close()
    assert "Traceback" not in first.errors


def _is_whole(log: list[dict[str, Any]], *, closed: bool) -> None:
    """Its numbers have no gap; `closed`: and whatever has begun has ended."""
    assert [record["seq"] for record in log] == list(range(1, len(log) + 1))
    kinds = [record["type"] for record in log]
    if closed:
        for what in ("agent", "compaction", "revert"):
            assert kinds.count(f"{what}_start") == kinds.count(f"{what}_end"), what
        assert kinds.count("approval_requested") == kinds.count("approval_resolved")
        for run in {record["run"] for record in log if "run" in record}:
            if not run.startswith("run_0"):  # those were written without a server
                check([each for each in log if each.get("run") == run and each["type"] != "config"])


def _half_written(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob(".steersman-*")]


def test_the_page_lists_every_phase_and_every_end():
    text = PAGE.read_text()
    for each in (*PHASES, *ENDS):
        assert each.replace("_", " ") in text, each
