"""The workspace as the editor sees it: open buffers before the disk, edits of open files through the editor.

Implements `workspace.ports.Workspace` on top of a `DiskWorkspace`. What was approved is in the editor's text
afterwards, or the call is an error that says what is there instead.
"""

import stat
from collections.abc import Sequence
from dataclasses import replace

from steersman.lsp.buffers import Buffer
from steersman.lsp.edits import Editor, EditOutcome, make_edit, shares_nothing
from steersman.workspace.changes import FileChange
from steersman.workspace.diff import unified_diff
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import ChangeRefused, FileNotFound
from steersman.workspace.ports import Applied, BaseMoved, Entry, KeepPreImage, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath, Roots, printable
from steersman.workspace.rules import PathRules
from steersman.workspace.snapshots import sha256
from steersman.workspace.text import to_lf, view

_DIFF_LINES = 60


class EditorWorkspace:
    def __init__(self, disk: DiskWorkspace, editor: Editor, keep: KeepPreImage) -> None:
        """`keep` is also the disk's: whichever way a change goes, its pre-image is kept first."""
        self._disk, self._editor, self._keep = disk, editor, keep
        self._buffers = editor.buffers

    @property
    def roots(self) -> Roots:
        return self._disk.roots

    @property
    def rules(self) -> PathRules:
        return self._disk.rules

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        return self._disk.resolve(path, for_write=for_write, follow=follow)

    async def exists(self, path: ResolvedPath) -> bool:
        return self._buffers.of(path.path) is not None or await self._disk.exists(path)

    async def entries(self, path: ResolvedPath) -> Sequence[Entry]:
        return await self._disk.entries(path)

    def unsaved_files(self) -> Sequence[str]:
        inside = [path for path in self._buffers.unsaved() if self.roots.containing(path) is not None]
        return [printable(self.roots.relative(path)) for path in inside]

    async def read(self, path: ResolvedPath) -> Snapshot:
        buffer = self._buffers.of(path.path)
        if buffer is None or buffer.text is None:
            return await self._disk.read(path)
        return (await self._look(path, buffer))[0]

    async def apply(self, change: FileChange) -> Applied:
        target = None if change.target is None else change.target.path
        async with self._disk.locks.hold(change.path.path, *([] if target is None else [target])):
            if target is not None and self._buffers.of(target) is not None:
                raise ChangeRefused(f"{target.name} is open in the editor; nothing was moved.")
            buffer = self._buffers.of(change.path.path)
            if buffer is None:
                return await self._disk.apply_locked(change)
            if buffer.text is None:
                raise ChangeRefused(
                    f"{change.path.display} is open in the editor, but its text is not known here. Nothing was "
                    "changed. Ask the user to close it or to open it again."
                )
            return await self._apply_to_open(change, buffer)

    # Open files

    async def _look(self, path: ResolvedPath, buffer: Buffer) -> tuple[Snapshot, Snapshot | None]:
        """The truth about an open file, and what is on the disk."""
        try:
            disk: Snapshot | None = await self._disk.read(path)
        except FileNotFound:
            disk = None
        disk_text = disk.text.text if disk is not None and disk.text is not None else None
        state = buffer.state(disk_text)
        if disk is not None and (
            state == "diskNewer"
            or (state == "same" and (buffer.text == disk_text or not self._editor.client.apply_edit))
        ):
            return disk, disk
        raw = buffer.document.text or ""
        data = raw.encode("utf-8", "surrogatepass")
        snapshot = Snapshot(
            path,
            data,
            sha256(data),
            view(raw),
            source="buffer",
            dirty=state != "same",
            version=buffer.document.version,
            mode=disk.mode if disk is not None else None,
            conflict=state == "bothChanged",
        )
        return snapshot, disk

    async def _apply_to_open(self, change: FileChange, buffer: Buffer) -> Applied:
        current, disk = await self._look(change.path, buffer)
        if change.kind == "create" or change.base is None or change.base.sha256 != current.sha256:
            raise BaseMoved(change.path, current)
        if current.conflict and not change.base.conflict:
            raise BaseMoved(change.path, current)  # it has to be asked about in every mode
        if change.kind != "edit" or not self._editor.client.apply_edit:
            return await self._on_disk(change, current, disk)
        if buffer.frozen:
            raise ChangeRefused(
                f"The last edit of {change.path.display} did not come out as approved, so it is not edited again until "
                "the editor shows a change, a save or a reopening. Ask the user to look at it."
            )
        await self._until_reloaded(change.path, buffer, current)
        await self._keep_both(change.path, disk, buffer.document.text or "")
        raw = buffer.document.text
        if (
            raw is None or to_lf(raw) != change.old_text or not self._buffers.is_open(buffer)
        ):  # while we waited
            raise BaseMoved(change.path, await self.read(change.path))
        outcome = await make_edit(self._editor, buffer, raw, change.new_text, _label(change))
        return await self._outcome(change, buffer, to_lf(raw), outcome)

    async def _on_disk(self, change: FileChange, current: Snapshot, disk: Snapshot | None) -> Applied:
        """What is not an edit through the editor: done on the disk, if the buffer has nothing that would be lost."""
        if current.dirty:
            raise ChangeRefused(
                f"{change.path.display} has unsaved changes in the editor. Nothing was changed. Ask the user to save "
                "or close it first."
            )
        return await self._disk.apply_locked(replace(change, base=disk or change.base))

    async def _until_reloaded(self, path: ResolvedPath, buffer: Buffer, current: Snapshot) -> None:
        """A clean buffer whose file changed on the disk: the edit waits until the editor shows the new text."""
        wanted = current.as_text().text
        if not await self._buffers.until(
            path.path, lambda: buffer.text == wanted, self._editor.limits.reload
        ):
            raise ChangeRefused(
                f"{path.display} has changed on the disk, and the editor still shows its old text. Nothing was "
                "changed. Ask the user to reload the file in the editor."
            )

    async def _keep_both(self, path: ResolvedPath, disk: Snapshot | None, raw: str) -> None:
        mode = None if disk is None or disk.mode is None else stat.S_IMODE(disk.mode)
        disk_text = disk.text.raw if disk is not None and disk.text is not None else None
        await self._keep(
            PreImage(
                path.path,
                "absent" if disk is None else "file",
                None if disk is None else disk.data,
                mode,
                None if raw == disk_text else raw,
            )
        )

    async def _outcome(self, change: FileChange, buffer: Buffer, old: str, outcome: EditOutcome) -> Applied:
        """Told as it is.

        Raises:
            BaseMoved: the editor refused, and the user has changed the text: the edit can be tried anew.
            ChangeRefused: the edit is not there, or it isn't known to be.
        """
        name, now = change.path.display, buffer.text
        if not self._buffers.is_open(buffer):
            raise ChangeRefused(
                f"{name} was closed in the editor while it was edited. Read it again to see what it holds now."
            )
        if outcome.there:
            data = (buffer.document.text or "").encode("utf-8", "surrogatepass")
            differs = now != change.new_text
            return Applied(
                sha256(data), text=now if differs else None, source="buffer", unsaved=buffer.unsaved
            )
        if outcome.said == "refused" and now is not None and shares_nothing(old, change.new_text, now):
            if now != old:
                raise BaseMoved(change.path, await self.read(change.path))
            raise ChangeRefused(
                f"The editor did not make the edit of {name}: {outcome.reason}. Nothing was changed. Read it again."
            )
        buffer.frozen = True
        said = {
            "applied": "The editor said that it made the edit",
            "refused": f"The editor said that it did not make the edit ({outcome.reason})",
            "nothing": f"The editor did not say whether it made the edit ({outcome.reason})",
        }[outcome.said]
        if now is None or now == old:
            raise ChangeRefused(
                f"{said}, and it has told of no change in {name} since. It is not known whether the edit was made. "
                "Ask the user to look at the file."
            )
        shown = unified_diff(change.new_text, now, "approved", "in the editor", max_lines=_DIFF_LINES)
        raise ChangeRefused(
            f"{said}, but the text of {name} is not what was approved. The difference from what was approved:\n{shown}"
        )


def _label(change: FileChange) -> str:
    return f"Steersman: edit {change.path.display}"
