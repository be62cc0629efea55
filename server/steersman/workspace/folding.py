"""Finding old text that the file spells a little differently: other quotes, dashes, spaces or indentation.

Folding is only for finding. What is found is given as offsets in the file's own text, and a replacement is rebuilt
so that lines which the edit does not change stay as they are in the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from steersman.workspace.align import line_changes
from steersman.workspace.boundaries import common_prefix

# Each is replaced by one character, so that offsets stay the same.
_FOLDS = (
    ("'", "\u2018\u2019\u201a\u201b\u2032"),
    ('"', "\u201c\u201d\u201e\u201f\u2033"),
    ("-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"),
    (" ", "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"),
)
_BLANKS = " \t"
_TAB_WIDTHS = (2, 4, 8)
# Lines compared before old text in a file so repetitive counts as not found.
_MAX_COMPARED = 100_000

IndentMap = Callable[[str], str]


def fold(text: str) -> str:
    """`text` with typographic quotes, dashes and spaces as ASCII; the same length."""
    if text.isascii():
        return text
    for plain, fancy in _FOLDS:
        for char in fancy:
            text = text.replace(char, plain)
    return text


@dataclass(frozen=True, slots=True)
class Found:
    """Where folded old text is: text[start:end], and how the new text has to be indented to replace it.

    `open_end`: the old text ends with a line end that the file lacks at its end.
    """

    start: int
    end: int
    indent: IndentMap | None = None
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class Cores:
    """Lines without indentation and trailing blanks, joined, with a line feed before and after each.

    `starts` are the offsets in `joined` of the line feed before each line.
    """

    joined: str
    starts: list[int]

    def line_at(self, offset: int) -> int:
        """The line that follows the line feed at `offset`, or contains the character there."""
        return bisect_right(self.starts, offset) - 1


class FoldedText:
    """A text prepared for any number of searches; each search is linear."""

    __slots__ = ("_cores", "_joined", "_lines", "_starts", "_stripped", "_stripped_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = fold(text).split("\n")
        self._starts = _starts(self._lines)
        self._stripped = [line.rstrip(_BLANKS) for line in self._lines]
        self._stripped_starts = _starts(self._stripped)
        # Old text may end with a line end that the last line of the file lacks.
        self._joined = "\n".join(self._stripped) + ("" if text.endswith("\n") else "\n")
        self._cores: Cores | None = None

    def cores(self) -> Cores:
        """The folded lines without indentation and trailing blanks."""
        if self._cores is None:
            lines = [line.strip(_BLANKS) for line in self._stripped]
            self._cores = Cores("\n" + "\n".join(lines) + "\n", _starts(lines))
        return self._cores

    def find(self, old: str, limit: int) -> list[Found]:
        """Up to `limit` places where `old` is: folded characters and trailing blanks, else another indentation."""
        pieces = fold(old).split("\n")
        if not any(piece.strip(_BLANKS) for piece in pieces):
            return []
        found = self._find_folded(pieces, limit)
        return found or self._find_shifted(pieces, limit)

    def _find_folded(self, pieces: Sequence[str], limit: int) -> list[Found]:
        needle = "\n".join(piece.rstrip(_BLANKS) for piece in pieces)
        to_line_end = pieces[-1].rstrip(_BLANKS) != pieces[-1]
        found: list[Found] = []
        for tried, at in enumerate(occurrences(self._joined, needle)):
            if tried > _MAX_COMPARED:
                return []  # one place found so far need not be the only one
            end = at + len(needle)
            if to_line_end and self._joined[end : end + 1] != "\n":
                continue
            open_end = end > self._stripped_starts[-1] + len(self._stripped[-1])
            start = self._start(at, needle.startswith("\n"))
            found.append(Found(start, self._end(end, to_line_end), open_end=open_end))
            if len(found) == limit:
                break
        return found

    def _start(self, at: int, at_line_end: bool) -> int:
        line = bisect_right(self._stripped_starts, at) - 1
        if at_line_end:
            return self._starts[line] + len(self._lines[line])
        return self._starts[line] + at - self._stripped_starts[line]

    def _end(self, at: int, with_blanks: bool) -> int:
        line = bisect_right(self._stripped_starts, at) - 1
        if with_blanks:
            return self._starts[line] + len(self._lines[line])
        return min(self._starts[line] + at - self._stripped_starts[line], len(self._text))

    def _find_shifted(self, pieces: Sequence[str], limit: int) -> list[Found]:
        ends_line = pieces[-1] == ""
        wanted = pieces[:-1] if ends_line else pieces
        cores = self.cores()
        needle = "\n" + "\n".join(piece.strip(_BLANKS) for piece in wanted) + "\n"
        found: list[Found] = []
        compared = 0
        for at in occurrences(cores.joined, needle):
            if compared > _MAX_COMPARED:
                return []  # one place found so far need not be the only one
            compared += len(wanted)
            first = cores.line_at(at)
            last = first + len(wanted) - 1
            if ends_line and last + 1 == len(self._lines) and self._text.endswith("\n"):
                continue
            indent = _indent_map(_indents(wanted, self._stripped[first : last + 1]))
            if indent is None:
                continue
            open_end = ends_line and last + 1 == len(self._lines)
            if ends_line and not open_end:
                end = self._starts[last + 1]
            else:
                kept = self._stripped if wanted[-1].rstrip(_BLANKS) == wanted[-1] else self._lines
                end = self._starts[last] + len(kept[last])
            found.append(Found(self._starts[first], end, indent, open_end))
            if len(found) == limit:
                break
        return found


def occurrences(text: str, needle: str) -> Iterator[int]:
    """Every offset of `needle`, overlapping ones too."""
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def rebuilt(old: str, new: str, actual: str, indent: IndentMap | None) -> str:
    """The text to write in place of `actual`, which was found for `old`.

    Lines that `new` only repeats from `old` are taken from `actual`. All others are written as given, with their
    indentation adapted if the place is indented differently.
    """
    old_lines, new_lines, actual_lines = old.split("\n"), new.split("\n"), actual.split("\n")
    out: list[str] = []
    at = 0
    for change in line_changes(old_lines, new_lines):
        out += actual_lines[at : change.old_start]
        out += (_indented(line, indent) for line in new_lines[change.new_start : change.new_end])
        at = change.old_end
    out += actual_lines[at:]
    return "\n".join(out)


def _indented(line: str, indent: IndentMap | None) -> str:
    body = line.lstrip(_BLANKS)
    if indent is None or not body:
        return line
    return indent(line[: len(line) - len(body)]) + body


def _starts(lines: Sequence[str]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))


def _indents(wanted: Iterable[str], there: Iterable[str]) -> list[tuple[str, str]]:
    return [
        (old[: len(old) - len(old.lstrip(_BLANKS))], line[: len(line) - len(line.lstrip(_BLANKS))])
        for old, line in zip(wanted, there, strict=True)
        if old.strip(_BLANKS)
    ]


def _indent_map(pairs: Sequence[tuple[str, str]]) -> IndentMap | None:
    """The rule that turns the first indentation of every pair into the second; None if there is none."""
    old, there = pairs[0]
    if there.endswith(old):
        added = there.removesuffix(old)
        if all(after == added + before for before, after in pairs):
            return lambda indent: added + indent
    if old.endswith(there):
        removed = old.removesuffix(there)
        if all(before == removed + after for before, after in pairs):
            return lambda indent: indent[common_prefix(indent, removed) :]
    for width in _TAB_WIDTHS:
        if all(after.replace("\t", " " * width) == before for before, after in pairs):
            return lambda indent: "\t" * (len(indent) // width) + " " * (len(indent) % width)
        if all(before.replace("\t", " " * width) == after for before, after in pairs):
            return lambda indent: indent.replace("\t", " " * width)
    return None
