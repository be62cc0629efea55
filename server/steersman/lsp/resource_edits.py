"""Deletes and moves files that are open in the editor by asking the editor, so that it keeps track of its documents.

Each `workspace/applyEdit` has one resource operation. CreateFile is never used: Neovim empties an existing file. The
outcome is read from the disk. The document should be closed, and opened at the target: if the editor doesn't report
that in time, the result says so.
"""

import asyncio
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steersman.lsp.buffers import Buffer
from steersman.lsp.client import path_of
from steersman.lsp.edits import Answer, Editor, ask
from steersman.workspace import atomic
from steersman.workspace.changes import FileChange
from steersman.workspace.diff import unified_diff
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import ChangeRefused, FileNotFound, WorkspaceError
from steersman.workspace.ports import Applied, BaseMoved, KeepPreImage, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.snapshots import explain

ResourceOperation = Literal["delete", "rename"]
_DIFF_LINES = 60


def can_do(editor: Editor, buffer: Buffer, kind: ResourceOperation) -> bool:
    """Whether the editor can be asked. Not if it opened the file by a link: it would delete or move the link."""
    client = editor.client
    able = client.apply_edit and client.document_changes and kind in client.resource_operations
    return able and path_of(buffer.document.uri) == buffer.path


async def resource_change(
    editor: Editor, disk: DiskWorkspace, keep: KeepPreImage, change: FileChange, buffer: Buffer
) -> Applied:
    """Deletes or moves the file of a clean buffer. The caller holds the locks; `change.base` is what is on the disk.

    Raises:
        BaseMoved: the file has changed. Nothing was done.
        ChangeRefused: it was not done, or not as approved, or the outcome isn't known.
        FileAccessError: the target's folder can't be created.
    """
    base, target = change.base, change.target
    if base is None or (change.kind == "move") != (target is not None):
        raise ChangeRefused(f"A {change.kind} needs a file, and a move a target. Nothing was changed.")
    await keep(PreImage(change.path.path, "file", base.data, base.mode and stat.S_IMODE(base.mode)))
    if target is not None:
        await keep(PreImage(target.path, "absent"))
        if os.path.lexists(target.path):
            raise ChangeRefused(f"{target.display} exists already; nothing was moved.")
    return await _Operation(editor, disk, change, base, buffer).carry_out()


Found = Literal["same", "absent", "other"]
"""What is at a path, compared with the file that was to be deleted or moved."""


@dataclass(frozen=True, slots=True)
class _Operation:
    editor: Editor
    disk: DiskWorkspace
    change: FileChange
    base: Snapshot
    buffer: Buffer

    async def carry_out(self) -> Applied:
        await self._check()
        target = self.change.target
        made = [] if target is None else _directories(target)
        try:
            answer = await self._asked()
            source = await self._found(self.change.path)
            arrived = None if target is None else await self._found(target)
        except asyncio.CancelledError:
            self.buffer.frozen = True  # it may be done or not
            raise
        finally:
            atomic.remove_directories(made)  # only those that are still empty
        if source == "absent" and arrived in (None, "same"):
            return self._applied(made)
        untouched = source == "same" and arrived in (None, "absent")
        if untouched and answer.said == "refused":
            raise ChangeRefused(f"The editor did not {self._what}: {answer.reason}. Nothing was changed.")
        self.buffer.frozen = True
        raise ChangeRefused(self._unclear(answer, source, arrived))

    async def _check(self) -> None:
        """Checks that nothing was changed while the pre-image was kept."""
        try:
            current: Snapshot | None = await self.disk.read(self.change.path)
        except FileNotFound:
            current = None
        if current is None or current.sha256 != self.base.sha256:
            raise BaseMoved(self.change.path, current)
        await self.editor.unattached.refresh(self.buffer)
        if not self.editor.buffers.is_open(self.buffer) or self.buffer.unsaved:
            raise ChangeRefused(
                f"{self.change.path.display} was changed or closed in the editor meanwhile. Nothing was changed. "
                "Read it again."
            )

    async def _asked(self) -> Answer:
        """The editor's answer, after it has reported the closing and opening of the document, or the time for that is
        over."""
        buffers, target, limit = self.editor.buffers, self.change.target, self.editor.limits.verify
        answer = await ask(self.editor, self._params())
        if answer.said == "applied":
            await self.editor.unattached.refresh(self.buffer)
            closed = await buffers.until(self.buffer.path, lambda: not buffers.is_open(self.buffer), limit)
            if closed and target is not None:
                await buffers.until(target.path, lambda: buffers.of(target.path) is not None, limit)
        return answer

    def _params(self) -> dict[str, Any]:
        target, uri = self.change.target, self.buffer.document.uri
        operation: dict[str, Any]
        if target is None:
            options = {"recursive": False, "ignoreIfNotExists": False}
            operation = {"kind": "delete", "uri": uri, "options": options}
        else:
            options = {"overwrite": False, "ignoreIfExists": False}
            operation = {"kind": "rename", "oldUri": uri, "newUri": target.path.as_uri(), "options": options}
        return {"label": f"Steersman: {self._what}", "edit": {"documentChanges": [operation]}}

    async def _found(self, path: ResolvedPath) -> Found:
        if not os.path.lexists(path.path):
            return "absent"
        try:
            return "same" if (await self.disk.read(path)).sha256 == self.base.sha256 else "other"
        except WorkspaceError:
            return "other"

    def _applied(self, made: list[Path]) -> Applied:
        buffers, target, notes = self.editor.buffers, self.change.target, []
        opened = None if target is None else buffers.of(target.path)
        typed = self.buffer.text
        if typed is not None and typed != self.buffer.agreed and (opened is None or opened.text != typed):
            shown = unified_diff(self.buffer.agreed or "", typed, "saved", "typed", max_lines=_DIFF_LINES)
            notes.append(
                f"Meanwhile the user typed in the file, and that was not saved. Tell them what it was:\n{shown}"
            )
        if buffers.is_open(self.buffer):
            notes.append(f"The editor still shows {self.change.path.display}, which is no longer there")
        elif target is not None and opened is None:
            notes.append(f"The editor has not opened {target.display} in its place")
        directories = tuple(printable(self.disk.roots.relative(directory)) for directory in made)
        sha256 = None if target is None else self.base.sha256
        return Applied(sha256, created_directories=directories, notes=tuple(notes))

    def _unclear(self, answer: Answer, source: Found, arrived: Found | None) -> str:
        there = f"{self.change.path.display} {_THERE[source]}"
        if self.change.target is not None and arrived is not None:
            there += f" and {self.change.target.display} {_THERE[arrived]}"
        return (
            f"The editor was asked to {self._what}. {answer}, but {there}. It is not known what it did, or "
            "will still do. Ask the user to look at it."
        )

    @property
    def _what(self) -> str:
        moved = "" if self.change.target is None else f" to {self.change.target.display}"
        return f"{self.change.kind} {self.change.path.display}{moved}"


_THERE = {"same": "has the file's content", "absent": "is not there", "other": "has different content"}


def _directories(target: ResolvedPath) -> list[Path]:
    try:
        return atomic.make_directories(target.path.parent)
    except OSError as error:
        raise explain(error, target) from error
