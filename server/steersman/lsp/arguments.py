"""Validates the arguments of a command: one object, or a string in its place (the prompt, the text, the session)."""

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from steersman.lsp.errors import InvalidParams
from steersman.lsp.params import QueueParams
from steersman.lsp.wire import JsonValue

M = TypeVar("M", bound=BaseModel)

_QUEUE_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "list": (set(), set()),
    "edit": ({"id", "text"}, set()),
    "remove": ({"id"}, set()),
    "move": ({"id"}, {"to", "kind"}),
    "clear": (set(), set()),
}
"""The fields that each op needs, and those that it takes besides."""


def parse(model: type[M], arguments: Sequence[JsonValue], *, string_as: str | None = None) -> M:
    """The parameters in the arguments of a command. `string_as`: the field that a bare string stands for.

    Raises:
        InvalidParams: they don't fit. The error names the field, what was expected and what came instead; its
            `data.schema` is the JSON Schema of the parameters.
    """
    if len(arguments) > 1:
        text = f"Expected one object as the only argument, got {len(arguments)} arguments."
        raise _invalid(model, "arguments", text)
    value: Any = arguments[0] if arguments and arguments[0] is not None else {}
    if value == []:  # Lua may encode an empty table, and Emacs an empty plist, as an array
        value = {}
    if isinstance(value, str) and string_as is not None:
        value = {string_as: value}
    if not isinstance(value, dict):
        expected = "an object or a string" if string_as else "an object"
        raise _invalid(model, "arguments", f"Expected {expected}, got {_kind(value)}.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(info.alias or name for name, info in model.model_fields.items())
        raise _invalid(model, field, f"Unknown field {field}. The command takes {known or 'no fields'}.")
    got = "" if first["type"] == "missing" else f", got {_kind(first['input'])}"
    raise _invalid(model, field, f"{field}: {first['msg']}{got}.")


def parse_queue(arguments: Sequence[JsonValue]) -> QueueParams:
    """The parameters of `steersman.queue`, with the fields that the op takes and no others.

    Raises:
        InvalidParams: see `parse`.
    """
    params = parse(QueueParams, arguments, string_as="op")
    needed, taken = _QUEUE_FIELDS[params.op]
    given = {name for name in ("id", "text", "to", "kind") if getattr(params, name) is not None}
    for field in sorted(needed - given):
        raise _invalid(QueueParams, field, f"{field} is missing: {params.op} needs it.")
    for field in sorted(given - needed - taken):
        raise _invalid(QueueParams, field, f"{params.op} doesn't take {field}.")
    if taken and not given & taken:
        raise _invalid(QueueParams, "to", f"to is missing: {params.op} needs to or kind.")
    return params


def _invalid(model: type[BaseModel], field: str, message: str) -> InvalidParams:
    error = InvalidParams(field, message)
    error.data = {"field": field, "schema": model.model_json_schema()}
    return error


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    return "an array" if isinstance(value, list) else "an object"
