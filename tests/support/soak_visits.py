"""What people do at one server all day: sessions that end well, are aborted, fail, or are not answered.

A visit is a session or two, from the first start to the last end. It leaves behind only their logs.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.editor_client import EditorClient
from support.lsp_client import LspClient
from support.served_process import EVENTS, Place

PATIENCE = 60.0
"""Seconds for whatever a visit waits for: the machine may have much else to do."""
SLOTS = 4
"""Visits that edit a file at the same time, each a file of its own."""
WORDS = "All of this is said slowly, a few words at a time. "


def tape() -> list[dict[str, Any]]:
    """The conversations by their prompts."""

    def failing(kind: str, **more: Any) -> dict[str, Any]:
        return {"error": {"kind": kind, "message": "It is so.", **more}}

    def using(name: str, **arguments: Any) -> dict[str, Any]:
        return {"text": "Let me see.", "toolCalls": [{"name": name, "arguments": arguments}]}

    entries: list[dict[str, Any]] = [
        *({"when": "talk"}, {"text": WORDS * 20, "chunk": 20}),
        *({"when": "stream"}, {"text": WORDS * 200, "chunk": 10, "deltaDelayMs": 20}),
        *({"when": "hang"}, {"text": "And then", "hang": True}),
        *({"when": "sleep"}, using("bash", command="echo begun; sleep 300"), {"text": "never"}),
        *({"when": "count"}, using("bash", command="seq 2000"), {"text": "Counted."}),
        *({"when": "stumble"}, failing("rate_limit", retryAfter=0.1, times=2) | {"text": "At last."}),
        *({"when": "break off"}, failing("network", after=WORDS, times=1) | {"text": "At last."}),
        *({"when": "never there"}, failing("network")),
        *({"when": "no key"}, failing("auth")),
        *({"when": "no sense"}, failing("bad_request")),
    ]
    for slot in range(SLOTS):
        path = f"slot-{slot}.txt"
        edit = {"oldText": "line 1\n", "newText": "line 1, edited\n"}
        entries += [
            {"when": path},
            using("read", path=path),
            using("edit", path=path, edits=[edit]),
            {"text": "Edited."},
        ]
    return entries


def write_tape(place: Place) -> None:
    place.tape.write_text("".join(f"{json.dumps(each)}\n" for each in [{"tape": 1, "name": "soak"}, *tape()]))


@dataclass(eq=False)
class Asked:
    """A question; its run tells what it is about."""

    answer: "asyncio.Future[Any]"

    def accept(self) -> None:
        self.answer.set_result({"decision": "accept"})


@dataclass
class Heard:
    """Of one run, until its visit is over."""

    events: "asyncio.Queue[dict[str, Any]]" = field(default_factory=asyncio.Queue)
    questions: "asyncio.Queue[Asked]" = field(default_factory=asyncio.Queue)
    asked: list[Asked] = field(default_factory=list)


class SoakClient(LspClient):
    """Keeps only what a visit still waits for."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        super().__init__(read_fd, write_fd)
        self.runs: defaultdict[str, Heard] = defaultdict(Heard)
        self.over: set[str] = set()
        self.sessions = 0
        """How many it has begun."""
        self.on_request("window/workDoneProgress/create", lambda _: None)
        self.on_request("steersman/requestApproval", self._ask)
        self.editor = EditorClient(self)

    async def begin_session(self, place: Place) -> None:
        """The handshake."""
        await self.initialize(
            capabilities={
                "window": {"workDoneProgress": True},
                "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
            },
            initializationOptions={"steersman": {"version": "1", "eventToken": EVENTS, "approval": True}},
            workspaceFolders=[{"name": "ws", "uri": place.root.as_uri()}],
        )

    def _handle(self, message: dict[str, Any]) -> None:
        super()._handle(message)
        self.received.clear()
        if message.get("method") == "$/progress" and message["params"]["token"] == EVENTS:
            event = message["params"]["value"]
            if "run" in event and event["run"] not in self.over:
                self.runs[event["run"]].events.put_nowait(event)

    def _ask(self, params: dict[str, Any]) -> Any:
        asked = Asked(asyncio.get_running_loop().create_future())
        heard = self.runs[params["run"]]
        heard.questions.put_nowait(asked)
        heard.asked.append(asked)
        return asked.answer

    async def start(self, prompt: str, **more: Any) -> "Visit":
        params = {"prompt": prompt, "mode": "full-auto", **more}
        started = await self.command("steersman.start", params)
        self.sessions += "session" not in more
        return Visit(self, started["session"], started["run"], started["token"])

    def forget(self, run: str) -> None:
        """Nobody waits for anything of this run any more. What was never answered never is."""
        self.over.add(run)
        for asked in self.runs.pop(run, Heard()).asked:
            asked.answer.cancel()


