"""Finds the comments of a text that contain a marker: on lines of their own, after code, or spanning lines.

Pure functions on text. Which of their words are instructions is decided in comments.py.
"""

import functools
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from steersman.workspace.comment_syntax import Block, CommentSyntax
from steersman.workspace.line_ends import LINE_END

NAME: Final = "steersman"
MARK: Final = rf"@?{NAME}(?:[!！]|[:：](?![:/]))"
"""The marker, in upper or lower case. The keyboards of some languages type the wide colon."""
AT_START: Final = re.compile(rf"{MARK}[ \t]*", re.IGNORECASE)
_ANYWHERE: Final = re.compile(rf"{NAME}[!！:：]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"(?:\r\n|\n|\r)[ \t]*")
_SPACES: Final = " \t\u00a0\u3000"
"""Spaces between words, including those typed by accident."""
_MAX_OPENINGS: Final = 10
"""Openings of a line comment that are tried as its beginning."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One line of a comment: the range of its words, and the line's number."""

    start: int
    end: int
    line: int


@dataclass(slots=True)
class Comment:
    """A block comment, a line comment after code, or consecutive lines with nothing but line comments."""

    start: int
    end: int
    pieces: list[Piece]
    is_block: bool
    opening: str = ""


class Lines:
    """The lines of a text, which end at LF, CRLF and CR."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [(match.start(), match.end()) for match in LINE_END.finditer(text)]
        self._ends.append((len(text), len(text)))
        self._at = 0

    def number(self, offset: int) -> int:
        """The line of an offset. Fast if offsets mostly rise from call to call."""
        if self._at and offset < self._ends[self._at - 1][1]:
            self._at = 0
        while self._at + 1 < len(self._ends) and offset >= self._ends[self._at][1]:
            self._at += 1
        return self._at

    def start(self, line: int) -> int:
        """Where the line starts; the first one, after a byte order mark."""
        return int(self.text.startswith("\ufeff")) if line == 0 else self._ends[line - 1][1]

    def end(self, line: int) -> int:
        """Where the line ends, without its line end."""
        return self._ends[line][0]

    def after(self, line: int) -> int:
        """Where the next line starts."""
        return self._ends[line][1]

    def before(self, offset: int, line: int) -> str:
        """The part of the line before an offset."""
        return self.text[self.start(line) : offset]


def marked_comments(lines: Lines, syntax: CommentSyntax) -> Iterator[Comment]:
    """The comments that contain a marker anywhere."""
    for is_block, spans in _marked(lines.text, syntax):
        if is_block:
            block = _block_comment(lines, *spans[0], syntax)
            if block is not None:
                yield block
            continue
        group: Comment | None = None
        for start, end in spans:
            comment = _line_comment(lines, start, end, syntax)
            if group is not None and _goes_on(lines, group, comment):
                group.pieces += comment.pieces
                group.end = comment.end
                continue
            if group is not None:
                yield group
            group = comment
        if group is not None:
            yield group


def _marked(text: str, syntax: CommentSyntax) -> Iterator[tuple[bool, Sequence[tuple[int, int]]]]:
    """The block comments (True), and the runs of line comments with only blanks between them, that contain a marker.

    Everything before them has to be scanned, since it decides what is a comment, but nothing more is done with it.
    """
    marks = [mark.start() for mark in _ANYWHERE.finditer(text)]
    if not marks:
        return
    run: list[tuple[int, int]] = []
    for is_block, start, end in _tokens(text, syntax):
        if run and (is_block or _BETWEEN.fullmatch(text, run[-1][1], start) is None):
            if _holds(marks, run[0][0], run[-1][1]):
                yield False, run
            if start > marks[-1]:
                return
            run = []
        if not is_block:
            run.append((start, end))
        elif _holds(marks, start, end):
            yield True, [(start, end)]
    if run and _holds(marks, run[0][0], run[-1][1]):
        yield False, run


def _holds(marks: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(marks, start)
    return at < len(marks) and marks[at] < end


def _tokens(text: str, syntax: CommentSyntax) -> Iterator[tuple[bool, int, int]]:
    """All comments: whether it is a block comment, where it begins and ends."""
    token, at = syntax.token, 0
    while (match := token.search(text, at)) is not None:
        at = match.end()
        if match.lastgroup == "block" and syntax.nests:
            closed = _closed(text, match.start(), syntax)
            if closed is None:
                return
            at = closed
        if match.lastgroup is not None:
            yield match.lastgroup == "block", match.start(), at


def _closed(text: str, start: int, syntax: CommentSyntax) -> int | None:
    """The end of a block comment that may contain others; None if it is never closed."""
    opens, closes = _block_at(text, start, syntax)
    depth = 0
    for edge in _edges(opens, closes).finditer(text, start):
        depth += 1 if edge[0] == opens else -1
        if depth == 0:
            return edge.end()
    return None


@functools.cache
def _edges(opens: str, closes: str) -> "re.Pattern[str]":
    return re.compile(f"{re.escape(opens)}|{re.escape(closes)}")


def _block_at(text: str, start: int, syntax: CommentSyntax) -> Block:
    """The delimiters of the comment that begins at `start`; of two that fit, the longer ones."""
    ways = [each for each in syntax.block if text.startswith(each[0], start)]
    return max(ways, key=lambda each: len(each[0]))


def _line_comment(lines: Lines, start: int, end: int, syntax: CommentSyntax) -> Comment:
    """The comment begins at the opening followed by the marker, if there is one: an earlier opening was none."""
    text = lines.text
    openings = list(islice(syntax.opening.finditer(text, start, end), _MAX_OPENINGS))
    marked = (each for each in openings if AT_START.match(text, _words(text, each, end)))
    opened = next(marked, openings[0])
    start = opened.start() + len(opened[0]) - len(opened[0].lstrip("\ufeff \t"))
    line = lines.number(start)
    piece = Piece(_words(text, opened, end), _trimmed(text, start, end), line)
    return Comment(start, end, [_ordered(piece)], False, opened[0].strip())


def _words(text: str, opened: "re.Match[str]", end: int) -> int:
    """Where the words begin after the opening of a line comment, which may also be `///`, `##` or `;;`."""
    at, last = opened.end(), opened[0][-1]
    while at < end and text[at] == last and not last.isalpha():
        at += 1
    if at < end and text[at] == "!":
        at += 1
    while at < end and text[at] in _SPACES:
        at += 1
    return at


def _goes_on(lines: Lines, group: Comment, comment: Comment) -> bool:
    """Whether a line comment continues the one above it."""
    above, here = group.pieces[-1].line, comment.pieces[0].line
    indent, first = lines.before(comment.start, here), lines.before(group.start, group.pieces[0].line)
    return here == above + 1 and comment.opening == group.opening and indent == first and not indent.strip()


def _block_comment(lines: Lines, start: int, end: int, syntax: CommentSyntax) -> Comment | None:
    """None if it is never closed."""
    text, (opens, closes) = lines.text, _block_at(lines.text, start, syntax)
    at, inner_end = start + len(opens), end - len(closes)
    if inner_end < at or not text.endswith(closes, at, end):
        return None
    pieces: list[Piece] = []
    for line in range(lines.number(start), lines.number(max(start, end - 1)) + 1):
        first = max(at, lines.start(line))
        last = max(first, min(inner_end, lines.end(line)))
        pieces.append(_ordered(Piece(_undecorated(text, first, last), _trimmed(text, first, last), line)))
    if syntax.braces and text[max(0, start - 1) : start] == "{" and text[end : end + 1] == "}":
        start, end = start - 1, end + 1
    return Comment(start, end, pieces, True)


def _undecorated(text: str, start: int, end: int) -> int:
    """Where the words of a line begin, after blanks and a frame of stars."""
    at = start
    while at < end and text[at] in _SPACES:
        at += 1
    while at < end and text[at] in "*!~":
        at += 1
    while at < end and text[at] in _SPACES:
        at += 1
    return at


def _trimmed(text: str, start: int, end: int) -> int:
    """Where the words of a line end."""
    while end > start and text[end - 1] in f"{_SPACES}*":
        end -= 1
    return end


def _ordered(piece: Piece) -> Piece:
    return piece if piece.start <= piece.end else Piece(piece.end, piece.end, piece.line)
