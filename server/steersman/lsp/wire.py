"""JSON text of messages: orjson, and the standard library for what orjson refuses.

Lone surrogates, integers beyond 64 bits and NaN arrive from real clients and in real documents.
"""

import json
from collections.abc import Callable

import orjson

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
JsonObject = dict[str, JsonValue]


def decode(text: bytes) -> JsonValue:
    """The value of one JSON document in UTF-8.

    Raises:
        ValueError: the text is no JSON document, or is nested too deeply. The message says where.
    """
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError as refused:
        try:
            value = json.loads(text)
        except RecursionError:
            raise ValueError("nested too deeply") from refused
    return value


def encode(value: object, default: Callable[[object], object] | None = None) -> bytes:
    """The JSON text of a value; `default` turns an object that is no JSON value into one.

    Raises:
        TypeError, ValueError, RecursionError: the value has no JSON text.
    """
    try:
        return orjson.dumps(value, default=default)
    except TypeError:
        return json.dumps(value, default=default, separators=(",", ":")).encode("ascii")
