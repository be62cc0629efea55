"""Edits of open files: made through the editor, checked against its text, and repeated or undone where that is safe.

Either the editor's text is what was approved, or the call fails with an error that says what the text is instead.
"""

import stat

from steersman.lsp.approvals import behind
from steersman.lsp.buffers import Buffer
from steersman.lsp.edit_outcomes import computed_anew, excerpt
from steersman.lsp.edits import Editor, EditOutcome, make_edit
from steersman.lsp.messages import MessageType, tell
from steersman.lsp.open_files import OpenFiles
from steersman.lsp.saving import save_own
from steersman.workspace.changes import FileChange
from steersman.workspace.diff import unified_diff
from steersman.workspace.disk import is_resolved
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.line_ends import to_lf
from steersman.workspace.ports import Applied, BaseMoved, KeepPreImage, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath

TRIES = 3
"""How often the editor is asked to make one edit, each time on the text that is there by then."""
_DIFF_LINES = 60


class OpenEdits:
    """Makes edits for one session. The caller holds the lock of the file."""

    def __init__(self, files: OpenFiles, editor: Editor, keep: KeepPreImage) -> None:
        """`keep` is called with the pre-image before each try."""
        self._files, self._editor, self._keep = files, editor, keep

    async def edit(
        self, change: FileChange, buffer: Buffer, current: Snapshot, disk: Snapshot | None
    ) -> Applied:
        """Makes an approved edit. `current` and `disk` are as `OpenFiles.look` gave them.

        A user who types at the same moment makes the editor refuse: then the same edit is computed for the new text and
        asked for again.

        Raises:
            BaseMoved: the edit would be another one by now, so it has to be approved anew. Nothing was changed.
            ChangeRefused: the edit was not made, or not as approved, or its outcome is not known.
        """
        await self._until_reloaded(change.path, buffer, current)
        name, old, new = change.path.display, change.old_text, change.new_text
        clean = not buffer.unsaved or buffer.unsaved_is_ours
        tries = 0
        while True:
            raw = await self._ready(change.path, buffer, disk, old)
            outcome = await make_edit(self._editor, buffer, raw, new, f"Steersman: edit {name}")
            tries += 1
            if not self._editor.buffers.is_open(buffer):
                raise ChangeRefused(
                    f"{name} was closed in the editor while it was edited. Read it again to see what it holds now."
                )
            if outcome.kind == "verified":
                return await self._made(change, buffer, clean=clean)
            if outcome.kind != "notApplied":
                raise await self._went_wrong(name, buffer, old, new, outcome)
            if not outcome.heard or tries == TRIES:
                reason = outcome.answer.reason or "it said that it did, but the edit is not in the text"
                raise ChangeRefused(
                    f"The editor did not make the edit of {name}: {reason}. Nothing was changed"
                    f"{'' if tries == 1 else f' in {tries} tries'}. Read it again.{_text_there(old, new, buffer.text)}"
                )
            old, new, disk = await self._anew(change, buffer, old, new)

    async def _ready(self, path: ResolvedPath, buffer: Buffer, disk: Snapshot | None, old: str) -> str:
        """Keeps the pre-image; the document's text as it is then, which still is `old`."""
        await self._keep_both(path, disk, buffer.document.text or "")
        if not is_resolved(path.path):
            raise ChangeRefused(
                f"{path.display} was replaced by a link meanwhile: saved, the text would go elsewhere. Nothing was "
                "changed."
            )
        await self._editor.unattached.refresh(buffer)
        raw = buffer.document.text
        if raw is None or to_lf(raw) != old or not self._editor.buffers.is_open(buffer):  # while we waited
            raise BaseMoved(path, await self._files.read(path))
        return raw

    async def _anew(
        self, change: FileChange, buffer: Buffer, old: str, new: str
    ) -> tuple[str, str, Snapshot | None]:
        """The current text, the same edit computed for it, and what is on the disk.

        Raises:
            BaseMoved: it would be another edit, or a conflict with the disk has come up: the user has to be asked.
        """
        if buffer.text is None:
            raise BaseMoved(change.path, await self._files.read(change.path))
        current, disk = await self._files.look(change.path, buffer)
        now = buffer.text or ""
        anew = computed_anew(old, new, now)
        asked = change.base is not None and change.base.conflict
        if anew is None or current.as_text().text != now or (current.conflict and not asked):
            raise BaseMoved(change.path, current)
        return now, anew, disk

    async def _made(self, change: FileChange, buffer: Buffer, *, clean: bool) -> Applied:
        """The result of a verified edit, after saving it where that is allowed. `clean`: before the edit, nothing was
        unsaved except edits of ours."""
        as_approved = buffer.text == change.new_text
        buffer.ours = buffer.text if clean and as_approved else None
        now = await self._files.look_after_edit(change.path, buffer)
        if await save_own(self._editor, [buffer]) and buffer.text is not None:
            now = await self._files.look_after_edit(change.path, buffer)
        text = now.text.text if now.text is not None else None
        differs = text != change.new_text
        return Applied(
            now.sha256,
            text=text if differs else None,
            source="buffer",
            unsaved=now.dirty,
            changed_by_saving=differs and as_approved and not now.dirty,
        )

    async def _went_wrong(
        self, name: str, buffer: Buffer, old: str, new: str, outcome: EditOutcome
    ) -> ChangeRefused:
        """The error for an edit that came out differently. Unless it can be undone, the file is frozen."""
        now = buffer.text
        if outcome.undone is not None and now is not None:
            return await self._take_out(name, buffer, (old, new, now), outcome.undone)
        buffer.frozen = True
        if outcome.kind == "unobserved":
            told = (
                "it has reported no change"
                if now is None or now == old
                else "it has not reported this change"
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
        """Undoes an edit that landed on the wrong lines. `texts`: before the edit, as approved, as it came out."""
        old, new, misplaced = texts
        raw = buffer.document.text or ""
        label = f"Steersman: undo a misplaced edit of {name}"
        outcome = await make_edit(self._editor, buffer, raw, undone, label)
        now = buffer.text
        if outcome.kind == "verified" and self._editor.buffers.is_open(buffer):
            return ChangeRefused(
                f"The editor made the edit of {name} in the wrong place. It was undone there, and what the user typed "
                f"was kept: nothing of the edit is in the text. Read it again.{_text_there(old, new, now)}"
            )
        buffer.frozen = True
        return ChangeRefused(
            f"The editor made the edit of {name} in the wrong place, and it is not known whether it was undone "
            f"({outcome.answer}). Ask the user to look at the file. "
            f"{_difference(old, misplaced if now is None else now, 'before the edit')}"
        )

    async def _until_reloaded(self, path: ResolvedPath, buffer: Buffer, current: Snapshot) -> None:
        """Waits until the editor shows the new text of a clean file that has changed on the disk."""
        wanted, patience = current.as_text().text, self._editor.limits.reload
        if buffer.attached:
            await self._editor.buffers.until(path.path, lambda: buffer.text == wanted, patience)
        elif buffer.text != wanted:
            await self._editor.unattached.look_again(buffer, patience, lambda: buffer.text == wanted)
        if buffer.text != wanted:
            tell(
                self._editor.server,
                MessageType.WARNING,
                f"Nothing was changed. {behind(path.display)}",
            )
            raise ChangeRefused(
                f"{path.display} has changed on the disk, and the editor still shows its old text. Nothing was "
                "changed. Ask the user to reload the file in the editor."
            )

    async def _keep_both(self, path: ResolvedPath, disk: Snapshot | None, raw: str) -> None:
        """Keeps the bytes on the disk and, where it differs, the buffer's text."""
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


def _text_there(old: str, new: str, now: str | None) -> str:
    return "" if now is None else f" The text there now:\n{excerpt(old, new, now)}"


def _difference(expected: str, now: str | None, name: str = "approved") -> str:
    if now is None:
        return "What the text is now is not known."
    shown = unified_diff(expected, now, name, "in the editor", max_lines=_DIFF_LINES)
    what = "what was approved" if name == "approved" else "the text before the edit"
    return f"The difference from {what}:\n{shown}"
