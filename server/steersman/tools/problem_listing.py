"""A bounded list of problems for a model: chosen by severity, shown by place, with the lines that they are in."""

from dataclasses import dataclass
from pathlib import Path

from steersman.tools.base import MAX_RESULT_BYTES, clipped
from steersman.tools.problems import Problem, Problems
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.ports import Workspace
from steersman.workspace.positions import LineIndex, Position
from steersman.workspace.roots import printable

MAX_TEXT_BYTES = 1_000_000
"""Files up to this size are read to show the lines that problems are in."""
MAX_ALL_BYTES = 8_000_000
"""The most that one call reads."""
_LINE = 200
_LISTED = 5


@dataclass(frozen=True, slots=True)
class Found:
    path: Path
    name: str
    """Its name in the workspace. Raw: print it with `printable`."""
    problem: Problem

    @property
    def place(self) -> tuple[str, Position]:
        return self.name, self.problem.start


class Texts:
    """The texts that problems are in, as long as they have not changed since and are cheap to read."""

    def __init__(self, workspace: Workspace, problems: Problems) -> None:
        self._workspace, self._problems = workspace, problems
        self._known: dict[Path, LineIndex | None] = {}
        self._changed: list[str] = []
        self._room = MAX_ALL_BYTES

    async def place(self, found: Found) -> tuple[str, str]:
        """The line and, if the text is known, the column (both from 1, in characters), and the text of the line."""
        start = found.problem.start
        number = start.line + 1
        index = await self._of(found)
        if index is None or number > index.line_count:
            return f"{number}", ""
        encoding = self._problems.encoding
        column = index.offset(start, encoding) - index.offset(Position(start.line, 0), encoding) + 1
        return f"{number}:{column}", printable(clipped(index.line(start.line).strip(), _LINE))

    def notes(self) -> list[str]:
        if not self._changed:
            return []
        more = len(self._changed) - _LISTED
        names = ", ".join(self._changed[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")
        return [f"Changed since it was reported on, so that line numbers may be off: {names}"]

    async def _of(self, found: Found) -> LineIndex | None:
        if found.path not in self._known:
            self._known[found.path] = await self._read(found)
        return self._known[found.path]

    async def _read(self, found: Found) -> LineIndex | None:
        if not self._problems.is_current(found.path):
            self._changed.append(printable(found.name))
            return None
        try:
            size = found.path.stat().st_size
            if size > min(MAX_TEXT_BYTES, self._room):
                return None
            self._room -= size
            snapshot = await self._workspace.read(self._workspace.resolve(str(found.path)))
        except (OSError, WorkspaceError):  # it can't be read, or no longer
            return None
        return None if snapshot.text is None else LineIndex(snapshot.text.text)


class Listing:
    """Problems, up to a limit and to the size of a result. They are added by severity, and shown by place."""

    def __init__(self, texts: Texts, limit: int) -> None:
        self.texts = texts
        self._limit, self._room = limit, MAX_RESULT_BYTES
        self._lines: list[tuple[tuple[str, Position], str]] = []

    def __len__(self) -> int:
        return len(self._lines)

    async def add(self, found: Found) -> bool:
        """False if there was no room for it."""
        if len(self) >= self._limit:
            return False
        place, line = await self.texts.place(found)
        shown = f"{printable(found.name)}:{place}: {found.problem.words}\n"
        if line:
            shown += f"    {line}\n"
        self._room -= len(shown.encode("utf-8", "replace"))
        if self._room < 0:
            return False
        self._lines.append((found.place, shown))
        return True

    def text(self) -> str:
        return "".join(shown for _, shown in sorted(self._lines, key=lambda it: it[0]))
