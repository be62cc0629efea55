"""Serves a tape on a real socket: Chat Completions as Server-Sent Events over HTTP/1.1, for demos and tests.

It is for trusted clients on this machine: no TLS, no keys, one tape. Kinds of failure that a server can't report are
acted out: `network` cuts the connection, `timeout` goes silent, `protocol` ends without a terminal marker, `empty`
sends an empty answer.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import orjson

from steersman.agent.abort import AbortController
from steersman.agent.messages import Usage
from steersman.agent.model import ModelRequest, StreamDone, StreamError, StreamFailure
from steersman.models.tape import TapeModel
from steersman.models.tape_wire import BadWireRequest, ChunkWriter, error_body, read_request

HEAD_LIMIT: Final = 64 * 1024
BODY_LIMIT: Final = 64 * 1024 * 1024
_LONGEST_LENGTH: Final = 20
"""Digits of a content-length; Python refuses to read numbers of some thousands."""
_REASONS: Final = {status.value: status.phrase for status in HTTPStatus}
_STREAM_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


class TapeServer:
    """Serves one tape until it is closed.

    Args:
        model: answers the requests; its tape's name is the model's name on the wire.
    """

    def __init__(self, model: TapeModel) -> None:
        self._model = model
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> str:
        """Starts to listen, and returns the base URL for clients: `http://127.0.0.1:40123/v1`.

        Raises:
            OSError: the address can't be used.
        """
        self._server = await asyncio.start_server(self._accept, host, port, limit=HEAD_LIMIT)
        name, bound, *_ = self._server.sockets[0].getsockname()
        return f"http://{f'[{name}]' if ':' in name else name}:{bound}/v1"

    async def close(self) -> None:
        """Stops listening and ends all connections, even in the middle of an answer."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
        try:
            await _Connection(self._model, reader, writer).serve()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left; there is nobody to tell
        except asyncio.CancelledError:
            pass  # from `close`, which awaits this task; Python 3.11 would log it as an error
        finally:
            writer.close()
            if task is not None:
                self._connections.discard(task)


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class _BadHttp(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Connection:
    def __init__(self, model: TapeModel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._model = model
        self._reader = reader
        self._writer = writer
        self._ahead = b""

    async def serve(self) -> None:
        """Answers one request after the other, until the client leaves or the connection is cut."""
        while not self._writer.transport.is_closing():
            try:
                request = await self._read()
            except _BadHttp as error:
                await self._send_json(error.status, _message(str(error)), {"connection": "close"})
                return
            if request is None:
                return
            path = request.path.partition("?")[0].rstrip("/")
            if request.method == "GET" and path.endswith("/models"):
                model = {"id": self._model.tape.name, "object": "model", "created": 0, "owned_by": "tape"}
                await self._send_json(200, {"object": "list", "data": [model]})
            elif not path.endswith("/chat/completions"):
                await self._send_json(
                    404, _message(f"No such path: {path}. There are /v1/chat/completions and /v1/models.")
                )
            elif request.method != "POST":
                await self._send_json(405, _message("Use POST."), {"allow": "POST"})
            else:
                await self._complete(request)

    async def _read(self) -> _Request | None:
        try:
            head = self._ahead + await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial or self._ahead:
                raise
            return None
        except asyncio.LimitOverrunError:
            raise _BadHttp(431, "The request's head is too large.") from None
        self._ahead = b""
        first, *lines = head.decode("latin-1").split("\r\n")
        method, _, rest = first.partition(" ")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
            if name
        }
        if "transfer-encoding" in headers:
            raise _BadHttp(411, "Send the body with a content-length.")
        length = headers.get("content-length", "0")
        if not rest.endswith(("HTTP/1.1", "HTTP/1.0")) or not length.isdecimal():
            raise _BadHttp(400, "This is not an HTTP/1.1 request.")
        if len(length) > _LONGEST_LENGTH or int(length) > BODY_LIMIT:
            raise _BadHttp(413, f"The body is larger than {BODY_LIMIT} bytes.")
        return _Request(method, rest.rpartition(" ")[0], headers, await self._reader.readexactly(int(length)))

    async def _complete(self, request: _Request) -> None:
        try:
            asked, with_usage = read_request(request.body)
        except BadWireRequest as error:
            await self._send_json(400, _message(str(error)))
            return
        abort = AbortController()
        watch = asyncio.create_task(self._watch(abort), name="tape server: client watch")
        try:
            await self._answer(asked, abort, with_usage=with_usage)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch(self, abort: AbortController) -> None:
        """Aborts the answer if the client leaves. A byte that it sends meanwhile belongs to its next request."""
        self._ahead = await self._reader.read(1)
        if not self._ahead:
            abort.abort("the client left")

    async def _answer(self, request: ModelRequest, abort: AbortController, *, with_usage: bool) -> None:
        chunks = ChunkWriter(self._model.tape.name)
        begun = False
        async for event in self._model.stream(request, abort.signal):
            if abort.signal.aborted:
                self._writer.transport.abort()
                return
            if isinstance(event, StreamError):
                await self._fail(event.failure, chunks, abort, begun=begun)
                return
            if not begun:
                begun = True
                self._writer.write(_STREAM_HEAD + _chunked(chunks.opening()))
            if isinstance(event, StreamDone):
                closing = chunks.closing(event.stop_reason, event.usage, with_usage=with_usage)
                await self._send(_chunked(closing) + _chunked(b""))
                return
            data = chunks.event(event)
            if data:
                await self._send(_chunked(data))

    async def _fail(
        self, failure: StreamFailure, chunks: ChunkWriter, abort: AbortController, *, begun: bool
    ) -> None:
        opening = b"" if begun else _STREAM_HEAD + _chunked(chunks.opening())
        if failure.kind == "network":
            if begun:
                await self._writer.drain()
            self._writer.transport.abort()
        elif failure.kind == "timeout":
            if begun:
                await self._writer.drain()
            await abort.signal.wait()
        elif failure.kind == "protocol":
            await self._send(opening + _chunked(b""))
        elif failure.kind == "empty":
            await self._send(
                opening + _chunked(chunks.closing("stop", Usage(), with_usage=False)) + _chunked(b"")
            )
        elif begun:
            await self._send(_chunked(chunks.error(failure)) + _chunked(b""))
        else:
            status, body = error_body(failure)
            wait = {"retry-after": f"{failure.retry_after:g}"} if failure.retry_after is not None else {}
            await self._send_json(status, body, wait)

    async def _send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        content = orjson.dumps(body)
        lines = [
            f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}",
            "content-type: application/json",
            f"content-length: {len(content)}",
        ]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        await self._send("\r\n".join([*lines, "", ""]).encode("latin-1") + content)

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()


def _message(text: str) -> dict[str, object]:
    return error_body(StreamFailure("bad_request", text))[1]


def _chunked(data: bytes) -> bytes:
    """A piece of a chunked body; the empty piece ends it."""
    return b"%x\r\n%s\r\n" % (len(data), data)
