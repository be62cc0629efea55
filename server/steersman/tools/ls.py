"""ls: lists the names in one directory, including ignored ones."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolContext, ToolResult, text_result
from steersman.tools.base import MAX_RESULT_BYTES, BaseTool, count, with_notes
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import DIRECTORY_NAMES, Arguments
from steersman.workspace.ports import Entry, Workspace
from steersman.workspace.roots import printable

LIMIT = 500


class LsArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys((*DIRECTORY_NAMES, "folder", "relative_workspace_path"), "path"),
        "max_results": "limit",
    }
    path: str | None = Field(None, description="Directory; the workspace folder if omitted.")
    limit: int | None = Field(None, ge=1, description=f"Maximum number of entries; default {LIMIT}.")


class LsTool(BaseTool[LsArguments]):
    name = "ls"
    description = (
        "List a directory, sorted by name, including hidden and ignored files. Directories end in `/`, symbolic links "
        "in `@`. Use find to search below it."
    )
    arguments = LsArguments
    execution = "parallel"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace

    async def propose(self, args: LsArguments, signal: AbortSignal) -> Proposal | None:
        return access_needed(self._workspace, self.name, self._workspace.resolve(args.path or "."))

    async def execute(self, args: LsArguments, context: ToolContext) -> ToolResult:
        path = self._workspace.resolve(args.path or ".")
        require_access(self._workspace, self.name, path, context)
        limit = args.limit or LIMIT
        listing = await self._workspace.entries(path, limit)
        shown = _within(listing.entries)
        notes: list[str] = []
        if not listing.count:
            notes.append("The directory is empty" if not listing.denied else "Nothing that may be shown")
        if listing.count > len(shown):
            rest = (
                "Use limit for more, or find"
                if len(shown) == limit
                else "Use find with a pattern for the others"
            )
            notes.append(f"{len(shown)} of {count(listing.count, 'entry')} are shown. {rest}")
        if listing.denied:
            notes.append(f"{count(listing.denied, 'entry')} left out by deny rules")
        roots = self._workspace.roots
        if len(roots.folders) > 1 and path.relative == ".":
            others = [roots.relative(root.path, root) for root in roots.folders[1:]]
            notes.append("Other workspace folders: " + ", ".join(f"{printable(name)}/" for name in others))
        return text_result(with_notes("".join(shown), notes))


def _within(entries: Sequence[Entry]) -> list[str]:
    """A line for each of the entries, as far as a result has room."""
    lines: list[str] = []
    room = MAX_RESULT_BYTES
    for entry in entries:
        line = f"{printable(entry.name)}{_mark(entry)}\n"
        room -= len(line.encode("utf-8"))
        if room < 0:
            break
        lines.append(line)
    return lines


def _mark(entry: Entry) -> str:
    marks = {"directory": "/", "link": "@/" if entry.target_is_directory else "@"}
    return marks.get(entry.kind, "")
