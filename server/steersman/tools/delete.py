"""delete: deletes a file, or a symbolic link itself."""

from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import ToolContext, ToolResult
from steersman.tools.base import BaseTool
from steersman.tools.changing import approved, carry_out, change_result
from steersman.tools.ledger import ReadLedger
from steersman.tools.schema import FILE_NAMES, Arguments
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import deletion
from steersman.workspace.errors import PathError
from steersman.workspace.ports import Workspace


class DeleteArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(FILE_NAMES, "path"),
        "description": None,
        "explanation": None,
    }
    path: str = Field(description="File to delete, relative to the workspace folder or absolute.")


class DeleteTool(BaseTool[DeleteArguments]):
    name = "delete"
    description = (
        "Delete one file. The user can restore it. Of a symbolic link, the link is deleted, not its target."
    )
    arguments = DeleteArguments

    def __init__(self, workspace: Workspace, ledger: ReadLedger) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger

    async def propose(self, args: DeleteArguments, signal: AbortSignal) -> ChangeProposal:
        path = self._workspace.resolve(args.path, for_write=True, follow=False)
        if path.path.is_dir() and not path.path.is_symlink():
            raise PathError(
                f"{path.display} is a directory, and delete takes only files: delete its files one by one, or use bash."
            )
        snapshot = await self._workspace.read(path)
        protected, held = self._workspace.rules.protected(path), self._workspace.held_by(path)
        return ChangeProposal.of([deletion(snapshot, protected=protected, held=held)])

    async def execute(self, args: DeleteArguments, context: ToolContext) -> ToolResult:
        proposal = approved(context) or await self.propose(args, context.signal)
        change, applied = await carry_out(self._workspace, proposal, None, context)
        self._ledger.forget(change.path.path)
        return await change_result(proposal, change, applied, context)
