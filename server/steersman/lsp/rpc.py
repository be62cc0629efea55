"""The server object: commands and features are registered on it, and messages to the client are sent through it.

A thin layer over `protocol.RpcProtocol`; every method is safe to call from a handler.
"""

import functools
import logging
from collections.abc import Callable, Hashable
from typing import Any

from pygls.exceptions import JsonRpcException, PyglsError
from pygls.lsp.server import LanguageServer

from steersman.lsp.calls import Handler, after_response
from steersman.lsp.documents import Documents
from steersman.lsp.inert import inert
from steersman.lsp.protocol import RpcProtocol
from steersman.lsp.structure import late_converter
from steersman.lsp.wire import CommandHandler, JsonObject, JsonValue, encode

__all__ = ["RpcServer", "after_response"]

logger = logging.getLogger(__name__)


class RpcServer(LanguageServer):
    """A language server for one client, run by `serve.serve` or a `serve.Connection`, not by pygls' `start_*`.

    pygls' decorators work; the `add_*` methods also take bound methods. pygls' `workspace` knows the folders but no
    text: the text is in `documents`.
    """

    protocol: RpcProtocol

    def __init__(self, name: str, version: str) -> None:
        super().__init__(name, version, protocol_cls=RpcProtocol, converter_factory=late_converter)

    @property
    def documents(self) -> Documents:
        """What the client has open; whoever is among its `listeners` hears of changes."""
        return self.protocol.documents

    def add_command(self, command_id: str, handler: CommandHandler) -> None:
        """Registers a command of `workspace/executeCommand`. Call it before initialize, which advertises the id.

        Handlers run concurrently. Each runs up to its first await before the next message is looked at, so these first
        parts run in the order in which the requests arrived.

        Raises:
            ValueError: the id is taken.
        """
        _add(self.protocol.fm.commands, command_id, handler)

    def add_feature(self, method: str, handler: Handler, *, options: JsonObject | None = None) -> None:
        """Registers the handler of a request or notification, plain or async. It is called with the params: an object
        of lsprotocol for most methods of LSP, plain JSON for any other (None if absent). `options` is the value of the
        capability that the server advertises for the method.

        Raises:
            ValueError: the method already has a handler.
        """
        _add(self.protocol.fm.features, method, handler)
        if options is not None:
            self.protocol.fm.feature_options[method] = options

    async def request(self, method: str, params: object = None, *, timeout: float | None) -> JsonValue:
        """Sends a request to the client and waits for its result; `timeout` in seconds, None to wait for ever.

        `params` is JSON or an object of lsprotocol. The result is plain JSON, unchecked: clients send null, `{}` and
        worse. After the timeout, or if the call is cancelled, the client gets `$/cancelRequest`.

        Raises:
            RpcError: the client answered with an error.
            RequestTimeout: there was no answer in time; a late one is ignored.
            ClientGone: the client is gone, or left before it answered.
        """
        return await self.protocol.requests.request(method, inert(method, params), timeout)

    def notify(self, method: str, params: object = None) -> bool:
        """Sends a notification; False if the client is gone."""
        return self.protocol.notify(method, inert(method, params))

    def send_raw_notification(
        self, method: str, params_json: bytes, *, droppable: bool = False, key: Hashable | None = None
    ) -> bool:
        """Sends a notification whose params are already JSON text: the hot path of `$/progress`.

        A notification with a key replaces a waiting one with the same key.

        Returns: False if the client is gone, or if the notification is droppable and too much is already waiting for
            the client; `on_drained` says when there is room again.
        """
        head = _notification_head(method)
        size = len(head) + len(params_json) + 1
        data = b"Content-Length: %d\r\n\r\n%b%b}" % (size, head, params_json)
        return self.protocol.send(data, droppable=droppable, key=key)

    def on_drained(self, callback: Callable[[], None]) -> None:
        """Registers a callback for each time that there is room again after frames were refused. It is called on the
        event loop."""
        self.protocol.drained.append(callback)

    def report_server_error(self, error: Exception, source: type[PyglsError | JsonRpcException]) -> None:
        """pygls would show the error to the user; it is logged instead."""
        logger.error("%s", error)


@functools.lru_cache(maxsize=64)
def _notification_head(method: str) -> bytes:
    return b'{"jsonrpc":"2.0","method":%b,"params":' % encode(method)


def _add(registry: dict[str, Any], name: str, handler: Handler) -> None:
    if name in registry:
        raise ValueError(f"{name} has a handler already")
    registry[name] = handler
