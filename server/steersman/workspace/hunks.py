"""What changed between two texts as hunks that a user can choose from.

Lines end at LF only, so that a CR before it is part of the line, as in diff(1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from steersman.workspace.align import LineChange, line_changes, split_lines
from steersman.workspace.changed_part import ChangedPart, changed_part
from steersman.workspace.diff import CONTEXT, extent_of, grouped
from steersman.workspace.errors import WorkspaceError


class DiffError(WorkspaceError):
    """The hunks can't be applied."""


class UnknownHunk(DiffError):
    """A chosen id is not that of a hunk of this diff."""


class HunkMismatch(DiffError):
    """The text is not the one that the hunks were made from."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One run of changed lines: its zero-based first line in each text, and the lines removed and added, as text."""

    old_start: int
    new_start: int
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changes that a unified diff shows together and a user accepts or rejects together.

    Starts are zero-based and, like the counts, include the lines of context. `digest` is the SHA-256 of the lines
    removed and added, independent of their place. `id` is unique in its diff and includes part of the digest.
    """

    id: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    edits: tuple[LineEdit, ...]
    digest: str


def hunks(old: str, new: str) -> list[Hunk]:
    """The hunks of the unified diff of `old` and `new`, in order."""
    part = changed_part(old, new, CONTEXT)
    return [
        _hunk(
            number,
            part.first_line,
            extent_of(group, len(part.old)),
            tuple(_line_edit(part, change) for change in group),
        )
        for number, group in enumerate(grouped(line_changes(part.old, part.new)), start=1)
    ]


def _hunk(number: int, first: int, extent: LineChange, edits: tuple[LineEdit, ...]) -> Hunk:
    digest = hashlib.sha256()
    for edit in edits:
        for part in (edit.removed, edit.added):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return Hunk(
        id=f"{number}-{digest.hexdigest()[:8]}",
        old_start=first + extent.old_start,
        old_count=extent.old_end - extent.old_start,
        new_start=first + extent.new_start,
        new_count=extent.new_end - extent.new_start,
        edits=edits,
        digest=digest.hexdigest(),
    )


def _line_edit(part: ChangedPart, change: LineChange) -> LineEdit:
    return LineEdit(
        old_start=part.first_line + change.old_start,
        new_start=part.first_line + change.new_start,
        removed="".join(part.old[change.old_start : change.old_end]),
        added="".join(part.new[change.new_start : change.new_end]),
    )


def apply_hunks(old: str, all_hunks: Sequence[Hunk], chosen: Collection[str]) -> str:
    """`old` with only the chosen hunks applied.

    Raises:
        UnknownHunk: an id in `chosen` is not among these hunks.
        HunkMismatch: `old` is not the text that the hunks were made from.
    """
    unknown = set(chosen) - {hunk.id for hunk in all_hunks}
    if unknown:
        known = ", ".join(hunk.id for hunk in all_hunks) or "none"
        raise UnknownHunk(f"No such hunk: {', '.join(sorted(unknown))}. The hunks of this diff: {known}.")
    lines = split_lines(old)
    out: list[str] = []
    at = 0
    for edit in (edit for hunk in all_hunks if hunk.id in chosen for edit in hunk.edits):
        end = edit.old_start + len(split_lines(edit.removed))
        if edit.old_start < at or "".join(lines[edit.old_start : end]) != edit.removed:
            raise HunkMismatch(f"Line {edit.old_start + 1} is not what the diff was made from.")
        out.extend(lines[at : edit.old_start])
        out.append(edit.added)
        at = end
    out.extend(lines[at:])
    return "".join(out)


def same_hunks(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> bool:
    """Whether two diffs remove and add the same lines in the same order, wherever that is.

    This decides whether an approval still holds on a changed base: who accepted one of them has seen the other.
    """
    return _lines_changed(ours) == _lines_changed(theirs)


def _lines_changed(all_hunks: Sequence[Hunk]) -> list[tuple[str, str]]:
    return [(edit.removed, edit.added) for hunk in all_hunks for edit in hunk.edits]
