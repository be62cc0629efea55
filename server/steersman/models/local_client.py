"""Requests to servers on this machine: plain HTTP/1.1 with h11, without proxies and TLS.

Loading httpx and anyio takes longer than such a server takes to answer, so they are not used here. Everything else is
left to httpx: other hosts, user information, characters that a URL has to escape.
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Final

import h11

from steersman.agent.model import FailureKind

_KEEP_SECONDS: Final = 5.0
"""How long an idle connection is kept: as long as in httpx, and as most servers keep theirs."""
_HEAD_LIMIT: Final = 64 * 1024
"""Most bytes of a head, of a line between chunks, and of what follows the last chunk."""
_PIECE: Final = 64 * 1024
"""Most bytes that are read at once. When twice as many wait to be read, the server has to wait."""

_LOCAL = re.compile(
    r"http://(?P<host>localhost|127\.0\.0\.1|\[::1\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>/[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*)?"
)


class LocalFailure(Exception):
    """A request failed. `what` says how, with `{host}` for the server's name; `said` is the system's message."""

    def __init__(self, kind: FailureKind, what: str, said: str = "") -> None:
        super().__init__(what)
        self.kind, self.what, self.said = kind, what, said


_BROKE: Final = "the connection to {host} broke before the answer was complete"


def is_local(url: str) -> bool:
    """Whether `LocalClient` can make requests to `url`."""
    match = _LOCAL.fullmatch(url)
    return match is not None and 0 < int(match["port"] or 80) < 65536


class _Connection:
    """One connection, and the state of its request and response.

    A task waits for the first bytes of a response even before there is a request, since a server may close an idle
    connection, or answer before it has read the request.
    """

    free_since: float | None = None
    """When it became idle, in the loop's time; None until its first response is complete."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_LIMIT)
        self.first = asyncio.create_task(self._first_bytes())

    async def _first_bytes(self) -> bytes:
        """Empty if the connection is closed first."""
        try:
            return await self._reader.read(_PIECE)
        except OSError:
            return b""

    async def ask(self, request: Sequence[h11.Event], seconds: float) -> bytes:
        """Sends the request. Returns the first bytes of the response; none if the connection was closed before that."""
        self._writer.write(b"".join(self._http.send(event) or b"" for event in request))
        await asyncio.wait([self.first], timeout=seconds)
        if not self.first.done() and self._writer.transport.get_write_buffer_size():
            raise LocalFailure("timeout", "{host} did not take the request in time")
        return await self.first

    async def answer(self, first: bytes) -> "LocalResponse":
        self._http.receive_data(first)
        while not isinstance(event := await self._next_event(), h11.Response):
            pass  # informational responses
        return LocalResponse(event, self._body())

    async def _body(self) -> AsyncIterator[bytes]:
        while isinstance(event := await self._next_event(), h11.Data):
            yield bytes(event.data)

    async def _next_event(self) -> object:
        """h11's next event of the response."""
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_PIECE))
        except (OSError, h11.RemoteProtocolError):
            raise LocalFailure("network", _BROKE) from None
        return event

    def set_free(self) -> bool:
        """Makes it ready for another request. False if it can't be: the response is incomplete, or more has come."""
        ended = self._http.our_state is self._http.their_state is h11.DONE
        left = self._http.trailing_data != (b"", False) or self._writer.transport.get_write_buffer_size()
        if not ended or left:
            return False
        self._http.start_next_cycle()
        self.first = asyncio.create_task(self._first_bytes())
        self.free_since = asyncio.get_running_loop().time()
        return True

    def abort(self) -> None:
        """Closes it at once, without sending what is still buffered. `first` ends too."""
        self._writer.transport.abort()


class LocalResponse:
    """A response, with those names of httpx's that `http` uses. `stream` is the body as it is sent, in pieces."""

    def __init__(self, head: h11.Response, stream: AsyncIterator[bytes]) -> None:
        self.status_code = head.status_code
        self.headers = {name.decode("ascii"): value.decode("latin-1") for name, value in head.headers}
        self.stream = stream


