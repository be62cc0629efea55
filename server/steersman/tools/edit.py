"""edit: replaces old text by new text in one file or several. Edits are matched against the original files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import ToolContext, ToolError, ToolResult
from steersman.tools.base import BaseTool, count, expected_failures
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
from steersman.tools.schema import FILE_NAMES, Arguments, from_json_text
from steersman.tools.several import carry_out_all, nothing_changed, result_of
from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, edition
from steersman.workspace.errors import FileNotFound, PathError
from steersman.workspace.matching import MatchError, Replacement, locate
from steersman.workspace.ports import Applied, Snapshot, Workspace
from steersman.workspace.roots import ResolvedPath
from steersman.workspace.text import TextError

MAX_EDITS = 1000
MAX_FILES = 50
"""Files of one call: nobody looks at more in one question."""
_OLD_NAMES = ("oldText", "old_text", "old_string", "oldString", "old_str", "old", "search")
_NEW_NAMES = ("newText", "new_text", "new_string", "newString", "new_str", "new", "replace")


class EditItem(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(_OLD_NAMES[1:], "oldText"),
        **dict.fromkeys(_NEW_NAMES[1:], "newText"),
        **dict.fromkeys(FILE_NAMES, "path"),
    }
    path: str | None = Field(
        default=None, description="File of this edit, if it is another than that of the call."
    )
    old_text: str = Field(description="Text of the file, exactly; it must occur once.")
    new_text: str = Field(description="What stands there afterwards.")


class EditArguments(Arguments):
    renames: ClassVar = {
        **dict.fromkeys(FILE_NAMES, "path"),
        "replacements": "edits",
        "changes": "edits",
        "files": "edits",
        "instructions": None,
        "description": None,
    }
    path: str = Field(description="File to change, relative to the workspace folder or absolute.")
    edits: list[EditItem] = Field(
        min_length=1,
        max_length=MAX_EDITS,
        description="Matched against the original files, not one after the other; none may overlap.",
    )

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        """Accepts a single pair outside a list, a single object, a list as JSON text, items with other names, edits
        listed by file, and a call without a path whose edits all have one."""
        _drop_single_replacement(raw)
        lone = {name: raw[name] for name in (*_OLD_NAMES, *_NEW_NAMES) if name in raw}
        if "edits" not in raw or not any(lone.values()):  # if both say something, mending would lose one
            for name in lone:
                del raw[name]
        edits = from_json_text(raw.get("edits", [lone] if lone else None))
        if isinstance(edits, Mapping):
            edits = [edits]
        if isinstance(edits, list):
            items = [each for item in edits for each in _flat(from_json_text(item))]
            mended = [_item(item) if isinstance(item, Mapping) else item for item in items]
            paths = [item.get("path") if isinstance(item, Mapping) else None for item in mended]
            if "path" not in raw and paths and all(paths):
                raw["path"] = paths[0]
            raw["edits"] = mended
        return raw


def _flat(item: Json) -> Sequence[Json]:
    """The edits of an item that lists those of one file, otherwise the item itself."""
    edits = item.get("edits") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(edits, list):
        return [item]
    path = {name: value for name, value in item.items() if name in ("path", *FILE_NAMES)}
    if len(item) != len(path) + 1:
        return [item]
    inner = [from_json_text(each) for each in edits]
    return [{**path, **each} if isinstance(each, Mapping) else each for each in inner]


def _item(item: JsonObject) -> dict[str, Json]:
    raw = EditItem.renamed(item)
    _drop_single_replacement(raw)
    return raw


def _drop_single_replacement(raw: dict[str, Json]) -> None:
    """Other edit tools can replace every occurrence. Switched off, that is what this one does anyway."""
    for name in ("replaceAll", "replace_all"):
        if raw.get(name) in (False, "false"):
            del raw[name]


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a call, and the numbers of its edits."""

    path: ResolvedPath
    numbers: list[int]


