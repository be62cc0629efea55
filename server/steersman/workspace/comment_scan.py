"""Finds the comments of a text that hold a marker: in lines of their own, behind code, and those that span lines.

Pure functions on text. Which of their words are instructions is `comments`' business.
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
"""The marker, in any case; the wide colon is what the keyboards of some languages type."""
AT_START: Final = re.compile(rf"{MARK}[ \t]*", re.IGNORECASE)
_ANYWHERE: Final = re.compile(rf"{NAME}[!！:：]", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"(?:\r\n|\n|\r)[ \t]*")
_SPACES: Final = " \t\u00a0\u3000"
"""What is typed between words, also by accident."""
_MAX_OPENINGS: Final = 10
"""Of one line that may be where its comment begins."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One line of a comment: where its words are, and the line."""

    start: int
    end: int
    line: int


@dataclass(slots=True)
class Comment:
    """A block comment, or line comments in lines of their own one below the other, or one behind code."""

    start: int
    end: int
    pieces: list[Piece]
    is_block: bool
    opening: str = ""


class Lines:
    """A text by its lines, which end at LF, CRLF and CR."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [(match.start(), match.end()) for match in LINE_END.finditer(text)]
        self._ends.append((len(text), len(text)))
        self._at = 0

    def number(self, offset: int) -> int:
        """The line of an offset; offsets are asked for in rising order mostly."""
        if self._at and offset < self._ends[self._at - 1][1]:
            self._at = 0
        while self._at + 1 < len(self._ends) and offset >= self._ends[self._at][1]:
            self._at += 1
        return self._at

    def start(self, line: int) -> int:
        """Of the first line behind the byte order mark."""
        return int(self.text.startswith("\ufeff")) if line == 0 else self._ends[line - 1][1]

    def end(self, line: int) -> int:
        """Without the line end."""
        return self._ends[line][0]

    def after(self, line: int) -> int:
        """Where the next line starts."""
        return self._ends[line][1]

    def before(self, offset: int, line: int) -> str:
        """What the line has before an offset."""
        return self.text[self.start(line) : offset]


def marked_comments(lines: Lines, syntax: CommentSyntax) -> Iterator[Comment]:
    """Those that have a marker somewhere."""
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
    """Block comments (true), and line comments with nothing but blanks between them, in which there is a marker.

    All that comes before has to be looked at, since it tells what is a comment; more is not done with it.
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
    """Comments: whether it is a block, where it begins and ends."""
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
    """The end of a block comment with others in it; None if it is never closed."""
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
    """How the comment that begins there is written: of two ways the longer one."""
    ways = [each for each in syntax.block if text.startswith(each[0], start)]
    return max(ways, key=lambda each: len(each[0]))


def _line_comment(lines: Lines, start: int, end: int, syntax: CommentSyntax) -> Comment:
    """Where the marker stands behind a later opening, the comment begins there: what came first was none."""
    text = lines.text
    openings = list(islice(syntax.opening.finditer(text, start, end), _MAX_OPENINGS))
    marked = (each for each in openings if AT_START.match(text, _words(text, each, end)))
    opened = next(marked, openings[0])
    start = opened.start() + len(opened[0]) - len(opened[0].lstrip("\ufeff \t"))
    line = lines.number(start)
    piece = Piece(_words(text, opened, end), _trimmed(text, start, end), line)
    return Comment(start, end, [_ordered(piece)], False, opened[0].strip())


def _words(text: str, opened: "re.Match[str]", end: int) -> int:
    """Where the words begin behind what opens a line comment: `///`, `##` and `;;` are openings as well."""
    at, last = opened.end(), opened[0][-1]
    while at < end and text[at] == last and not last.isalpha():
        at += 1
    if at < end and text[at] == "!":
        at += 1
    while at < end and text[at] in _SPACES:
        at += 1
    return at


def _goes_on(lines: Lines, group: Comment, comment: Comment) -> bool:
    """Whether a line comment belongs to the one above it."""
    above, here = group.pieces[-1].line, comment.pieces[0].line
    indent, first = lines.before(comment.start, here), lines.before(group.start, group.pieces[0].line)
    return here == above + 1 and comment.opening == group.opening and indent == first and not indent.strip()


def _block_comment(lines: Lines, start: int, end: int, syntax: CommentSyntax) -> Comment | None:
    """None: it is never closed."""
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
    """Where the words of a line begin, behind blanks and the stars of a frame."""
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
