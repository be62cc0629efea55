"""Reverts what a session changed since a checkpoint, file by file, through the editor where a file is open.

Nothing that somebody else has changed since is overwritten without an explicit choice. A revert is itself a checkpoint.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from steersman.agent.abort import AbortSignal
from steersman.session.checkpoints import Checkpoint, History, Image
from steersman.session.parts import Parts
from steersman.session.wire import Data
from steersman.workspace.changes import FileChange, deletion, edition, restoration
from steersman.workspace.errors import FileNotFound, WorkspaceError
from steersman.workspace.line_ends import to_lf
from steersman.workspace.ports import BaseMoved, Snapshot
from steersman.workspace.preimages import BlobStore, PreImageError, PreImageRecord
from steersman.workspace.roots import ResolvedPath
from steersman.workspace.text import TextError, decode
from steersman.workspace.uris import path_of

log = logging.getLogger(__name__)

Action = Literal["restore", "create", "delete", "none"]
State = Literal["ready", "done", "conflict", "unavailable"]
Choice = Literal["keep", "restore", "skip"]
Outcome = Literal["restored", "deleted", "done", "kept", "skipped", "conflict", "failed"]

MAX_DIFF_LINES = 2000


@dataclass(frozen=True, slots=True)
class Item:
    """One file of a revert."""

    uri: str
    action: Action
    state: State
    reason: str | None = None
    """Why there is a conflict, or why it can't be done; for a person."""
    path: ResolvedPath | None = None
    change: FileChange | None = None

    def data(self) -> Data:
        data: Data = {"uri": self.uri, "action": self.action, "state": self.state}
        if self.reason is not None:
            data["reason"] = self.reason
        if self.change is not None:
            data |= {
                "diff": self.change.diff(MAX_DIFF_LINES),
                "added": self.change.added,
                "removed": self.change.removed,
            }
        return data


