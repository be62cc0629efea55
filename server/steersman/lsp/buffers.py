"""The editor's buffers by file: what is in them, whether it is on the disk, and who waits for a change.

Kept from didOpen, didChange, didSave and didClose. A buffer's state is decided by three texts: what it holds, what it
held when it last agreed with the disk, and what the disk holds now. All are compared with LF line ends.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steersman.lsp.client import path_of
from steersman.lsp.documents import Document, Documents
from steersman.workspace.text import Text, TextError, decode, to_lf

log = logging.getLogger(__name__)

MAX_COMPARED = 4 * 1024 * 1024
"""Bytes up to which a file is read when its document opens; a longer one is taken to be what the editor shows."""

BufferState = Literal["same", "dirty", "diskNewer", "bothChanged"]


@dataclass(slots=True)
class Buffer:
    document: Document
    path: Path
    """Resolved."""
    synced: str | None
    """The text when buffer and disk last agreed; None if they never did."""
    frozen: bool = False
    """An edit's outcome was not what was approved: no more edits until the editor tells us of the text again."""

    @property
    def text(self) -> str | None:
        """With LF line ends; None while it isn't known."""
        raw = self.document.text
        return None if raw is None else to_lf(raw)

    def state(self, disk: str | None) -> BufferState:
        """`disk` is the disk's text; None if there is no file (yet, or any more)."""
        text = self.text
        if text == disk:
            return "same"
        if text == self.synced and disk is not None:
            return "diskNewer"
        return "dirty" if disk is None or disk == self.synced else "bothChanged"

    @property
    def unsaved(self) -> bool:
        """As far as the editor's messages tell; the disk is not asked."""
        return self.document.text is not None and self.text != self.synced


class Buffers:
    """Implements `documents.DocumentListener`."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._by_uri: dict[str, Buffer] = {}
        self._watchers: list[tuple[Path, Callable[[], None]]] = []

    def of(self, path: Path) -> Buffer | None:
        """The buffer of a resolved path, if the editor has it open here."""
        return next((buffer for buffer in self._by_uri.values() if buffer.path == path), None)

    def unsaved(self) -> list[Path]:
        return [buffer.path for buffer in self._by_uri.values() if buffer.unsaved]

    @contextmanager
    def watch(self, path: Path, on_change: Callable[[], None]) -> Iterator[None]:
        """Calls back after every single change of the buffer's text, its saving and closing."""
        watcher = (path, on_change)
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    async def until(self, path: Path, reached: Callable[[], bool], timeout: float) -> bool:
        """Waits until a change of the buffer makes `reached()` true, at most `timeout` seconds."""
        done = asyncio.Event()
        with self.watch(path, lambda: done.set() if reached() else None):
            if reached():
                return True
            try:
                await asyncio.wait_for(done.wait(), timeout)
            except TimeoutError:
                return False
        return True

    def on_open(self, uri: str) -> None:
        document, path = self._documents.get(uri), path_of(uri)
        if document is None or path is None:
            return
        resolved = Path(os.path.realpath(path))
        buffer = Buffer(document, resolved, None)
        disk = _disk_text(resolved)
        buffer.synced = buffer.text if disk is _UNKNOWN else disk.text if disk is not None else None
        self._by_uri[uri] = buffer
        self._tell(resolved)

    def on_change(self, uri: str) -> None:
        buffer = self._by_uri.get(uri)
        if buffer is None:  # a change of a document that was never opened
            self.on_open(uri)
            return
        buffer.frozen = False
        self._tell(buffer.path)

    def on_save(self, uri: str) -> None:
        if buffer := self._by_uri.get(uri):
            buffer.synced, buffer.frozen = buffer.text, False
            self._tell(buffer.path)

    def on_close(self, uri: str) -> None:
        if buffer := self._by_uri.pop(uri, None):
            self._tell(buffer.path)

    def _tell(self, path: Path) -> None:
        for watched, callback in tuple(self._watchers):
            if watched == path:
                callback()


_UNKNOWN = Text("", "", "utf-8", b"", "\n")
"""Stands for a file that is too long to be compared."""


def _disk_text(path: Path) -> Text | None:
    """What the disk holds; None if it holds no text there."""
    try:
        if path.stat().st_size > MAX_COMPARED:
            return _UNKNOWN
        return decode(path.read_bytes()) if path.is_file() else None
    except (OSError, TextError):
        return None
