"""Finds out what became of an edit, from the texts before and after it alone. Knows no editor and no files.

An editor that doesn't check versions applies an edit at the given line numbers, even if the lines have moved: then the
new text lands in the wrong place. To find it, the same edit is made at other lines, and the results are compared with
the actual text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from steersman.workspace.align import LineChange, line_changes, split_lines
from steersman.workspace.hunks import hunks, same_hunks
from steersman.workspace.line_ends import to_lf
from steersman.workspace.merge import Conflict, rebase, survives
from steersman.workspace.positions import (
    ContentChange,
    LineIndex,
    Position,
    PositionEncoding,
    Range,
    apply_changes,
)
from steersman.workspace.text import view
from steersman.workspace.text_edits import minimal_edits

Outcome = Literal["verified", "notApplied", "misplaced", "unobserved", "differs"]
"""`differs`: some of the edit is in the text, or may be, and it can't be told apart from the user's typing."""

MAX_PLACES = 24
"""How many other places are tried for an edit."""
CONTEXT_LINES = 3
_EXCERPT_LINES = 60


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Lines of an edit are, or may be, in the wrong place."""

    undone: str | None
    """The text without these lines, with LF line ends; None if it isn't certain which lines they are."""


def content_changes(raw: str, new: str, encoding: PositionEncoding) -> list[ContentChange]:
    """The smallest changes that turn `raw` into `new`, in order. All ranges are positions in `raw`. `new` has LF line
    ends; they become those of `raw`.
    """
    index = LineIndex(raw)
    return [
        ContentChange(edit.new_text, index.range(edit.start, edit.end, encoding))
        for edit in minimal_edits(raw, view(raw).rewrite(new).raw)
    ]


def shares_nothing(old: str, new: str, now: str, *, adjoining: bool = False) -> bool:
    """Whether nothing of the edit from `old` to `new` is in `now`, so that all changes are somebody else's, elsewhere.

    `adjoining`: the lines next to a replaced one count as elsewhere too.
    """
    a, p, n = split_lines(old), split_lines(new), split_lines(now)
    ours, theirs = line_changes(a, p), line_changes(a, n)
    for o in ours:
        near = 0 if adjoining and o.old_start < o.old_end else 1
        if any(t.old_start < o.old_end + near and o.old_start < t.old_end + near for t in theirs):
            return False
    if _put_in(ours, p) & _put_in(theirs, n):
        return False
    # A misplaced line of the edit in which the user has typed is recognised by its words.
    new_words = _words(_put_in(ours, p)) - _words(a)
    return not new_words & _words(_put_in(theirs, n))


def computed_anew(old: str, new: str, now: str) -> str | None:
    """The text after the edit from `old` to `new` is made on `now`; None if it would not remove and add the same
    lines."""
    merged = rebase(old, new, now)
    if isinstance(merged, Conflict) or not same_hunks(hunks(old, new), hunks(now, merged)):
        return None
    return merged


def landed_elsewhere(
    raws: Sequence[str], changes: Sequence[ContentChange], now: str, encoding: PositionEncoding
) -> Elsewhere | None:
    """Whether `changes`, which were computed for the first of `raws`, were made at other lines of any of them.

    `raws`: the texts that the editor may have had at that time. `now` has LF line ends, and may also have what the user
    typed.
    """
    found: set[str] = set()
    unsure = False
    for base, made in _made_elsewhere(raws, changes, now, encoding):
        undone = rebase(made, base, now)
        if isinstance(undone, Conflict) or not _tells(base, made):
            unsure = True
        else:
            found.add(undone)
    if not found and not unsure:
        return None
    return Elsewhere(found.pop() if len(found) == 1 and not unsure else None)


def is_nearer_elsewhere(
    raws: Sequence[str], changes: Sequence[ContentChange], new: str, now: str, encoding: PositionEncoding
) -> bool:
    """Whether `now`, which contains the edit's lines, is closer to the edit made at other lines than to `new`."""
    left = _distance(new, now)
    return any(_distance(made, now) < left for _, made in _made_elsewhere(raws, changes, now, encoding))


