"""The JSON of one event, read as tolerantly as providers write it."""

import json

import orjson


def read_event(payload: bytes) -> tuple[object, bool]:
    """The value, and whether its strings may hold halves of surrogate pairs.

    Raises:
        ValueError: no JSON, also to a tolerant reader.
    """
    try:
        return orjson.loads(payload), False
    except orjson.JSONDecodeError:
        pass
    # Half surrogate pairs, raw control characters and bytes that are no UTF-8 are refused by orjson only.
    try:
        return json.loads(payload.decode("utf-8", "replace"), strict=False), True
    except RecursionError:
        raise ValueError("nested too deeply") from None
