"""What kind of JSON-RPC message a JSON value is. Pure; knows no methods."""

from dataclasses import dataclass

from steersman.lsp.wire import JsonObject, JsonValue

MessageId = int | str


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request, or a notification (without an id). `params` is an object, an array or None."""

    id: MessageId | None
    method: str
    params: JsonValue


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to a request of the server. Its members are unchecked."""

    message: JsonObject


@dataclass(frozen=True, slots=True)
class Malformed:
    """Not a JSON-RPC message. `id` is that of the request to refuse, if it could be read."""

    id: MessageId | None
    reason: str


def classify(message: JsonValue) -> Incoming | Response | Malformed:
    """Tells requests, notifications and responses apart from everything else (JSON-RPC 2.0, LSP 3.17)."""
    if not isinstance(message, dict):
        return Malformed(None, "A message must be a JSON object; batches are not part of LSP.")
    has_id = "id" in message
    message_id = message.get("id")
    valid_id = message_id if type(message_id) is int or isinstance(message_id, str) else None
    if message.get("jsonrpc") != "2.0":
        return Malformed(valid_id, 'A message must have the member "jsonrpc": "2.0".')
    if "method" not in message:
        # A null result may be missing altogether: some clients leave null members out.
        if has_id:
            return Response(message)
        return Malformed(None, "A message needs a method, or an id and a result or error.")
    method = message["method"]
    if has_id and valid_id is None:
        return Malformed(None, "The id of a request must be an integer or a string.")
    if not isinstance(method, str):
        return Malformed(valid_id, "The method must be a string.")
    params = message.get("params")
    if params is not None and not isinstance(params, dict | list):
        return Malformed(valid_id, f"The params of {method} must be an object or an array.")
    return Incoming(valid_id, method, params)
