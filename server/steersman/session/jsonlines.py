"""JSON text, in and out: orjson, and the standard library for the few things that orjson refuses.

Lone surrogates, integers beyond 64 bits and NaN arrive from real clients and in real documents.
"""

import json
from collections.abc import Callable
from typing import Any

import orjson

from steersman.agent.json_depth import MOST_READ, is_too_deep


def encode(value: object, default: Callable[[object], object] | None = None) -> bytes:
    """One line of UTF-8 JSON. Half a surrogate pair in a string, which UTF-8 can't hold, is escaped.

    `default` turns an object that is no JSON value into one.

    Raises:
        TypeError, ValueError, RecursionError: `value` has no JSON text.
    """
    try:
        return orjson.dumps(value, default=default)
    except TypeError:
        return json.dumps(value, default=default, separators=(",", ":")).encode()


def decode(text: bytes | bytearray | memoryview | str) -> Any:
    """The value of one JSON document in UTF-8.

    Raises:
        ValueError: it is not JSON, or is nested too deeply. The message says where.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        value = json.loads(text if isinstance(text, str) else bytes(text))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if is_too_deep(value, MOST_READ):
        raise ValueError("nested too deeply")
    return value
