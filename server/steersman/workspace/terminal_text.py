"""What a terminal would show of a program's output: no escape sequences, and only the last state of a line that was
redrawn (a progress bar). Pure functions on text.
"""

import re

_COMPLETE_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement, erasing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: window titles, hyperlinks
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]+[0-~]"  # character sets
    r"|\x1b[0-OQ-WYZ\\`-~]"  # two-character sequences
)
_UNFINISHED = re.compile(r"(?:\r|\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*))\Z")
_OTHER_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LONGEST_ESCAPE = 4096
"""Characters after which an unterminated escape sequence counts as garbage."""


def split_unfinished(text: str) -> tuple[str, str]:
    """Splits `text` into what can be shown and an end whose meaning depends on what follows: an unfinished escape
    sequence, or a carriage return that may belong to a line end."""
    window = max(0, len(text) - _LONGEST_ESCAPE)
    # The last ESC but one may begin an OSC or DCS whose terminator (ESC \) is incomplete.
    last = text.rfind("\x1b", window)
    starts = (text.rfind("\x1b", window, last) if last > window else -1, last, len(text) - 1)
    for start in starts:
        if start >= 0 and _UNFINISHED.match(text, start):
            return text[:start], text[start:]
    return text, ""


def settled(text: str) -> str:
    """`text` without escape sequences and control characters other than tab and LF, and with one state of each line. A
    return to the start of the last line is kept, as a CR at the end: what follows may overwrite that line."""
    if "\x1b" in text:
        text = _COMPLETE_ESCAPE.sub("", text)
    text = _OTHER_CONTROLS.sub("", text)
    if "\r" not in text:
        return text
    lines = [_last_state(line) for line in text.split("\n")]
    return "\n".join(lines) + ("\r" if text.endswith("\r") else "")


def displayed(text: str) -> str:
    """`text` as a terminal shows it, with LF line ends."""
    return settled(text).removesuffix("\r")


def _last_state(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]
