"""Decodes bodies that are compressed: some servers compress although they were asked not to.

httpx is not left to do it. It passes on what it can't decode, and of gzip in several parts it takes only the first.
"""

import zlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import httpx

    from steersman.models.local_client import LocalResponse

ACCEPTED: Final = "gzip, deflate"
"""For `accept-encoding`, where a body may be compressed."""
_PIECE: Final = 64 * 1024
"""Most bytes that are decompressed at once."""
_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32


class Undecodable(Exception):
    """A body can't be decoded. `what` says how, with `{host}` for the server's name; `said` is the encoding, where it
    is not known."""

    def __init__(self, what: str, said: str = "") -> None:
        super().__init__(what)
        self.what, self.said = what, said


def body_of(response: "httpx.Response | LocalResponse") -> AsyncIterator[bytes]:
    """The body of a response, decoded, in pieces.

    Raises:
        Undecodable: while it is read. The client's exceptions are raised too.
    """
    # httpx offers no cheaper way in public: aiter_raw adds a layer per piece.
    pieces: AsyncIterator[bytes] = response.stream  # type: ignore[assignment]  # an AsyncClient's streams so
    encoding = _encoding(response.headers)
    return _decoded(pieces, encoding) if encoding else pieces


def _encoding(headers: Mapping[str, str]) -> str:
    """Empty if the body is as it is."""
    encoding = headers.get("content-encoding", "").strip().lower()
    return "" if encoding == "identity" else encoding


async def _decoded(pieces: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise Undecodable(f"{{host}} sent a body in an encoding other than {ACCEPTED}", encoding)
    mismatch = Undecodable("{host} sent a body that does not match its content-encoding")
    unpacker, begun = zlib.decompressobj(_GZIP_OR_ZLIB), False
    try:
        async for packed in pieces:
            left = packed
            while left:
                if unpacker.eof:
                    left = left.lstrip(b"\0")  # padding
                    if not left or encoding == "deflate":
                        break
                    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
                try:
                    part = unpacker.decompress(left, _PIECE)
                except zlib.error:
                    if begun or encoding != "deflate":
                        raise
                    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers leave out the header
                    part = unpacker.decompress(left, _PIECE)
                begun = True
                yield part
                left = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error:
        raise mismatch from None
    if not unpacker.eof:
        raise mismatch
