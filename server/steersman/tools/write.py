"""write: writes a whole file, a new one or one that the session has read."""

from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import ProposalSuperseded, ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import BaseTool
from steersman.tools.changing import Amend, approved, carry_out, change_result, computed, unchanged
from steersman.tools.ledger import ReadLedger
from steersman.tools.schema import FILE_NAMES, Arguments
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, creation, edition
from steersman.workspace.errors import FileNotFound, PathError
from steersman.workspace.ports import Snapshot, Workspace
from steersman.workspace.roots import printable
from steersman.workspace.text import TextError


class WriteArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(FILE_NAMES, "path"),
        "contents": "content",
        "file_text": "content",
        "text": "content",
        "code": "content",
        "description": None,
    }
    path: str = Field(description="File to write, relative to the workspace folder or absolute.")
    content: str = Field(description="The whole content.")


class WriteTool(BaseTool[WriteArguments]):
    name = "write"
    description = (
        "Write a whole file. Missing directories are made. An existing file must have been read in full in this "
        "session and must not have changed since. To change a part of a file use edit."
    )
    arguments = WriteArguments

    def __init__(self, workspace: Workspace, ledger: ReadLedger, amend: Amend = unchanged) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger
        self._amend = amend

    async def propose(self, args: WriteArguments, signal: AbortSignal) -> ChangeProposal | None:
        if args.path.endswith("/"):
            raise PathError(f"{printable(args.path)} names a directory: give the name of a file.")
        path = self._workspace.resolve(args.path, for_write=True)
        protected = self._workspace.rules.protected(path)
        try:
            snapshot = await self._workspace.read(path)
        except FileNotFound:
            held = self._workspace.held_by(path)
            return ChangeProposal.of([creation(path, args.content, protected=protected, held=held)])
        reason = self._ledger.reason_not_to_overwrite(snapshot)
        if reason is not None:
            raise ToolError(reason)

        def make(base: Snapshot) -> FileChange:
            try:
                new = base.as_text().rewrite(args.content)
                held = self._workspace.held_by(path)
                return self._amend(edition(base, new, protected=protected, held=held))
            except TextError as error:
                raise ToolError(f"{path.display}: {error} Nothing was changed.") from error

        change = await computed(make, snapshot)
        is_same = change.new is not None and change.new.data() == snapshot.data
        return None if is_same else ChangeProposal.of([change])

    async def execute(self, args: WriteArguments, context: ToolContext) -> ToolResult:
        proposal = approved(context)
        if proposal is None:
            fresh = await self.propose(args, context.signal)
            if fresh is not None:  # there was nothing to change before, and now there is
                raise ProposalSuperseded(fresh)
            return text_result(
                f"{printable(args.path)} already has exactly this content; nothing was written."
            )
        change, applied = await carry_out(self._workspace, proposal, None, context)
        if applied.sha256 is not None and proposal.original is None:
            self._ledger.wrote(change.path.path, applied.sha256)
        return await change_result(proposal, change, applied, context)
