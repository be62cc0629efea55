"""Values of a history in the form that wire APIs take: JSON bytes, names, arguments, ids, and texts for gaps."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import orjson

from steersman.agent.messages import Image, Text, ToolCall, joined_text
from steersman.models.surrogates import whole

NO_RESULT: Final = "(no result: the call was not executed)"
NO_OUTPUT: Final = "(no output)"
NO_TEXT: Final = "(empty message)"
IMAGES_FOLLOW: Final = "(image: in the next message)"
IMAGE_LEFT_OUT: Final = "(an image was left out: this model takes text only)"

IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""MIME types of images that APIs take: guides "Vision" and "Images and vision"."""

_NAME_LIMIT: Final = 64
_ID: Final = re.compile(r"[A-Za-z0-9_-]+")


def is_taken(image: Image, types: Collection[str]) -> bool:
    """Whether the image is sent. `types` are the MIME types that the model takes, if any."""
    return bool(image.data) and image.mime_type in types


def taken_images(content: Sequence[Text | Image], types: Collection[str]) -> list[Image]:
    """The images of `content` that are sent."""
    return [part for part in content if isinstance(part, Image) and is_taken(part, types)]


def shown_parts(content: Sequence[Text | Image], types: Collection[str]) -> Iterator[str | Image]:
    """Texts and images in their order. Blank texts are left out, and images that are not sent become a text."""
    for part in content:
        if isinstance(part, Image):
            yield part if is_taken(part, types) else IMAGE_LEFT_OUT
        elif part.text.strip():
            yield part.text


def result_text(content: Sequence[Text | Image], types: Collection[str]) -> str:
    """A result as one text, for APIs whose results can't hold images: it says what becomes of those."""
    text = joined_text(content)
    parts = [text] if text.strip() else []
    if any(isinstance(part, Image) for part in content):
        parts.append(IMAGES_FOLLOW if taken_images(content, types) else IMAGE_LEFT_OUT)
    return "\n".join(parts) or NO_OUTPUT


def wire_arguments(arguments: str) -> str:
    """Arguments as the model wrote them if they are a JSON object, else `{}`."""
    try:
        return arguments if isinstance(orjson.loads(arguments), dict) else "{}"
    except (orjson.JSONDecodeError, RecursionError):
        return "{}"


def wire_name(name: str) -> str:
    """A function name that the API takes, even for a tool that a model made up."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_NAME_LIMIT] or "unknown"


def wire_id(call: ToolCall, taken: set[str], limit: int, *, own: bool) -> str:
    """An id for a call that is unique in the request, for APIs that only take some characters. It is added to `taken`.

    Args:
        limit: most characters of an id.
        own: the call was made by the model that is asked, so that it may keep its provider's id.
    """
    theirs = call.provider_id if own else None
    usable = theirs is not None and len(theirs) <= limit and _ID.fullmatch(theirs)
    return new_id(theirs if usable else None, call.id, taken, limit)


def new_id(wanted: str | None, own: str, taken: set[str], limit: int) -> str:
    """An id that is unique in the request. It is added to `taken`.

    Args:
        wanted: used if it is free: the provider's own id, where this model gave it.
        own: our id, which is made valid and unique if `wanted` can't be used.
        limit: most characters of `own`.
    """
    own = re.sub(r"[^A-Za-z0-9_-]", "_", own)[-limit:] or "call"
    new = wanted or own
    if new in taken:
        new = own
    base, count = new[: limit - 8], 1
    while new in taken:
        count += 1
        new = f"{base}_{count}"
    taken.add(new)
    return new


def encode(value: object) -> bytes:
    """JSON bytes. Text that is not valid Unicode is mended, not refused."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        return orjson.dumps(_mended(value))


def _plain(value: object) -> object:
    """For orjson: mappings and sequences other than dicts and lists."""
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
