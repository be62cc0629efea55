"""The workspace as the editor sees it: open buffers before the disk, edits of open files through the editor.

Implements `workspace.ports.Workspace` on top of a `DiskWorkspace`. What was approved is in the editor's text
afterwards, or the call is an error that says what is there instead.
"""

import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steersman.lsp.approvals import behind
from steersman.lsp.buffers import Buffer
from steersman.lsp.edit_outcomes import computed_anew, excerpt
from steersman.lsp.edits import Editor, EditOutcome, make_edit
from steersman.lsp.resource_edits import ResourceOperation, can_do, resource_change
from steersman.lsp.saving import save_own
from steersman.workspace.changes import FileChange, refuse_held
from steersman.workspace.diff import unified_diff
from steersman.workspace.disk import DiskWorkspace, is_resolved
from steersman.workspace.errors import ChangeRefused, FileNotFound, WorkspaceError
from steersman.workspace.line_ends import to_lf
from steersman.workspace.ports import Applied, BaseMoved, KeepPreImage, Listing, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath, Roots, printable
from steersman.workspace.rules import PathRules
from steersman.workspace.snapshots import buffer_snapshot

TRIES = 3
"""How often the editor is asked to make one edit, each time on the text that is there by then."""
_DIFF_LINES = 60
_WARNING = 2  # MessageType of LSP 3.17


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
        return [each for each in self._buffers.unsaved() if self.roots.containing(each.path) is not None]

    async def read(self, path: ResolvedPath) -> Snapshot:
        buffer = await self._open(path.path)
        if buffer is None or buffer.text is None:
            return await self._disk.read(path)
        return (await self._look(path, buffer))[0]

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
        """The buffer of the file, if it is open; raises what keeps it from being changed at all."""
        await self._editor.unattached.known(now=True)
        target = None if change.target is None else change.target.path
        if target is not None and self._buffers.of(target) is not None:
            raise ChangeRefused(f"{target.name} is open in the editor; nothing was moved.")
        buffer = await self._open(change.path.path)
        refuse_held(change, self.held_by)
        if buffer is not None and buffer.text is None:
            raise ChangeRefused(
                f"{change.path.display} is open in the editor, but its text is not known here. Nothing was "
                "changed. Ask the user to save it or to close it."
            )
        return buffer

    # Open files

    async def _open(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, with its text as it is now.

        One that the editor only says to be open, with nothing unsaved, and doesn't show is taken not to be: what is
        written to the disk then, it loads.
        """
        await self._editor.unattached.known()
        buffer = self._buffers.of(path)
        if buffer is not None and not buffer.attached:
            await self._editor.unattached.refresh(buffer)
            buffer = self._buffers.of(path)  # it may be closed by now, or attached
        if buffer is not None and not buffer.attached and buffer.text is None and not buffer.unsaved:
            return None
        return buffer

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
        snapshot = buffer_snapshot(
            path,
            buffer.document.text or "",
            dirty=state != "same",
            version=buffer.document.version,
            mode=disk.mode if disk is not None else None,
        )
        return replace(snapshot, conflict=state == "bothChanged"), disk

    async def _based(self, change: FileChange, buffer: Buffer) -> tuple[Snapshot, Snapshot | None]:
        """As `_look`; raises what keeps the file from being changed as it is now."""
        current, disk = await self._look(change.path, buffer)
        if change.kind == "create" or change.base is None or change.base.sha256 != current.sha256:
            raise BaseMoved(change.path, current)
        if current.conflict and not change.base.conflict:
            raise BaseMoved(change.path, current)  # it has to be asked about in every mode
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
        await self._until_reloaded(change.path, buffer, current)
        return await self._edit(change, buffer, disk)

    async def _edit(self, change: FileChange, buffer: Buffer, disk: Snapshot | None) -> Applied:
        """Asked of the editor, and again on the text that is there by then, as long as it is the same edit."""
        name, old, new = change.path.display, change.old_text, change.new_text
        clean = not buffer.unsaved or buffer.unsaved_is_ours
        tries = 0
        while True:
            await self._keep_both(change.path, disk, buffer.document.text or "")
            if not is_resolved(change.path.path):
                raise ChangeRefused(
                    f"{name} was replaced by a link meanwhile: saved, the text would go elsewhere. Nothing was changed."
                )
            await self._editor.unattached.refresh(buffer)
            raw = buffer.document.text
            if raw is None or to_lf(raw) != old or not self._buffers.is_open(buffer):  # while we waited
                raise BaseMoved(change.path, await self.read(change.path))
            outcome = await make_edit(self._editor, buffer, raw, new, f"Steersman: edit {name}")
            tries += 1
            if not self._buffers.is_open(buffer):
                raise ChangeRefused(
                    f"{name} was closed in the editor while it was edited. Read it again to see what it holds now."
                )
            if outcome.kind == "verified":
                return await self._made(change, buffer, clean=clean)
            if outcome.kind != "notApplied":
                raise await self._went_wrong(name, buffer, old, new, outcome)
            if not outcome.heard or tries == TRIES:
                reason = outcome.answer.reason or "it said that it did, but the text does not have it"
                raise ChangeRefused(
                    f"The editor did not make the edit of {name}: {reason}. Nothing was changed"
                    f"{'' if tries == 1 else f' in {tries} tries'}. Read it again.{_text_there(old, new, buffer.text)}"
                )
            old, new, disk = await self._anew(change, buffer, old, new)

    async def _anew(
        self, change: FileChange, buffer: Buffer, old: str, new: str
    ) -> tuple[str, str, Snapshot | None]:
        """The text that is there now, the same edit of it, and what is on the disk.

        Raises:
            BaseMoved: it would be another edit, or a conflict with the disk has come up: it has to be asked about.
        """
        now = buffer.text
        if now is None:
            raise BaseMoved(change.path, await self.read(change.path))
        current, disk = await self._look(change.path, buffer)
        now = buffer.text or ""
        anew = computed_anew(old, new, now)
        asked = change.base is not None and change.base.conflict
        if anew is None or current.as_text().text != now or (current.conflict and not asked):
            raise BaseMoved(change.path, current)
        return now, anew, disk

    async def _made(self, change: FileChange, buffer: Buffer, *, clean: bool) -> Applied:
        """What has become of a verified edit, once it is saved if it may be. `clean`: of what was there before, nothing
        was unsaved but edits of ours."""
        as_approved = buffer.text == change.new_text
        buffer.ours = buffer.text if clean and as_approved else None
        now = await self._edited(change.path, buffer)
        if await save_own(self._editor, [buffer]) and buffer.text is not None:
            now = await self._edited(change.path, buffer)
        text = now.text.text if now.text is not None else None
        differs = text != change.new_text
        return Applied(
            now.sha256,
            text=text if differs else None,
            source="buffer",
            unsaved=now.dirty,
            changed_by_saving=differs and as_approved and not now.dirty,
        )

    async def _edited(self, path: ResolvedPath, buffer: Buffer) -> Snapshot:
        """An open file after an edit, which is in its text also if its place on the disk was taken meanwhile by what
        can't be read."""
        try:
            return (await self._look(path, buffer))[0]
        except WorkspaceError:
            text = buffer.document.text or ""
            return buffer_snapshot(path, text, dirty=True, version=buffer.document.version)

    async def _went_wrong(
        self, name: str, buffer: Buffer, old: str, new: str, outcome: EditOutcome
    ) -> ChangeRefused:
        """Told as it is. What can't be put right, or is not known, leaves the file frozen."""
        now = buffer.text
        if outcome.undone is not None and now is not None:
            return await self._take_out(name, buffer, (old, new, now), outcome.undone)
        buffer.frozen = True
        if outcome.kind == "unobserved":
            told = (
                "it has told of no change" if now is None or now == old else "it has not told of this change"
            )
            return ChangeRefused(
                f"{outcome.answer}, and {told} in {name} since. It is not known whether the edit was made. "
                f"Ask the user to look at the file.{_text_there(old, new, now)}"
            )
        return ChangeRefused(
            f"{outcome.answer}, but the text of {name} is not what was approved. {_difference(new, now)}"
        )

    async def _take_out(
        self, name: str, buffer: Buffer, texts: tuple[str, str, str], undone: str
    ) -> ChangeRefused:
        """The edit is at other lines than those it was meant for: these lines are made what they were."""
        old, new, misplaced = texts
        raw = buffer.document.text or ""
        label = f"Steersman: take a misplaced edit of {name} out again"
        outcome = await make_edit(self._editor, buffer, raw, undone, label)
        now = buffer.text
        if outcome.kind == "verified" and self._buffers.is_open(buffer):
            return ChangeRefused(
                f"The editor made the edit of {name} in the wrong place. It was taken out again, and what the user "
                f"typed was kept: nothing of the edit is in the text. Read it again.{_text_there(old, new, now)}"
            )
        buffer.frozen = True
        return ChangeRefused(
            f"The editor made the edit of {name} in the wrong place, and it is not known to have been taken out again "
            f"({outcome.answer}). Ask the user to look at the file. "
            f"{_difference(old, misplaced if now is None else now, 'before the edit')}"
        )

    async def _delete_or_move(
        self, change: FileChange, buffer: Buffer, current: Snapshot, disk: Snapshot | None
    ) -> Applied:
        kind: ResourceOperation = "delete" if change.kind == "delete" else "rename"
        shown = disk is not None and buffer.state(disk.text.text if disk.text else None) == "same"
        if current.dirty or disk is None or not shown or not can_do(self._editor, buffer, kind):
            return await self._on_disk(change, current, disk)
        return await resource_change(self._editor, self._disk, self._keep, replace(change, base=disk), buffer)

    async def _on_disk(self, change: FileChange, current: Snapshot, disk: Snapshot | None) -> Applied:
        """What is not an edit through the editor: done on the disk, if the buffer has nothing that would be lost."""
        _refuse_unsaved(change, current)
        return await self._disk.apply_locked(replace(change, base=disk or change.base))

    async def _until_reloaded(self, path: ResolvedPath, buffer: Buffer, current: Snapshot) -> None:
        """A clean buffer whose file changed on the disk: the edit waits until the editor shows the new text."""
        wanted, patience = current.as_text().text, self._editor.limits.reload
        if buffer.attached:
            await self._buffers.until(path.path, lambda: buffer.text == wanted, patience)
        elif buffer.text != wanted:
            await self._editor.unattached.look_again(buffer, patience, lambda: buffer.text == wanted)
        if buffer.text != wanted:
            message = f"Steersman: Nothing was changed. {behind(path.display)}"
            self._editor.server.notify("window/showMessage", {"type": _WARNING, "message": message})
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


def _refuse_unsaved(change: FileChange, current: Snapshot) -> None:
    if current.dirty:
        raise ChangeRefused(
            f"{change.path.display} has unsaved changes in the editor. Nothing was changed. Ask the user to save "
            "or close it first."
        )


def _text_there(old: str, new: str, now: str | None) -> str:
    return "" if now is None else f" The text there now:\n{excerpt(old, new, now)}"


def _difference(expected: str, now: str | None, name: str = "approved") -> str:
    if now is None:
        return "What is there is not known here."
    shown = unified_diff(expected, now, name, "in the editor", max_lines=_DIFF_LINES)
    what = "what was approved" if name == "approved" else "the text before the edit"
    return f"The difference from {what}:\n{shown}"
