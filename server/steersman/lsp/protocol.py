"""pygls with its dispatch replaced: every request gets exactly one answer, and no message stops the server.

What remains of pygls is the registration of features and commands, the capabilities built from them, and lsprotocol's
types. Knows no sessions.
"""

import asyncio
import functools
import inspect
import logging
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import Future
from enum import Enum, auto
from typing import Any

from cattrs import Converter
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.constants import ATTR_EXECUTE_IN_THREAD
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from steersman.lsp.calls import Call, Calls, Handler
from steersman.lsp.client_requests import ClientRequests
from steersman.lsp.documents import Documents
from steersman.lsp.envelope import Incoming, MessageId, Response, classify
from steersman.lsp.errors import CommandError, ErrorCode, InvalidParams
from steersman.lsp.handshake import initialize_params
from steersman.lsp.outgoing import Link, Outgoing
from steersman.lsp.plain import array, as_record, string
from steersman.lsp.pygls_api import FrugalProgress, typed_request
from steersman.lsp.structure import typed_params
from steersman.lsp.wire import JsonObject, JsonValue, decode
from steersman.workspace.positions import PositionEncoding

logger = logging.getLogger(__name__)

CANCEL_GRACE = 1.0
"""Seconds in which a cancelled handler has to end."""

_PLAIN_PARAMS = frozenset(
    {
        types.INITIALIZED,
        types.WORKSPACE_EXECUTE_COMMAND,
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CODE_ACTION_RESOLVE,
        types.TEXT_DOCUMENT_CODE_LENS,
        types.WORKSPACE_TEXT_DOCUMENT_CONTENT,
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_SAVE,
        types.TEXT_DOCUMENT_DID_CLOSE,
    }
)
"""Methods of LSP whose handlers get plain JSON: frequent ones, and those whose handlers tolerate malformed parts."""

_INTERNAL = "The server failed to do this; its log says why."
"""The text of an exception is not sent: it may contain what the client must not see."""

_ENCODINGS: dict[types.PositionEncodingKind | str, PositionEncoding] = {
    types.PositionEncodingKind.Utf8: "utf-8",
    types.PositionEncodingKind.Utf16: "utf-16",
    types.PositionEncodingKind.Utf32: "utf-32",
}


class _Phase(Enum):
    NEW = auto()
    RUNNING = auto()
    SHUT_DOWN = auto()


