"""What became of an edit, told from the texts before and after it alone. Knows no editor and no files.

An editor that does not check versions makes an edit at the lines that it was meant for, though they have moved: the
text lands elsewhere. It is found by making the same edit at other lines, and looking which of the results is there.
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
"""`differs`: something of the edit is there, or may be, and it can't be said what is whose."""

MAX_PLACES = 24
"""How many other places of an edit are tried."""
CONTEXT_LINES = 3
_EXCERPT_LINES = 60


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Lines of an edit are, or may be, where they were not meant to be."""

    undone: str | None
    """The text without them, LF line ends; None if it can't be said for sure which lines they are."""


def content_changes(raw: str, new: str, encoding: PositionEncoding) -> list[ContentChange]:
    """The smallest changes that turn `raw` into `new` (LF line ends), which takes on the line ends of `raw`.

    In order; all ranges are positions in `raw`.
    """
    index = LineIndex(raw)
    return [
        ContentChange(edit.new_text, index.range(edit.start, edit.end, encoding))
        for edit in minimal_edits(raw, view(raw).rewrite(new).raw)
    ]


def shares_nothing(old: str, new: str, now: str, *, adjoining: bool = False) -> bool:
    """Whether nothing of the edit from `old` to `new` is in `now`: what has changed is somebody else's, elsewhere.

    `adjoining`: the line before or after one that the edit replaces is elsewhere too.
    """
    a, p, n = split_lines(old), split_lines(new), split_lines(now)
    ours, theirs = line_changes(a, p), line_changes(a, n)
    for o in ours:
        near = 0 if adjoining and o.old_start < o.old_end else 1
        if any(t.old_start < o.old_end + near and o.old_start < t.old_end + near for t in theirs):
            return False
    if _put_in(ours, p) & _put_in(theirs, n):
        return False
    # A line of the edit that its user has typed in, where it is not meant to be, is known by its words.
    new_words = _words(_put_in(ours, p)) - _words(a)
    return not new_words & _words(_put_in(theirs, n))


def computed_anew(old: str, new: str, now: str) -> str | None:
    """The edit from `old` to `new` on the text `now`; None if it would not be the same lines out and in."""
    merged = rebase(old, new, now)
    if isinstance(merged, Conflict) or not same_hunks(hunks(old, new), hunks(now, merged)):
        return None
    return merged


def landed_elsewhere(
    raws: Sequence[str], changes: Sequence[ContentChange], now: str, encoding: PositionEncoding
) -> Elsewhere | None:
    """Whether `changes`, meant for the first of `raws`, were made at other lines of one of them.

    `raws` are the texts that the editor may have had then; `now` (LF line ends) may hold more, typed by its user.
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
    """Whether `now`, which has the edit's lines, is better explained by the edit at other lines than by `new`."""
    left = _distance(new, now)
    return any(_distance(made, now) < left for _, made in _made_elsewhere(raws, changes, now, encoding))


def _made_elsewhere(
    raws: Sequence[str], changes: Sequence[ContentChange], now: str, encoding: PositionEncoding
) -> Iterator[tuple[str, str]]:
    """Texts, and what the edit at other lines makes of them, of which all is in `now`. LF line ends."""
    for raw in raws:
        base = to_lf(raw)
        for down in _places(base, changes, now):
            if down == 0 and raw == raws[0]:
                continue
            made = _made_at(raw, changes, down, encoding)
            if made is not None and made != base and survives(base, made, now):
                yield base, made


def _distance(one: str, other: str) -> int:
    """In lines."""
    changes = line_changes(split_lines(one), split_lines(other))
    return sum(c.old_end - c.old_start + c.new_end - c.new_start for c in changes)


def excerpt(old: str, new: str, now: str) -> str:
    """The lines of `now` at and around the places of the edit from `old` to `new`, numbered from 1."""
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
    """How many lines too low the changes may have been made: wherever the text is not what it was."""
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
    """Whether a user would hardly have typed the same: a line that is new to the text, or several lines gone."""
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
    """Where the old line is after the changes; within one, its nearer end."""
    shift = 0
    for change in changes:
        if line < change.old_start:
            break
        if line < change.old_end:
            return min(change.new_start + line - change.old_start, change.new_end)
        shift = change.new_end - change.old_end
    return line + shift
