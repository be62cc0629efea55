"""JSON-RPC messages to the client: built as objects, sent as frames."""

import logging
from collections.abc import Hashable
from typing import Protocol

from cattrs import Converter
from lsprotocol import types

from steersman.lsp.envelope import MessageId
from steersman.lsp.framing import frame
from steersman.lsp.handshake import plain_answer
from steersman.lsp.wire import encode

logger = logging.getLogger(__name__)


class Link(Protocol):
    """What is needed of the connection to the client."""

    def send(self, data: bytes, *, droppable: bool = False, key: Hashable | None = None) -> bool:
        """Queues one frame: see `Outbox.send`."""

    def exit_received(self) -> None:
        """The client's exit notification came."""

    def client_process(self, process_id: int) -> None:
        """The client gave its process id at initialize."""


class Outgoing:
    """The way out of every message. Until `link` is set nothing can be sent."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter
        self.link: Link | None = None

    def frame(self, data: bytes, *, droppable: bool = False, key: Hashable | None = None) -> bool:
        """Queues one frame as it is: see `Outbox.send`. False without a client."""
        return self.link is not None and self.link.send(data, droppable=droppable, key=key)

    def message(self, message: object) -> bool:
        """Queues a message. False if it can't be sent; why is logged."""
        if self.link is None:
            logger.error("There is no client to send to.")
            return False
        try:
            body = encode(message, self.plain)
        except (TypeError, ValueError, RecursionError):
            logger.exception("A message can't be written as JSON.")
            return False
        return self.link.send(frame(body))

    def result(self, request_id: MessageId, result: object) -> None:
        """Answers a request.

        Raises:
            TypeError, ValueError, RecursionError: the result can't be written as JSON; nothing was sent.
        """
        answer: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "result": result}
        if self.link is not None:
            self.link.send(frame(encode(answer, self.plain)))

    def error(self, request_id: MessageId | None, code: int, message: str, data: object = None) -> None:
        """Answers with an error; without an id if that of the request could not be read. `data` that can't be written
        as JSON is left out: the request must have its answer."""
        error: dict[str, object] = {"code": int(code), "message": message}
        answer: dict[str, object] = {"jsonrpc": "2.0", "id": request_id, "error": error}
        if data is not None and self.message(answer | {"error": error | {"data": data}}):
            return
        self.message(answer)

    def plain(self, value: object) -> object:
        """The JSON of an object of lsprotocol, for the encoder.

        Raises:
            TypeError: it is no such object.
        """
        if isinstance(value, types.InitializeResult | types.ServerCapabilities):
            return plain_answer(value)
        if hasattr(value, "__attrs_attrs__"):
            return self._converter.unstructure(value)
        raise TypeError(f"{type(value).__name__} can't be written as JSON")