class RpcProtocol(LanguageServerProtocol):
    """One client's messages: dispatch, answers, cancellation, and the phases of the protocol."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._phase = _Phase.NEW
        self.shutdown_received = False
        self._out = Outgoing(converter)
        self.progress = FrugalProgress(self)
        self.documents = Documents()
        self.requests = ClientRequests(self._out.message)
        self.calls = Calls(self._settle)
        self.drained: list[Callable[[], None]] = []
        self.client_params: JsonObject = {}
        """The params of initialize, unchanged."""
        self.experimental: JsonValue = None
        """`capabilities.experimental` in the answer to initialize. The registered handler of initialize sets it."""
        self.content_schemes: list[str] = []
        """The URI schemes of virtual documents. The registered handler of initialize sets it."""
        self.fm.builtin_features.update(
            {
                types.INITIALIZE: self._initialize,
                types.SHUTDOWN: self._shut_down,
                types.WORKSPACE_EXECUTE_COMMAND: self._execute_command,
                types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._cancel_progress,
                types.TEXT_DOCUMENT_DID_OPEN: self.documents.did_open,
                types.TEXT_DOCUMENT_DID_CHANGE: self.documents.did_change,
                types.TEXT_DOCUMENT_DID_SAVE: self.documents.did_save,
                types.TEXT_DOCUMENT_DID_CLOSE: self.documents.did_close,
            }
        )

    def attach(self, link: Link) -> None:
        """Connects this protocol to its one client."""
        self._out.link = link

    def accept_no_more(self) -> None:
        """From now on refuses requests and drops notifications, as after shutdown."""
        self._phase = _Phase.SHUT_DOWN

    async def close(self) -> None:
        """Cancels all handlers (each request is still answered) and fails all requests to the client."""
        self.accept_no_more()
        await self.calls.end_all(CANCEL_GRACE)
        self.requests.close()

    # From the client.

    def receive(self, body: bytes) -> bool:
        """Handles one message body. Returns True if it began a task that has to take its first step before the next
        message is handled."""
        try:
            message = classify(decode(body))
        except ValueError as error:
            self.refuse(None, ErrorCode.PARSE_ERROR, f"The message is not valid JSON: {error}")
            return False
        if isinstance(message, Incoming):
            return self._notification(message) if message.id is None else self._request(message.id, message)
        if isinstance(message, Response):
            self.requests.answer(message.message)
        else:
            self.refuse(message.id, ErrorCode.INVALID_REQUEST, message.reason)
        return False

    def refuse(self, message_id: MessageId | None, code: ErrorCode, reason: str, data: object = None) -> None:
        """Answers with an error; without an id if that of the message could not be read."""
        # Some clients keep sending requests that the server doesn't offer. Users need not read of that.
        level = logging.INFO if code == ErrorCode.METHOD_NOT_FOUND else logging.WARNING
        logger.log(level, "Refused message %r: %s", message_id, reason)
        self._out.error(message_id, code, reason, data)

    def _request(self, message_id: MessageId, message: Incoming) -> bool:
        method = message.method
        if self._phase is _Phase.NEW and method != types.INITIALIZE:
            self.refuse(message_id, ErrorCode.SERVER_NOT_INITIALIZED, "The server waits for initialize.")
        elif self._phase is _Phase.RUNNING and method == types.INITIALIZE:
            self.refuse(message_id, ErrorCode.INVALID_REQUEST, "initialize is sent only once.")
        elif self._phase is _Phase.SHUT_DOWN:
            self.refuse(message_id, ErrorCode.INVALID_REQUEST, "The server is shutting down.")
        elif self.calls.is_live(message_id):
            self.refuse(message_id, ErrorCode.INVALID_REQUEST, "A request with this id is being handled.")
        elif (handler := self._find_handler(method)) is None:
            self.refuse(message_id, ErrorCode.METHOD_NOT_FOUND, f"Unknown method: {method:.200}")
        else:
            return self._begin_request(Call(message_id, method), handler, message.params)
        return False

    def _begin_request(self, call: Call, handler: Handler, raw: JsonValue) -> bool:
        try:
            params = self._params(call.method, raw)
        except InvalidParams as error:
            self.refuse(call.id, ErrorCode.INVALID_PARAMS, error.message, error.data)
            return False
        if call.method == types.INITIALIZE:
            self._phase = _Phase.RUNNING
            self.client_params = raw if isinstance(raw, dict) else {}
        elif call.method == types.SHUTDOWN:
            self._phase = _Phase.SHUT_DOWN
            self.shutdown_received = True
        return self.calls.begin(call, handler, params)

    def _notification(self, message: Incoming) -> bool:
        method = message.method
        if method == types.EXIT:
            if self._out.link is not None:
                self._out.link.exit_received()
            return False
        if method == types.CANCEL_REQUEST:
            self._cancel_request(message.params)
            return False
        handler = self._find_handler(method) if self._phase is _Phase.RUNNING else None
        if handler is None:
            logger.debug("Ignored the notification %.200s.", method)
            return False
        try:
            params = self._params(method, message.params)
        except InvalidParams as error:
            logger.error("Ignored an ill-formed %s: %s", method, error)
            return False
        return self.calls.begin(Call(None, method), handler, params)

    def _find_handler(self, method: str) -> Handler | None:
        handler: Handler | None = self.fm.builtin_features.get(method) or self.fm.features.get(method)
        if handler is not None and getattr(handler, ATTR_EXECUTE_IN_THREAD, False):
            return functools.partial(_in_thread, handler)
        return handler

    def _params(self, method: str, params: JsonValue) -> object:
        if method == types.INITIALIZE:
            return initialize_params(params)
        return params if method in _PLAIN_PARAMS else typed_params(self._converter, method, params)

    def _cancel_request(self, params: JsonValue) -> None:
        message_id = params.get("id") if isinstance(params, dict) else None
        if type(message_id) is int or isinstance(message_id, str):
            self.calls.cancel(message_id)

    # Features of the protocol itself.

    def _initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        encoding = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
        self.documents.encoding = _ENCODINGS[encoding]
        if self._out.link is not None and params.process_id is not None:
            self._out.link.client_process(params.process_id)
        result = yield from self.lsp_initialize(params)
        result.capabilities.experimental = self.experimental
        if self.content_schemes and result.capabilities.workspace is not None:
            served = types.TextDocumentContentOptions(schemes=self.content_schemes)
            result.capabilities.workspace.text_document_content = served
        return result

    async def _shut_down(self, _params: object) -> None:
        if (user_handler := self.fm.features.get(types.SHUTDOWN)) is not None:
            outcome = user_handler(None)
            if inspect.isawaitable(outcome):
                await outcome
        await self.calls.end_all(CANCEL_GRACE)

    def _execute_command(self, params: JsonValue) -> object:
        fields = as_record(params, "params")
        command = string(fields, "command")
        handler: Handler | None = self.fm.commands.get(command)
        if handler is None:
            raise InvalidParams("command", f"Unknown command: {command:.200}")
        return handler(array(fields, "arguments") if fields.get("arguments") is not None else [])

    def _cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> Generator[Any, Any, None]:
        if not isinstance(params.token, int | str):  # the converter takes what it can't tell apart as it is
            raise InvalidParams("token", "A token is a number or a text.")
        if (waiting := self.progress.tokens.get(params.token)) is not None:
            waiting.cancel()
        if (user_handler := self.fm.features.get(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)) is not None:
            yield user_handler, (params,), None

    # To the client.

    def _settle(self, call: Call, outcome: Callable[[], object]) -> None:
        """Answers a request. The outcome of a notification is only logged, if it failed."""
        try:
            result = outcome()
            if call.id is not None:
                self._out.result(call.id, result)
        except asyncio.CancelledError:
            self._answer_error(call, ErrorCode.REQUEST_CANCELLED, "The request was cancelled.")
        except (CommandError, JsonRpcException) as error:
            self._answer_error(call, error.code, error.message, error.data)
        except Exception:
            logger.exception("The handler of %s failed.", call.method)
            self._answer_error(call, ErrorCode.INTERNAL_ERROR, _INTERNAL)
        call.answered()

    def _answer_error(self, call: Call, code: int, message: str, data: object = None) -> None:
        if call.method == types.INITIALIZE and self._phase is _Phase.RUNNING:
            self._phase = _Phase.NEW  # the client may correct what is wrong and try again
        if call.id is None:
            logger.error("%s: %s", call.method, message)
        else:
            self._out.error(call.id, code, message, data)

    def _send_data(self, data: object) -> bool:
        """Sends pygls' own messages."""
        return self._out.message(data)

    def _serialize_message(self, data: object) -> Any:
        """What pygls calls for the JSON that it logs."""
        return self._out.plain(data)

    def send(self, data: bytes, *, droppable: bool = False, key: Hashable | None = None) -> bool:
        """Queues one frame as it is: see `Outbox.send`. False without a client."""
        return self._out.frame(data, droppable=droppable, key=key)

    def notify(self, method: str, params: object = None) -> bool:
        """Sends a notification. `params` is JSON, an object of lsprotocol, or None."""
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        return self._out.message(message)

    def send_request(
        self,
        method: str,
        params: object = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """For pygls' generated methods: see `typed_request`."""
        return typed_request(self.requests, self._converter, method, params, callback)


async def _in_thread(handler: Handler, *arguments: object) -> object:
    return await asyncio.to_thread(handler, *arguments)
