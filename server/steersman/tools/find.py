"""find: finds files and directories by a glob over their paths."""

from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import ABORTED, MAX_RESULT_BYTES, BaseTool, with_notes
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import DIRECTORY_NAMES, Arguments
from steersman.workspace.errors import PathError
from steersman.workspace.globs import GlobError, compile_glob
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import printable
from steersman.workspace.search import Ripgrep
from steersman.workspace.spelling import composed

LIMIT = 1000


class FindArguments(Arguments):
    renames: ClassVar = {
        "glob": "pattern",
        "glob_pattern": "pattern",
        "query": "pattern",
        "name": "pattern",
        **dict.fromkeys(DIRECTORY_NAMES, "path"),
        "max_results": "limit",
    }
    pattern: str = Field(
        min_length=1,
        description="Glob: `*.py` matches names at any depth, `src/**/*.test.ts` paths relative to the directory.",
    )
    path: str | None = Field(None, description="Directory to search; the workspace folder if omitted.")
    limit: int | None = Field(None, ge=1, description=f"Maximum number of paths; default {LIMIT}.")


class FindTool(BaseTool[FindArguments]):
    name = "find"
    description = (
        "Find files and directories by a glob. Paths are sorted and relative to the workspace folder; directories end "
        "in `/`. Hidden files are found, files ignored by .gitignore are not (ls and read can still access them)."
    )
    arguments = FindArguments
    execution = "parallel"

    def __init__(self, workspace: Workspace, ripgrep: Ripgrep) -> None:
        super().__init__()
        self._workspace = workspace
        self._ripgrep = ripgrep

    async def propose(self, args: FindArguments, signal: AbortSignal) -> Proposal | None:
        return access_needed(self._workspace, self.name, self._workspace.resolve(args.path or "."))

    async def execute(self, args: FindArguments, context: ToolContext) -> ToolResult:
        path = self._workspace.resolve(args.path or ".")
        require_access(self._workspace, self.name, path, context)
        if not path.path.is_dir():
            if path.path.is_file():
                raise PathError(f"{path.display} is a file. Give a directory, or read it.")
            await self._workspace.read(path)  # says what is wrong, with suggestions
        try:
            matcher = compile_glob(anchored(composed(args.pattern).removeprefix(composed(f"{path.path}/"))))
        except GlobError as error:
            raise ToolError(f"The pattern can't be used: {error}.") from error
        listing = _Listing(prefix_of(path.relative), args.limit or LIMIT)
        rules, rule_base = self._workspace.rules, path.forms[0]
        seen: set[str] = set()

        def on_path(relative: str) -> bool:
            if rules.denied_name(f"{rule_base}/{relative}") is not None:
                return True
            for directory in _new_parents(relative, seen):
                if matcher.fullmatch(composed(directory)) and not listing.add(f"{directory}/"):
                    return False
            return not matcher.fullmatch(composed(relative)) or listing.add(relative)

        end = await self._ripgrep.files(
            path.path, exclude=rules.exclusions(), stop=context.signal, on_path=on_path
        )
        notes: list[str] = []
        if listing.full:
            notes.append(
                f"Stopped after {len(listing.paths)} paths; there are more. Use a narrower pattern or path"
            )
        if end.cut_short:
            notes.append(f"The search was cut short: {end.cut_short}. Search a smaller folder")
        if end.unreadable:
            notes.append("Some directories could not be read")
        if not listing.paths and not end.aborted and not end.cut_short:
            notes.append(f"Nothing matches {printable(args.pattern)}. Ignored files are not searched")
        if end.aborted:
            return text_result(with_notes(listing.text(), [ABORTED]), is_error=True)
        return text_result(with_notes(listing.text(), notes))


class _Listing:
    """Paths, up to a limit and to the size of a result."""

    def __init__(self, prefix: str, limit: int) -> None:
        self._prefix = prefix
        self._limit = limit
        self._room = MAX_RESULT_BYTES
        self.paths: list[str] = []
        self.full = False

    def add(self, relative: str) -> bool:
        """False if there was no room for it."""
        shown = printable(self._prefix + relative)
        self._room -= len(shown.encode("utf-8", "replace")) + 1
        if len(self.paths) >= self._limit or self._room < 0:
            self.full = True
            return False
        self.paths.append(shown)
        return True

    def text(self) -> str:
        return "".join(f"{path}\n" for path in sorted(self.paths))


def prefix_of(relative: str) -> str:
    """The beginning of paths below the directory `relative`."""
    return "" if relative == "." else f"{relative.rstrip('/')}/"


def anchored(pattern: str) -> str:
    """A glob over relative paths. One without a `/` matches names at any depth."""
    pattern = pattern.removeprefix("./").rstrip("/")
    return pattern.lstrip("/") if "/" in pattern else f"**/{pattern}"


def _new_parents(relative: str, seen: set[str]) -> list[str]:
    """The directories above a path that have not been seen yet, outermost first."""
    found: list[str] = []
    at = relative.rfind("/")
    while at > 0 and (directory := relative[:at]) not in seen:
        seen.add(directory)
        found.append(directory)
        at = relative.rfind("/", 0, at)
    return found[::-1]
