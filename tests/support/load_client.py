"""A server process under load, and a client that can keep up with it: it reads fast, slowly or not at all."""

import asyncio
import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.served_process import COMMAND, EVENTS, Place

LONG = 300.0
"""Seconds after which a wait is given up."""
TICK = 0.25
"""Seconds between two reads of a client that reads slowly."""


@dataclass
class Heard:
    """What the client knows of one session."""

    events: list[Any] = field(default_factory=list)
    """The durable ones, as JSON values."""
    passing: Counter[str] = field(default_factory=Counter)
    """How many there were of each type of the others."""


class LoadClient:
    """Speaks LSP to a process of its own. Questions are answered with yes, however they are put."""

    def __init__(
        self, place: Place, *, rich: bool, command: Sequence[str] = tuple(COMMAND), **environment: str
    ) -> None:
        self.place, self.rich = place, rich
        server_reads, self._write_fd = os.pipe()
        self._read_fd, server_writes = os.pipe()
        with (place.home.root.parent / "stderr").open("ab") as errors:
            self.process = subprocess.Popen(
                list(command),
                stdin=server_reads,
                stdout=server_writes,
                stderr=errors,
                env=place.environment(**environment),
                cwd=place.root,
            )
        os.close(server_reads)
        os.close(server_writes)
        os.set_blocking(self._read_fd, False)
        self.sessions: dict[str, Heard] = {}
        self.ended: dict[str, str] = {}
        """The message of the end of each work-done token."""
        self.questions = 0
        self.bytes = 0
        """Read so far."""
        self.transcript: bytearray | None = None
        """All that was read, if it is to be kept."""
        self._gone = False
        self._last_id = 0
        self._buffer = bytearray()
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._rate: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.read_fast()

    # How it reads

    def read_fast(self) -> None:
        self.read_nothing()
        self._loop.add_reader(self._read_fd, self._read, 1 << 18)

    def read_nothing(self) -> None:
        self._loop.remove_reader(self._read_fd)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def read_slowly(self, rate: int) -> None:
        """Bytes in a second."""
        self.read_nothing()

        def tick() -> None:
            self._read(max(1, round(rate * TICK)))
            self._timer = self._loop.call_later(TICK, tick)

        tick()

    def _read(self, size: int) -> None:
        try:
            data = os.read(self._read_fd, size)
        except BlockingIOError:
            return
        if not data:
            self._end()
        self.bytes += len(data)
        if self.transcript is not None:
            self.transcript += data
        self._buffer += data
        self._take_all()
        self._changed.set()

    def _end(self) -> None:
        """The server has closed its end: nothing more comes."""
        self.read_nothing()
        self._gone = True
        for answer in self._answers.values():
            answer.set_exception(ConnectionError("the server has gone"))
        self._answers.clear()

    def _take_all(self) -> None:
        start = 0
        while (head := self._buffer.find(b"\r\n\r\n", start)) >= 0:
            length = int(self._buffer[start:head].partition(b": ")[2])
            if len(self._buffer) < head + 4 + length:
                break
            start = head + 4 + length
            self._handle(json.loads(self._buffer[head + 4 : start]))
        del self._buffer[:start]

    # What it hears

    def _handle(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        if method is None:
            self._answers.pop(message["id"]).set_result(message)
        elif method == "$/progress":
            self._progress(params["token"], params["value"])
        elif method == "window/workDoneProgress/create":
            self._reply(message, None)
        elif method == "steersman/requestApproval":
            self.questions += 1
            self._reply(message, {"decision": "accept"})
        elif method == "window/showMessageRequest":
            self.questions += 1
            self._reply(message, {"title": "Accept"})
        elif "id" in message:
            raise AssertionError(f"an unexpected request: {method}")

    def _progress(self, token: str, value: dict[str, Any]) -> None:
        if token != EVENTS:
            if value["kind"] == "end":
                self.ended[token] = value["message"]
            return
        heard = self.sessions.setdefault(value["session"], Heard())
        if "seq" in value:
            heard.events.append(value)
        else:
            heard.passing[value["type"]] += 1

    # What it says

    def _reply(self, message: dict[str, Any], result: Any) -> None:
        self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message).encode()
        data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        while data:
            data = data[os.write(self._write_fd, data) :]

    def begin(self, method: str, params: Any) -> "asyncio.Future[dict[str, Any]]":
        """Sends a request; the whole answer comes later."""
        self._last_id += 1
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._answers[self._last_id] = answer
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return answer

    def begin_command(self, name: str, **argument: Any) -> "asyncio.Future[dict[str, Any]]":
        params = {"command": f"steersman.{name}", "arguments": [argument] if argument else []}
        return self.begin("workspace/executeCommand", params)

    async def command(self, name: str, **argument: Any) -> Any:
        async with asyncio.timeout(LONG):
            return (await self.begin_command(name, **argument))["result"]

    async def initialize(self) -> None:
        features = {"version": "1", "eventToken": EVENTS, "approval": True}
        params = {
            "processId": None,
            "capabilities": {"window": {"workDoneProgress": True}},
            "initializationOptions": {"steersman": features} if self.rich else {},
            "workspaceFolders": [{"name": "ws", "uri": self.place.root.as_uri()}],
        }
        async with asyncio.timeout(LONG):
            await self.begin("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "initialized", "params": {}})

    async def until(self, holds: Callable[[], bool]) -> None:
        """Looked at after each read."""
        async with asyncio.timeout(LONG):
            while not holds():
                assert not self._gone, "the server has gone"
                self._changed.clear()
                await self._changed.wait()

    async def ends_of(self, runs: Sequence[dict[str, Any]]) -> None:
        """Returns when all these runs, as `start` answered them, have told their end: by events to a rich client, by
        their progress to another."""
        tokens = {run["token"] for run in runs}
        sessions = {run["session"] for run in runs}

        def over() -> bool:
            if not self.rich:
                return tokens <= self.ended.keys()
            known = [self.sessions[each].events for each in sessions if each in self.sessions]
            return len(known) == len(sessions) and all(it and it[-1]["type"] == "agent_end" for it in known)

        await self.until(over)

    async def close(self) -> int:
        """Shuts the server down in order, and gives its exit code."""
        self.read_fast()
        async with asyncio.timeout(LONG):
            await self.begin("shutdown", None)
        self._send({"jsonrpc": "2.0", "method": "exit", "params": None})
        return await asyncio.to_thread(self.process.wait, LONG)

    def kill(self) -> None:
        """Whatever is left of it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.read_nothing()
        for descriptor in (self._read_fd, self._write_fd):
            os.close(descriptor)
