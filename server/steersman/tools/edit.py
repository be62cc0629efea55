"""edit: old text becomes new text, each edit matched against the original file, all or none."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import ToolContext, ToolError, ToolResult
from steersman.tools.base import BaseTool
from steersman.tools.changing import (
    Amend,
    Recompute,
    approved,
    carry_out,
    change_result,
    computed,
    unchanged,
)
from steersman.tools.ledger import ReadLedger
from steersman.tools.schema import Arguments, from_json_text
from steersman.workspace.changes import ChangeProposal, FileChange, edition
from steersman.workspace.errors import FileNotFound
from steersman.workspace.matching import MatchError, Replacement, locate
from steersman.workspace.ports import Snapshot, Workspace
from steersman.workspace.text import TextError

MAX_EDITS = 1000
_OLD_NAMES = ("oldText", "old_text", "old_string", "oldString", "old_str", "old", "search")
_NEW_NAMES = ("newText", "new_text", "new_string", "newString", "new_str", "new", "replace")


class EditItem(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(_OLD_NAMES[1:], "oldText"),
        **dict.fromkeys(_NEW_NAMES[1:], "newText"),
    }
    old_text: str = Field(description="Text of the file, exactly; it must occur once.")
    new_text: str = Field(description="What stands there afterwards.")


class EditArguments(Arguments):
    renames: ClassVar = {
        "file_path": "path",
        "filePath": "path",
        "filename": "path",
        "file": "path",
        "target_file": "path",
        "replacements": "edits",
        "changes": "edits",
        "instructions": None,
        "description": None,
    }
    path: str = Field(description="File to change, relative to the workspace folder or absolute.")
    edits: list[EditItem] = Field(
        min_length=1,
        max_length=MAX_EDITS,
        description="Matched against the original file, not one after the other; none may overlap.",
    )

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        """One pair outside a list, a single object, a list as JSON text, and items under other names."""
        _drop_single_replacement(raw)
        lone = {name: raw.pop(name) for name in (*_OLD_NAMES, *_NEW_NAMES) if name in raw}
        edits = from_json_text(raw.get("edits", [lone] if lone else None))
        if isinstance(edits, Mapping):
            edits = [edits]
        if isinstance(edits, list):
            items = [from_json_text(item) for item in edits]
            raw["edits"] = [_item(item) if isinstance(item, Mapping) else item for item in items]
        return raw


def _item(item: JsonObject) -> dict[str, Json]:
    raw = EditItem.renamed(item)
    _drop_single_replacement(raw)
    return raw


def _drop_single_replacement(raw: dict[str, Json]) -> None:
    """Other edit tools have a switch for replacing every occurrence; left off, it says what this one does anyway."""
    for name in ("replaceAll", "replace_all"):
        if raw.get(name) in (False, "false"):
            del raw[name]


class EditTool(BaseTool[EditArguments]):
    name = "edit"
    description = (
        "Change parts of a file. Each oldText must occur exactly once in the file as it is now: copy it from read, "
        "with enough lines around it to be unique, and no more. Put all changes of one file into one call. All edits "
        "are made, or none. For a new file use write."
    )
    arguments = EditArguments

    def __init__(self, workspace: Workspace, ledger: ReadLedger, amend: Amend = unchanged) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger
        self._amend = amend

    async def propose(self, args: EditArguments, signal: AbortSignal) -> ChangeProposal:
        path = self._workspace.resolve(args.path, for_write=True)
        if not self._workspace.roots.may_read(path) and not self._ledger.knows(path.path):
            # What an edit that fails tells of a file is a look at it, which here nobody has been asked about.
            raise ToolError(
                f"{path.display} is outside the workspace and was not read in this session. Read it first: the user "
                "is asked about that."
            )
        try:
            snapshot = await self._workspace.read(path)
        except FileNotFound as error:
            raise ToolError(f"{error} To make a new file, use write.") from error
        return ChangeProposal.of([await computed(self._recompute(args), snapshot)])

    async def execute(self, args: EditArguments, context: ToolContext) -> ToolResult:
        proposal = approved(context) or await self.propose(args, context.signal)
        change, applied = await carry_out(self._workspace, proposal, self._recompute(args), context)
        if applied.sha256 is not None and change.base is not None and proposal.original is None:
            self._ledger.edited(change.path.path, change.base.sha256, applied.sha256)
        return await change_result(proposal, change, applied, context)

    def _recompute(self, args: EditArguments) -> Recompute:
        replacements = [Replacement(item.old_text, item.new_text) for item in args.edits]
        rules = self._workspace.rules

        def make(snapshot: Snapshot) -> FileChange:
            name = snapshot.path.display
            try:
                text = snapshot.as_text()
                new = text.apply([span.change for span in locate(text.text, replacements)])
            except (TextError, MatchError) as error:
                raise ToolError(f"{name}: {error} Nothing was changed.") from error
            if new.raw == text.raw:
                raise ToolError(f"{name}: the edits change nothing.")
            held = self._workspace.held_by(snapshot.path)
            return self._amend(edition(snapshot, new, protected=rules.protected(snapshot.path), held=held))

        return make
