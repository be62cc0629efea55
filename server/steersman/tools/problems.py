"""What language servers find in files: problems as values, in words, and those that an edit has caused.

Knows nothing of how they are reported or kept.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol, get_args

from steersman.tools.base import clipped, count
from steersman.workspace.align import LineChange, line_changes
from steersman.workspace.positions import Position, PositionEncoding
from steersman.workspace.roots import printable

Severity = Literal["error", "warning", "information", "hint"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The most severe first."""
MAX_MESSAGE = 500
"""Characters shown of one message."""
MAX_NEW = 10
"""The most problems that the note on an edit names."""
_MAX_NAME = 80
_LINE_NUMBER = re.compile(r"(\blines? |:)\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Problem:
    severity: Severity
    message: str
    start: Position
    """Zero-based, in the units of whoever reported it."""
    source: str = ""
    """Who found it, such as `pyright`; "" if unknown."""
    code: str = ""
    """The name that `source` has for this kind of problem; "" if none."""

    @property
    def gravity(self) -> int:
        """From 0 for an error to 3 for a hint."""
        return SEVERITIES.index(self.severity)

    @property
    def words(self) -> str:
        """`error (pyright reportCallIssue): Expected 1 argument`, on one line and bounded."""
        finder = printable(clipped(" ".join(f"{self.source} {self.code}".split()), _MAX_NAME))
        message = printable(clipped(" ".join(self.message.split()), MAX_MESSAGE))
        return f"{self.severity}{f' ({finder})' if finder else ''}: {message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All problems of one file, as reported at one time."""

    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    """The number of further ones, for which there was no room."""
    version: int | None = None
    """The newest version of the editor's document that they can be about; None if unknown."""
    number: int = 0
    """Later reports have higher ones."""


class Problems(Protocol):
    """The known problems of files, by resolved path."""

    @property
    def encoding(self) -> PositionEncoding:
        """The encoding of the problems' positions."""
        ...

    @property
    def forgotten(self) -> bool:
        """Whether there were too many files to keep all reports."""
        ...

    def of(self, path: Path) -> Report | None:
        """The last report; None if there was none. A report without problems says that the file has none."""
        ...

    def is_current(self, path: Path) -> bool:
        """Whether the file, as far as we know, is still the one that was reported on."""
        ...

    def files(self) -> Sequence[Path]:
        """The files with a report."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    new: tuple[Problem, ...] = ()
    """Sorted by line."""
    resolved: int = 0


def difference(
    before: Sequence[Problem], after: Sequence[Problem], old_text: str, new_text: str, *, placed: bool = True
) -> Difference:
    """What an edit from `old_text` to `new_text` (LF line ends) has changed in the problems of a file.

    A problem is the same as one before if it has the same severity, source, code and message, and is in the same line
    (as shifted by the edit), in a line with the same text (among equal lines nobody can see which one was shifted), or
    in the same edited part. Unless `placed`, the places of those before are too uncertain to be compared. Hints don't
    count: editors show them only as a shade of the text.
    """
    old, new = old_text.split("\n"), new_text.split("\n")
    pairs = _Pairs(_told(before), _told(after))
    if placed:
        places = _Places(line_changes(old, new))
        pairs.take(places.kept_of_old, places.kept_of_new)
        pairs.take(lambda line: _text(old, line), lambda line: _text(new, line))
        pairs.take(places.change_of_old, places.change_of_new)
    else:
        pairs.take(lambda _: None, lambda _: None)
    found = sorted(pairs.after, key=lambda problem: (problem.start, problem.gravity))
    return Difference(tuple(found), len(pairs.before))


@dataclass(slots=True)
class _Pairs:
    """The problems before and after that have not been paired yet."""

    before: list[Problem]
    after: list[Problem]

    def take(self, old_place: Callable[[int], Hashable], new_place: Callable[[int], Hashable]) -> None:
        """Removes pairs of problems, one from each side, that have the same kind and place."""
        there: dict[Hashable, list[Problem]] = defaultdict(list)
        for problem in reversed(self.before):
            there[_kind(problem), old_place(problem.start.line)].append(problem)
        self.after = [
            problem
            for problem in self.after
            if not _popped(there, (_kind(problem), new_place(problem.start.line)))
        ]
        self.before = [problem for rest in there.values() for problem in rest]


def _told(problems: Sequence[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity != "hint"]


def _popped(there: dict[Hashable, list[Problem]], key: Hashable) -> bool:
    found = there.get(key)
    if not found:
        return False
    found.pop()
    return True


def _kind(problem: Problem) -> Hashable:
    """What stays the same when a problem is shifted: not even the message, if it contains line numbers."""
    return problem.severity, problem.source, problem.code, _LINE_NUMBER.sub(r"\1#", problem.message)


class _Places:
    """Places of lines, to be compared across an edit. A line without such a place gets a unique one."""

    def __init__(self, changes: Sequence[LineChange]) -> None:
        self._changes = changes
        self._old_starts = [change.old_start for change in changes]
        self._new_starts = [change.new_start for change in changes]

    def kept_of_old(self, line: int) -> Hashable:
        """The number of the new line that an old line has become."""
        number = _last(self._old_starts, line)
        if number < 0:
            return line
        change = self._changes[number]
        return object() if line < change.old_end else line + change.new_end - change.old_end

    def kept_of_new(self, line: int) -> Hashable:
        number = _last(self._new_starts, line)
        return object() if number >= 0 and line < self._changes[number].new_end else line

    def change_of_old(self, line: int) -> Hashable:
        """The number of the change that an old line was in."""
        number = _last(self._old_starts, line)
        return number if number >= 0 and line < self._changes[number].old_end else object()

    def change_of_new(self, line: int) -> Hashable:
        number = _last(self._new_starts, line)
        return number if number >= 0 and line < self._changes[number].new_end else object()


def _last(starts: Sequence[int], line: int) -> int:
    """The number of the last change that begins at the line or before it; -1 if there is none."""
    return bisect_right(starts, line) - 1


def _text(lines: Sequence[str], line: int) -> str:
    return lines[line] if line < len(lines) else ""


def note_on(name: str, found: Difference) -> str | None:
    """What the result of an edit says about the problems that it caused; None if there is nothing to say."""
    if not found.new:
        return f"This edit resolved {count(found.resolved, 'problem')} in {name}" if found.resolved else None
    chosen = sorted(sorted(found.new, key=lambda it: it.gravity)[:MAX_NEW], key=lambda it: it.start)
    lines = [f"line {problem.start.line + 1}: {problem.words}" for problem in chosen]
    if len(found.new) > len(chosen):
        lines.append(f"and {len(found.new) - len(chosen):,} more; diagnostics lists them")
    if found.resolved:
        lines.append(f"The edit also resolved {count(found.resolved, 'problem')}.")
    return "\n".join([f"New problems in {name} since this edit:", *lines])
