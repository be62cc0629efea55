"""Binary files in git's patch format: deflated, in base 85, in both directions."""

import base64
import zlib
from collections.abc import Iterator

_LINE = 52
"""Most bytes in one line. The line's first letter says how many there are."""


def binary_patch(old: bytes, new: bytes) -> Iterator[str]:
    """The lines after `index`: how to get `new` from `old`, and `old` from `new`."""
    yield "GIT binary patch\n"
    yield from _literal(new)
    yield from _literal(old)


def _literal(data: bytes) -> Iterator[str]:
    yield f"literal {len(data)}\n"
    deflated = zlib.compress(data)
    for start in range(0, len(deflated), _LINE):
        piece = deflated[start : start + _LINE]
        # git pads the last group with zeros and writes it whole.
        yield f"{_length(len(piece))}{base64.b85encode(piece, pad=True).decode('ascii')}\n"
    yield "\n"


def _length(size: int) -> str:
    return chr(ord("A") + size - 1) if size <= 26 else chr(ord("a") + size - 27)
