"""The network part of every HTTP model: one POST, and a body that arrives in pieces.

It knows statuses, stalls and aborts, but not what the bytes mean. httpx is imported only for the first request that
needs it, since that takes more time than the rest of a short command. Servers on this machine are asked without it, by
`local_client`, which is imported just as late.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NoReturn

from steersman.agent.abort import AbortSignal
from steersman.agent.model import ABORTED, FailureKind, StreamFailure
from steersman.models.content_encoding import ACCEPTED, body_of
from steersman.models.endpoint import Endpoint, HttpFailure
from steersman.models.failures import failure_of_page, failure_of_response
from steersman.models.transport_failures import CONNECT_SECONDS, transport_failure
from steersman.models.trusted import trusted_context

if TYPE_CHECKING:
    import httpx

    from steersman.models.local_client import LocalClient, LocalResponse

ERROR_BODY_LIMIT: Final = 64 * 1024
"""Bytes of an error response that are read at most."""
QUEUE_LIMIT: Final = 1024 * 1024
"""Bytes that are read ahead of a consumer which is slower than the network."""
_WRITE_SECONDS: Final = 60.0
_KEEP_SECONDS: Final = 30.0
"""How long an idle connection is kept: a tool may run for so long between two turns."""


class _Shared:
    """The process's clients. A client belongs to an event loop, so a new loop gets new ones."""

    usual: "httpx.AsyncClient | None" = None
    local: "LocalClient | None" = None
    loop: asyncio.AbstractEventLoop | None = None


def shared_client(url: str) -> "httpx.AsyncClient | LocalClient":
    """The process's client for requests to `url`, made at the first call in the running event loop.

    Raises:
        HttpFailure: see `new_client`.
    """
    from steersman.models.local_client import LocalClient, is_local  # noqa: PLC0415 - see the module's docstring

    loop = asyncio.get_running_loop()
    if _Shared.loop is not loop:
        _Shared.usual, _Shared.local, _Shared.loop = None, None, loop
    if is_local(url):
        _Shared.local = _Shared.local or LocalClient(connect=CONNECT_SECONDS, write=_WRITE_SECONDS)
        return _Shared.local
    _Shared.usual = _Shared.usual or new_client()
    return _Shared.usual


async def close_shared_client() -> None:
    """Closes the connections of `shared_client`, if one was ever made. The next call makes a new one."""
    usual, local, loop = _Shared.usual, _Shared.local, _Shared.loop
    _Shared.usual = _Shared.local = _Shared.loop = None
    if loop is not asyncio.get_running_loop():
        return
    if local is not None:
        await local.aclose()
    if usual is not None:
        await usual.aclose()


def new_client(transport: "httpx.AsyncBaseTransport | None" = None) -> "httpx.AsyncClient":
    """A client with our time limits and the environment's proxies, which follows no redirects: a key is for one host.

    It has no read timeout. How long a stream may be silent is up to `Stall`.

    Raises:
        HttpFailure: the proxy or certificate settings of the environment can't be used.
    """
    from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - see the module's docstring

    # Their INFO and DEBUG records hold whole URLs and headers.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    timeout = httpx.Timeout(connect=CONNECT_SECONDS, read=None, write=_WRITE_SECONDS, pool=None)
    # No limit of connections: requests are limited by a provider's `RateLimits`.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=_KEEP_SECONDS)
    # No proxy can reach servers on this machine.
    direct = dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]"))
    try:
        return httpx.AsyncClient(
            verify=trusted_context(),
            headers={"accept-encoding": ACCEPTED},
            timeout=timeout,
            limits=limits,
            follow_redirects=False,
            transport=transport,
            mounts=direct,
        )
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        # The exception's text may hold the proxy's password.
        message = (
            f"The environment's proxy or certificate settings can't be used ({type(error).__name__}). Check "
            "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE, SSL_CERT_DIR and REQUESTS_CA_BUNDLE."
        )
        raise HttpFailure(StreamFailure("bad_request", message)) from None


