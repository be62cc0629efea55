"""Files that are open in the editor: which text is true, the buffer's or the disk's (protocol.md, "Edits")."""

from dataclasses import replace
from pathlib import Path

from steersman.lsp.buffers import Buffer
from steersman.lsp.edits import Editor
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import FileNotFound, WorkspaceError
from steersman.workspace.ports import Snapshot
from steersman.workspace.roots import ResolvedPath
from steersman.workspace.snapshots import buffer_snapshot


class OpenFiles:
    """One session's view of its editor's buffers."""

    def __init__(self, disk: DiskWorkspace, editor: Editor) -> None:
        self._disk, self._editor = disk, editor

    async def buffer_of(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, with its current text; None if the file is not open.

        A document that the editor lists as open, without unsaved changes, and whose text it doesn't give counts as
        not open: the editor loads what is written to the disk.
        """
        await self._editor.unattached.known()
        buffer = self._editor.buffers.of(path)
        if buffer is not None and not buffer.attached:
            await self._editor.unattached.refresh(buffer)
            buffer = self._editor.buffers.of(path)  # it may be closed by now, or attached
        if buffer is not None and not buffer.attached and buffer.text is None and not buffer.unsaved:
            return None
        return buffer

    async def read(self, path: ResolvedPath) -> Snapshot:
        """The true text of a file, whether it is open or not.

        Raises:
            WorkspaceError: the file can't be read.
        """
        buffer = await self.buffer_of(path.path)
        if buffer is None or buffer.text is None:
            return await self._disk.read(path)
        return (await self.look(path, buffer))[0]

    async def look(self, path: ResolvedPath, buffer: Buffer) -> tuple[Snapshot, Snapshot | None]:
        """The true state of an open file, and what is on the disk (None if there is no file).

        Raises:
            WorkspaceError: the file exists but can't be read.
        """
        disk = await self._on_disk(path, buffer)
        disk_text = disk.text.text if disk is not None and disk.text is not None else None
        state = buffer.state(disk_text)
        if disk is not None and (
            state == "diskNewer"
            or (state == "same" and (buffer.text == disk_text or not self._editor.client.apply_edit))
        ):
            return disk, disk
        snapshot = buffer_snapshot(
            path,
            buffer.document.text or "",
            dirty=state != "same",
            version=buffer.document.version,
            mode=disk.mode if disk is not None else None,
        )
        return replace(snapshot, conflict=state == "bothChanged"), disk

    async def _on_disk(self, path: ResolvedPath, buffer: Buffer) -> Snapshot | None:
        """What is on the disk; None if there is no file. It is read again if the buffer was saved meanwhile: what was
        there before would look like a change that the editor doesn't show."""
        while True:
            saved = buffer.agreed_disk, buffer.disk_time
            try:
                disk: Snapshot | None = await self._disk.read(path)
            except FileNotFound:
                disk = None
            if (buffer.agreed_disk, buffer.disk_time) == saved:
                return disk

    async def look_after_edit(self, path: ResolvedPath, buffer: Buffer) -> Snapshot:
        """The state of an open file that was just edited. The edit is in the buffer even if what has taken the file's
        place on the disk meanwhile can't be read."""
        try:
            return (await self.look(path, buffer))[0]
        except WorkspaceError:
            text = buffer.document.text or ""
            return buffer_snapshot(path, text, dirty=True, version=buffer.document.version)
