"""What a terminal would show of a program's output: no escape sequences, and of a line that was drawn again and
again (a progress bar) only its last state. Works on text alone; knows nothing of processes.
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
"""Characters after which an escape sequence without an end is taken for garbage."""


def split_unfinished(text: str) -> tuple[str, str]:
    """Divides `text` into what can be shown and what only the next characters will explain: an escape sequence
    that has begun, or a carriage return that may belong to a line end."""
    window = max(0, len(text) - _LONGEST_ESCAPE)
    # The last ESC but one can begin an OSC or DCS whose terminator (ESC \) is half there.
    last = text.rfind("\x1b", window)
    starts = (text.rfind("\x1b", window, last) if last > window else -1, last, len(text) - 1)
    for start in starts:
        if start >= 0 and _UNFINISHED.match(text, start):
            return text[:start], text[start:]
    return text, ""


def settled(text: str) -> str:
    """`text` as far as its meaning is fixed, whatever follows: no escape sequences or control characters other than
    tab and LF, one state of each line. A return to the start of the last line stays, as one CR at the end."""
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
