"""The part in which two texts differ, as lines: a small change of a long file is then cheap to look at."""

from dataclasses import dataclass

from steersman.workspace.align import split_lines
from steersman.workspace.boundaries import common_prefix, common_suffix


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """Whole lines of both texts. What comes before them is the same in both, and so is what follows."""

    old: list[str]
    new: list[str]
    first_line: int
    """The number of lines before it."""
    start: int
    """The number of characters before it."""


def changed_part(old: str, new: str, context: int) -> ChangedPart:
    """The part that differs, with up to `context` equal lines on either side.

    `align.line_changes` finds the same changes in it as in the whole texts, since it trims in the same order: what both
    begin with first, then what both end with.
    """
    start = _line_start(old, common_prefix(old, new))
    tail = common_suffix(old, new, start)
    # The common end begins with a whole line: a line that it shares only in part belongs to the difference.
    feed = old.find("\n", len(old) - tail)
    tail = 0 if feed < 0 else len(old) - feed - 1
    for _ in range(context):
        start = _line_start(old, start - 1)
        feed = old.find("\n", len(old) - tail) if tail else -1
        tail = 0 if feed < 0 else len(old) - feed - 1
    return ChangedPart(
        split_lines(old[start : len(old) - tail]),
        split_lines(new[start : len(new) - tail]),
        old.count("\n", 0, start),
        start,
    )


def _line_start(text: str, at: int) -> int:
    """The start of the line that `at` is in."""
    return text.rfind("\n", 0, at) + 1 if at > 0 else 0
