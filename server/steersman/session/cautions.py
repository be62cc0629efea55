"""Warns of what a person may overlook in a proposal. It is said in the question itself, which every face shows."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from steersman.session.approvals import FileView
from steersman.workspace.invisible import is_visible, seen

MAX_GAP = 100
"""Blanks in a row: text after so many is out of sight on most screens."""
MAX_LINE = 1_000
"""Characters of a line that people can be expected to read to its end."""
MAX_LOOKED_AT = 200_000
"""Characters of a diff or a command that are examined; if there are more, the question says so."""
_MOST = 3
"""Lines, or characters, that are named in one sentence."""

_SCRIPTS = (
    "LATIN",
    "CYRILLIC",
    "GREEK",
    "ARMENIAN",
    "CHEROKEE",
    "COPTIC",
    "LISU",
    "FULLWIDTH",
    "MATHEMATICAL",
)
"""Scripts whose letters look alike, by the first word of the letters' names in Unicode."""
_LIKE_SIGNS = frozenset(
    "\u2024\u2044\u2215\u29f8\u2571\uff0e\uff0f\uff3c\u2216\ua789\u02d0\uff1a\u037e\uff1b"
)
"""Characters that look like dots, slashes, colons or semicolons."""
_BLANKS = frozenset("\u00a0\u2007\u202f\u3000")
"""Spaces of another kind, which can be seen as spaces."""
_WORD = re.compile(r"\w+")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)")


def cautions(title: str, changes: Sequence[FileView], command: str | None) -> str:
    """The warnings, as sentences, or "". `title` names what would be touched; of many files only some."""
    names = " ".join([title, *(view.display for view in changes)])
    found = [*_look_alikes(names if command is None else command)]
    if command is not None:
        found += _of_lines("The command", enumerate(command[:MAX_LOOKED_AT].split("\n"), 1))
    room = MAX_LOOKED_AT - len(command or "")
    for view in changes:
        found += _of_lines(view.display, _added(view.diff[: max(0, room)]))
        room -= len(view.diff)
    if room < 0:
        found.append(
            f"Only its first {MAX_LOOKED_AT:,} characters were checked for what is easily overlooked."
        )
    return " ".join(found)


def _look_alikes(text: str) -> Iterator[str]:
    strange = set(_LIKE_SIGNS.intersection(text))
    for word in _WORD.findall(text):
        if not word.isascii():
            strange.update(_mixed_in(word))
    if strange:
        named = [f"{char} is {_name(char)}" for char in sorted(strange)]
        yield f"It has characters that look like others: {_some(named)}."


def _mixed_in(word: str) -> Iterator[str]:
    """The letters of a word in another script than the rest; if some are Latin, all that are not."""
    scripts = {char: script for char in word if (script := _script(char)) is not None}
    first = min(scripts.values(), key=_SCRIPTS.index, default=None)
    return (char for char, script in scripts.items() if script != first)


def _script(char: str) -> str | None:
    """The script of a letter, if its letters could be taken for those of another script."""
    if char.isascii():
        return "LATIN" if char.isalpha() else None
    first = unicodedata.name(char, "").partition(" ")[0]
    return first if first in _SCRIPTS else None


def _added(diff: str) -> Iterator[tuple[int, str]]:
    """The lines that a unified diff adds, by their numbers in the new text."""
    number, in_hunk = 0, False
    for line in diff.split("\n"):
        if found := _HUNK.match(line):
            number, in_hunk = int(found[1]), True
        elif in_hunk and line.startswith(("+", " ")):
            if line.startswith("+"):
                yield number, line[1:]
            number += 1


def _of_lines(where: str, lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    hidden: dict[str, list[int]] = {}
    far: list[int] = []
    long: list[int] = []
    for number, line in lines:
        text = line.removesuffix("\r")
        if "\t" in text:
            text = text.expandtabs(8)
        if len(text) > MAX_GAP and " " * MAX_GAP in text.rstrip():
            far.append(number)
        if len(text) > MAX_LINE:
            long.append(number)
        if not is_visible(text):
            for char in dict.fromkeys(
                char for char, is_seen in seen(text) if not is_seen and char not in _BLANKS
            ):
                hidden.setdefault(char, []).append(number)
    if hidden:
        named = [f"{_name(char)} in {_lines(numbers)}" for char, numbers in hidden.items()]
        yield f"{where} has characters that can't be seen: {_some(named)}."
    if far:
        yield f"{where} has text behind more than {MAX_GAP} blanks in {_lines(far)}: it may be out of sight."
    if long:
        yield f"{where} has more than {MAX_LINE:,} characters in {_lines(long)}: look at the end."


def _lines(numbers: Sequence[int]) -> str:
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {_some(list(map(str, numbers)))}"


def _name(char: str) -> str:
    code, name = f"U+{ord(char):04X}", unicodedata.name(char, "")
    return f"{name} ({code})" if name else code


def _some(items: Sequence[str]) -> str:
    more = len(items) - _MOST
    return ", ".join([*items[:_MOST], *([f"and {more} more"] if more > 0 else [])])
