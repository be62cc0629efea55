"""Characters that people can't see, in names and in texts. Knows strings only."""

import re
from collections.abc import Iterator

_BLANK = re.compile("[\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f]")
"""Letters, marks and a symbol that show nothing but are printable to `str.isprintable` (Unicode: the
Default_Ignorable_Code_Points that are not format characters, and the blank Braille pattern)."""
_SHAPING = re.compile("[\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Joiners and variation selectors: they change how the character before them looks, if it has other forms."""
_SHAPED_FROM = "\u0600"
"""The scripts that need them, and emoji, begin here. After a Latin, Greek or Cyrillic letter they can only hide."""
_MOST_IN_A_ROW = 2


def seen(text: str) -> Iterator[tuple[str, bool]]:
    """Each character, and whether it can be seen or shapes the one before it. Line breaks and tabs can't be seen."""
    base, in_a_row = "", 0
    for char in text:
        if _SHAPING.match(char):
            in_a_row += 1
            yield char, base >= _SHAPED_FROM and in_a_row <= _MOST_IN_A_ROW
        else:
            is_seen = char.isprintable() and not _BLANK.match(char)
            base, in_a_row = (
                char if is_seen else "",
                0,
            )  # a character that can't be seen has no look to change
            yield char, is_seen


def is_visible(text: str) -> bool:
    """Whether every character of it can be seen."""
    if text.isascii():
        return text.isprintable()
    different = "".join(set(text))
    if different.isprintable() and not (_BLANK.search(different) or _SHAPING.search(different)):
        return True
    return all(is_seen for _, is_seen in seen(text))
