"""Checks of plain JSON, where lsprotocol's types would cost too much or say too little.

Each function raises InvalidParams, which names the member, what was expected and what came instead.
"""

from typing import NoReturn

from steersman.lsp.errors import InvalidParams
from steersman.lsp.wire import JsonObject, JsonValue

_NAMES = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"}


def as_record(value: JsonValue, name: str) -> JsonObject:
    """A value that has to be an object."""
    return value if isinstance(value, dict) else _wrong(name, "an object", value)


def record(parent: JsonObject, name: str) -> JsonObject:
    """A member that has to be an object."""
    return as_record(_member(parent, name, "an object"), name)


def array(parent: JsonObject, name: str) -> list[JsonValue]:
    """A member that has to be an array."""
    value = _member(parent, name, "an array")
    return value if isinstance(value, list) else _wrong(name, "an array", value)


def string(parent: JsonObject, name: str) -> str:
    """A member that has to be a string."""
    value = _member(parent, name, "a string")
    return value if isinstance(value, str) else _wrong(name, "a string", value)


def integer(parent: JsonObject, name: str) -> int:
    """A member that has to be a whole number."""
    value = _member(parent, name, "an integer")
    return value if type(value) is int else _wrong(name, "an integer", value)


def optional_integer(parent: JsonObject, name: str) -> int | None:
    """A member that has to be a whole number, null or missing."""
    return None if parent.get(name) is None else integer(parent, name)


def _member(parent: JsonObject, name: str, expected: str) -> JsonValue:
    if name not in parent:
        raise InvalidParams(name, f"{name} is missing: expected {expected}.")
    return parent[name]


def _wrong(name: str, expected: str, value: JsonValue) -> NoReturn:
    came = _NAMES.get(type(value)) or ("an array" if isinstance(value, list) else "an object")
    raise InvalidParams(name, f"{name}: expected {expected}, got {came}.")
