"""The server object that commands and features are registered on, and what it can say to its client.

A thin face over `protocol.RpcProtocol`: everything here is safe to call from a handler.
"""

import functools
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from steersman.lsp.calls import Handler, after_response
from steersman.lsp.documents import Documents
from steersman.lsp.inert import inert
from steersman.lsp.protocol import RpcProtocol
from steersman.lsp.structure import late_converter
from steersman.lsp.wire import JsonObject, JsonValue, encode

__all__ = ["CommandHandler", "RpcServer", "after_response"]

logger = logging.getLogger(__name__)

CommandHandler = Callable[[list[JsonValue]], Awaitable[JsonValue]]
"""Takes the command's arguments and returns its result, both plain JSON; raises CommandError to refuse."""


class RpcServer(LanguageServer):
    """A language server for one client, run by `serve.serve` or a `serve.Connection`, not by pygls' `start_*`.

    pygls' decorators work; `add_*` also take bound methods. pygls' `workspace` knows the folders, never the
    text: that is in `documents`.
    """

    protocol: RpcProtocol

    def __init__(self, name: str, version: str) -> None:
        super().__init__(name, version, protocol_cls=RpcProtocol, converter_factory=late_converter)

    @property
    def documents(self) -> Documents:
        """What the client has open; set its `listener` to hear of changes."""
        return self.protocol.documents

    def add_command(self, command_id: str, handler: CommandHandler) -> None:
        """Registers a command of `workspace/executeCommand`, before initialize: its id is advertised.

        Handlers run concurrently. The steps of each up to its first await are taken in the order in which
        the requests arrived, and before any later message is looked at.

        Raises:
            ValueError: the id is taken.
        """
        _add(self.protocol.fm.commands, command_id, handler)

    def add_feature(self, method: str, handler: Handler, *, options: JsonObject | None = None) -> None:
        """Registers a request or notification, plain or async. Its one argument is the params: an object of
        lsprotocol for most methods of LSP, plain JSON (None when absent) for any other. `options` are what its
        capability says.

        Raises:
            ValueError: the method has a handler.
        """
        _add(self.protocol.fm.features, method, handler)
        if options is not None:
            self.protocol.fm.feature_options[method] = options

    async def request(self, method: str, params: object = None, *, timeout: float | None) -> JsonValue:
        """Asks the client; `timeout` in seconds, None for a question that may stay open.

        `params` is JSON or an object of lsprotocol, the result is plain JSON: null, `{}` and anything else
        that a client may send. Cancelled or out of time, it sends `$/cancelRequest`.

        Raises:
            RpcError: the client answered with an error.
            RequestTimeout: no answer in time; a later one is ignored.
            ClientGone: there is no client, or it left meanwhile.
        """
        return await self.protocol.requests.request(method, inert(method, params), timeout)

    def notify(self, method: str, params: object = None) -> bool:
        """Tells the client something; False if the client is gone."""
        return self.protocol.notify(method, inert(method, params))

    def send_raw_notification(
        self, method: str, params_json: bytes, *, droppable: bool = False, key: Hashable | None = None
    ) -> bool:
        """Sends a notification whose params are JSON text already: the hot path of `$/progress`.

        Returns: False if the client is gone, or if it is droppable and too much is waiting for the client;
        `on_drained` tells when there is room again. A frame with a key replaces a waiting one with the same.
        """
        head = _notification_head(method)
        size = len(head) + len(params_json) + 1
        data = b"Content-Length: %d\r\n\r\n%b%b}" % (size, head, params_json)
        return self.protocol.send(data, droppable=droppable, key=key)

    def on_drained(self, callback: Callable[[], None]) -> None:
        """Calls back, on the event loop, each time that there is room again after frames were refused."""
        self.protocol.drained.append(callback)

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """pygls shows errors to the user; here they are logged where they happen."""
        logger.error("%s", error)


@functools.lru_cache(maxsize=64)
def _notification_head(method: str) -> bytes:
    return b'{"jsonrpc":"2.0","method":%b,"params":' % encode(method)


def _add(registry: dict[str, Any], name: str, handler: Handler) -> None:
    if name in registry:
        raise ValueError(f"{name} has a handler already")
    registry[name] = handler
