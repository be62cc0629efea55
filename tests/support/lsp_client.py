"""A small LSP client for tests in process: it speaks over two pipes, and can speak badly.

It shares no code with the server, so that a mistake in the framing can't hide.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import Connection, ServeLimits, StopReason
from support.late import pipe

PATIENCE = 120.0
"""Seconds after which a test that waits for the server fails instead of hanging, also on a slow machine."""


class AnsweredWithError(Exception):
    """The server's answer was an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.error = error
        self.code = error.get("code")
        self.message = error.get("message")
        self.data = error.get("data")


NO_ANSWER = object()
"""What a request handler of the client returns to leave the server without an answer."""

Answer = Callable[[Any], Any]


class LspClient:
    """Reads with the event loop, keeps every message in `received`, answers requests by `on_request`."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd: int | None = read_fd
        self._write_fd: int | None = write_fd
        self._buffer = bytearray()
        self._last_id = 0
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int | str, asyncio.Future[dict[str, Any]]] = {}
        self._handlers: dict[str, Answer] = {}
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: list[Exception] = []
        self.received: list[dict[str, Any]] = []
        self.ended = False
        self.resume_reading()

    # Out.

    def send_bytes(self, data: bytes) -> None:
        """Writes bytes as they are. The pipe must have room for them, or the server must be reading."""
        assert self._write_fd is not None
        while data:
            data = data[os.write(self._write_fd, data) :]

    def send_body(self, body: bytes) -> None:
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send(self, message: Any) -> None:
        self.send_body(json.dumps(message).encode())

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def begin(self, method: str, params: Any = None, *, id: int | str | None = None) -> Request:
        """Sends a request; awaiting it gives the result or raises AnsweredWithError."""
        if id is None:
            self._last_id += 1
            id = self._last_id
        request = self.expect(id)
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return request

    def expect(self, id: int | str) -> Request:
        """The answer to a request that is sent by other means."""
        self._pending[id] = self._loop.create_future()
        return Request(id, self._pending[id])

    async def request(self, method: str, params: Any = None) -> Any:
        return await self.begin(method, params)

    def command(self, name: str, *arguments: Any) -> Request:
        return self.begin("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    async def initialize(self, **params: Any) -> dict[str, Any]:
        result = await self.request("initialize", {"processId": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    async def shut_down(self) -> None:
        """The orderly end: shutdown, then exit."""
        await self.request("shutdown")
        self.notify("exit")

    # In.

    def on_request(self, method: str, answer: Answer) -> None:
        """Answers the server's requests: with what `answer(params)` returns or, when it is awaitable, gives
        later; with an error when it raises AnsweredWithError; not at all for NO_ANSWER.
        """
        self._handlers[method] = answer

    async def wait_for(self, matches: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message, past or future, that matches."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self.received:
                    if matches(message):
                        return message
                self._changed.clear()
                await self._changed.wait()

    async def wait_for_method(self, method: str) -> dict[str, Any]:
        return await self.wait_for(lambda message: message.get("method") == method)

    async def wait_for_end(self) -> None:
        """Until the server has closed its end."""
        async with asyncio.timeout(PATIENCE):
            while not self.ended:
                self._changed.clear()
                await self._changed.wait()

    def of_method(self, method: str) -> list[dict[str, Any]]:
        return [message for message in self.received if message.get("method") == method]

    def answers_without_id(self) -> list[dict[str, Any]]:
        return [m["error"] for m in self.received if "error" in m and m.get("id") is None]

    def pause_reading(self) -> None:
        assert self._read_fd is not None
        self._loop.remove_reader(self._read_fd)

    def resume_reading(self) -> None:
        assert self._read_fd is not None
        os.set_blocking(self._read_fd, False)
        self._loop.add_reader(self._read_fd, self._readable)

    # The ends of the pipes.

    def close_output(self) -> None:
        """The server sees the end of its input."""
        if self._write_fd is not None:
            os.close(self._write_fd)
            self._write_fd = None

    def close_input(self) -> None:
        """The server's next write finds a broken pipe."""
        if self._read_fd is not None:
            self._loop.remove_reader(self._read_fd)
            os.close(self._read_fd)
            self._read_fd = None

    async def close(self) -> None:
        """Closes both ends.

        Raises:
            ExceptionGroup: what its own handlers of requests have raised.
        """
        self.close_output()
        self.close_input()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._failures:
            raise ExceptionGroup("the fake client failed", self._failures)

    def _readable(self) -> None:
        assert self._read_fd is not None
        data = os.read(self._read_fd, 1 << 20)
        if not data:
            self._loop.remove_reader(self._read_fd)
            self.ended = True
        self._buffer += data
        self._take_all()

    def _take_all(self) -> None:
        while (message := self._take()) is not None:
            self._handle(message)
        self._changed.set()

    def _take(self) -> dict[str, Any] | None:
        head, found, _ = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return None
        name, _, length = head.partition(b": ")
        assert bytes(name) == b"Content-Length", f"not a frame: {bytes(head[:200])!r}"
        start, size = len(head) + 4, int(length)
        if len(self._buffer) < start + size:
            return None
        body = bytes(self._buffer[start : start + size])
        del self._buffer[: start + size]
        return json.loads(body)

    def _handle(self, message: dict[str, Any]) -> None:
        self.received.append(message)
        if "method" not in message:
            answer = self._pending.pop(message["id"], None)
            if answer is not None and not answer.done():
                answer.set_result(message)
        elif "id" in message and message["method"] in self._handlers:
            task = asyncio.ensure_future(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, message: dict[str, Any]) -> None:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            result = self._handlers[message["method"]](message.get("params"))
            if isinstance(result, Awaitable):
                result = await result
        except AnsweredWithError as error:
            self.send({**reply, "error": error.error})
        # A fault of the fake: nobody waits for it for ever, and `close` tells it.
        except Exception as error:  # noqa: BLE001
            self._failures.append(error)
            self.send({**reply, "error": {"code": -32603, "message": f"the fake client failed: {error!r}"}})
        else:
            if result is not NO_ANSWER:
                self.send({**reply, "result": result})


