"""Finds instructions to the agent in the comments of a text, and takes them out again.

An instruction is a comment, or a paragraph of one, that begins with `steersman:` (or `steersman!`) or ends with it.
Pure functions on text: nothing here knows editors, files or sessions.
"""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from steersman.workspace.comment_syntax import CommentSyntax, syntax_of

MAX_TEXT: Final = 500_000
"""Characters of a text beyond which nothing is looked for."""
MAX_FOUND: Final = 500
"""Instructions of one text."""

_NAME: Final = "steersman"
_MARK: Final = rf"@?{_NAME}(?:!|:(?![:/]))"
_ANYWHERE: Final = re.compile(_MARK, re.IGNORECASE)
_AT_START: Final = re.compile(rf"{_MARK}[ \t]*", re.IGNORECASE)
_AT_END: Final = re.compile(rf"(?:^|(?<=\s)){_MARK}$", re.IGNORECASE)
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_BLANKS: Final = " \t"
_MAX_OPENINGS: Final = 10
"""Of one line that may be where its comment begins."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """Offsets are into the text that it was found in."""

    text: str
    """What is asked for, without the marker and the comment's own characters; LF line ends."""
    start: int
    end: int
    """Where its words stand."""
    first: int
    last: int
    """Lines of the whole comment, from 0."""
    cut: tuple[tuple[int, int], ...] = field(repr=False)
    """What goes when it is taken out: spans in order."""
    whole: tuple[int, int] | None = field(repr=False)
    """What goes in their place when all instructions of the comment are taken out; None if it says more."""
    siblings: int = field(repr=False)
    """Instructions of the comment."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One line of a comment: where its words are, and the line."""

    start: int
    end: int
    line: int


@dataclass(slots=True)
class _Comment:
    """A block comment, or line comments in lines of their own one below the other, or one behind code."""

    start: int
    end: int
    pieces: list[_Piece]
    is_block: bool
    opening: str = ""


def instructions(text: str, language_id: str) -> list[Instruction]:
    """All of a text, in order; at most `MAX_FOUND`."""
    if len(text) > MAX_TEXT:
        return []
    lower = text.lower()
    if f"{_NAME}:" not in lower and f"{_NAME}!" not in lower:
        return []
    return list(_found(text, language_id))


@functools.lru_cache(maxsize=4)
def _found(text: str, language_id: str) -> Sequence[Instruction]:
    """An editor asks again and again while its user moves about in one text."""
    syntax, found = syntax_of(language_id), list[Instruction]()
    lines = _Lines(text)
    for comment in _comments(lines, syntax):
        if _ANYWHERE.search(text, comment.start, comment.end) is not None:
            found += _in_comment(lines, comment)
        if len(found) >= MAX_FOUND:
            break  # no work list of a person is longer
    return found[:MAX_FOUND]


def without(text: str, gone: Collection[Instruction]) -> str:
    """`text` without these instructions of it, and without comments that say nothing else."""
    spans: set[tuple[int, int]] = set()
    for each in gone:
        together = sum(other.whole == each.whole for other in gone)
        spans |= {each.whole} if each.whole is not None and together == each.siblings else set(each.cut)
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


