"""grep: finds lines of files by a regular expression. Ripgrep searches the files on the disk."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json
from steersman.agent.tool import Proposal, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import ABORTED, MAX_RESULT_BYTES, BaseTool, count, with_notes
from steersman.tools.find import anchored, prefix_of
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import DIRECTORY_NAMES, Arguments
from steersman.workspace.globs import GlobError, compile_glob, expand_braces
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.search import ContentQuery, Line, Ripgrep, SearchEnd
from steersman.workspace.spelling import composed

LIMIT = 100
MAX_CONTEXT = 50
_LINE = 500
_BEFORE_MATCH = 100


class GrepArguments(Arguments):
    renames: ClassVar = {
        "query": "pattern",
        "regex": "pattern",
        "include": "glob",
        "include_pattern": "glob",
        "file_pattern": "glob",
        **dict.fromkeys(DIRECTORY_NAMES, "path"),
        "case_insensitive": "ignoreCase",
        "-i": "ignoreCase",
        "fixed_strings": "literal",
        "-F": "literal",
        "-C": "context",
        "context_lines": "context",
        "head_limit": "limit",
        "max_results": "limit",
        "-n": None,
    }
    pattern: str = Field(min_length=1, description="Regular expression (Rust syntax), or text if `literal`.")
    path: str | None = Field(None, description="Directory or file; the workspace folder if omitted.")
    glob: str | None = Field(None, description="Only files that match, such as `*.ts` or `src/**/*.py`.")
    ignore_case: bool = Field(False, description="Ignore case.")
    literal: bool = Field(False, description="Take the pattern as plain text.")
    context: int = Field(0, ge=0, le=MAX_CONTEXT, description="Lines to show around each match.")
    limit: int | None = Field(None, ge=1, description=f"Maximum number of matching lines; default {LIMIT}.")

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        if raw.get("glob") == "":
            del raw["glob"]
        return raw


class GrepTool(BaseTool[GrepArguments]):
    name = "grep"
    description = (
        "Search the contents of files: `path:line:text` for each match, `path-line-text` for context. Sorted by path. "
        "Hidden files are searched; binary files and those ignored by .gitignore are not. Use it to find code before "
        "reading files."
    )
    arguments = GrepArguments
    execution = "parallel"

    def __init__(self, workspace: Workspace, ripgrep: Ripgrep) -> None:
        super().__init__()
        self._workspace = workspace
        self._ripgrep = ripgrep

    async def propose(self, args: GrepArguments, signal: AbortSignal) -> Proposal | None:
        return access_needed(self._workspace, self.name, self._workspace.resolve(args.path or "."))

    async def execute(self, args: GrepArguments, context: ToolContext) -> ToolResult:
        path = self._workspace.resolve(args.path or ".")
        require_access(self._workspace, self.name, path, context)
        is_directory = path.path.is_dir()
        if not is_directory and not path.path.is_file():
            await self._workspace.read(path)  # says what is wrong, with suggestions
        glob = _Glob.of(args.glob if is_directory else None)
        found = self._results(path, args, glob, is_directory=is_directory)
        end = await self._ripgrep.lines(
            path.path if is_directory else path.path.parent,
            "." if is_directory else path.path.name,
            ContentQuery(args.pattern, glob.name, args.ignore_case, args.literal, args.context),
            exclude=[*self._workspace.rules.exclusions(), *glob.exclude],
            stop=context.signal,
            on_line=found.add,
        )
        if end.aborted:
            return text_result(with_notes(found.text(), [ABORTED]), is_error=True)
        return text_result(with_notes(found.text(), await self._notes(args, found, end)))

    def _results(
        self, path: ResolvedPath, args: GrepArguments, glob: "_Glob", *, is_directory: bool
    ) -> "_Results":
        """Where to collect lines. Their paths are relative to the directory searched, or to that of the file
        searched."""
        relative, base = path.relative, path.forms[0]
        if not is_directory:
            relative, base = relative.rpartition("/")[0], base.rpartition("/")[0]
            relative = relative or ("/" if path.outside else ".")
        rules = self._workspace.rules
        return _Results(
            prefix_of(relative),
            args.limit or LIMIT,
            separate=args.context > 0,
            allowed=lambda name: glob.covers(name) and rules.denied_name(f"{base}/{name}") is None,
        )

    async def _notes(self, args: GrepArguments, found: "_Results", end: SearchEnd) -> list[str]:
        notes: list[str] = []
        if found.full:
            notes.append(
                f"Stopped after {count(found.matches, 'match')}; there are more. Narrow the pattern, path or glob"
            )
        if end.cut_short:
            notes.append(f"The search was cut short: {end.cut_short}. Search a smaller folder")
        if end.unreadable:
            notes.append("Some files could not be read")
        if end.overlong:
            notes.append(f"{count(end.overlong, 'line')} left out: too long to be searched")
        if not found.matches and not end.cut_short:
            notes.append("No matches. Ignored and binary files are not searched")
        unsaved = [
            name for name in await self._workspace.unsaved_files() if name in found.paths or not found.matches
        ]
        if unsaved:
            notes.append(f"Only saved text was searched. The editor has unsaved text of {', '.join(unsaved)}")
        return notes


@dataclass(frozen=True, slots=True)
class _Glob:
    """The model's glob, split into what ripgrep checks and what we check."""

    name: str | None = None
    """For file names: checked by ripgrep."""
    paths: tuple[re.Pattern[str], ...] = ()
    """For relative paths, if the glob has a `/`: checked here. One of them has to match."""
    exclude: tuple[str, ...] = ()
    """What to leave out, if the glob begins with `!`."""

    @classmethod
    def of(cls, glob: str | None) -> "_Glob":
        """Raises ToolError: the glob is unusable."""
        if not glob:
            return cls()
        if glob.startswith("!"):
            return cls(exclude=(anchored(glob[1:]),))
        if "," in glob and "{" not in glob:
            glob = "{" + glob.replace(" ", "") + "}"
        # To ripgrep a colon would end the name of a type, and é in another Unicode form is another name.
        if "/" not in glob and ":" not in glob and glob.isascii():
            return cls(name=glob)
        try:
            return cls(paths=tuple(compile_glob(anchored(one)) for one in expand_braces(composed(glob))))
        except GlobError as error:
            raise ToolError(f"The glob can't be used: {error}.") from error

    def covers(self, path: str) -> bool:
        return not self.paths or any(pattern.fullmatch(composed(path)) for pattern in self.paths)