@dataclass
class Request:
    """A request on its way."""

    id: int | str
    _answer: asyncio.Future[dict[str, Any]]

    def __await__(self):
        return self._result().__await__()

    async def _result(self) -> Any:
        message = await self.message()
        if "error" in message:
            raise AnsweredWithError(message["error"])
        return message["result"]

    def arrived(self) -> dict[str, Any] | None:
        """The whole response, if it is there."""
        return self._answer.result() if self._answer.done() else None

    async def message(self) -> dict[str, Any]:
        """The whole response."""
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._answer)


@dataclass
class Served:
    """A server that runs in the test's event loop, its client, and how it stopped."""

    server: RpcServer
    client: LspClient
    connection: Connection
    stops: list[StopReason] = field(default_factory=list)
    _run: asyncio.Task[StopReason] | None = None

    async def stopped(self) -> StopReason:
        """Until the server has stopped by itself."""
        assert self._run is not None
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._run)


@asynccontextmanager
async def serving(
    server: RpcServer,
    *,
    limits: ServeLimits | None = None,
    on_stop: Callable[[StopReason], Awaitable[None]] | None = None,
) -> AsyncIterator[Served]:
    """Runs a server over a pair of pipes; at the end the client closes its ends and the server has to go."""
    server_reads, client_writes = pipe()
    client_reads, server_writes = pipe()
    client = LspClient(client_reads, client_writes)
    served = Served(server, client, Connection(server, server_reads, server_writes, limits))

    async def stop(reason: StopReason) -> None:
        served.stops.append(reason)
        if on_stop is not None:
            await on_stop(reason)

    served._run = asyncio.ensure_future(served.connection.run(stop))
    try:
        yield served
    finally:
        await client.close()
        await served.stopped()
