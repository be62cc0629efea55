"""Line ends of texts, as editors have them: LF, CRLF and CR, and nothing else. Knows strings only."""

from __future__ import annotations

import re
from collections import Counter

LINE_END = re.compile(r"\r\n|\n|\r")


def to_lf(text: str) -> str:
    """`text` with every line end as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def dominant(raw: str) -> str:
    """The most frequent line end; the first of equals, LF if there is none."""
    if "\r" not in raw:
        return "\n"
    counts: Counter[str] = Counter(LINE_END.findall(raw))
    return counts.most_common(1)[0][0]


def crlf_at(raw: str) -> list[int]:
    """Offsets, in the text with LF line ends, of the line feeds that were CRLF."""
    return [match.start() - number for number, match in enumerate(re.finditer("\r\n", raw))]


def line_end_near(raw: str, at: int) -> str:
    """The end of the line that contains the character before `at`; in the last line, that of the line above."""
    # One step back from LF finds the whole of a CRLF.
    back = 2 if raw[max(at - 2, 0) : at] == "\r\n" else 1
    match = LINE_END.search(raw, max(at - back, 0))
    if match:
        return match.group()
    end = max(raw.rfind("\n"), raw.rfind("\r")) + 1
    return "\r\n" if raw[:end].endswith("\r\n") else raw[end - 1 : end]


def with_line_end(new: str, line_end: str, before: str, after: str) -> str:
    """`new`, which has LF line ends, with `line_end` instead. `before` and `after` are its neighbours: it is written so
    that a CR and an LF on either side of its edges don't become one line end."""
    piece = new.replace("\n", line_end)
    if before == "\r" and piece.startswith("\n"):
        piece = "\r" + piece
    if after == "\n" and piece.endswith("\r"):
        piece += "\n"
    return piece
