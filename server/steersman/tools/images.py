"""Images that models accept: their kind and size in pixels, read from their bytes without decoding them, and limits.

The limits are those of the APIs' guides on images ("Vision", "Images and vision"): if an API refuses an image, it also
refuses every later request of the conversation.
"""

import base64
import binascii

from steersman.agent.messages import Image

MAX_IMAGE_BYTES = 3_750_000
"""As base64 that is 5 MB, the most that model APIs accept."""
MAX_SIDE = 8000
"""In pixels."""

_NO_SIZE = frozenset({0x01, *range(0xD0, 0xDA)})
"""JPEG markers without a length."""


class ImageError(ValueError):
    """The bytes are not an image that can be shown. The message is to follow the image's name."""


def image_type(data: bytes) -> str | None:
    """The MIME type, judged by the first bytes; None if they are not an image that models accept."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, from the header; None if it is cut off or damaged."""
    kind = image_type(data)
    if kind == "image/png":
        size = _big(data, 16, 4), _big(data, 20, 4)
    elif kind == "image/gif":
        size = _little(data, 6, 2), _little(data, 8, 2)
    elif kind == "image/jpeg":
        size = _jpeg(data)
    else:
        size = _webp(data)
    return size if min(size) > 0 else None


def image_of(data: bytes) -> Image:
    """The image of a file's bytes.

    Raises:
        ImageError: it is not an image, or the APIs would refuse it.
    """
    kind = image_type(data)
    if kind is None:
        raise ImageError("is not an image of a kind that models accept (png, jpeg, gif, webp).")
    if len(data) > MAX_IMAGE_BYTES:
        raise ImageError(
            f"is an image of {len(data):,} bytes; at most {MAX_IMAGE_BYTES:,} can be shown. "
            "Make a smaller copy, if there is a program for it."
        )
    size = image_size(data)
    if size is None:
        raise ImageError("is an image that is cut off or damaged: its size can't be read.")
    if max(size) > MAX_SIDE:
        raise ImageError(
            f"is an image of {size[0]} × {size[1]} pixels; at most {MAX_SIDE} on a side can be shown. "
            "Make a smaller copy, if there is a program for it."
        )
    return Image(base64.b64encode(data).decode("ascii"), kind)


def image_of_base64(text: str) -> Image:
    """The image in base64 text. Its bytes decide what kind it is.

    Raises:
        ImageError: it is not base64, or see `image_of`.
    """
    if len(text) > 2 * MAX_IMAGE_BYTES:
        raise ImageError(f"is larger than the {MAX_IMAGE_BYTES:,} bytes that can be shown.")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ImageError("is not base64.") from None
    return image_of(data)


def described(image: Image, name: str) -> str:
    """`shot.png (image/png, 640 × 480, 12,345 bytes)`."""
    data = base64.b64decode(image.data)
    size = image_size(data)
    pixels = f", {size[0]} × {size[1]}" if size else ""
    return f"{name} ({image.mime_type}{pixels}, {len(data):,} bytes)"


def _jpeg(data: bytes) -> tuple[int, int]:
    """The size in the frame header, which follows any number of other segments."""
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _NO_SIZE:
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(data, at + 7, 2), _big(data, at + 5, 2)
        else:
            at += 2 + max(2, _big(data, at + 2, 2))
    return 0, 0


def _webp(data: bytes) -> tuple[int, int]:
    form = data[12:16]
    if form == b"VP8X":
        return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1 if len(data) >= 30 else 0
    if form == b"VP8L" and len(data) >= 25:
        bits = _little(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 ":
        return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
    return 0, 0


def _big(data: bytes, at: int, count: int) -> int:
    """0 if the data ends before."""
    return int.from_bytes(data[at : at + count], "big") if len(data) >= at + count else 0


def _little(data: bytes, at: int, count: int) -> int:
    return int.from_bytes(data[at : at + count], "little") if len(data) >= at + count else 0
