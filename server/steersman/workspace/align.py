"""Which lines of two texts correspond to each other. Knows lines only.

Lines that occur once in both texts are the anchors (Bram Cohen's patience diff). What lies between them is compared by
difflib where that is cheap, and taken as replaced entirely where it would take quadratic time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# difflib takes a step for every pair of equal lines in a region. Above this it is not worth it.
_MAX_PAIRS = 200_000
_MAX_REGION = 2_000
_MAX_DEPTH = 32


@dataclass(frozen=True, slots=True)
class LineChange:
    """Old lines [old_start, old_end) became new lines [new_start, new_end); zero-based."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their line feeds; only LF ends a line, as in diff(1). No lines for ""."""
    parts = text.split("\n")
    last = parts.pop()
    lines = [part + "\n" for part in parts]
    if last:
        lines.append(last)
    return lines


def line_changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """The ranges in which `old` and `new` differ, in order, with equal lines between any two of them."""
    found: list[LineChange] = []
    regions = [(LineChange(0, len(old), 0, len(new)), 0)]
    while regions:
        region, depth = regions.pop()
        region = _trimmed(old, new, region)
        if region.old_start == region.old_end or region.new_start == region.new_end:
            if region.old_start != region.old_end or region.new_start != region.new_end:
                found.append(region)
            continue
        anchors = _anchors(old, new, region) if depth < _MAX_DEPTH else []
        if anchors:
            regions.extend((gap, depth + 1) for gap in _gaps(region, anchors))
        else:
            found.extend(_compared(old, new, region))
    # A region is bounded by equal lines (an anchor, or those trimmed off): no two changes touch.
    return sorted(found, key=lambda change: (change.old_start, change.new_start))


def _trimmed(old: Sequence[str], new: Sequence[str], region: LineChange) -> LineChange:
    a, a_end, b, b_end = region.old_start, region.old_end, region.new_start, region.new_end
    while a < a_end and b < b_end and old[a] == new[b]:
        a += 1
        b += 1
    while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
        a_end -= 1
        b_end -= 1
    return LineChange(a, a_end, b, b_end)


def _anchors(old: Sequence[str], new: Sequence[str], region: LineChange) -> list[tuple[int, int]]:
    """The longest sequence, rising on both sides, of pairs of lines that occur once on each side."""
    in_old = _unique(old, region.old_start, region.old_end)
    in_new = _unique(new, region.new_start, region.new_end)
    pairs = [(index, in_new[line]) for line, index in in_old.items() if line in in_new]
    # Longest increasing subsequence by patience sorting. The pairs are in the order of the old side.
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, (_, b) in enumerate(pairs):
        pile = bisect_left(tops, b)
        before.append(piles[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(b)
            piles.append(at)
        else:
            tops[pile] = b
            piles[pile] = at
    chain: list[tuple[int, int]] = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    chain.reverse()
    return chain


def _unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    counts = Counter(lines[start:end])
    return {lines[i]: i for i in range(start, end) if counts[lines[i]] == 1}


def _gaps(region: LineChange, anchors: list[tuple[int, int]]) -> list[LineChange]:
    gaps = []
    a, b = region.old_start, region.new_start
    for anchor_a, anchor_b in [*anchors, (region.old_end, region.new_end)]:
        if a < anchor_a or b < anchor_b:
            gaps.append(LineChange(a, anchor_a, b, anchor_b))
        a, b = anchor_a + 1, anchor_b + 1
    return gaps


def _compared(old: Sequence[str], new: Sequence[str], region: LineChange) -> list[LineChange]:
    a = old[region.old_start : region.old_end]
    b = new[region.new_start : region.new_end]
    counts = Counter(b)
    pairs = sum(counts[line] for line in a)
    if pairs == 0 or pairs > _MAX_PAIRS or len(a) + len(b) > _MAX_REGION:
        return [region]
    from difflib import SequenceMatcher  # noqa: PLC0415 - a server that starts compares nothing

    blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [
        LineChange(region.old_start + i1, region.old_start + i2, region.new_start + j1, region.new_start + j2)
        for tag, i1, i2, j1, j2 in blocks
        if tag != "equal"
    ]
