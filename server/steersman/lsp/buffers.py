"""The editor's buffers by file: their text, whether it is on the disk, and who waits for a change.

They follow didOpen, didChange, didSave and didClose; those of documents that this server is not attached to follow what
the client says about them. A buffer's state depends on what it holds, what the disk holds, and what both held when they
last agreed. Texts are compared with LF line ends.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steersman.agent.clock import Clock
from steersman.lsp.client import real_path_of
from steersman.lsp.documents import Document, Documents
from steersman.lsp.waits import set_within
from steersman.lsp.watchers import Watchers
from steersman.workspace.line_ends import to_lf
from steersman.workspace.text import TextError, decode

MAX_COMPARED = 4 * 1024 * 1024
"""Bytes of a file that is read to be compared. A longer file is assumed to be what the editor showed when it opened
it."""

BufferState = Literal["same", "dirty", "diskNewer", "bothChanged"]


@dataclass(slots=True)
class Buffer:
    document: Document
    path: Path
    """Resolved."""
    attached: bool = True
    """The editor reports every change. False: it only says whether there is unsaved text, and gives the text on
    request."""
    agreed: str | None = None
    """The buffer's text when it last agreed with the disk; None if it never did."""
    agreed_disk: str | None = None
    """The disk's text at that time. It may differ: some editors show a final newline that the file lacks."""
    disk_time: int | None = None
    """`st_mtime_ns` of the file at that time; None if there was no file."""
    frozen: bool = False
    """An edit did not come out as approved: no more edits until the editor reports the text again."""
    ours: str | None = None
    """The text after an approved edit, if only approved edits were unsaved before it; None once it is saved."""
    said_dirty: bool = False
    """If not attached: the editor says that there is unsaved text."""
    shown: tuple[str, int | None] | None = None
    """If not attached: the last text that the editor gave, with its line ends, and its version."""

    @property
    def text(self) -> str | None:
        """The text with LF line ends; None if it isn't known."""
        raw = self.document.text
        return None if raw is None else to_lf(raw)

    def state(self, disk: str | None) -> BufferState:
        """How the buffer relates to `disk`, the disk's text (None if there is none). Remembers it if they agree."""
        text = self.text
        if text is not None and _agree(text, disk):
            self.agree(disk)
            return "same"
        if disk is None or disk == self.agreed_disk:
            return "same" if disk is not None and text == self.agreed else "dirty"
        return "diskNewer" if text == self.agreed else "bothChanged"

    def agree(self, disk: str | None) -> None:
        """Notes that the buffer is saved. `disk`: the disk's text."""
        self.agreed, self.agreed_disk = self.text, disk
        self.ours, self.said_dirty = None, False

    @property
    def unsaved(self) -> bool:
        """Whether there is unsaved text, as far as the editor has reported."""
        if not self.attached:
            return self.said_dirty
        return self.document.text is not None and self.text != self.agreed

    @property
    def unsaved_is_ours(self) -> bool:
        """Whether all unsaved changes are approved edits."""
        return self.unsaved and self.ours is not None and self.text == self.ours


