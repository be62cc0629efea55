"""The workspace as the editor sees it: open buffers before the disk, edits of open files through the editor.

Implements `workspace.ports.Workspace` on top of a `DiskWorkspace`. `applied: true` is never trusted: the text is
looked at. What was approved is there, or the call is an error that says what is there instead.
"""

import asyncio
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steersman.lsp.buffers import Buffer, Buffers
from steersman.lsp.client import Client
from steersman.lsp.documents import Documents
from steersman.lsp.errors import ClientRequestError
from steersman.lsp.rpc import RpcServer
from steersman.session.limits import Limits
from steersman.workspace.changes import FileChange
from steersman.workspace.diff import minimal_edits, unified_diff
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import ChangeRefused, FileNotFound
from steersman.workspace.merge import survives
from steersman.workspace.ports import Applied, BaseMoved, Entry, KeepPreImage, PreImage, Snapshot
from steersman.workspace.positions import LineIndex
from steersman.workspace.roots import ResolvedPath, Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.snapshots import sha256
from steersman.workspace.text import to_lf, view

_DIFF_LINES = 60


@dataclass(frozen=True, slots=True)
class Editor:
    """One connection, as far as files go."""

    server: RpcServer
    client: Client
    documents: Documents
    buffers: Buffers
    limits: Limits


