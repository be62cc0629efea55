"""Reads the JSON of one event, and tolerates what providers get wrong."""

import json
from collections.abc import Mapping
from typing import Final

import orjson

from steersman.agent.json_depth import MOST_READ, is_too_deep
from steersman.models.surrogates import whole

_MOST: Final = 10**15
"""Most tokens; a larger number is not taken for a count."""


def read_event(payload: bytes) -> tuple[object, bool]:
    """The value, and whether its strings may hold halves of surrogate pairs.

    Raises:
        ValueError: it is not JSON, even to a tolerant reader.
    """
    try:
        return orjson.loads(payload), False
    except orjson.JSONDecodeError:
        pass
    # orjson refuses half surrogate pairs, raw control characters and bytes that are not UTF-8; json takes them.
    try:
        value = json.loads(payload.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if is_too_deep(value, MOST_READ):
        raise ValueError("nested too deeply")
    return value, True


def string(holder: Mapping[str, object], key: str) -> str:
    """A string that is to be written to a block; empty for anything else."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def text(holder: Mapping[str, object], key: str) -> str:
    """A string that is used without being written to a block, so that surrogates are mended here."""
    return whole(string(holder, key))


def arguments_text(value: object) -> str:
    """A call's arguments as JSON text, also from servers that send the value itself. What is no object is kept, so that
    the call is refused: taken for none at all, it would be a call with every default. Empty for null, and for an empty
    list, which some servers make of an empty object.

    Raises:
        RecursionError: the value is nested too deeply to be written.
    """
    if isinstance(value, str):
        return value
    if value is None or value == []:
        return ""
    if is_too_deep(value):
        raise RecursionError("nested too deeply")
    return json.dumps(value, ensure_ascii=False)


def count(counts: Mapping[str, object], name: str) -> int | None:
    """A number of tokens; None for anything else."""
    value = counts.get(name)
    # JSON's true is Python's 1.
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST:
        return int(value)
    return None


def first(*found: int | None) -> int | None:
    """The first that is known."""
    return next((each for each in found if each is not None), None)
