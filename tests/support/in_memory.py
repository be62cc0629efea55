"""A server and its client in one event loop, without pipes or threads: the same inputs give the same run, every time.

The loop knows when nothing more happens by itself, so a test need not wait for anything in particular.
"""

import asyncio
import selectors
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import StopReason
from support.lsp_client import LspClient


class _IdleSelector(selectors.DefaultSelector):
    """Is asked by the loop, once in every turn, for how long it may sleep: not at all while there is work."""

    def __init__(self) -> None:
        super().__init__()
        self.waiters: list[asyncio.Future[None]] = []

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0 or (timeout is not None and timeout <= 0):
            return ready
        if not self.waiters:
            return super().select(timeout)
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()
        return []


class _AtOnce(ThreadPoolExecutor):
    """Does what it is given before it returns. (The loop takes nothing but a pool of threads.)"""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - whoever awaits it gets it
            future.set_exception(error)
        return future


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.idle = _IdleSelector()
        super().__init__(self.idle)
        self.set_default_executor(_AtOnce())
        self.complaints: list[str] = []
        """Of what nobody awaited, and of callbacks that failed."""
        self.set_exception_handler(lambda _, context: self.complaints.append(_complaint(context)))


def _complaint(context: dict[str, Any]) -> str:
    error = context.get("exception")
    return "".join([context["message"], "\n", *(traceback.format_exception(error) if error else [])])


def run_alone(main: Coroutine[Any, Any, None]) -> None:
    """Runs a test in a loop of its own, in which work for threads is done on the spot."""
    loop = _Loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main)
    assert loop.complaints == []


async def quiet() -> None:
    """Returns when nothing more would happen without time or the test. Only in `run_alone`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _Loop)
    waiter = loop.create_future()
    loop.idle.waiters.append(waiter)
    await waiter


class InMemoryClient(LspClient):
    """The client at the one end; what it says is handed over in the loop's next turn, in order."""

    def __init__(self) -> None:
        self.say: Callable[[bytes], None] = lambda body: None
        self.twice = False
        """It sends each of its answers two times."""
        super().__init__(-1, -1)

    def send(self, message: Any) -> None:
        super().send(message)
        if self.twice and "method" not in message:
            super().send(message)

    def send_body(self, body: bytes) -> None:
        self.say(body)

    def hear(self, data: bytes) -> None:
        self._buffer += data
        self._take_all()

    def resume_reading(self) -> None:
        """It hears everything at once."""

    def close_output(self) -> None:
        self.say = lambda body: None

    def close_input(self) -> None:
        """There is nothing to close."""


@dataclass
class InMemoryServed:
    """A served connection: see `lsp_client.Served`."""

    server: RpcServer
    client: InMemoryClient


class _Link:
    """Implements `protocol.Link`, and is the way in."""

    def __init__(self, server: RpcServer, client: InMemoryClient) -> None:
        self._server, self._client = server, client
        self._loop = asyncio.get_running_loop()
        self._in: deque[bytes] = deque()
        self._pumping = False
        server.protocol.attach(self)
        client.say = self._said

    def send(self, data: bytes, *, droppable: bool = False, key: Hashable | None = None) -> bool:
        self._loop.call_soon(self._client.hear, data)
        return True

    def exit_received(self) -> None:
        """The test ends the server itself."""

    def client_process(self, process_id: int) -> None:
        """It is this process."""

    def _said(self, body: bytes) -> None:
        self._in.append(body)
        if not self._pumping:
            self._pumping = True
            self._loop.call_soon(self._pump)

    def _pump(self) -> None:
        """Hands messages over; one that begins work takes its first step before the next, as in `Transport`."""
        while self._in:
            if self._server.protocol.receive(self._in.popleft()):
                self._loop.call_soon(self._pump)
                return
        self._pumping = False


@asynccontextmanager
async def connected(
    server: RpcServer, *, on_stop: Callable[[StopReason], Awaitable[None]]
) -> AsyncIterator[InMemoryServed]:
    """As `lsp_client.serving`. At the end everything is stopped, and nothing may be left."""
    before = asyncio.all_tasks()
    client = InMemoryClient()
    _Link(server, client)
    try:
        yield InMemoryServed(server, client)
    finally:
        await client.close()
        server.protocol.accept_no_more()
        await on_stop(StopReason.EOF)
        await server.protocol.close()
        await quiet()
    left = asyncio.all_tasks() - before
    assert not left, left
