"""Finds instructions to the agent in the comments of a text, and removes them.

An instruction is a comment, or a paragraph of one, that begins with `steersman:` (or `steersman!`) or ends with it.
Pure functions on text: nothing here knows editors, files or sessions.
"""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from steersman.workspace.comment_scan import AT_START, MARK, NAME, Comment, Lines, marked_comments
from steersman.workspace.comment_syntax import syntax_of

MAX_TEXT: Final = 4_000_000
"""Characters; longer texts are not searched."""
MAX_FOUND: Final = 500
"""The most instructions of one text."""

_AT_END: Final = re.compile(rf"(?:^|(?<=\s)){MARK}$", re.IGNORECASE)
_BLANKS: Final = " \t"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. Offsets are those in the text where it was found."""

    text: str
    """What is asked for, without the marker and the comment's delimiters; LF line ends."""
    start: int
    end: int
    """The range of its words."""
    first: int
    last: int
    """The first and last line of the whole comment, from 0."""
    cut: tuple[tuple[int, int], ...] = field(repr=False)
    """The spans to cut to remove it, in order."""
    whole: tuple[int, int] | None = field(repr=False)
    """The span to cut instead when all instructions of the comment are removed; None if it says anything else."""
    siblings: int = field(repr=False)
    """The number of instructions in the comment."""


def instructions(text: str, language_id: str) -> list[Instruction]:
    """The instructions in a text, in order; at most `MAX_FOUND`."""
    if len(text) > MAX_TEXT:
        return []
    return list(_found(text, language_id)) if NAME in text.lower() else []


@functools.lru_cache(maxsize=4)
def _found(text: str, language_id: str) -> Sequence[Instruction]:
    """Cached: an editor asks again and again while its user moves about in a text."""
    syntax, found = syntax_of(language_id), list[Instruction]()
    lines = Lines(text)
    for comment in marked_comments(lines, syntax):
        found += _in_comment(lines, comment)
        if len(found) >= MAX_FOUND:
            break  # nobody has a longer list of tasks
    return found[:MAX_FOUND]


def without(text: str, gone: Collection[Instruction]) -> str:
    """`text` without these of its instructions, and without comments that say nothing else."""
    spans: set[tuple[int, int]] = set()
    for each in gone:
        together = sum(other.whole == each.whole for other in gone)
        spans |= {each.whole} if each.whole is not None and together == each.siblings else set(each.cut)
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def _in_comment(lines: Lines, comment: Comment) -> list[Instruction]:
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
    """The instructions in the lines of a comment: first line, line after the last, and what is asked for."""
    free = at = 0  # `free`: the first line that a marker at an end may still reach back to
    while at < len(words):
        if (mark := AT_START.match(words[at])) is not None:
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
    """The line after the paragraph that begins at `at`. A blank line ends it, or another marker."""
    upto = at + 1
    while upto < len(words) and words[upto] and not AT_START.match(words[upto]):
        upto += 1
    return upto


def _said(words: Sequence[str]) -> str:
    asked = "\n".join(word.strip() for word in words).strip()
    while (mark := _AT_END.search(asked)) is not None:
        asked = asked[: mark.start()].rstrip()
    return asked.rstrip(" \t,;-–—")


def _with_a_blank(words: Sequence[str], at: int, upto: int) -> tuple[int, int]:
    """The paragraph, with one of the blank lines around it."""
    if upto < len(words) and not words[upto] and (at == 0 or not words[at - 1]):
        return at, upto + 1
    if upto == len(words) and at > 0 and not words[at - 1]:
        return at - 1, upto
    return at, upto


def _cut_lines(lines: Lines, comment: Comment, at: int, upto: int) -> Iterator[tuple[int, int]]:
    """The spans of some lines of a comment; only the words where a block comment opens or closes."""
    edges = {comment.pieces[0].line, comment.pieces[-1].line} if comment.is_block else set[int]()
    for piece in comment.pieces[at:upto]:
        if piece.line not in edges:
            yield lines.start(piece.line), lines.after(piece.line)
        elif piece.start < piece.end:
            start = piece.start
            while piece.line == comment.pieces[0].line and lines.text[start - 1] in _BLANKS:
                start -= 1
            yield start, piece.end


def _cut_whole(lines: Lines, comment: Comment) -> tuple[int, int]:
    """The span of a whole comment: its lines if nothing else is on them, else the comment and the blanks before it."""
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
