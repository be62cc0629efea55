"""Values of a history as a wire API can take them: JSON bytes, names, arguments, ids, and words for what is missing."""

import re
from collections.abc import Container, Sequence
from typing import Final

import orjson

from steersman.agent.messages import Image
from steersman.models.surrogates import whole

NO_RESULT: Final = "(no result: the call was not executed)"
NO_OUTPUT: Final = "(no output)"
NO_TEXT: Final = "(empty message)"
IMAGES_FOLLOW: Final = "(image: in the next message)"
IMAGE_LEFT_OUT: Final = "(an image was left out: this model takes text only)"

GO_ON: Final = "Continue."
"""Said where an answer has no user message after it, for APIs whose turns alternate and end with the user's."""
EARLIER: Final = "(the conversation before this is left out)"
"""Said where nothing is before the first answer, for those."""

_IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_NAME_LIMIT: Final = 64


def is_taken(image: Image) -> bool:
    """Whether the APIs take such an image, of a model that takes any: guides "Vision" and "Images and vision"."""
    return bool(image.data) and image.mime_type in _IMAGE_TYPES


def wire_arguments(arguments: str) -> str:
    """Arguments that parse: as the model wrote them if they are a JSON object, else `{}`."""
    try:
        return arguments if isinstance(orjson.loads(arguments), dict) else "{}"
    except (orjson.JSONDecodeError, RecursionError):
        return "{}"


def wire_name(name: str) -> str:
    """A function name that the API takes, also for a tool that a model made up."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_NAME_LIMIT] or "unknown"


def unique_id(wanted: str | None, own: str, taken: Container[str], limit: int) -> str:
    """An id for a call that no other call of the request has.

    Args:
        wanted: taken if it is free; the provider's own id, where this model gave it.
        own: ours, put right and made unique otherwise.
        limit: characters that an id may have.
    """
    own = re.sub(r"[^A-Za-z0-9_-]", "_", own)[-limit:] or "call"
    wire_id = wanted or own
    if wire_id in taken:
        wire_id = own
    base, count = wire_id[: limit - 8], 1
    while wire_id in taken:
        count += 1
        wire_id = f"{base}_{count}"
    return wire_id


def encode(value: object) -> bytes:
    """JSON bytes. Text that is no valid Unicode is put right rather than refused."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        return orjson.dumps(_mended(value))


def _plain(value: object) -> object:
    """Mappings and sequences that are no dict or list, for orjson."""
    if hasattr(value, "items"):
        return dict(value.items())
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(type(value).__name__)


def _mended(value: object) -> object:
    if isinstance(value, str):
        return whole(value)
    if hasattr(value, "items"):
        return {whole(str(key)): _mended(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_mended(item) for item in value]
    return value
