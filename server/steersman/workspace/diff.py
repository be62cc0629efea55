"""What changed between two texts: counted, and as a unified diff.

Texts are strings. A line ends at LF only, so that a CR before it is part of the line, as in diff(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steersman.workspace.align import LineChange, line_changes
from steersman.workspace.changed_part import ChangedPart, changed_part

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class Counts:
    """Lines added and removed."""

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
    """The unified diff, with LF after every line; "" if the texts are equal.

    Names are written as given (`a/x.py`, `/dev/null`), and quoted where necessary. Beyond `max_lines` lines the rest is
    left out and a last line in brackets says how many lines that is: such a diff is for reading, not for patch(1).
    """
    if old == new:
        return ""
    out = _Bounded(max_lines)
    out.add(f"--- {_quoted(old_name)}\n")
    out.add(f"+++ {_quoted(new_name)}\n")
    part = changed_part(old, new, CONTEXT)
    for group in grouped(line_changes(part.old, part.new)):
        _write_hunk(out, part, group)
    return out.text()


class _Bounded:
    """Lines up to a limit, and the number of those beyond it."""

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
    return (
        name + "\t" if " " in name else name
    )  # patch(1) cuts a name at its first space unless a tab ends it


def grouped(changes: Sequence[LineChange]) -> list[list[LineChange]]:
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change.old_start - groups[-1][-1].old_end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def extent_of(group: Sequence[LineChange], old_len: int) -> LineChange:
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
    extent = extent_of(group, len(a))
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
