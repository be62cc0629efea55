"""The part of two texts in which they differ, as lines: a small change of a long file costs what is small."""

from dataclasses import dataclass

from steersman.workspace.align import split_lines
from steersman.workspace.boundaries import common_prefix, common_suffix


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """Whole lines of both texts. What is before them is the same in both, and so is what comes after."""

    old: list[str]
    new: list[str]
    first_line: int
    """How many lines are before it."""
    start: int
    """How many characters are before it."""


def changed_part(old: str, new: str, context: int) -> ChangedPart:
    """With `context` equal lines on either side, as far as there are so many.

    `align.line_changes` finds the same in it as in the whole texts, for it leaves out what begins both before it
    leaves out what ends both.
    """
    start = _line_start(old, common_prefix(old, new))
    tail = common_suffix(old, new, start)
    # The first whole line of what ends both; of the line that it may begin in, nothing is left out.
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
    """Where the line begins that holds the character before `at`, or that begins there; 0 if there is none."""
    return text.rfind("\n", 0, at) + 1 if at > 0 else 0
