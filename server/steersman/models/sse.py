"""Server-Sent Events from bytes that may be cut anywhere. Framing only: no JSON, no provider, no I/O.

The format is that of the HTML standard, "9.2.6 Interpreting an event stream", with one exception: `close` gives an
event that the end of the body left unclosed. The standard drops it, but some servers forget the last blank line.
"""

from typing import Final, TypeAlias

EVENT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of one event beyond which a reader should give up: see `SseParser.held`."""
_BOM: Final = b"\xef\xbb\xbf"

SseEvent: TypeAlias = tuple[bytes, bytes]
"""The `event:` field, empty if there is none, and the `data:` lines joined by line feeds, never empty: an event without
data doesn't count. A plain tuple, because a stream has tens of thousands of them."""


class SseParser:
    """Takes a body in pieces of any size, and gives its events in order.

    An event that spans pieces is joined only once, so the work is linear in the bytes, however large an event is.
    `id:`, `retry:`, unknown fields and comments (keep-alives) give no event.
    """

    __slots__ = ("_after_cr", "_head", "_last", "_started", "_tail", "held")

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._last = b""
        self._head = b""
        self._started = False
        self._after_cr = False
        self.held = 0
        """Bytes of the event that has begun but not ended."""

    def feed(self, piece: bytes) -> list[SseEvent]:
        """The events that `piece` completes."""
        if not self._started:
            piece = self._strip_bom(piece)
        if self._after_cr or b"\r" in piece:
            piece = self._to_lf(piece)
        if not piece:
            return []
        straddles = self._last == b"\n" and piece.startswith(b"\n")
        self._last = piece[-1:]
        self._tail.append(piece)
        self.held += len(piece)
        if not straddles and b"\n\n" not in piece:
            return []
        frames = (piece if len(self._tail) == 1 else b"".join(self._tail)).split(b"\n\n")
        tail = frames.pop()
        self._tail = [tail] if tail else []
        self.held = len(tail)
        return _events(frames)

    def close(self) -> list[SseEvent]:
        """The event that the end of the body left unclosed, if any. The parser can't be used any further."""
        frame = b"".join([self._head, *self._tail])
        self._tail, self._head = [], b""
        return _events([frame])

    def _strip_bom(self, piece: bytes) -> bytes:
        piece, self._head = self._head + piece, b""
        if len(piece) < len(_BOM) and _BOM.startswith(piece):
            self._head = piece
            return b""
        self._started = True
        return piece.removeprefix(_BOM)

    def _to_lf(self, piece: bytes) -> bytes:
        """Turns line ends into LF. A CR at the end of a piece counts at once; an LF after it is then skipped."""
        if self._after_cr and piece:
            self._after_cr = False
            piece = piece.removeprefix(b"\n")
        if piece.endswith(b"\r"):
            self._after_cr = True
        return piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _events(frames: list[bytes]) -> list[SseEvent]:
    events: list[SseEvent] = []
    for frame in frames:
        if not frame:
            continue
        if frame.startswith(b"data: ") and b"\n" not in frame:
            # What nearly every event of every provider looks like.
            if len(frame) > 6:
                events.append((b"", frame[6:]))
            continue
        event = _read_fields(frame)
        if event is not None:
            events.append(event)
    return events


def _read_fields(frame: bytes) -> SseEvent | None:
    name = b""
    data = []
    for line in frame.split(b"\n"):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    joined = b"\n".join(data)
    return (name, joined) if joined else None
