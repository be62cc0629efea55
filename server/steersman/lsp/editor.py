"""The workspace as the editor sees it: open buffers take precedence over the disk, and are edited through the editor.

Implements `workspace.ports.Workspace` on top of a `DiskWorkspace`.
"""

from collections.abc import Sequence
from dataclasses import replace

from steersman.lsp.buffers import Buffer
from steersman.lsp.edits import Editor
from steersman.lsp.open_edits import OpenEdits
from steersman.lsp.open_files import OpenFiles
from steersman.lsp.resource_edits import ResourceOperation, can_do, resource_change
from steersman.lsp.saving import save_own
from steersman.workspace.changes import FileChange, refuse_held
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.ports import Applied, BaseMoved, KeepPreImage, Listing, Snapshot
from steersman.workspace.roots import ResolvedPath, Roots, printable
from steersman.workspace.rules import PathRules


class EditorWorkspace:
    def __init__(self, disk: DiskWorkspace, editor: Editor, keep: KeepPreImage) -> None:
        """`keep` is also the disk's: a pre-image is kept first, whichever way a change is made."""
        self._disk, self._editor, self._keep = disk, editor, keep
        self._buffers = editor.buffers
        self._files = OpenFiles(disk, editor)
        self._edits = OpenEdits(self._files, editor, keep)

    @property
    def roots(self) -> Roots:
        return self._disk.roots

    @property
    def rules(self) -> PathRules:
        return self._disk.rules

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        return self._disk.resolve(path, for_write=for_write, follow=follow)

    async def exists(self, path: ResolvedPath) -> bool:
        await self._editor.unattached.known()
        return self._buffers.of(path.path) is not None or await self._disk.exists(path)

    async def entries(self, path: ResolvedPath, limit: int) -> Listing:
        return await self._disk.entries(path, limit)

    async def unsaved_files(self) -> Sequence[str]:
        await self._editor.unattached.known(now=True)
        return [printable(self.roots.relative(buffer.path)) for buffer in self._unsaved()]

    async def save_own(self) -> None:
        await save_own(self._editor, self._unsaved())

    def held_by(self, path: ResolvedPath) -> str | None:
        return None if self._buffers.of(path.path) is not None else self._disk.held_by(path)

    def _unsaved(self) -> list[Buffer]:
        """The buffers of this workspace with unsaved text."""
        return [each for each in self._buffers.unsaved() if self.roots.containing(each.path) is not None]

    async def read(self, path: ResolvedPath) -> Snapshot:
        return await self._files.read(path)

    async def check(self, change: FileChange) -> None:
        buffer = await self._checked(change)
        if buffer is None:
            await self._disk.check_unopened(change)
            return
        current, disk = await self._based(change, buffer)
        if change.kind == "edit" and not self._editor.client.apply_edit:
            _refuse_unsaved(change, current)
            await self._disk.check_unopened(replace(change, base=disk or change.base))

    async def apply(self, change: FileChange) -> Applied:
        target = None if change.target is None else change.target.path
        async with self._disk.locks.hold(change.path.path, *([] if target is None else [target])):
            buffer = await self._checked(change)
            if buffer is None:
                return await self._disk.apply_locked(change)
            return await self._apply_to_open(change, buffer)

    async def _checked(self, change: FileChange) -> Buffer | None:
        """The buffer of the file, if it is open.

        Raises:
            ChangeRefused: the file can't be changed now, whatever the change.
        """
        await self._editor.unattached.known(now=True)
        target = None if change.target is None else change.target.path
        if target is not None and self._buffers.of(target) is not None:
            raise ChangeRefused(f"{target.name} is open in the editor; nothing was moved.")
        buffer = await self._files.buffer_of(change.path.path)
        refuse_held(change, self.held_by)
        if buffer is not None and buffer.text is None:
            raise ChangeRefused(
                f"{change.path.display} is open in the editor, but its text is not known. Nothing was "
                "changed. Ask the user to save it or to close it."
            )
        return buffer

    async def _based(self, change: FileChange, buffer: Buffer) -> tuple[Snapshot, Snapshot | None]:
        """As `OpenFiles.look`, if the file is still what the change was approved for.

        Raises:
            BaseMoved: the file has changed.
            ChangeRefused: the file is frozen.
        """
        current, disk = await self._files.look(change.path, buffer)
        if change.kind == "create" or change.base is None or change.base.sha256 != current.sha256:
            raise BaseMoved(change.path, current)
        if current.conflict and not change.base.conflict:
            raise BaseMoved(change.path, current)  # the user is asked about it in every mode
        if buffer.frozen:
            raise ChangeRefused(
                f"The last change of {change.path.display} did not come out as approved, so it is not changed again "
                "until the editor shows a change, a save or a reopening. Ask the user to look at it."
            )
        return current, disk

    async def _apply_to_open(self, change: FileChange, buffer: Buffer) -> Applied:
        current, disk = await self._based(change, buffer)
        if change.kind != "edit":
            return await self._delete_or_move(change, buffer, current, disk)
        if not self._editor.client.apply_edit:
            return await self._on_disk(change, current, disk)
        return await self._edits.edit(change, buffer, current, disk)

    async def _delete_or_move(
        self, change: FileChange, buffer: Buffer, current: Snapshot, disk: Snapshot | None
    ) -> Applied:
        """By the editor if it can and its buffer shows the file; else on the disk."""
        kind: ResourceOperation = "delete" if change.kind == "delete" else "rename"
        shown = disk is not None and buffer.state(disk.text.text if disk.text else None) == "same"
        if current.dirty or disk is None or not shown or not can_do(self._editor, buffer, kind):
            return await self._on_disk(change, current, disk)
        return await resource_change(self._editor, self._disk, self._keep, replace(change, base=disk), buffer)

    async def _on_disk(self, change: FileChange, current: Snapshot, disk: Snapshot | None) -> Applied:
        """Changes an open file on the disk, unless its buffer has unsaved text that would be lost."""
        _refuse_unsaved(change, current)
        return await self._disk.apply_locked(replace(change, base=disk or change.base))


def _refuse_unsaved(change: FileChange, current: Snapshot) -> None:
    if current.dirty:
        raise ChangeRefused(
            f"{change.path.display} has unsaved changes in the editor. Nothing was changed. Ask the user to save "
            "or close it first."
        )
