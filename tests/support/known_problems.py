"""What a test says that language servers have reported."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman.tools.problems import Problem, Report, Severity
from steersman.workspace.positions import Position, PositionEncoding


def problem(
    line: int,
    message: str = "wrong",
    *,
    severity: Severity = "error",
    character: int = 0,
    source: str = "lint",
    code: str = "",
) -> Problem:
    """`line` counts from 1, as tools tell it; `character` from 0, in code units."""
    return Problem(severity, message, Position(line - 1, character), source, code)


@dataclass
class KnownProblems:
    """Implements `tools.problems.Problems`."""

    reports: dict[Path, Report] = field(default_factory=dict)
    outdated: set[Path] = field(default_factory=set)
    """Files that have changed since they were reported on."""
    encoding: PositionEncoding = "utf-16"
    forgotten: bool = False

    def report(self, path: Path, *problems: Problem, left_out: int = 0) -> None:
        self.reports[path] = Report(problems, left_out)

    def of(self, path: Path) -> Report | None:
        return self.reports.get(path)

    def is_current(self, path: Path) -> bool:
        return path not in self.outdated

    def files(self) -> Sequence[Path]:
        return list(self.reports)
