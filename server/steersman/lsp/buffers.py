"""The editor's buffers by file: what is in them, whether it is on the disk, and who waits for a change.

Kept from didOpen, didChange, didSave and didClose. A buffer's state is decided by what it holds, what the disk holds,
and what both held when they last agreed. Texts are compared with LF line ends.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steersman.agent.clock import Clock
from steersman.lsp.client import real_path_of
from steersman.lsp.documents import Document, Documents
from steersman.lsp.waits import set_within
from steersman.workspace.text import TextError, decode, to_lf

MAX_COMPARED = 4 * 1024 * 1024
"""Bytes up to which a file is read to be compared; a longer one is taken to be what the editor showed at first."""

BufferState = Literal["same", "dirty", "diskNewer", "bothChanged"]


@dataclass(slots=True)
class Buffer:
    document: Document
    path: Path
    """Resolved."""
    agreed: str | None = None
    """The buffer's text when it last agreed with the disk; None if it never did."""
    agreed_disk: str | None = None
    """The disk's text then. Some editors show a final newline that the file lacks."""
    disk_time: int | None = None
    """`st_mtime_ns` of the file then; None if there was none."""
    frozen: bool = False
    """An edit's outcome is not what was approved: no more edits until the editor tells us of the text again."""

    @property
    def text(self) -> str | None:
        """With LF line ends; None while it isn't known."""
        raw = self.document.text
        return None if raw is None else to_lf(raw)

    def state(self, disk: str | None) -> BufferState:
        """`disk` is the disk's text; None if there is no text there (yet, or any more)."""
        text = self.text
        if text is not None and _agree(text, disk):
            self.agreed, self.agreed_disk = text, disk
            return "same"
        if disk is None or disk == self.agreed_disk:
            return "same" if disk is not None and text == self.agreed else "dirty"
        return "diskNewer" if text == self.agreed else "bothChanged"

    @property
    def unsaved(self) -> bool:
        """As far as the editor's messages tell."""
        return self.document.text is not None and self.text != self.agreed


class Buffers:
    """Implements `documents.DocumentListener`."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents, self._clock = documents, clock
        self._by_uri: dict[str, Buffer] = {}
        self._watchers: list[tuple[Path, Callable[[], None]]] = []

    def of(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, if the editor has it open here.

        Of several (opened by different spellings) the one with unsaved text, else the one that was opened last.
        """
        found = [buffer for buffer in self._by_uri.values() if buffer.path == path]
        return max(reversed(found), key=lambda buffer: buffer.unsaved, default=None)

    def unsaved(self) -> list[Path]:
        """Resolved paths, each once."""
        return list({buffer.path: None for buffer in self._by_uri.values() if buffer.unsaved})

    def is_open(self, buffer: Buffer) -> bool:
        return self._by_uri.get(buffer.document.uri) is buffer

    @contextmanager
    def watch(self, path: Path, on_change: Callable[[], None]) -> Iterator[None]:
        """Calls back after every single change of the buffer's text, its opening, saving and closing."""
        watcher = (path, on_change)
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

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
        disk = _disk_text(path)
        buffer.disk_time = _time_of(path)
        if isinstance(disk, _Unknown):
            buffer.agreed = buffer.agreed_disk = buffer.text
        else:
            buffer.agreed = buffer.agreed_disk = disk
            buffer.state(disk)
        self._by_uri[uri] = buffer
        self._tell(path)

    def on_change(self, uri: str) -> None:
        buffer = self._by_uri.get(uri)
        if buffer is None:  # a change of a document that was never opened
            self.on_open(uri)
            return
        buffer.frozen = False
        self._notice_reload(buffer)
        self._tell(buffer.path)

    def _notice_reload(self, buffer: Buffer) -> None:
        """An editor that loads a changed file again sends its text as a change, and no save."""
        if buffer.text == buffer.agreed:
            return
        time = _time_of(buffer.path)
        if time is not None and time != buffer.disk_time:
            disk = _disk_text(buffer.path)
            if isinstance(disk, str) and buffer.state(disk) == "same":
                buffer.disk_time = time

    def on_save(self, uri: str) -> None:
        if buffer := self._by_uri.get(uri):
            buffer.frozen = False
            buffer.agreed = buffer.agreed_disk = buffer.text
            disk = _disk_text(buffer.path)
            if isinstance(disk, str):
                buffer.state(disk)
            buffer.disk_time = _time_of(buffer.path)
            self._tell(buffer.path)

    def on_close(self, uri: str) -> None:
        if buffer := self._by_uri.pop(uri, None):
            self._tell(buffer.path)

    def _tell(self, path: Path) -> None:
        for watched, callback in tuple(self._watchers):
            if watched == path:
                callback()


def _agree(text: str, disk: str | None) -> bool:
    """Whether the editor would call its buffer saved: Vim shows every file with a final newline."""
    return disk is not None and text in (disk, f"{disk}\n")


class _Unknown:
    """Stands for a file that is too long to be compared, or is no text here though it is to the editor."""


_UNKNOWN = _Unknown()


def _disk_text(path: Path) -> str | _Unknown | None:
    """What the disk holds, with LF line ends; None if there is no file."""
    try:
        if not path.is_file():
            return None
        return _UNKNOWN if path.stat().st_size > MAX_COMPARED else decode(path.read_bytes()).text
    except (OSError, TextError):
        return _UNKNOWN


def _time_of(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
