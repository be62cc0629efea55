"""move: moves a file, or a symbolic link itself, to a place where there is nothing."""

from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import ToolContext, ToolError, ToolResult
from steersman.tools.base import BaseTool
from steersman.tools.changing import approved, carry_out, change_result
from steersman.tools.ledger import ReadLedger
from steersman.tools.schema import Arguments
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import relocation
from steersman.workspace.errors import PathError
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import ResolvedPath


class MoveArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(("source", "src", "from_path", "old_path", "oldPath", "source_path", "path"), "from"),
        **dict.fromkeys(("destination", "dest", "dst", "target", "to_path", "new_path", "newPath"), "to"),
        "destination_path": "to",
        "description": None,
    }
    from_: str = Field(
        alias="from", description="File to move, relative to the workspace folder or absolute."
    )
    to: str = Field(description="New path of the file. In an existing directory, the file keeps its name.")


class MoveTool(BaseTool[MoveArguments]):
    name = "move"
    description = (
        "Move or rename one file. Missing directories are made. It never replaces an existing file, and doesn't change "
        "references in other files."
    )
    arguments = MoveArguments

    def __init__(self, workspace: Workspace, ledger: ReadLedger) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger

    async def propose(self, args: MoveArguments, signal: AbortSignal) -> ChangeProposal:
        source = self._workspace.resolve(args.from_, for_write=True, follow=False)
        if source.path.is_dir() and not source.path.is_symlink():
            raise PathError(
                f"{source.display} is a directory, and move takes only files: move its files, or use bash (git mv, mv)."
            )
        snapshot = await self._workspace.read(source)
        target = self._target(args.to, source)
        if source.path == target.path:
            raise ToolError(f"{source.display} is already there.")
        if await self._workspace.exists(target) and not _other_case(source, target):
            raise ToolError(
                f"{target.display} already exists, and move replaces nothing. Delete it first if necessary."
            )
        rules = self._workspace.rules
        protected = rules.protected(source) or rules.protected(target)
        held = self._workspace.held_by(source) or self._workspace.held_by(target)
        return ChangeProposal.of([relocation(snapshot, target, protected=protected, held=held)])

    async def execute(self, args: MoveArguments, context: ToolContext) -> ToolResult:
        proposal = approved(context) or await self.propose(args, context.signal)
        change, applied = await carry_out(self._workspace, proposal, None, context)
        if change.target is not None:
            self._ledger.moved(change.path.path, change.target.path)
        return await change_result(proposal, change, applied, context)

    def _target(self, to: str, source: ResolvedPath) -> ResolvedPath:
        target = self._workspace.resolve(to, for_write=True)
        if to.endswith("/") or target.path.is_dir():
            return self._workspace.resolve(
                f"{to.rstrip('/')}/{source.path.name}", for_write=True, follow=False
            )
        return self._workspace.resolve(to, for_write=True, follow=False)


def _other_case(source: ResolvedPath, target: ResolvedPath) -> bool:
    """Whether only the case of the name changes. On some file systems the target then exists: it is the source."""
    return (
        source.path.parent == target.path.parent
        and source.path.name.casefold() == target.path.name.casefold()
    )
