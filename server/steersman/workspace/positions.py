"""Offsets of Python strings and positions of LSP, in UTF-8, UTF-16 or UTF-32 code units.

Lines end at LF, CRLF and CR and nowhere else (LSP 3.17, "Text Documents"), which rules out str.splitlines.
Knows no protocol types.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from steersman.workspace.line_ends import LINE_END

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A zero-based line, and code units from its start."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Range:
    """From `start` to `end`, the end excluded."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class ContentChange:
    """A content change of didChange. Without a range, the text is the whole document."""

    text: str
    range: Range | None = None


class LineIndex:
    """A text and the starts of its lines, for many conversions. It is built in one pass; a conversion is O(log
    lines)."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in LINE_END.finditer(text))]

    @property
    def line_count(self) -> int:
        """The number of lines, including the empty one after a final line end: at least 1."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """The text of a line (zero-based) without its line end.

        Raises:
            IndexError: there is no such line.
        """
        if not 0 <= number < len(self._starts):
            raise IndexError(f"line {number} of {len(self._starts)}")
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[start : _content_end(self.text, start, end)]

    def offset(self, position: Position, encoding: PositionEncoding) -> int:
        """The offset of a position, clamped to its line and to the document.

        A position inside a character (between the halves of a surrogate pair) counts as its start.
        """
        if position.line >= len(self._starts):
            return len(self.text)
        number = max(position.line, 0)
        return self._starts[number] + _chars(self.line(number), position.character, encoding)

    def position(self, offset: int, encoding: PositionEncoding) -> Position:
        """The position of an offset, clamped to the document. Between CR and LF it is the end of the line."""
        offset = min(max(offset, 0), len(self.text))
        number = bisect_right(self._starts, offset) - 1
        start = self._starts[number]
        if 0 < offset < len(self.text) and self.text[offset - 1] == "\r" and self.text[offset] == "\n":
            offset -= 1
        return Position(number, _units(self.text[start:offset], encoding))

    def range(self, start: int, end: int, encoding: PositionEncoding) -> Range:
        """The range between two offsets."""
        return Range(self.position(start, encoding), self.position(end, encoding))


def apply_changes(text: str, changes: Iterable[ContentChange], encoding: PositionEncoding) -> str:
    """The document after the content changes of a didChange, applied one after the other.

    No index is built: a line is found by counting line ends in halves of the text, which is cheaper than splitting it.
    A range that ends before it starts is reversed.
    """
    for change in changes:
        if change.range is None:
            text = change.text
            continue
        first, last = sorted((change.range.start, change.range.end))
        bare_cr = "\r" in text and text.count("\r") != text.count("\r\n")
        start_line = _line_start(text, 0, first.line, bare_cr)
        start = _offset_in_line(text, start_line, first.character, encoding)
        down = last.line - first.line
        end_line = None if start_line is None else _line_start(text, start_line, down, bare_cr)
        end = _offset_in_line(text, end_line, last.character, encoding)
        text = f"{text[:start]}{change.text}{text[end:]}"
    return text


def _line_start(text: str, start: int, lines: int, bare_cr: bool) -> int | None:
    """The start of the line that is `lines` below the one starting at `start`; None if there is none."""
    if lines <= 0:
        return start
    low, high = start, len(text)
    if _line_ends(text, low, high, bare_cr) < lines:
        return None
    while high - low > 1024:
        middle = (low + high) // 2
        if text[middle - 1] == "\r" and text[middle] == "\n":
            middle += 1
        count = _line_ends(text, low, middle, bare_cr)
        if count < lines:
            low = middle
            lines -= count
        else:
            high = middle
    return next(islice(LINE_END.finditer(text, low, high), lines - 1, None)).end()


def _line_ends(text: str, start: int, end: int, bare_cr: bool) -> int:
    count = text.count("\n", start, end)
    if bare_cr:
        count += text.count("\r", start, end) - text.count("\r\n", start, end)
    return count


def _offset_in_line(text: str, line_start: int | None, character: int, encoding: PositionEncoding) -> int:
    if line_start is None:
        return len(text)
    match = LINE_END.search(text, line_start)
    end = match.start() if match else len(text)
    return line_start + _chars(text[line_start:end], character, encoding)


def _content_end(text: str, start: int, end: int) -> int:
    if end > start and text[end - 1] == "\n":
        end -= 1
        return end - 1 if end > start and text[end - 1] == "\r" else end
    return end - 1 if end > start and text[end - 1] == "\r" else end


def _units(text: str, encoding: PositionEncoding) -> int:
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _chars(line: str, units: int, encoding: PositionEncoding) -> int:
    """How many characters of `line` lie before `units` code units."""
    units = max(units, 0)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    if encoding == "utf-8":
        data = line.encode("utf-8", "surrogatepass")
        if units >= len(data):
            return len(line)
        while data[units] & 0xC0 == 0x80:
            units -= 1
        return len(data[:units].decode("utf-8", "surrogatepass"))
    head = line[:units].encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "surrogatepass")
    # A surrogate pair that was cut leaves its first half, which is not the character at this place.
    return len(head) - 1 if head and head[-1] != line[len(head) - 1] else len(head)
