"""What changed between two texts: as a unified diff, as hunks that can be chosen, and as small edits.

Texts are strings; a line ends at LF only, so that a CR before it is part of the line, as diff(1) has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from steersman.workspace.align import LineChange, line_changes, split_lines
from steersman.workspace.boundaries import common_prefix, inseparable
from steersman.workspace.changed_part import ChangedPart, changed_part
from steersman.workspace.errors import WorkspaceError

CONTEXT = 3


class DiffError(WorkspaceError):
    """Hunks that cannot be applied."""


class UnknownHunk(DiffError):
    """A chosen id names no hunk of this diff."""


class HunkMismatch(DiffError):
    """The text is not the one that the hunks were made from."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """text[start:end] becomes `new_text`; offsets are Python string indices."""

    start: int
    end: int
    new_text: str


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One run of changed lines: zero-based first lines, and the lines that go and come, as text."""

    old_start: int
    new_start: int
    removed: str
    added: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Neighbouring changes that a unified diff shows together, and a user takes or leaves together.

    Starts are zero-based and, like the counts, include the lines of context. `digest` is the SHA-256 of what
    goes and comes; it does not depend on where. `id` is unique in its diff and bound to the digest.
    """

    id: str
    old_start: int
    old_count: int
    new_start: int
    new_count: int
    edits: tuple[LineEdit, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Counts:
    """Lines that came and went."""

    added: int
    removed: int


def count_changes(old: str, new: str) -> Counts:
    """How many lines a diff of `old` and `new` adds and removes."""
    part = changed_part(old, new, 0)
    changes = line_changes(part.old, part.new)
    return Counts(
        added=sum(change.new_end - change.new_start for change in changes),
        removed=sum(change.old_end - change.old_start for change in changes),
    )


def unified_diff(old: str, new: str, old_name: str, new_name: str, *, max_lines: int | None = None) -> str:
    """The unified diff, every line ended by LF; "" if the texts are equal.

    Names are written as given (`a/x.py`, `/dev/null`), quoted where they need it. If there are more than
    `max_lines` lines the rest is left out and a last line in brackets says how many: such a diff is for
    reading, not for patch(1).
    """
    if old == new:
        return ""
    out = _Bounded(max_lines)
    out.add(f"--- {_quoted(old_name)}\n")
    out.add(f"+++ {_quoted(new_name)}\n")
    part = changed_part(old, new, CONTEXT)
    for group in _groups(line_changes(part.old, part.new)):
        _write_hunk(out, part, group)
    return out.text()


class _Bounded:
    """Lines up to a limit, and how many more there were."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._left_out = 0

    def add(self, line: str) -> None:
        if self._limit is None or len(self._lines) < self._limit:
            self._lines.append(line)
        else:
            self._left_out += 1

    def text(self) -> str:
        if self._left_out:
            self._lines.append(f"[{self._left_out} more lines of this diff are not shown]\n")
        return "".join(self._lines)


def _quoted(name: str) -> str:
    if any(ord(char) < 0x20 or char in '"\\\x7f' for char in name):
        escaped = name.encode("unicode_escape").decode("ascii").replace('"', '\\"')
        return f'"{escaped}"'
    return name + "\t" if " " in name else name  # patch(1) cuts a name at its first blank, if no tab ends it


def _groups(changes: Sequence[LineChange]) -> list[list[LineChange]]:
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change.old_start - groups[-1][-1].old_end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _extent(group: Sequence[LineChange], old_len: int) -> LineChange:
    """The lines of a group with its context."""
    lead = min(CONTEXT, group[0].old_start)
    tail = min(CONTEXT, old_len - group[-1].old_end)
    return LineChange(
        group[0].old_start - lead,
        group[-1].old_end + tail,
        group[0].new_start - lead,
        group[-1].new_end + tail,
    )


def _write_hunk(out: _Bounded, part: ChangedPart, group: Sequence[LineChange]) -> None:
    a, b, first = part.old, part.new, part.first_line
    extent = _extent(group, len(a))
    old_range = _range(first + extent.old_start, first + extent.old_end)
    new_range = _range(first + extent.new_start, first + extent.new_end)
    out.add(f"@@ -{old_range} +{new_range} @@\n")
    at = extent.old_start
    for change in group:
        _write_lines(out, " ", a[at : change.old_start])
        _write_lines(out, "-", a[change.old_start : change.old_end])
        _write_lines(out, "+", b[change.new_start : change.new_end])
        at = change.old_end
    _write_lines(out, " ", a[at : extent.old_end])


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    # An empty range names the line before it.
    return f"{start + 1 if count else start},{count}"


def _write_lines(out: _Bounded, mark: str, lines: Iterable[str]) -> None:
    for line in lines:
        if line.endswith("\n"):
            out.add(mark + line)
        else:
            out.add(f"{mark}{line}\n")
            out.add("\\ No newline at end of file\n")


def hunks(old: str, new: str) -> list[Hunk]:
    """The hunks of the unified diff of `old` and `new`, in order."""
    part = changed_part(old, new, CONTEXT)
    return [
        _hunk(
            number,
            part.first_line,
            _extent(group, len(part.old)),
            tuple(_line_edit(part, change) for change in group),
        )
        for number, group in enumerate(_groups(line_changes(part.old, part.new)), start=1)
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
    """`old` with the chosen hunks applied, the others left out.

    Raises:
        UnknownHunk: an id in `chosen` is none of these hunks'.
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
    """Whether two diffs take out and put in the same lines in the same order, wherever they do it.

    This is the test of an approval whose base has changed: a user who accepted the one has seen the other.
    """
    return _lines_changed(ours) == _lines_changed(theirs)


def _lines_changed(all_hunks: Sequence[Hunk]) -> list[tuple[str, str]]:
    return [(edit.removed, edit.added) for hunk in all_hunks for edit in hunk.edits]


def splice(text: str, changes: Sequence[TextChange]) -> str:
    """`text` with changes made, which are disjoint and in order."""
    pieces: list[str] = []
    at = 0
    for change in changes:
        pieces += (text[at : change.start], change.new_text)
        at = change.end
    pieces.append(text[at:])
    return "".join(pieces)


def minimal_edits(old: str, new: str) -> list[TextChange]:
    """The smallest ranges found that turn `old` into `new`: whole lines, then cut to where they differ.

    In order, disjoint, never touching; offsets are in `old`. No boundary lies inside a CRLF or between the
    two halves of a surrogate pair, in either text.
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