class LocalClient:
    """Makes requests, and keeps connections for later ones. Belongs to one event loop.

    Args:
        connect: seconds to wait for a connection.
        write: seconds to wait until a server has taken a request.
        keep: seconds for which an idle connection may be used again.
    """

    def __init__(self, *, connect: float, write: float, keep: float = _KEEP_SECONDS) -> None:
        self._connect_seconds, self._write_seconds, self._keep_seconds = connect, write, keep
        self._idle: dict[tuple[str, int], list[_Connection]] = {}

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes,
        extensions: Mapping[str, Mapping[str, float | None]] | None = None,
    ) -> AsyncIterator[LocalResponse]:
        """Makes one request. Its connection is kept if the response is read to its end, and closed otherwise.

        Args:
            url: one that `is_local`.
            extensions: as in httpx. Only `{"timeout": {"connect": seconds}}` is used.

        Raises:
            LocalFailure: the request failed. The response's iterators raise it too.
        """
        match = _LOCAL.fullmatch(url)
        assert match is not None
        place = match["host"].strip("[]"), int(match["port"] or 80)
        request = _request(method, match, headers, content)
        connect = (extensions or {}).get("timeout", {}).get("connect") or self._connect_seconds
        connection = self._take(place) or await self._connected(place, connect)
        kept = False
        try:
            first = await connection.ask(request, self._write_seconds)
            if not first and connection.free_since is not None:
                # The server has closed the idle connection meanwhile. Only then is it safe to ask again.
                connection.abort()
                connection = await self._connected(place, connect)
                first = await connection.ask(request, self._write_seconds)
            yield await connection.answer(first)
            kept = connection.set_free()
        finally:
            if kept:
                self._idle.setdefault(place, []).append(connection)
            else:
                connection.abort()

    async def aclose(self) -> None:
        """Closes the idle connections."""
        idle = [connection for each in self._idle.values() for connection in each]
        self._idle.clear()
        for connection in idle:
            connection.abort()
        for connection in idle:
            await connection.first

    def _take(self, place: tuple[str, int]) -> _Connection | None:
        """The connection that was used last, unless it is too old or something has come over it meanwhile."""
        oldest = asyncio.get_running_loop().time() - self._keep_seconds
        idle = self._idle.get(place, [])
        while idle:
            connection = idle.pop()
            if (connection.free_since or 0) > oldest and not connection.first.done():
                return connection
            connection.abort()
        return None

    async def _connected(self, place: tuple[str, int], seconds: float) -> _Connection:
        try:
            async with asyncio.timeout(seconds):
                return _Connection(*await asyncio.open_connection(*place, limit=_PIECE))
        except TimeoutError:
            what = f"no connection to {{host}} within {seconds:g} seconds"
            raise LocalFailure("timeout", what) from None
        except OSError as error:
            number = error.errno or 0  # negative: from the resolver; none: from several attempts
            said = os.strerror(number) if number > 0 else "all connection attempts failed"
            raise LocalFailure("network", "can't connect to {host}", said) from None


def _request(
    method: str, url: re.Match[str], headers: Mapping[str, str], content: bytes
) -> Sequence[h11.Event]:
    host = url["host"] if url["port"] is None else f"{url['host']}:{url['port']}"
    named = {
        "host": host,
        "connection": "keep-alive",
        "accept-encoding": "identity",
        "user-agent": "steersman",
        **headers,
        "content-length": str(len(content)),
    }
    try:
        head = h11.Request(method=method, target=url["target"] or "/", headers=list(named.items()))
    except (h11.LocalProtocolError, UnicodeEncodeError):
        raise LocalFailure(
            "bad_request", "the request to {host} is malformed; check the base URL and the key"
        ) from None
    return head, h11.Data(content), h11.EndOfMessage()