def _made_elsewhere(
    raws: Sequence[str], changes: Sequence[ContentChange], now: str, encoding: PositionEncoding
) -> Iterator[tuple[str, str]]:
    """Each text together with the result of the edit at other lines, if all of that is in `now`. LF line ends."""
    for raw in raws:
        base = to_lf(raw)
        for down in _places(base, changes, now):
            if down == 0 and raw == raws[0]:
                continue
            made = _made_at(raw, changes, down, encoding)
            if made is not None and made != base and survives(base, made, now):
                yield base, made


def _distance(one: str, other: str) -> int:
    """How many lines differ."""
    changes = line_changes(split_lines(one), split_lines(other))
    return sum(c.old_end - c.old_start + c.new_end - c.new_start for c in changes)


def excerpt(old: str, new: str, now: str) -> str:
    """The lines of `now` at and around the places of the edit from `old` to `new`, with line numbers from 1."""
    a, n = split_lines(old), split_lines(now)
    theirs = line_changes(a, n)
    shown: dict[int, None] = {}
    for ours in line_changes(a, split_lines(new)):
        start, end = _mapped(ours.old_start, theirs), _mapped(ours.old_end, theirs)
        shown |= dict.fromkeys(range(max(0, start - CONTEXT_LINES), min(len(n), end + CONTEXT_LINES)))
    numbers = sorted(shown)
    out: list[str] = []
    for number in numbers[:_EXCERPT_LINES]:
        if out and number - 1 not in shown:
            out.append("…")
        out.append(f"{number + 1}: {n[number].rstrip(chr(10))}")
    if len(numbers) > _EXCERPT_LINES:
        out.append(f"[{len(numbers) - _EXCERPT_LINES} more lines]")
    return "\n".join(out)


def _places(base: str, changes: Sequence[ContentChange], now: str) -> list[int]:
    """By how many lines the changes may have been shifted down: to wherever the text differs from `base`."""
    theirs = line_changes(split_lines(base), split_lines(now))
    found: dict[int, None] = {}
    for line in {change.range.start.line: None for change in changes if change.range is not None}:
        for change in theirs:
            for place in _lines_around(change):
                found[place - line] = None
    return sorted(found, key=abs)[:MAX_PLACES]


def _lines_around(change: LineChange) -> Iterable[int]:
    around = range(max(0, change.old_start - 1), change.old_end + 1)
    return around if len(around) <= MAX_PLACES else (*around[: MAX_PLACES // 2], *around[-MAX_PLACES // 2 :])


def _made_at(raw: str, changes: Sequence[ContentChange], down: int, encoding: PositionEncoding) -> str | None:
    moved: list[ContentChange] = []
    for change in reversed(changes):
        if change.range is None or change.range.start.line + down < 0:
            return None
        start, end = change.range.start, change.range.end
        moved.append(
            ContentChange(
                change.text,
                Range(Position(start.line + down, start.character), Position(end.line + down, end.character)),
            )
        )
    return to_lf(apply_changes(raw, moved, encoding))


def _tells(base: str, made: str) -> bool:
    """Whether a user would hardly have made the same change: it adds a line that is new to the text, or removes
    several."""
    a, m = split_lines(base), split_lines(made)
    changes = line_changes(a, m)
    put_in = {line for line in _put_in(changes, m) if line.strip()}
    if put_in:
        return bool(put_in - set(a))
    taken_out = [line for change in changes for line in a[change.old_start : change.old_end] if line.strip()]
    return len(taken_out) > 1


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in re.findall(r"\w+", line)}


def _put_in(changes: Iterable[LineChange], lines: Sequence[str]) -> set[str]:
    return {line for change in changes for line in lines[change.new_start : change.new_end]} - {"\n"}


def _mapped(line: int, changes: Sequence[LineChange]) -> int:
    """The number of the old line after the changes; for a changed line, the nearest one of the new lines."""
    shift = 0
    for change in changes:
        if line < change.old_start:
            break
        if line < change.old_end:
            return min(change.new_start + line - change.old_start, change.new_end)
        shift = change.new_end - change.old_end
    return line + shift