class EditorWorkspace:
    def __init__(self, disk: DiskWorkspace, editor: Editor, keep: KeepPreImage) -> None:
        """`keep` is also the disk's: whichever way a change goes, its pre-image is kept first."""
        self._disk, self._keep = disk, keep
        self._server, self._client, self._documents = editor.server, editor.client, editor.documents
        self._buffers, self._limits = editor.buffers, editor.limits

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
        return [self._disk.resolve(str(path)).display for path in inside]

    async def read(self, path: ResolvedPath) -> Snapshot:
        buffer = self._buffers.of(path.path)
        if buffer is None or buffer.text is None:
            return await self._disk.read(path)
        return (await self._look(path, buffer))[0]

    async def apply(self, change: FileChange) -> Applied:
        places = [change.path.path] if change.target is None else [change.path.path, change.target.path]
        async with self._disk.locks.hold(*places):
            buffer = self._buffers.of(change.path.path)
            if buffer is None:
                return await self._disk.apply_locked(change)
            if buffer.text is None:
                raise ChangeRefused(
                    f"{change.path.display} is open in the editor, but its text is not known here. "
                    "Ask the user to close it or to open it again."
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
        if disk is not None and state in ("same", "diskNewer"):
            return disk, disk
        raw = buffer.document.text or ""
        data = raw.encode("utf-8", "surrogatepass")
        snapshot = Snapshot(
            path,
            data,
            sha256(data),
            view(raw),
            source="buffer",
            dirty=True,
            version=buffer.document.version,
            mode=disk.mode if disk is not None else None,
            conflict=state == "bothChanged",
        )
        return snapshot, disk

    async def _apply_to_open(self, change: FileChange, buffer: Buffer) -> Applied:
        current, disk = await self._look(change.path, buffer)
        if change.kind == "create" or change.base is None or change.base.sha256 != current.sha256:
            raise BaseMoved(change.path, current)
        if change.kind != "edit":
            if current.dirty:
                raise ChangeRefused(
                    f"{change.path.display} has unsaved changes in the editor. Ask the user to save or close it first."
                )
            return await self._disk.apply_locked(change)
        if not self._client.apply_edit:
            return await self._around_the_editor(change, current)
        if buffer.frozen:
            raise ChangeRefused(
                f"The last edit of {change.path.display} did not come out as approved, so it is not edited again until "
                "the editor shows a change, a save or a reopening. Ask the user to look at it."
            )
        await self._until_reloaded(change.path, buffer, current)
        raw = buffer.document.text or ""
        if to_lf(raw) != change.old_text:  # typed while we waited for the reload
            raise BaseMoved(change.path, (await self._look(change.path, buffer))[0])
        await self._keep_both(change.path, disk, raw)
        return await self._through_the_editor(change, buffer, raw)

    async def _around_the_editor(self, change: FileChange, current: Snapshot) -> Applied:
        """For clients that can't be asked to edit: a clean buffer's file may change on the disk."""
        if current.dirty:
            raise ChangeRefused(
                f"{change.path.display} has unsaved changes, and this editor can't be asked to edit it. "
                "Ask the user to save it first."
            )
        return await self._disk.apply_locked(change)

    async def _until_reloaded(self, path: ResolvedPath, buffer: Buffer, current: Snapshot) -> None:
        """A clean buffer whose file changed on the disk: the edit waits until the editor shows the new text."""
        if current.dirty or buffer.text == current.as_text().text:
            return
        wanted = current.as_text().text
        if not await self._buffers.until(path.path, lambda: buffer.text == wanted, self._limits.reload):
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

    async def _through_the_editor(self, change: FileChange, buffer: Buffer, raw: str) -> Applied:
        old, new = to_lf(raw), change.new_text
        uri = buffer.document.uri
        version = buffer.document.version
        edits = self._edits(raw, view(raw).rewrite(new).raw)
        seen = asyncio.Event()

        def there() -> bool:
            now = buffer.text
            return now is not None and (now == new or survives(old, new, now))

        with self._buffers.watch(change.path.path, lambda: seen.set() if there() else None):
            refusal = await self._ask(uri, version, edits, _label(change))
            if not seen.is_set() and refusal is None:
                try:
                    await asyncio.wait_for(seen.wait(), self._limits.verify)
                except TimeoutError:
                    pass
        if not seen.is_set():
            raise self._not_there(change, buffer, old, refusal)
        data = (buffer.document.text or "").encode("utf-8", "surrogatepass")
        now = buffer.text
        return Applied(
            sha256(data), text=None if now == new else now, source="buffer", unsaved=buffer.unsaved
        )

    def _edits(self, old: str, new: str) -> list[dict[str, Any]]:
        index, encoding = LineIndex(old), self._documents.encoding
        edits = []
        for edit in minimal_edits(old, new):
            span = index.range(edit.start, edit.end, encoding)
            start = {"line": span.start.line, "character": span.start.character}
            end = {"line": span.end.line, "character": span.end.character}
            edits.append({"range": {"start": start, "end": end}, "newText": edit.new_text})
        return edits

    async def _ask(
        self, uri: str, version: int | None, edits: list[dict[str, Any]], label: str
    ) -> str | None:
        """Asks the editor to edit. Why it says it did not, or None if it says that it did (or says nothing)."""
        if self._client.document_changes:
            # 0 would switch the check of versions off in some clients.
            document = {"uri": uri, "version": None if version is None else max(1, version)}
            edit: dict[str, Any] = {"documentChanges": [{"textDocument": document, "edits": edits}]}
        else:
            edit = {"changes": {uri: edits}}
        params = {"label": label, "edit": edit}
        try:
            answer = await self._server.request(
                "workspace/applyEdit", params, timeout=self._limits.apply_edit
            )
        except ClientRequestError as error:
            return str(error)
        if isinstance(answer, dict) and answer.get("applied") is True:
            return None
        reason = answer.get("failureReason") if isinstance(answer, dict) else None
        return reason if isinstance(reason, str) and reason else "it gave no reason"

    def _not_there(self, change: FileChange, buffer: Buffer, old: str, refusal: str | None) -> ChangeRefused:
        name, now = change.path.display, buffer.text
        if refusal is not None and now == old:
            return ChangeRefused(
                f"The editor did not make the edit of {name}: {refusal}. Nothing was changed. Read the file again."
            )
        buffer.frozen = True
        said = "The editor said it made the edit" if refusal is None else f"The editor said: {refusal}"
        if now is None or now == old:
            return ChangeRefused(
                f"{said}, but the text of {name} did not change within {self._limits.verify:g} s. It is not known "
                "whether the edit was made. Ask the user to look at the file."
            )
        shown = unified_diff(change.new_text, now, "approved", "in the editor", max_lines=_DIFF_LINES)
        return ChangeRefused(
            f"{said}, but {name} is not what was approved. The difference from what was approved:\n{shown}"
        )


def _label(change: FileChange) -> str:
    return f"Steersman: edit {change.path.display}"
