"""Mentions in a message: `@path`, `@path#L3-L9`, `@"path with spaces"`, `@selection`, `@diagnostics`. Text only.

A mention begins where a word does, so an e-mail address is not one. Neither is `\\@`, nor anything in a fenced block of
code, where an `@` is a decorator's. This module doesn't know whether there is such a file.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LENGTH = 1000
"""Characters of a mention; nothing longer names a file."""
MAX_MENTIONS = 10_000
"""In one text: further ones come from a paste, and are not meant."""

_BEFORE = "([{<\"'"
"""What a mention may follow, besides white space."""
_MENTION = re.compile(r"""@(?:"((?:[^"\\\n]|\\.)+)"(\#L\d+(?:-L?\d+)?)?|([^\s"@]\S*))""")
_LINES = re.compile(r"#L(\d{1,9})(?:-L?(\d{1,9}))?")
_TRAILING = ".,;:!?)]}>'\"`*…"
"""What may close a sentence or a bracket after a mention."""
_MAX_TRAILING = 4
_ESCAPE = re.compile(r'\\(["\\])')
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Target:
    """What a mention may mean."""

    path: str
    first: int | None = None
    """Of the lines that are meant, from 1; None: the whole file."""
    last: int | None = None

    @property
    def lines(self) -> str:
        """As it is written after the path."""
        if self.first is None:
            return ""
        return f"#L{self.first}" if self.last == self.first else f"#L{self.first}-L{self.last}"


@dataclass(frozen=True, slots=True)
class Mention:
    start: int
    """Where it stands in the text, the `@` included."""
    text: str
    """As it was typed, without the `@`. What may be punctuation of the sentence is included."""
    targets: tuple[Target, ...]
    """The first of these that is there is meant."""
    quoted: bool = False

    @property
    def evident(self) -> bool:
        """Whether nothing but a path can be meant."""
        path = self.targets[-1].path
        return self.quoted or "/" in path or re.search(r"\.[A-Za-z0-9]{1,8}$", path) is not None


def mentions(text: str) -> Iterator[Mention]:
    """The mentions of `text`, in order; of a great many only the first."""
    spans = deque(_fenced(text)) if "@" in text else deque()
    left, at = MAX_MENTIONS, text.find("@")
    while at >= 0 and left:
        begins = at == 0 or text[at - 1].isspace() or text[at - 1] in _BEFORE
        match = _MENTION.match(text, at) if begins else None
        while spans and spans[0][1] <= at:
            spans.popleft()
        if match and match.end() - at <= MAX_LENGTH and not (spans and spans[0][0] <= at):
            left -= 1
            yield _read(match)
        if match:
            at = match.end() - 1  # also of one that is too long: what begins in it is none
        at = text.find("@", at + 1)


def _read(match: re.Match[str]) -> Mention:
    quoted, lines, bare = match.groups()
    if bare is not None:
        return Mention(match.start(), bare, tuple(_readings(bare)))
    target = _with_lines(_ESCAPE.sub(r"\1", quoted), lines)
    return Mention(match.start(), match[0][1:], (target,), quoted=True)


def _readings(bare: str) -> Iterator[Target]:
    """First with what may be punctuation of the sentence, then with less and less of it; `#L3` as lines first."""
    for _ in range(_MAX_TRAILING + 1):
        found = re.search(_LINES.pattern + r"$", bare)
        if found and found.start():
            yield _with_lines(bare[: found.start()], found[0])
        yield Target(bare)
        if bare[-1] not in _TRAILING or len(bare) == 1:
            return
        bare = bare[:-1]


def _with_lines(path: str, lines: str | None) -> Target:
    found = _LINES.fullmatch(lines or "")
    if found is None:
        return Target(path)
    first = max(1, int(found[1]))
    last = int(found[2] or first)
    return Target(path, min(first, last) or 1, max(first, last))


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """The fenced blocks of code, as spans of offsets. One that is never closed ends with the text, as in Markdown."""
    begin, fence = 0, ""
    for found in _FENCE.finditer(text):
        mark, rest = found.groups()
        if not fence:
            if "`" not in rest:
                fence, begin = mark, found.start()
        elif mark.startswith(fence) and not rest.strip():
            yield begin, found.end()
            fence = ""
    if fence:
        yield begin, len(text)
