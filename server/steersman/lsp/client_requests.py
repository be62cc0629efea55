"""The server's requests to the client, until they are answered."""

import asyncio
import logging
from collections.abc import Callable
from itertools import count

from steersman.lsp.errors import ClientGone, ErrorCode, RequestTimeout, RpcError
from steersman.lsp.wire import JsonObject, JsonValue

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, object]], bool]


class ClientRequests:
    """The table of unanswered requests. An answer, a timeout or a cancellation removes an entry."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[JsonValue]] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._waiting)

    async def request(self, method: str, params: object, timeout: float | None) -> JsonValue:
        """Sends a request and waits for its result; `timeout` in seconds, None to wait for ever.

        After the timeout, or if the call is cancelled, the client gets `$/cancelRequest`.

        Raises:
            RpcError: the client answered with an error.
            RequestTimeout: there was no answer in time.
            ClientGone: the connection has ended, or ended before the answer.
        """
        request_id, answer = self.begin(method, params)
        try:
            async with asyncio.timeout(timeout):
                return await answer
        except TimeoutError:
            self.cancel(request_id)
            raise RequestTimeout(f"{method}: no answer from the client within {timeout} s") from None
        except asyncio.CancelledError:
            self.cancel(request_id)
            raise

    def begin(self, method: str, params: object) -> tuple[int, asyncio.Future[JsonValue]]:
        """Sends a request. Returns its id and the future answer, which fails as `request` does.

        Raises:
            ClientGone: the connection has ended.
        """
        request_id = next(self._ids)
        message: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        if self._closed or not self._send(message):
            raise ClientGone(f"{method}: the client is gone")
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        return request_id, answer

    def cancel(self, request_id: int) -> None:
        """Withdraws a request, unless it has been answered."""
        if self._waiting.pop(request_id, None) is not None:
            self._send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": request_id}})

    def answer(self, message: JsonObject) -> None:
        """Takes a response. One that nobody waits for, because it is late or its id is unknown, is only logged."""
        request_id = message.get("id")
        waiting = self._waiting.pop(request_id, None) if type(request_id) is int else None
        if waiting is None or waiting.done():
            logger.debug("Nobody waits for the answer to request %r.", request_id)
        elif (error := message.get("error")) is not None:
            waiting.set_exception(_rpc_error(error))
        else:
            waiting.set_result(message.get("result"))

    def close(self) -> None:
        """Fails all waiting requests: no answer will come."""
        self._closed = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ClientGone("the connection ended before the client answered"))
        self._waiting.clear()


def _rpc_error(error: JsonValue) -> RpcError:
    """The client's error, however malformed it is."""
    if not isinstance(error, dict):
        return RpcError(ErrorCode.INTERNAL_ERROR, f"The client's error was malformed: {error!r:.200}")
    code = error.get("code")
    message = error.get("message")
    return RpcError(
        code if isinstance(code, int) else ErrorCode.INTERNAL_ERROR,
        message if isinstance(message, str) else "The client gave no reason.",
        error.get("data"),
    )
