"""The editor's buffers by file: what is in them, whether it is on the disk, and who waits for a change.

Kept from didOpen, didChange, didSave and didClose, and of documents that this server is not attached to from what the
client says of them. A buffer's state is decided by what it holds, what the disk holds, and what both held when they
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
"""Bytes up to which a file is read to be compared; a longer one is taken to be what the editor showed at first."""

BufferState = Literal["same", "dirty", "diskNewer", "bothChanged"]


@dataclass(slots=True)
class Buffer:
    document: Document
    path: Path
    """Resolved."""
    attached: bool = True
    """The editor tells of every change. False: only whether there is unsaved text, and the text when it is asked."""
    agreed: str | None = None
    """The buffer's text when it last agreed with the disk; None if it never did."""
    agreed_disk: str | None = None
    """The disk's text then. Some editors show a final newline that the file lacks."""
    disk_time: int | None = None
    """`st_mtime_ns` of the file then; None if there was none."""
    frozen: bool = False
    """An edit's outcome is not what was approved: no more edits until the editor tells us of the text again."""
    ours: str | None = None
    """The text after an approved edit, if nothing but approved edits was unsaved before it; None once it is saved."""
    said_dirty: bool = False
    """Of one that is not attached: the editor says that it has unsaved text."""
    shown: tuple[str, int | None] | None = None
    """Of one that is not attached: the last text that came, as it is, and its version."""

    @property
    def text(self) -> str | None:
        """With LF line ends; None while it isn't known."""
        raw = self.document.text
        return None if raw is None else to_lf(raw)

    def state(self, disk: str | None) -> BufferState:
        """`disk` is the disk's text; None if there is no text there (yet, or any more)."""
        text = self.text
        if text is not None and _agree(text, disk):
            self.agree(disk)
            return "same"
        if disk is None or disk == self.agreed_disk:
            return "same" if disk is not None and text == self.agreed else "dirty"
        return "diskNewer" if text == self.agreed else "bothChanged"

    def agree(self, disk: str | None) -> None:
        """What the buffer holds is saved, and `disk` is the disk's text."""
        self.agreed, self.agreed_disk = self.text, disk
        self.ours, self.said_dirty = None, False

    @property
    def unsaved(self) -> bool:
        """As far as the editor's messages tell."""
        if not self.attached:
            return self.said_dirty
        return self.document.text is not None and self.text != self.agreed

    @property
    def unsaved_is_ours(self) -> bool:
        """Nothing would be saved but what was approved."""
        return self.unsaved and self.ours is not None and self.text == self.ours


class Buffers:
    """Implements `documents.DocumentListener`."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents, self._clock = documents, clock
        self._by_uri: dict[str, Buffer] = {}
        self._unattached: dict[str, Buffer] = {}
        self._watchers = Watchers()

    def of(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, if the editor has it open; an attached one before any other.

        Of several (opened by different spellings) the one with unsaved text, else the one that was opened last.
        """
        for buffers in (self._by_uri, self._unattached):
            found = [buffer for buffer in buffers.values() if buffer.path == path]
            if found:
                return max(reversed(found), key=lambda buffer: buffer.unsaved)
        return None

    def unsaved(self) -> list[Buffer]:
        """At most one for each file."""
        every = (*self._by_uri.values(), *self._unattached.values())
        return [buffer for buffer in every if buffer.unsaved and self.of(buffer.path) is buffer]

    def open(self) -> list[Buffer]:
        """At most one for each file, those of attached documents first."""
        every = (*self._by_uri.values(), *self._unattached.values())
        return [buffer for buffer in every if self.of(buffer.path) is buffer]

    def is_open(self, buffer: Buffer) -> bool:
        buffers = self._by_uri if buffer.attached else self._unattached
        return buffers.get(buffer.document.uri) is buffer

    def watch(self, path: Path, on_change: Callable[[], None]) -> AbstractContextManager[None]:
        """Calls back after each single change of the buffer's text, and when it is opened, saved or closed."""
        return self._watchers.watch(path, on_change)

    async def until(self, path: Path, reached: Callable[[], bool], patience: float) -> bool:
        """Waits until a change of the buffer makes `reached()` true, at most `patience` seconds."""
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
        """An editor that loads a changed file again sends its text as a change, and no save."""
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

    # Documents that this server is not attached to, as the client tells of them when it is asked or by itself.

    def list_open(self, dirty: Mapping[str, bool]) -> None:
        """All that is open, by URI, and whether it has unsaved text. An attached document goes before its entry."""
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
            self._watchers.tell(
                path
            )  # that the list is sent may mean more than it says: a file was loaded again

    def _say_dirty(self, buffer: Buffer, is_dirty: bool) -> None:
        buffer.said_dirty = is_dirty or not _is_saved(buffer)
        buffer.disk_time = time_of(buffer.path)  # what will be typed is typed into what the disk has now
        if not buffer.said_dirty:
            buffer.frozen = False

    def show(self, buffer: Buffer, text: str, version: int | None, *, dirty: bool) -> None:
        """What an unattached document holds now; `text` with its line ends."""
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
        """The text of an unattached document can't be known now."""
        buffer.document.text = None
        self._watchers.tell(buffer.path)

    def forget(self, buffer: Buffer) -> None:
        """An unattached document is not open any more."""
        if self._unattached.pop(buffer.document.uri, None) is not None:
            self._watchers.tell(buffer.path)


def _agree(text: str, disk: str | None) -> bool:
    """Whether the editor would call its buffer saved: Vim shows every file with a final newline."""
    return disk is not None and text in (disk, f"{disk}\n")


def _is_saved(buffer: Buffer) -> bool:
    """Whether an editor that says so can be believed: an edit of ours that it was to save has to be on the disk."""
    if buffer.ours is None or buffer.text != buffer.ours:
        return True
    disk = disk_text(buffer.path)
    return isinstance(disk, Unknown) or _agree(buffer.ours, disk)


class Unknown:
    """Stands for a file that is too long to be compared, or is no text here though it is to the editor."""


_UNKNOWN = Unknown()


def disk_text(path: Path) -> str | Unknown | None:
    """What the disk holds, with LF line ends; None if there is no file."""
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