class Reverter:
    """One revert of one session."""

    def __init__(self, parts: Parts, history: History) -> None:
        self._parts, self._history = parts, history
        self._store = BlobStore(parts.services.home.preimages)

    async def plan(self, since: Checkpoint, files: Collection[str] | None = None) -> list[Item]:
        """What would be done: with all files that were changed since, or only with these, by URI."""
        wanted = self._history.wanted(since)
        return [
            await self._item(uri, image) for uri, image in wanted.items() if files is None or uri in files
        ]

    async def carry_out(
        self, since: Checkpoint, items: list[Item], choices: Mapping[str, Choice], signal: AbortSignal
    ) -> list[Data]:
        """Reverts what is ready and, of conflicts, what a choice says. Returns what became of each file.

        Raises:
            LogError: it could not be kept; what was done until then is in the log.
        """
        parts = self._parts
        revert = parts.services.new_id("rev")
        title = f"Revert to before “{since.title}”"
        parts.journal.record("revert_start", {"id": revert, "checkpoint": since.id, "title": title})
        parts.changes.begin_revert(revert)
        outcomes: list[Data] = []
        try:
            for item in items:
                if signal.aborted:
                    break
                outcomes.append({"uri": item.uri, **await self._settle(item, choices)})
        finally:
            parts.changes.begin()
            end: Data = {"id": revert, "files": outcomes}
            await parts.journal.record_end("revert_end", end, end | {"cut": True})
        return outcomes

    # One file

    async def _item(self, uri: str, kept: Image) -> Item:
        workspace, image = self._parts.workspace, kept.record
        try:
            path = workspace.resolve(str(path_of(uri)), for_write=True, follow=False)
        except WorkspaceError as error:
            return Item(uri, "none", "unavailable", str(error))
        try:
            current: Snapshot | None = await workspace.read(path)
        except FileNotFound:
            current = None
        except WorkspaceError as error:
            return Item(uri, "none", "unavailable", str(error))
        if image.kind == "absent":
            if current is None:
                return Item(uri, "none", "done")
            item = Item(uri, "delete", "ready", path=path, change=deletion(current))
            return self._conflict(item, kept, current)
        try:
            data, text = self._kept(image)
        except PreImageError as error:
            return Item(uri, "none", "unavailable", str(error))
        if current is None:
            wanted = data if text is None else text.encode("utf-8", "surrogatepass")
            change = restoration(path, wanted, image.mode, is_link=image.kind == "link")
            item = Item(uri, "create", "ready", path=path, change=change)
            return self._conflict(item, kept, None) if uri in self._history.left else item
        if current.is_link != (image.kind == "link"):
            what = "a link" if current.is_link else "a file"
            return Item(
                uri, "none", "unavailable", f"{path.display} is {what} now; it was not. Remove it first."
            )
        if _is_already(current, data, text):
            return Item(uri, "none", "done")
        try:
            change = _back(current, data, text)
        except TextError as error:
            return Item(uri, "none", "unavailable", str(error))
        return self._conflict(Item(uri, "restore", "ready", path=path, change=change), kept, current)

    def _kept(self, image: PreImageRecord) -> tuple[bytes, str | None]:
        """The bytes that were on the disk, and the editor's text where that was another.

        Raises:
            PreImageError: they are gone.
        """
        data = b"" if image.sha256 is None else self._store.get(image.sha256)
        if image.buffer_sha256 is None:
            return data, None
        return data, self._store.get(image.buffer_sha256).decode("utf-8", "surrogatepass")

    def _conflict(self, item: Item, kept: Image, current: Snapshot | None) -> Item:
        """The item; it is in conflict if what is there is not what our last change left, or if others have changed the
        file between our changes, or with one of them."""
        name = item.path.display if item.path is not None else item.uri
        reason = None
        if (current is not None and current.conflict) or not self._history.is_ours(
            item.uri, None if current is None else current.sha256
        ):
            reason = f"{name} was {'deleted' if current is None else 'changed'} by somebody else since."
        elif self._history.others.get(item.uri, frozenset()) - kept.others:
            reason = f"{name} was also changed by somebody else meanwhile."
        return item if reason is None else replace(item, state="conflict", reason=reason)

    async def _settle(self, item: Item, choices: Mapping[str, Choice]) -> Data:
        if item.state == "done":
            return {"outcome": "done"}
        if item.state == "unavailable" or item.change is None or item.path is None:
            return {"outcome": "failed", "message": item.reason or "It can't be taken back."}
        choice = choices.get(item.uri, "restore" if item.state == "ready" else "skip")
        if choice != "restore":
            return {"outcome": "kept" if choice == "keep" else "skipped"}
        try:
            await self._parts.workspace.apply(item.change)
        except BaseMoved:
            return {"outcome": "conflict", "message": f"{item.path.display} was changed meanwhile."}
        except WorkspaceError as error:
            return {"outcome": "failed", "message": str(error)}
        self._parts.ledger.forget(item.path.path)
        return {"outcome": "deleted" if item.action == "delete" else "restored"}


def _is_already(current: Snapshot, data: bytes, text: str | None) -> bool:
    if current.source == "disk" and text is None:
        return current.data == data
    return current.text is not None and current.text.text == _text_of(data, text)


def _text_of(data: bytes, text: str | None) -> str | None:
    if text is not None:
        return to_lf(text)
    try:
        return decode(data).text
    except TextError:
        return None


def _back(current: Snapshot, data: bytes, text: str | None) -> FileChange:
    """The change that makes the file what it was.

    Raises:
        TextError: the file, as it is in the editor, can't hold the old text.
    """
    if current.source == "disk" and text is None:
        try:
            return edition(current, decode(data)) if current.text is not None else _raw(current, data)
        except TextError:
            return _raw(current, data)
    wanted = _text_of(data, text)
    if wanted is None:
        raise TextError("It was no text before, and is open in the editor: close it there first.")
    return edition(current, current.as_text().rewrite(wanted))


def _raw(current: Snapshot, data: bytes) -> FileChange:
    return FileChange("edit", current.path, current, raw=data)
