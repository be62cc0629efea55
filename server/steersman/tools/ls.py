"""ls: the names in one directory, those that ignore files cover too."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal, ToolContext, ToolResult, text_result
from steersman.tools.base import MAX_RESULT_BYTES, BaseTool, count, with_notes
from steersman.tools.proposals import access_needed, require_access
from steersman.tools.schema import Arguments
from steersman.workspace.ports import Entry, Workspace
from steersman.workspace.roots import ResolvedPath, printable

LIMIT = 500


class LsArguments(Arguments):
    renames: ClassVar = {
        "directory": "path",
        "dir": "path",
        "folder": "path",
        "dir_path": "path",
        "relative_workspace_path": "path",
        "max_results": "limit",
    }
    path: str | None = Field(None, description="Directory; the workspace folder if left out.")
    limit: int | None = Field(None, ge=1, description=f"Most entries to return; {LIMIT} if left out.")


class LsTool(BaseTool[LsArguments]):
    name = "ls"
    description = (
        "List a directory, sorted by name, hidden and ignored files included. Directories end in `/`, symbolic "
        "links in `@`. Use find to search below it."
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
        entries = await self._workspace.entries(path)
        allowed = await asyncio.to_thread(self._allowed, path, entries)
        limit = args.limit or LIMIT
        shown = _within(allowed, limit)
        notes: list[str] = []
        if not allowed:
            notes.append("The directory is empty" if not entries else "Nothing that may be shown")
        if len(allowed) > len(shown):
            rest = (
                "Use limit for more, or find"
                if len(shown) == limit
                else "Use find with a pattern for the others"
            )
            notes.append(f"{len(shown)} of {count(len(allowed), 'entry')} are shown. {rest}")
        if len(entries) > len(allowed):
            notes.append(f"{count(len(entries) - len(allowed), 'entry')} left out by deny rules")
        others = self._workspace.roots.folders[1:]
        if others and path.relative == ".":
            notes.append(
                "Other workspace folders: " + ", ".join(f"{printable(root.name)}/" for root in others)
            )
        return text_result(with_notes("".join(shown), notes))

    def _allowed(self, path: ResolvedPath, entries: Sequence[Entry]) -> list[Entry]:
        denied, folder = self._workspace.rules.denied_name, path.forms[0]
        return [entry for entry in entries if denied(f"{folder}/{entry.name}") is None]


def _within(entries: Sequence[Entry], limit: int) -> list[str]:
    """The lines of the first `limit` entries, as far as a result has room for them."""
    lines: list[str] = []
    room = MAX_RESULT_BYTES
    for entry in entries[:limit]:
        line = f"{printable(entry.name)}{_mark(entry)}\n"
        room -= len(line.encode("utf-8"))
        if room < 0:
            break
        lines.append(line)
    return lines


def _mark(entry: Entry) -> str:
    marks = {"directory": "/", "link": "@/" if entry.target_is_directory else "@"}
    return marks.get(entry.kind, "")