class Buffers:
    """Implements `documents.DocumentListener`."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents, self._clock = documents, clock
        self._by_uri: dict[str, Buffer] = {}
        self._unattached: dict[str, Buffer] = {}
        self._watchers = Watchers()

    def of(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, if the editor has it open; an attached one if there is one.

        If the file is open several times, by different URIs: one with unsaved text, else the one opened last.
        """
        for buffers in (self._by_uri, self._unattached):
            found = [buffer for buffer in buffers.values() if buffer.path == path]
            if found:
                return max(reversed(found), key=lambda buffer: buffer.unsaved)
        return None

    def unsaved(self) -> list[Buffer]:
        """The buffers with unsaved text, at most one for each file."""
        every = (*self._by_uri.values(), *self._unattached.values())
        return [buffer for buffer in every if buffer.unsaved and self.of(buffer.path) is buffer]

    def open(self) -> list[Buffer]:
        """All buffers, at most one for each file; attached ones first."""
        every = (*self._by_uri.values(), *self._unattached.values())
        return [buffer for buffer in every if self.of(buffer.path) is buffer]

    def is_open(self, buffer: Buffer) -> bool:
        buffers = self._by_uri if buffer.attached else self._unattached
        return buffers.get(buffer.document.uri) is buffer

    def watch(self, path: Path, on_change: Callable[[], None]) -> AbstractContextManager[None]:
        """Calls back after each change of the buffer's text, and when the buffer is opened, saved or closed."""
        return self._watchers.watch(path, on_change)

    async def until(self, path: Path, reached: Callable[[], bool], patience: float) -> bool:
        """Waits at most `patience` seconds for a change of the buffer that makes `reached()` true. Returns whether it
        is."""
        if reached():
            return True
        done = asyncio.Event()
        with self.watch(path, lambda: done.set() if reached() else None):
            return await set_within(self._clock, patience, done)

    def on_open(self, uri: str) -> None:
        document, path = self._documents.get(uri), real_path_of(uri)
        if document is None or path is None:
            return
        buffer = Buffer(document, path)
        disk = disk_text(path)
        buffer.disk_time = time_of(path)
        if isinstance(disk, Unknown):
            buffer.agreed = buffer.agreed_disk = buffer.text
        else:
            buffer.agreed = buffer.agreed_disk = disk
            buffer.state(disk)
        self._by_uri[uri] = buffer
        self._watchers.tell(path)

    def on_change(self, uri: str) -> None:
        buffer = self._by_uri.get(uri)
        if buffer is None:  # a change of a document that was never opened
            self.on_open(uri)
            return
        buffer.frozen = False
        self._notice_reload(buffer)
        self._watchers.tell(buffer.path)

    def _notice_reload(self, buffer: Buffer) -> None:
        """An editor that reloads a changed file reports a change, but no save."""
        if buffer.text == buffer.agreed:
            return
        time = time_of(buffer.path)
        if time is not None and time != buffer.disk_time:
            disk = disk_text(buffer.path)
            if isinstance(disk, str) and buffer.state(disk) == "same":
                buffer.disk_time = time

    def on_save(self, uri: str) -> None:
        if buffer := self._by_uri.get(uri):
            buffer.frozen = False
            buffer.agree(buffer.text)
            disk = disk_text(buffer.path)
            if isinstance(disk, str):
                buffer.state(disk)
            buffer.disk_time = time_of(buffer.path)
            self._watchers.tell(buffer.path)

    def on_close(self, uri: str) -> None:
        if buffer := self._by_uri.pop(uri, None):
            self._watchers.tell(buffer.path)

    # Documents that this server is not attached to, as the client reports them.

    def list_open(self, dirty: Mapping[str, bool]) -> None:
        """Takes the list of all open documents: by URI, whether there is unsaved text. For attached documents their own
        buffers count."""
        for uri in [uri for uri in self._unattached if uri not in dirty]:
            self._watchers.tell(self._unattached.pop(uri).path)
        for uri, is_dirty in dirty.items():
            known, path = self._unattached.get(uri), real_path_of(uri)
            if path is None:
                continue
            buffer = known or Buffer(Document(uri, "", None, None), path, attached=False)
            self._unattached[uri] = buffer
            if known is None or buffer.said_dirty != is_dirty:
                self._say_dirty(buffer, is_dirty)
            self._watchers.tell(path)  # perhaps a file was reloaded, which the list doesn't say

    def _say_dirty(self, buffer: Buffer, is_dirty: bool) -> None:
        buffer.said_dirty = is_dirty or not _is_saved(buffer)
        buffer.disk_time = time_of(buffer.path)  # what the user types changes what the disk has now
        if not buffer.said_dirty:
            buffer.frozen = False

    def show(self, buffer: Buffer, text: str, version: int | None, *, dirty: bool) -> None:
        """Takes the current text of an unattached document, with its line ends."""
        if buffer.shown != (text, version):
            buffer.frozen, buffer.shown = False, (text, version)
        buffer.document.text, buffer.document.version = text, version
        buffer.said_dirty = dirty or not _is_saved(buffer)
        if not buffer.said_dirty:
            buffer.agree(buffer.text)
        elif buffer.agreed is None and time_of(buffer.path) == buffer.disk_time:
            disk = disk_text(buffer.path)
            buffer.agreed = buffer.agreed_disk = buffer.text if isinstance(disk, Unknown) else disk
        self._watchers.tell(buffer.path)

    def hide(self, buffer: Buffer) -> None:
        """Notes that the text of an unattached document can't be known now."""
        buffer.document.text = None
        self._watchers.tell(buffer.path)

    def forget(self, buffer: Buffer) -> None:
        """Notes that an unattached document is no longer open."""
        if self._unattached.pop(buffer.document.uri, None) is not None:
            self._watchers.tell(buffer.path)


def _agree(text: str, disk: str | None) -> bool:
    """Whether the editor would call the buffer saved. Vim shows every file with a final newline."""
    return disk is not None and text in (disk, f"{disk}\n")


def _is_saved(buffer: Buffer) -> bool:
    """Whether the editor can be believed when it says that the buffer is saved: an edit of ours has to be on the
    disk."""
    if buffer.ours is None or buffer.text != buffer.ours:
        return True
    disk = disk_text(buffer.path)
    return isinstance(disk, Unknown) or _agree(buffer.ours, disk)


class Unknown:
    """Stands for the text of a file that is too long to be compared, or that only the editor can decode."""


_UNKNOWN = Unknown()


def disk_text(path: Path) -> str | Unknown | None:
    """The text on the disk, with LF line ends; None if there is no file."""
    try:
        if not path.is_file():
            return None
        return _UNKNOWN if path.stat().st_size > MAX_COMPARED else decode(path.read_bytes()).text
    except (OSError, TextError):
        return _UNKNOWN


def time_of(path: Path) -> int | None:
    """`st_mtime_ns`; None if there is no file."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
