"""The language server's exceptions, and the JSON-RPC error codes that the server answers with.

CommandError          a handler answers the client with an error
  InvalidParams       the parameters are not valid
ClientRequestError    a request to the client has no result
  RpcError            the client answered with an error
  RequestTimeout      the client did not answer in time
  ClientGone          there is no client any more
"""

from enum import IntEnum
from typing import Any

from steersman.lsp.wire import JsonObject, JsonValue
from steersman.session.errors import Refused


class ErrorCode(IntEnum):
    """JSON-RPC 2.0, and LSP 3.17 "Base protocol" for those below -32700."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800
    REQUEST_FAILED = -32803


class CommandError(Exception):
    """Raised by the handler of a command or request to answer with this error."""

    def __init__(self, code: int, message: str, data: JsonObject | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def request_failed(refusal: Refused) -> CommandError:
    """The error that a client gets for a refusal of the session layer."""
    data: dict[str, Any] = {"code": refusal.code, **refusal.data}  # Any: JSON, in the words of either layer
    return CommandError(ErrorCode.REQUEST_FAILED, str(refusal), data)


class InvalidParams(CommandError):
    """The parameters are not valid; `field` names the one that is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(ErrorCode.INVALID_PARAMS, message, {"field": field})
        self.field = field


class ClientRequestError(Exception):
    """A request to the client has no result."""


class RpcError(ClientRequestError):
    """The client answered with an error."""

    def __init__(self, code: int, message: str, data: JsonValue = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class RequestTimeout(ClientRequestError):
    """The client did not answer in time. The request was cancelled; a late answer is ignored."""


class ClientGone(ClientRequestError):
    """The connection ended before the client answered."""
