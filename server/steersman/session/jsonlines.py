"""JSON on the hot paths: orjson, and the standard library for the few things that orjson refuses."""

import json
from typing import Any

import orjson


def encode(value: object) -> bytes:
    """One line of UTF-8 JSON. Half a surrogate pair in a string, which UTF-8 can't hold, is escaped.

    Raises:
        TypeError: `value` is not JSON.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def decode(line: bytes | bytearray | memoryview | str) -> Any:  # Any: whatever JSON it is
    """Raises:
    ValueError: it is not JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return json.loads(line if isinstance(line, str) else bytes(line))
