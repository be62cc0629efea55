"""Sessions that each read and edit their own file, with a fast or slow stream, and what must result."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.event_checker import check
from support.load_client import LoadClient
from support.processes import alive_with
from support.served_process import Place

TEXT = "Let me look at what is there 😀 and think about it. "
FAST, SLOW = {"chunk": 12}, {"chunk": 12, "deltaDelayMs": 8}


class Work:
    """`sessions` at once, each of `turns` answers with a tool and one without. One in five streams slowly."""

    def __init__(self, base: Path, sessions: int, turns: int, *, sentences: int = 20) -> None:
        self.turns, self._sentences = turns, sentences
        self.names = [f"task-{number:03d}" for number in range(sessions)]
        self.place = Place(base)
        lines = [{"tape": 1, "name": "load"}]
        for number, name in enumerate(self.names):
            lines += [{"when": name}, *self._answers(name, SLOW if number % 5 == 0 else FAST)]
        self.place.tape.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def _answers(self, name: str, speed: dict[str, int]) -> Iterator[dict[str, Any]]:
        for turn in range(self.turns):
            call = self._read(name) if turn % 2 == 0 else self._edit(name, turn)
            yield {"text": f"{name}: {TEXT * self._sentences}", "toolCalls": [call], **speed}
        yield {"text": f"{name} is done. {TEXT * self._sentences}", **speed}

    def _read(self, name: str) -> dict[str, Any]:
        return {"name": "read", "arguments": {"path": f"{name}.txt"}}

    def _edit(self, name: str, turn: int) -> dict[str, Any]:
        edit = {"oldText": f"line {turn}\n", "newText": f"line {turn}, edited\n"}
        return {"name": "edit", "arguments": {"path": f"{name}.txt", "edits": [edit]}}

    def _lines(self, *, edited: bool) -> str:
        marks = [", edited" if edited and turn % 2 and turn < self.turns else "" for turn in range(40)]
        return "".join(f"line {turn}{mark}\n" for turn, mark in enumerate(marks))

    async def round(self, client: LoadClient) -> list[dict[str, Any]]:
        """Plays all sessions at once, to their ends. Returns what `start` answered."""
        for name in self.names:
            (self.place.root / f"{name}.txt").write_text(self._lines(edited=False))
        starts = [client.begin_command("start", prompt=name, mode="ask") for name in self.names]
        runs = [(await start)["result"] for start in starts]
        await client.ends_of(runs)
        return runs

    def verify(self, client: LoadClient, runs: Sequence[dict[str, Any]]) -> None:
        """Asserts that all went as it should, for everybody who looks."""
        for name, run in zip(self.names, runs, strict=True):
            assert (self.place.root / f"{name}.txt").read_text() == self._lines(edited=True)
            records = self.place.log(run["session"])
            assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
            check(
                [
                    record
                    for record in records
                    if record.get("run") == run["run"] and record["type"] != "config"
                ]
            )
            end = records[-1]["data"]
            assert (end["stopReason"], end["turns"]) == ("complete", self.turns + 1)
            assert end["text"].startswith(f"{name} is done.")
            outcomes = [it["data"]["outcome"] for it in records if it["type"] == "tool_execution_end"]
            assert outcomes == ["ok"] * self.turns
            if client.rich:
                assert client.sessions[run["session"]].events == records
        assert alive_with(self.place.mark) == {client.process.pid}


class Streams:
    """Runs that say much for `seconds`, with small calls in between: what piles up if nobody reads."""

    ANSWERS = 10
    DELTA_MS = 10

    def __init__(self, base: Path, count: int, seconds: float) -> None:
        self.names = [f"stream-{number:03d}" for number in range(count)]
        self.place = Place(base)
        (self.place.root / "a.txt").write_text("a\n" * 200)
        deltas = round(seconds * 1000 / self.DELTA_MS / self.ANSWERS)
        text = ("All of this is said to a client that may not read it. " * deltas)[: 40 * deltas]
        answer = {"text": text, "chunk": 40, "deltaDelayMs": self.DELTA_MS}
        call = {"name": "read", "arguments": {"path": "a.txt"}}
        turns = [answer | {"toolCalls": [call]}] * (self.ANSWERS - 1)
        lines = [{"tape": 1, "name": "load"}]
        for name in self.names:
            lines += [{"when": name}, *turns, answer]
        self.place.tape.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    async def start(self, client: LoadClient, count: int | None = None) -> list[dict[str, Any]]:
        """What `start` answered."""
        starts = [client.begin_command("start", prompt=name, mode="full-auto") for name in self.names[:count]]
        return [(await start)["result"] for start in starts]

    def verify(
        self, client: LoadClient, runs: Sequence[dict[str, Any]], aborted: dict[str, Any] | None = None
    ) -> None:
        """Asserts that the logs are whole and the client has all of them."""
        for run in runs:
            records = self.place.log(run["session"])
            assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
            check(
                [
                    record
                    for record in records
                    if record.get("run") == run["run"] and record["type"] != "config"
                ]
            )
            assert records[-1]["data"]["stopReason"] == ("aborted" if run is aborted else "complete")
            if client.rich:
                assert client.sessions[run["session"]].events == records
        assert alive_with(self.place.mark) == {client.process.pid}


@contextmanager
def tape_server(tape: Path) -> Iterator[dict[str, str]]:
    """A model behind a real socket, in a process of its own: the environment of whoever asks it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "steersman", "tape", "serve", str(tape)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        url = json.loads(process.stdout.readline())["url"]
        yield {"STEERSMAN_MODEL": "openai-chat:load", "STEERSMAN_BASE_URL": url}
    finally:
        process.stdin.close()  # it ends with whoever started it
        process.wait()
        process.stdout.close()