class EditTool(BaseTool[EditArguments]):
    name = "edit"
    description = (
        "Change parts of a file, or of several files at once. Each oldText must occur exactly once in its file as it "
        "is now: copy it from read, with enough lines around it to be unique, and no more. Put all changes of one file "
        "into one call, and changes of several files that belong together: an edit can have a path of its own. All "
        "edits are made, or none. For a new file use write."
    )
    arguments = EditArguments

    def __init__(self, workspace: Workspace, ledger: ReadLedger, amend: Amend = unchanged) -> None:
        super().__init__()
        self._workspace = workspace
        self._ledger = ledger
        self._amend = amend

    async def propose(self, args: EditArguments, signal: AbortSignal) -> ChangeProposal:
        files = self._files(args)
        if len(files) == 1:
            return ChangeProposal.of([await self._change(args, files[0])])
        changes: list[FileChange] = []
        faults: list[str] = []
        for file in files:
            try:
                with expected_failures():
                    changes.append(await self._change(args, file))
            except ToolError as error:
                faults.append(str(error))
        if faults:
            raise nothing_changed(faults, len(files), [change.path.display for change in changes])
        return ChangeProposal.of(changes)

    async def execute(self, args: EditArguments, context: ToolContext) -> ToolResult:
        proposal = approved(context) or await self.propose(args, context.signal)
        files = self._files(args)
        if len(files) > 1 or len(proposal.changes) > 1:
            return await self._execute_all(args, files, proposal, context)
        change, applied = await carry_out(self._workspace, proposal, self._recompute(args, files[0]), context)
        self._note(proposal, change, applied)
        return await change_result(proposal, change, applied, context)

    async def _execute_all(
        self, args: EditArguments, files: Sequence[_File], proposal: ChangeProposal, context: ToolContext
    ) -> ToolResult:
        by_path = {file.path.path: self._recompute(args, file, alone=False) for file in files}

        def recompute(path: ResolvedPath) -> Recompute:
            if path.path not in by_path:
                raise PathError(f"{path.display} was replaced by a link meanwhile.")
            return by_path[path.path]

        made = await carry_out_all(self._workspace, proposal, recompute, context)
        for each in made.changes:
            self._note(*each)
        return await result_of(made, context.signal)

    def _files(self, args: EditArguments) -> list[_File]:
        """The files, in the order of their first edits. One file may be spelled in several ways.

        Raises:
            DeniedPath, PathError: one of them can't be used.
            ToolError: there are too many, or several can't be used.
        """
        files: dict[Path, _File] = {}
        names: dict[str, ResolvedPath] = {}
        faults: dict[str, PathError] = {}
        for number, item in enumerate(args.edits):
            name = item.path or args.path
            if name in faults:
                continue
            try:
                if name not in names:
                    names[name] = self._workspace.resolve(name, for_write=True)
            except PathError as error:
                faults[name] = error
                continue
            files.setdefault(names[name].path, _File(names[name], [])).numbers.append(number)
        if len(faults) == 1 and not files:
            raise next(iter(faults.values()))
        if faults:
            raise nothing_changed([str(error) for error in faults.values()], len(files) + len(faults))
        if len(files) > MAX_FILES:
            raise ToolError(
                f"One call changes at most {MAX_FILES} files, and this one names {count(len(files), 'file')}. Nothing "
                "was changed. Split it into several calls."
            )
        return list(files.values())

    async def _change(self, args: EditArguments, file: _File) -> FileChange:
        path = file.path
        if not self._workspace.roots.may_read(path) and not self._ledger.knows(path.path):
            # A failed edit reveals parts of the file, and here nobody has been asked whether it may be read.
            raise ToolError(
                f"{path.display} is outside the workspace and was not read in this session. Read it first: the user "
                "is asked about that."
            )
        try:
            snapshot = await self._workspace.read(path)
        except FileNotFound as error:
            raise ToolError(f"{error} To create a file, use write.") from error
        return await computed(
            self._recompute(args, file, alone=len(file.numbers) == len(args.edits)), snapshot
        )

    def _recompute(self, args: EditArguments, file: _File, *, alone: bool = True) -> Recompute:
        """`alone`: the call has no other file."""
        items = [args.edits[number] for number in file.numbers]
        replacements = [Replacement(item.old_text, item.new_text) for item in items]
        rules = self._workspace.rules

        def make(snapshot: Snapshot) -> FileChange:
            name = snapshot.path.display
            try:
                text = snapshot.as_text()
                spans = locate(text.text, replacements, None if alone else file.numbers)
                new = text.apply([span.change for span in spans])
            except (TextError, MatchError) as error:
                raise ToolError(f"{name}: {error}{' Nothing was changed.' if alone else ''}") from error
            if new.raw == text.raw:
                raise ToolError(f"{name}: the edits change nothing.")
            held = self._workspace.held_by(snapshot.path)
            return self._amend(edition(snapshot, new, protected=rules.protected(snapshot.path), held=held))

        return make

    def _note(self, proposal: ChangeProposal, change: FileChange, applied: Applied) -> None:
        """Notes what the model knows now. `proposal` is that of this change alone."""
        if applied.sha256 is not None and change.base is not None and proposal.original is None:
            self._ledger.edited(change.path.path, change.base.sha256, applied.sha256)
