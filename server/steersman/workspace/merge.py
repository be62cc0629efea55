"""A proposal for a text that has changed since: merged line by line, or a conflict. Knows strings only."""

from __future__ import annotations

from dataclasses import dataclass

from steersman.workspace.align import LineChange, line_changes, split_lines


@dataclass(frozen=True, slots=True)
class Conflict:
    """The proposal and the current text change the same or adjacent lines. `line` is one-based, in the current text."""

    line: int


def rebase(base: str, proposed: str, current: str) -> str | Conflict:
    """The three-way merge of `proposed` and `current`, which both come from `base`.

    Lines that only one side changed are taken from that side, and a change that both made is made once. Changes that
    overlap or touch are a conflict, even where some order would do: the user is asked again.
    """
    if current in (base, proposed):
        return proposed
    if proposed == base:
        return current
    a, p, c = split_lines(base), split_lines(proposed), split_lines(current)
    ours, theirs = line_changes(a, p), line_changes(a, c)
    out: list[str] = []
    at = 0  # in the lines of current
    shift = 0  # current minus base, of the changes passed so far
    index = 0
    for change in ours:
        while index < len(theirs) and theirs[index].old_end < change.old_start:
            shift = theirs[index].new_end - theirs[index].old_end
            index += 1
        if index < len(theirs) and theirs[index].old_start <= change.old_end:
            if _same(change, theirs[index], p, c):
                continue
            return Conflict(line=theirs[index].new_start + 1)
        out.extend(c[at : change.old_start + shift])
        out.extend(p[change.new_start : change.new_end])
        at = change.old_end + shift
    out.extend(c[at:])
    return "".join(out)


def _same(ours: LineChange, theirs: LineChange, p: list[str], c: list[str]) -> bool:
    return (ours.old_start, ours.old_end) == (theirs.old_start, theirs.old_end) and (
        p[ours.new_start : ours.new_end] == c[theirs.new_start : theirs.new_end]
    )


def survives(base: str, proposed: str, observed: str) -> bool:
    """Whether everything that `proposed` changed in `base` is still so in `observed`, which may have further changes.

    Asked after an editor has made an edit: the user may have typed elsewhere meanwhile. The answer is no if a line that
    the edit added has changed, if one that it removed is back in its place, if there is anything new between the lines
    added, or if the text is no closer to `proposed` than to `base` (otherwise lines that only traded places would pass
    for typing).
    """
    a, p, o = split_lines(base), split_lines(proposed), split_lines(observed)
    later = line_changes(p, o)
    if base != proposed and _size(line_changes(a, o)) <= _size(later):
        return False
    index = 0
    for change in line_changes(a, p):
        while index < len(later) and later[index].old_end < change.new_start:
            index += 1
        for other in later[index:]:
            if other.old_start > change.new_end:
                break
            if _undoes(change, other, a, o):
                return False
    return True


def _size(changes: list[LineChange]) -> int:
    return sum(c.old_end - c.old_start + c.new_end - c.new_start for c in changes)


def _undoes(change: LineChange, later: LineChange, a: list[str], o: list[str]) -> bool:
    overlap = min(change.new_end, later.old_end) > max(change.new_start, later.old_start)
    inside = later.old_start == later.old_end and change.new_start < later.old_start < change.new_end
    if overlap or inside:
        return True
    removed = a[change.old_start : change.old_end]
    came = o[later.new_start : later.new_end]
    return bool(removed) and any(
        came[i : i + len(removed)] == removed for i in range(len(came) - len(removed) + 1)
    )