@dataclass(slots=True)
class _Results:
    """Lines, up to a number of matches and to the size of a result."""

    prefix: str
    limit: int
    separate: bool
    allowed: Callable[[str], bool]
    matches: int = 0
    full: bool = False
    paths: set[str] = field(default_factory=set)
    """Displayed paths with a match."""
    _lines: list[str] = field(default_factory=list)
    _room: int = MAX_RESULT_BYTES
    _last: tuple[str, int] = ("", 0)
    _path: tuple[str, bool] = ("", False)

    def add(self, line: Line) -> bool:
        """False if there was no room for it."""
        if line.path != self._path[0]:
            self._path = (line.path, self.allowed(line.path))
        if not self._path[1]:
            return True
        if line.is_match and self.matches >= self.limit:
            self.full = True
            return False
        shown = self._shown(line)
        self._room -= len(shown.encode("utf-8", "replace")) + 1
        if self._room < 0:
            self.full = True
            return False
        if self.separate and self._lines and self._last != (line.path, line.number - 1):
            self._lines.append("--")
        self._last = (line.path, line.number)
        self._lines.append(shown)
        if line.is_match:
            self.matches += 1
            self.paths.add(printable(self.prefix + line.path))
        return True

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines)

    def _shown(self, line: Line) -> str:
        mark = ":" if line.is_match else "-"
        start = max(0, line.column - _BEFORE_MATCH) if len(line.text) > _LINE else 0
        text = line.text[start : start + _LINE]
        before, after = ("…" if start else ""), ("…" if start + _LINE < len(line.text) else "")
        return f"{printable(self.prefix + line.path)}{mark}{line.number}{mark}{before}{text}{after}"