@dataclass
class Visit:
    client: SoakClient
    session: str
    run: str
    token: str

    async def event(self, kind: str) -> dict[str, Any]:
        """The next event of a type."""
        async with asyncio.timeout(PATIENCE):
            while True:
                event = await self.client.runs[self.run].events.get()
                if event["type"] == kind:
                    return event

    async def question(self) -> Asked:
        async with asyncio.timeout(PATIENCE):
            return await self.client.runs[self.run].questions.get()

    async def abort(self) -> None:
        await self.client.command("steersman.abort", {"run": self.run})

    async def ends(self, how: str) -> None:
        end = (await self.event("agent_end"))["data"]
        assert end["stopReason"] == how, end
        self.client.forget(self.run)


# The visits


async def talks(client: SoakClient, _: Path) -> None:
    await (await client.start("talk")).ends("complete")


async def counts(client: SoakClient, _: Path) -> None:
    await (await client.start("count")).ends("complete")


async def comes_back(client: SoakClient, _: Path) -> None:
    """Once more in the same session, which is replayed in between."""
    visit = await client.start("talk")
    await visit.ends("complete")
    page = await client.command("steersman.events", {"session": visit.session})
    assert page["events"][-1]["type"] == "agent_end"
    again = await client.start("talk", session=visit.session)
    await again.ends("complete")


async def stops_an_answer(client: SoakClient, _: Path) -> None:
    visit = await client.start("stream")
    await visit.event("message_update")
    await visit.abort()
    await visit.ends("aborted")


async def cancels_the_progress(client: SoakClient, _: Path) -> None:
    visit = await client.start("hang")
    await visit.event("message_update")
    client.notify("window/workDoneProgress/cancel", {"token": visit.token})
    await visit.ends("aborted")


async def stops_a_command(client: SoakClient, _: Path) -> None:
    visit = await client.start("sleep")
    await visit.event("tool_execution_update")
    await visit.abort()
    await visit.ends("aborted")


async def waits_for_a_model(client: SoakClient, _: Path) -> None:
    for prompt in ("stumble", "break off"):
        await (await client.start(prompt)).ends("complete")


async def stops_waiting_for_a_model(client: SoakClient, _: Path) -> None:
    visit = await client.start("never there")
    await visit.event("retry")
    await visit.abort()
    await visit.ends("aborted")


async def is_refused_by_a_model(client: SoakClient, _: Path) -> None:
    for prompt in ("no key", "no sense"):
        await (await client.start(prompt)).ends("error")


async def edits_what_is_open(client: SoakClient, path: Path) -> None:
    """And types meanwhile."""
    uri = client.editor.open(path)
    visit = await client.start(path.name, mode="ask")
    question = await visit.question()
    client.editor.replace(uri, "line 3\n", "line 3, typed\n")
    question.accept()
    await visit.ends("complete")
    assert client.editor.buffers[uri].text == "line 1, edited\nline 2\nline 3, typed\n"
    client.editor.close(uri)


async def edits_what_is_not_open(client: SoakClient, path: Path) -> None:
    visit = await client.start(path.name, mode="ask")
    (await visit.question()).accept()
    await visit.ends("complete")
    assert path.read_text() == "line 1, edited\nline 2\nline 3\n"


async def answers_too_late(client: SoakClient, path: Path) -> None:
    visit = await client.start(path.name, mode="ask")
    question = await visit.question()
    await visit.abort()
    end = await visit.event("agent_end")
    assert end["data"]["stopReason"] == "aborted"
    question.accept()
    await client.command("steersman.status")
    client.forget(visit.run)
    assert path.read_text().startswith("line 1\n")


async def never_answers(client: SoakClient, path: Path) -> None:
    uri = client.editor.open(path)
    visit = await client.start(path.name, mode="ask")
    await visit.question()
    client.editor.close(uri)
    await visit.abort()
    await visit.ends("aborted")


Visiting = Callable[[SoakClient, Path], Coroutine[None, None, None]]
VISITS: Sequence[Visiting] = (
    *(talks, counts, comes_back, stops_an_answer, cancels_the_progress, stops_a_command),
    *(waits_for_a_model, stops_waiting_for_a_model, is_refused_by_a_model),
)
EDITS: Sequence[Visiting] = (edits_what_is_open, edits_what_is_not_open, answers_too_late, never_answers)
"""With a file each."""


async def a_round(client: SoakClient, root: Path) -> None:
    """All of them at once."""
    paths = [root / f"slot-{slot}.txt" for slot in range(SLOTS)]
    for path in paths:
        path.write_text("line 1\nline 2\nline 3\n")
    async with asyncio.TaskGroup() as group:
        for visiting in VISITS:
            group.create_task(visiting(client, root))
        for visiting, path in zip(EDITS, paths, strict=True):
            group.create_task(visiting(client, path))
