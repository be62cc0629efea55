"""The JSON of one event, read as tolerantly as providers write it."""

import json
from collections.abc import Mapping
from typing import Final

import orjson

from steersman.models.surrogates import whole

_MOST: Final = 10**15
"""Tokens; more is no count."""


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


def string(holder: Mapping[str, object], key: str) -> str:
    """A string that passes through a block; empty for anything else."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def text(holder: Mapping[str, object], key: str) -> str:
    """A string that is told as it is, without passing through a block."""
    return whole(string(holder, key))


def arguments_text(value: object) -> str:
    """A call's arguments as JSON text, also from servers that send the object itself; empty for anything else.

    Raises:
        RecursionError: the object is nested too deeply to be written.
    """
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""


def count(counts: Mapping[str, object], name: str) -> int | None:
    """A number of tokens; None for anything else."""
    value = counts.get(name)
    # JSON's true is Python's 1.
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST:
        return int(value)
    return None


def first(*found: int | None) -> int | None:
    """The first of these that is known."""
    return next((each for each in found if each is not None), None)
