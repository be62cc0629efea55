"""The small edits that turn one text into another, and texts with edits made. Knows strings only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from steersman.workspace.align import line_changes
from steersman.workspace.boundaries import common_prefix, inseparable
from steersman.workspace.changed_part import changed_part


@dataclass(frozen=True, slots=True)
class TextChange:
    """text[start:end] becomes `new_text`; offsets are Python string indices."""

    start: int
    end: int
    new_text: str


def splice(text: str, changes: Sequence[TextChange]) -> str:
    """`text` with changes made. They are disjoint and in order."""
    pieces: list[str] = []
    at = 0
    for change in changes:
        pieces += (text[at : change.start], change.new_text)
        at = change.end
    pieces.append(text[at:])
    return "".join(pieces)


def minimal_edits(old: str, new: str) -> list[TextChange]:
    """Small changes that turn `old` into `new`: the lines that differ, trimmed to the characters that differ.

    They are in order and never touch each other. No boundary lies inside a CRLF or a surrogate pair, in either text.
    """
    if old == new:
        return []
    part = changed_part(old, new, 0)
    a_at = list(accumulate(map(len, part.old), initial=part.start))
    b_at = list(accumulate(map(len, part.new), initial=part.start))
    return [
        _cut(
            a_at[c.old_start],
            old[a_at[c.old_start] : a_at[c.old_end]],
            new[b_at[c.new_start] : b_at[c.new_end]],
        )
        for c in line_changes(part.old, part.new)
    ]


def _cut(start: int, x: str, y: str) -> TextChange:
    lead = common_prefix(x, y)
    while lead and (inseparable(x, lead) or inseparable(y, lead)):
        lead -= 1
    tail = common_prefix(x[lead:][::-1], y[lead:][::-1])
    while tail and (inseparable(x, len(x) - tail) or inseparable(y, len(y) - tail)):
        tail -= 1
    return TextChange(start + lead, start + len(x) - tail, y[lead : len(y) - tail])
