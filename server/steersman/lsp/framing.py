"""Content-Length frames: bytes in, message bodies out, without any I/O.

After damage, parsing resumes at the next header. Of JSON it knows only that a document can't contain a header.
"""

import re
from dataclasses import dataclass

MAX_HEADER = 4096
"""Bytes of one header block, at most. LSP clients send about 60."""

_BLOCK_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*", re.IGNORECASE)
_HEADER_LINE = re.compile(rb"[!#-'*+\-.0-9A-Z^_`a-z|~]+[ \t]*:[^\r\n]*")
_BLOCK_START = re.compile(rb"content-length[ \t]*:[ \t]*\d{1,18}[ \t]*\r\n", re.IGNORECASE)
_LONGEST_START = 64
"""Bytes at the end of skipped input that are kept, since a header block may begin in them."""
_ID_BEFORE_PARAMS = re.compile(rb'"id"\s*:\s*(?:(-?\d{1,18})|"([ !#-\[\]-~]{0,200})")\s*[,}]')


@dataclass(frozen=True, slots=True)
class FramingFault:
    """Bytes that are not a usable message.

    `reason` is a sentence for the log and for the client. `request_id` is the id of the request that was lost, if it
    could be read from the first bytes of a message that is too large.
    """

    reason: str
    request_id: int | str | None = None


Frame = bytes | FramingFault


def frame(body: bytes) -> bytes:
    """One message body with its header, ready to be written."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameParser:
    """Splits a stream of bytes into message bodies.

    A header block without a usable Content-Length is skipped, and so are stray bytes between messages, up to the next
    header block; together they are one `FramingFault`. A Content-Length that is larger than the message is noticed
    when the next header block appears inside the body: valid JSON can't contain one, so the body ends where it begins.
    A message of more than `max_message` bytes is skipped without being stored; it ends at a header block too.
    """

    def __init__(self, max_message: int) -> None:
        self._max_message = max_message
        self._buffer = bytearray()
        self._body_length: int | None = None
        self._scanned = 0
        self._lost = False
        self._oversized: _Oversized | None = None

    @property
    def unfinished(self) -> str | None:
        """What would be incomplete if the stream ended now; None if nothing."""
        if self._oversized is not None:
            return f"a message of {self._oversized.length} bytes"
        if self._body_length is not None:
            return f"a message: {len(self._buffer)} of {self._body_length} bytes had come"
        if self._buffer:
            return "a header"
        return None

    @property
    def kept(self) -> int:
        """Bytes that are kept until more of them come."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """Takes the next bytes. Returns the frames that they complete, in order."""
        frames: list[Frame] = []
        if self._oversized is not None:
            data = self._pass_over(data, frames)
        self._buffer += data
        while self._step(frames):
            pass
        return frames

    def _step(self, frames: list[Frame]) -> bool:
        if self._body_length is None:
            return self._take_header(frames)
        return self._take_body(self._body_length, frames)

    def _take_header(self, frames: list[Frame]) -> bool:
        buffer = self._buffer
        if self._lost and not self._find_block():
            return False
        end = buffer.find(_BLOCK_END, 0, MAX_HEADER)
        if end < 0 and len(buffer) < MAX_HEADER:
            return False
        length = _content_length(bytes(buffer[:end])) if end >= 0 else None
        if length is None:
            self._lose_step(frames)
            return True
        self._lost = False
        del buffer[: end + len(_BLOCK_END)]
        if length > self._max_message:
            self._oversized = _Oversized(length, b"", length)
            buffer[:] = self._pass_over(bytes(buffer), frames)
            return bool(buffer)
        self._body_length = length
        self._scanned = 0
        return True

    def _lose_step(self, frames: list[Frame]) -> None:
        if not self._lost:
            frames.append(
                FramingFault("Bytes that are not a header with a Content-Length: skipped to the next header.")
            )
        self._lost = True
        del self._buffer[:1]

    def _find_block(self) -> bool:
        """Drops bytes until a header block may begin at the front."""
        buffer = self._buffer
        found = _BLOCK_START.search(buffer)
        if found is None:
            del buffer[: max(0, len(buffer) - _LONGEST_START)]
            return False
        del buffer[: found.start()]
        return True

    def _take_body(self, length: int, frames: list[Frame]) -> bool:
        buffer = self._buffer
        intruder = self._header_inside(min(length, len(buffer)))
        if intruder is None and len(buffer) < length:
            return False
        end = length if intruder is None else intruder
        if intruder is not None:
            frames.append(
                FramingFault(
                    f"Content-Length was {length}, but the next message began after {intruder} bytes."
                )
            )
        body = bytes(buffer) if end == len(buffer) else bytes(memoryview(buffer)[:end])
        del buffer[:end]
        self._body_length = None
        frames.append(body)
        return bool(buffer)

    def _header_inside(self, end: int) -> int | None:
        """Where a header block begins inside the body's first `end` bytes. Each byte is scanned once."""
        scanned, self._scanned = self._scanned, end
        return _block_inside(self._buffer, scanned, end)

    def _pass_over(self, data: bytes, frames: list[Frame]) -> bytes:
        """Skips bytes of a message that is too large. Returns the bytes that follow the message."""
        oversized = self._oversized
        assert oversized is not None
        if len(oversized.head) < MAX_HEADER:
            oversized.head = (oversized.head + data)[: min(MAX_HEADER, oversized.length)]
        known = len(oversized.tail)
        seen = (oversized.tail + data)[: known + oversized.remaining]
        intruder = _block_inside(seen, known, len(seen))
        if intruder is None and len(data) < oversized.remaining:
            oversized.remaining -= len(data)
            oversized.tail = seen[-MAX_HEADER - len(_BLOCK_END) :]
            return b""
        self._oversized = None
        if intruder is None:
            reason = f"A message of {oversized.length} bytes is over the limit of {self._max_message} bytes."
            frames.append(FramingFault(reason, _request_id(oversized.head)))
            return data[oversized.remaining :]
        came = oversized.length - oversized.remaining - known + intruder
        reason = f"Content-Length was {oversized.length}, but the next message began after {came} bytes."
        frames.append(FramingFault(reason, _request_id(oversized.head[:came])))
        return (oversized.tail + data)[intruder:]


@dataclass(slots=True)
class _Oversized:
    length: int
    head: bytes
    remaining: int
    tail: bytes = b""
    """The last bytes that were skipped: the next header block may begin in them."""


def _block_inside(data: bytes | bytearray, scanned: int, end: int) -> int | None:
    """Where a complete header block begins in `data[:end]`. No block ends before `scanned`."""
    at = data.find(_BLOCK_END, max(0, scanned - len(_BLOCK_END)), end)
    while at >= 0:
        start = max(0, at - MAX_HEADER)
        for found in _BLOCK_START.finditer(data, start, at + 2):
            if _content_length(bytes(data[found.start() : at])) is not None:
                return found.start()
        at = data.find(_BLOCK_END, at + 1, end)
    return None


def _content_length(block: bytes) -> int | None:
    length: int | None = None
    for line in block.split(b"\r\n"):
        if match := _LENGTH.fullmatch(line):
            length = int(match[1])
        elif not _HEADER_LINE.fullmatch(line):
            return None
    return length


def _request_id(head: bytes) -> int | str | None:
    found = _ID_BEFORE_PARAMS.search(head.partition(b'"params"')[0])
    if found is None:
        return None
    return found[2].decode("ascii") if found[1] is None else int(found[1])
