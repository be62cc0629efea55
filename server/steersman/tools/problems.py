"""What language servers find in files: a problem as a value, in words, and which of them an edit has made.

Knows nothing of how they are told or kept.
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
"""The gravest first."""
MAX_MESSAGE = 500
"""Characters of one message that are shown."""
MAX_NEW = 10
"""Problems that the note on an edit names."""
_MAX_NAME = 80
_LINE_NUMBER = re.compile(r"(\blines? |:)\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Problem:
    severity: Severity
    message: str
    start: Position
    """Zero-based, in the units of whoever told it."""
    source: str = ""
    """Who found it, such as `pyright`; "" if that is not known."""
    code: str = ""
    """The finder's name for its kind; "" if it has none."""

    @property
    def gravity(self) -> int:
        """0 for an error, to 3 for a hint."""
        return SEVERITIES.index(self.severity)

    @property
    def words(self) -> str:
        """`error (pyright reportCallIssue): Expected 1 argument`, on one line, bounded."""
        finder = printable(clipped(" ".join(f"{self.source} {self.code}".split()), _MAX_NAME))
        message = printable(clipped(" ".join(self.message.split()), MAX_MESSAGE))
        return f"{self.severity}{f' ({finder})' if finder else ''}: {message}"


@dataclass(frozen=True, slots=True)
class Report:
    """All problems of one file, as they were told together."""

    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    """Further ones that there was no room to keep."""
    version: int | None = None
    """Of the editor's document: the newest that they can be about; None if that is not known."""
    number: int = 0
    """Later reports have higher ones."""


class Problems(Protocol):
    """What is known of the problems of files, by resolved path."""

    @property
    def encoding(self) -> PositionEncoding:
        """Of the problems' positions."""
        ...

    @property
    def forgotten(self) -> bool:
        """There were too many files to keep the reports of all."""
        ...

    def of(self, path: Path) -> Report | None:
        """The last report; None if there was none. One without problems says that the file has none."""
        ...

    def is_current(self, path: Path) -> bool:
        """Whether the file is, as far as is known, still what its report is about."""
        ...

    def files(self) -> Sequence[Path]:
        """Those with a report."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    new: tuple[Problem, ...] = ()
    """By line."""
    resolved: int = 0


def difference(
    before: Sequence[Problem], after: Sequence[Problem], old_text: str, new_text: str, *, placed: bool = True
) -> Difference:
    """What an edit that made `new_text` of `old_text` (LF line ends) has changed in a file's problems.

    A problem is the same as one before if severity, source, code and message are, and it stands in the same line (as
    the edit has shifted it), in one of the same text (of several equal lines it can't be seen which was shifted), or in
    the same part of what was edited. Without `placed` the places of those before are not known well enough to be
    compared. Hints are left out: editors show them as a shade of the text.
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
    """The problems that have found no partner yet."""

    before: list[Problem]
    after: list[Problem]

    def take(self, old_place: Callable[[int], Hashable], new_place: Callable[[int], Hashable]) -> None:
        """Takes out those that are the same on both sides, one for one, by kind and place."""
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
    """What stays of a problem when it is shifted; so do the line numbers in some messages."""
    return problem.severity, problem.source, problem.code, _LINE_NUMBER.sub(r"\1#", problem.message)


class _Places:
    """Where lines are after an edit. What has no place of the kind asked for gets one that nothing else has."""

    def __init__(self, changes: Sequence[LineChange]) -> None:
        self._changes = changes
        self._old_starts = [change.old_start for change in changes]
        self._new_starts = [change.new_start for change in changes]

    def kept_of_old(self, line: int) -> Hashable:
        """The number of the new line that an old one is."""
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
    """The last change that begins at the line or before it; -1 if there is none."""
    return bisect_right(starts, line) - 1


def _text(lines: Sequence[str], line: int) -> str:
    return lines[line] if line < len(lines) else ""


def note_on(name: str, found: Difference) -> str | None:
    """What the result of an edit says of the problems that it made; None if there is nothing to say."""
    if not found.new:
        return f"This edit resolved {count(found.resolved, 'problem')} in {name}" if found.resolved else None
    chosen = sorted(sorted(found.new, key=lambda it: it.gravity)[:MAX_NEW], key=lambda it: it.start)
    lines = [f"line {problem.start.line + 1}: {problem.words}" for problem in chosen]
    if len(found.new) > len(chosen):
        lines.append(f"and {len(found.new) - len(chosen):,} more; diagnostics lists them")
    if found.resolved:
        lines.append(f"The edit also resolved {count(found.resolved, 'problem')}.")
    return "\n".join([f"New problems in {name} since this edit:", *lines])
