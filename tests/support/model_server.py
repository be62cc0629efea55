"""Servers for HTTP models: a transport in the process for what they say, a real socket for how they fail."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Text, UserMessage
from steersman.agent.model import Model, ModelRequest, StreamEvent


class _Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces: Iterable[bytes], transport: "Canned") -> None:
        self._pieces = pieces
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._transport.hangs:
            await asyncio.Event().wait()
        if self._transport.breaks is not None:
            raise self._transport.breaks

    async def aclose(self) -> None:
        self._transport.closed += 1


@dataclass
class Canned(httpx.AsyncBaseTransport):
    """Answers every request alike, and keeps the requests."""

    pieces: Iterable[bytes] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    hangs: bool = False
    """After the pieces nothing more comes, and no end."""
    breaks: Exception | None = None
    """Raised after the pieces."""
    refuses: Exception | None = None
    """Raised instead of a response."""
    requests: list[httpx.Request] = field(default_factory=list)
    closed: int = 0
    """Responses whose streams have been closed."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set at each request."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        self.asked.set()
        if self.refuses is not None:
            raise self.refuses
        return httpx.Response(self.status, headers=self.headers, stream=_Pieces(self.pieces, self))


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(
    answer: Handler,
    on_request: Callable[[bytes, bytes], None] = lambda _head, _body: None,
    *,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[str]:
    """A server on loopback whose `answer` is called for each connection, once the request has been read:
    `on_request(head, body)` is told just before.

    Gives the base URL. Connections are ended when the context is left.
    """
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            on_request(*await read_request(reader))
            await answer(reader, writer)
        except (asyncio.CancelledError, ConnectionError):
            writer.transport.abort()
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Head and body of one HTTP request."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.partition(b":")[2])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length:")
        ),
        0,
    )
    return head, await reader.readexactly(length)


def ask(prompt: str = "hello", **fields: object) -> ModelRequest:
    return ModelRequest(
        system="be brief",
        messages=[UserMessage(id="u1", content=(Text(text=prompt),))],
        **fields,  # type: ignore[arg-type]  # what the tests give are the request's own fields
    )


async def events_of(
    model: Model, request: ModelRequest | None = None, signal: AbortSignal | None = None
) -> list[StreamEvent]:
    """All events of one response."""
    return [event async for event in model.stream(request or ask(), signal or AbortSignal())]