class Body:
    """The body of a 2xx response while it arrives. Made by `post`.

    A task reads ahead. So a consumer gets all that has arrived in one piece, however it was cut, and an abort takes
    effect at once, whatever the server does.
    """

    def __init__(self, endpoint: Endpoint, signal: AbortSignal) -> None:
        self._endpoint = endpoint
        self._signal = signal
        self._pieces: list[bytes] = []
        self._size = 0
        self._received = False
        self._ended = False
        self._failure: HttpFailure | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._room = asyncio.Event()

    async def read(self, seconds: float | None = None) -> bytes:
        """What has arrived since the last call, at least one byte; empty at the end of the body.

        Args:
            seconds: how long to wait for a byte; None: as `Stall` says.

        Raises:
            HttpFailure: no byte came in time (kind `timeout`), the request failed, or it was aborted.
        """
        if not self._pieces and not self._ended and not self._signal.aborted:
            await self._wait(seconds)
        if self._signal.aborted:
            raise HttpFailure(ABORTED)
        if self._pieces:
            pieces, self._pieces, self._size = self._pieces, [], 0
            self._received = True
            self._room.set()
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if self._failure is not None:
            raise self._failure
        return b""

    async def _wait(self, seconds: float | None) -> None:
        stall = self._endpoint.stall
        limit = seconds if seconds is not None else stall.between if self._received else stall.first_byte
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(limit):
                await self._waiter
        except TimeoutError:
            what = "sent nothing more" if self._received else "did not begin to answer"
            message = f"{self._endpoint.host} {what} within {limit:g} seconds."
            raise HttpFailure(StreamFailure("timeout", message)) from None
        finally:
            self._waiter = None

    def give_up(self, kind: FailureKind, what: str) -> NoReturn:
        """Rejects a response that can't be used.

        Raises:
            HttpFailure: always. Its message says that the server did `what`.
        """
        raise HttpFailure(StreamFailure(kind, f"{self._endpoint.host} {what}."))

    def wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def fill(self, client: "httpx.AsyncClient | LocalClient", content: bytes) -> None:
        """Makes the request and reads the response to its end. A failure is kept for `read` to raise."""
        try:
            async with client.stream(
                "POST",
                self._endpoint.url,
                headers=self._endpoint.headers,
                content=content,
                extensions={"timeout": self._timeouts()},
            ) as response:
                await self._receive(response)
        except HttpFailure as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - whatever the transport raises has to arrive as a failure
            where = self._endpoint
            self._failure = HttpFailure(
                transport_failure(error, where.host, where.redact, connect=where.stall.connect)
            )
        finally:
            self._ended = True
            self.wake()

    def _timeouts(self) -> dict[str, float | None]:
        """The timeouts of this request, in httpx's form. They replace the client's own."""
        return {"connect": self._endpoint.stall.connect, "read": None, "write": _WRITE_SECONDS, "pool": None}

    async def _receive(self, response: "httpx.Response | LocalResponse") -> None:
        if not 200 <= response.status_code < 300:
            body = await _read_bounded(response, self._endpoint.stall.after_end)
            raise HttpFailure(
                failure_of_response(
                    self._endpoint.host,
                    response.status_code,
                    response.headers,
                    body,
                    redact=self._endpoint.redact,
                    key_source=self._endpoint.key_source,
                )
            )
        if response.headers.get("content-type", "").lower().startswith("text/html"):
            body = await _read_bounded(response, self._endpoint.stall.after_end)
            raise HttpFailure(failure_of_page(self._endpoint.host, body, self._endpoint.redact))
        async for piece in body_of(response):
            if len(piece) <= QUEUE_LIMIT:
                await self._put(piece)
                continue
            # A small compressed piece may expand to a huge one.
            for start in range(0, len(piece), QUEUE_LIMIT):
                await self._put(piece[start : start + QUEUE_LIMIT])

    async def _put(self, piece: bytes) -> None:
        if not piece:
            return
        self._pieces.append(piece)
        self._size += len(piece)
        if self._waiter is not None:
            self.wake()
        if self._size >= QUEUE_LIMIT:
            self._room.clear()
            await self._room.wait()


@asynccontextmanager
async def post(
    client: "httpx.AsyncClient | LocalClient", endpoint: Endpoint, content: bytes, signal: AbortSignal
) -> AsyncIterator[Body]:
    """Sends `content` and gives the response's body. However the context is left, the request is over then."""
    body = Body(endpoint, signal)
    reader = asyncio.create_task(body.fill(client, content), name=f"POST {endpoint.host}")

    def stop() -> None:
        reader.cancel()
        body.wake()

    withdraw = signal.on_abort(stop)
    try:
        yield body
    finally:
        withdraw()
        if not reader.cancelling():
            # A second cancellation would interrupt httpx while it closes the connection because of the first.
            reader.cancel()
        await asyncio.wait([reader])


async def _read_bounded(response: "httpx.Response | LocalResponse", seconds: float) -> bytes:
    """The beginning of an error's body. A body that breaks off or takes too long is used as far as it came, since the
    status says most of it."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for piece in body_of(response):
                body += piece
                if len(body) >= ERROR_BODY_LIMIT:
                    break
    except Exception:  # noqa: BLE001 - as in `fill`
        logging.getLogger(__name__).debug("the body of a response %s broke off", response.status_code)
    return bytes(body[:ERROR_BODY_LIMIT])