class _Lines:
    """A text by its lines, which end at LF, CRLF and CR."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [(match.start(), match.end()) for match in _LINE_END.finditer(text)]
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
        return 0 if line == 0 else self._ends[line - 1][1]

    def end(self, line: int) -> int:
        """Without the line end."""
        return self._ends[line][0]

    def after(self, line: int) -> int:
        """Where the next line starts."""
        return self._ends[line][1]

    def before(self, offset: int, line: int) -> str:
        """What the line has before an offset."""
        return self.text[self.start(line) : offset]


def _comments(lines: _Lines, syntax: CommentSyntax) -> Iterator[_Comment]:
    text, group = lines.text, None
    for match in syntax.token.finditer(text):
        if match["line"] is not None:
            comment = _line_comment(lines, match.start(), match.end(), syntax)
            if group is not None and _goes_on(lines, group, comment):
                group.pieces += comment.pieces
                group.end = comment.end
                continue
            if group is not None:
                yield group
            group = comment
        elif match["block"] is not None:
            block = _block_comment(lines, match.start(), match.end(), syntax)
            if block is not None:
                if group is not None:
                    yield group
                    group = None
                yield block
    if group is not None:
        yield group


def _line_comment(lines: _Lines, start: int, end: int, syntax: CommentSyntax) -> _Comment:
    """Where the marker stands behind a later opening, the comment begins there: what came first was none."""
    text = lines.text
    openings = list(islice(syntax.opening.finditer(text, start, end), _MAX_OPENINGS))
    marked = (each for each in openings if _AT_START.match(text, _words(text, each, end)))
    opened = next(marked, openings[0])
    start = opened.start() + len(opened[0]) - len(opened[0].lstrip())
    line = lines.number(start)
    piece = _Piece(_words(text, opened, end), _trimmed(text, start, end), line)
    return _Comment(start, end, [_ordered(piece)], False, opened[0].strip())


def _words(text: str, opened: "re.Match[str]", end: int) -> int:
    """Where the words begin behind what opens a line comment: `///`, `##` and `;;` are openings as well."""
    at, last = opened.end(), opened[0][-1]
    while at < end and text[at] == last and not last.isalpha():
        at += 1
    if at < end and text[at] == "!":
        at += 1
    while at < end and text[at] in " \t":
        at += 1
    return at


def _goes_on(lines: _Lines, group: _Comment, comment: _Comment) -> bool:
    """Whether a line comment belongs to the one above it."""
    above, here = group.pieces[-1].line, comment.pieces[0].line
    indent, first = lines.before(comment.start, here), lines.before(group.start, group.pieces[0].line)
    return here == above + 1 and comment.opening == group.opening and indent == first and not indent.strip()


def _block_comment(lines: _Lines, start: int, end: int, syntax: CommentSyntax) -> _Comment | None:
    """None: it is never closed."""
    text, whole = lines.text, lines.text[start:end]
    block = max((each for each in syntax.block if whole.startswith(each[0])), key=lambda each: len(each[0]))
    if len(whole) < len(block[0]) + len(block[1]) or not whole.endswith(block[1]):
        return None
    at, inner_end = start + len(block[0]), end - len(block[1])
    pieces: list[_Piece] = []
    for line in range(lines.number(start), lines.number(max(start, end - 1)) + 1):
        first = max(at, lines.start(line))
        last = max(first, min(inner_end, lines.end(line)))
        pieces.append(_ordered(_Piece(_undecorated(text, first, last), _trimmed(text, first, last), line)))
    if syntax.braces and text[max(0, start - 1) : start] == "{" and text[end : end + 1] == "}":
        start, end = start - 1, end + 1
    return _Comment(start, end, pieces, True)


def _undecorated(text: str, start: int, end: int) -> int:
    """Where the words of a line begin, behind blanks and the stars of a frame."""
    at = start
    while at < end and text[at] in " \t":
        at += 1
    while at < end and text[at] in "*!~":
        at += 1
    while at < end and text[at] in " \t":
        at += 1
    return at


def _trimmed(text: str, start: int, end: int) -> int:
    """Where the words of a line end."""
    while end > start and text[end - 1] in " \t*":
        end -= 1
    return end


def _ordered(piece: _Piece) -> _Piece:
    return piece if piece.start <= piece.end else _Piece(piece.end, piece.end, piece.line)


def _in_comment(lines: _Lines, comment: _Comment) -> list[Instruction]:
    pieces = comment.pieces
    words = [lines.text[piece.start : piece.end] for piece in pieces]
    found = list(_paragraphs(words))
    said = sum(upto - at for at, upto, _ in found)
    whole = _cut_whole(lines, comment) if said == sum(map(bool, words)) else None
    return [
        Instruction(
            asked,
            pieces[at].start,
            pieces[upto - 1].end,
            pieces[0].line,
            pieces[-1].line,
            tuple(_cut_lines(lines, comment, *_with_a_blank(words, at, upto))),
            whole,
            len(found),
        )
        for at, upto, asked in found
    ]


def _paragraphs(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The instructions in the lines of a comment: the first line, the one behind the last, and what is asked for."""
    free = at = 0  # `free`: the first line that a marker at an end may still reach back to
    while at < len(words):
        if (mark := _AT_START.match(words[at])) is not None:
            begin, upto = at, _paragraph_end(words, at)
            said = [words[at][mark.end() :], *words[at + 1 : upto]]
        elif (mark := _AT_END.search(words[at])) is not None:
            begin, upto = at, at + 1
            while begin > free and words[begin - 1]:
                begin -= 1
            said = [*words[begin:at], words[at][: mark.start()]]
        else:
            at += 1
            continue
        if asked := _said(said):
            yield begin, upto, asked
        at = free = upto


def _paragraph_end(words: Sequence[str], at: int) -> int:
    """Behind the last line of the paragraph that begins at `at`: a blank line ends it, and another marker."""
    upto = at + 1
    while upto < len(words) and words[upto] and not _AT_START.match(words[upto]):
        upto += 1
    return upto


def _said(words: Sequence[str]) -> str:
    asked = "\n".join(word.strip() for word in words).strip()
    while (mark := _AT_END.search(asked)) is not None:
        asked = asked[: mark.start()].rstrip()
    return asked.rstrip(" \t,;-–—")


def _with_a_blank(words: Sequence[str], at: int, upto: int) -> tuple[int, int]:
    """A paragraph goes with one of the blank lines around it."""
    if upto < len(words) and not words[upto] and (at == 0 or not words[at - 1]):
        return at, upto + 1
    if upto == len(words) and at > 0 and not words[at - 1]:
        return at - 1, upto
    return at, upto


def _cut_lines(lines: _Lines, comment: _Comment, at: int, upto: int) -> Iterator[tuple[int, int]]:
    """Some lines of a comment; of those on which a block comment opens or closes, the words only."""
    edges = {comment.pieces[0].line, comment.pieces[-1].line} if comment.is_block else set[int]()
    for piece in comment.pieces[at:upto]:
        if piece.line not in edges:
            yield lines.start(piece.line), lines.after(piece.line)
        elif piece.start < piece.end:
            start = piece.start
            while piece.line == comment.pieces[0].line and lines.text[start - 1] in _BLANKS:
                start -= 1
            yield start, piece.end


def _cut_whole(lines: _Lines, comment: _Comment) -> tuple[int, int]:
    """A whole comment: its lines if they hold nothing else, else with the blanks that stood around it for its sake."""
    text, first, last = lines.text, comment.pieces[0].line, comment.pieces[-1].line
    start, end = comment.start, comment.end
    if not lines.before(start, first).strip(_BLANKS):
        if not text[end : lines.end(last)].strip(_BLANKS):
            return lines.start(first), lines.after(last)
        while text[end] in _BLANKS:
            end += 1
        return start, end
    if text[end : lines.end(last)].strip(_BLANKS):
        return (start - 1, end) if text[start - 1] in _BLANKS and text[end] in _BLANKS else (start, end)
    while text[start - 1] in _BLANKS:
        start -= 1
    return start, lines.end(last)
