"""Text from a log made fit to be shown: nothing in it acts on who reads it, and nothing in it is invisible.

Control characters become their pictures (␛), and what reorders or hides text becomes its number (⟨U+202E⟩).
"""

import re
from datetime import UTC, datetime
from typing import Final

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""C0 without tab and line feed, C1, direction controls, zero-width space, halves of surrogate pairs, tag characters.

The joiners of U+200C and U+200D stay: scripts and emoji need them."""

MAX_TEXT: Final = 200_000
"""Characters of one text that are shown."""


def visible(text: str) -> str:
    """The text, with a character to see for each that can't be seen. Line ends are line feeds."""
    return _UNSEEN.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"⟨U+{code:04X}⟩"


def in_short(text: str, limit: int = MAX_TEXT) -> tuple[str, str]:
    """As much of the text as is shown, visible, and a note on the rest; that is empty if there is no rest."""
    if len(text) <= limit:
        return visible(text), ""
    return visible(text[:limit]), f"… {len(text) - limit:,} more characters are in the log."


def one_line(text: str) -> str:
    """The text, visible, without line breaks."""
    return " ".join(visible(text).split())


def moment(ts: object) -> str:
    """`2026-11-30 08:05:17`, of milliseconds since 1970, in UTC; empty for what is no time."""
    if not isinstance(ts, int):
        return ""
    try:
        return f"{datetime.fromtimestamp(ts / 1000, UTC):%Y-%m-%d %H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return ""


def counted(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(milliseconds: int) -> str:
    """`12 ms`, `3.4 s`, `2 min 5 s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds // 1000 % 60} s"
