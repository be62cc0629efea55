"""Writes a session log: JSON lines that are only appended to, by one writer at a time, whole after any crash.

Each record is one `write` to a file that was opened for appending; it is synced to the disk when somebody asks. A last
line that a crash cut off is removed by the next writer.
"""

import asyncio
import errno
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from steersman.session.errors import LogError, LogLocked
from steersman.session.log_lines import Tail, tail_of
from steersman.session.log_lock import REFUSED, lock
from steersman.workspace.atomic import sync_directory, write_file

_log = logging.getLogger(__name__)

_CHUNK = 1 << 20
READ_BUFFER: Final = 8192
"""Bytes that a reader takes at once, whatever Python's own buffer is: a page of a log begins anywhere in it."""
ELSEWHERE: Final = "Set STEERSMAN_HOME to a folder that can be written, or keep no log (run --no-session)."


class SessionLog:
    """The one writer of a session's log. Make it with `create` or `open`; `close` releases the lock."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd
        self._appended = self._synced = 0  # records
        self._syncing: asyncio.Task[None] | None = None
        self._listed = False
        """Its name is on the disk too."""

    @classmethod
    def create(cls, path: Path) -> "SessionLog":
        """A new log, readable by its owner only.

        Raises:
            LogError: it exists, or can't be made.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return cls._locked(path, os.O_CREAT | os.O_EXCL)
        except OSError as error:
            raise LogError(f"The session log can't be made: {path}: {error.strerror}. {ELSEWHERE}") from error

    @classmethod
    def write_whole(cls, path: Path, lines: Iterable[bytes]) -> None:
        """A new log with these records, JSON without line breaks, on the disk as a whole or not at all. Blocking.

        Raises:
            LogError: it can't be written; nothing is left of it.
        """
        try:
            write_file(path, _blocks(lines))
        except OSError as error:
            raise LogError(
                f"The session log can't be made: {path}: {error.strerror}. Nothing is left of it; make room, and try "
                "again."
            ) from error

    @classmethod
    def open(cls, path: Path) -> tuple["SessionLog", Tail]:
        """An existing log, for appending, once what the `Tail` says is torn has been cut off: `cut_off`. Until then the
        file is as it was, as it stays if it turns out to be of no use.

        Raises:
            LogLocked: another process is writing it.
            LogError: it isn't there, or can't be opened.
        """
        try:
            log = cls._locked(path, 0)
        except OSError as error:
            raise LogError(f"The session log can't be opened: {path}: {error.strerror}") from error
        try:
            return log, tail_of(log._fd)
        except OSError as error:
            log._release()
            raise LogError(f"The session log can't be read: {path}: {error.strerror}") from error

    def cut_off(self, tail: Tail) -> None:
        """Removes a torn last record from the disk. Blocking.

        Raises:
            LogError: it can't be written.
        """
        if not tail.torn:
            return
        try:
            os.ftruncate(self._fd, tail.whole)
            os.fsync(self._fd)
        except OSError as error:
            raise LogError(f"The session log can't be mended: {self.path}: {error.strerror}") from error

    @classmethod
    def _locked(cls, path: Path, flags: int) -> "SessionLog":
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o600)
        try:
            lock(fd)
        except OSError as error:
            os.close(fd)
            if error.errno in REFUSED:
                raise LogLocked(
                    f"Another Steersman is working in this session ({path.stem}). "
                    "End it there, or start a session of your own."
                ) from None
            raise
        return cls(path, fd)

    @staticmethod
    def reader(path: Path) -> BinaryIO:
        """A log, opened for reading: by anybody, at any time.

        Raises:
            OSError: it can't be opened.
        """
        return path.open("rb", buffering=READ_BUFFER)

    def append(self, line: bytes) -> None:
        """Writes one record: JSON without line breaks.

        Raises:
            LogError: it was not written, and nothing of it is left in the file.
        """
        data = memoryview(line + b"\n")
        before: int | None = None
        try:
            written = os.write(self._fd, data)
            if written < len(data):
                before = os.fstat(self._fd).st_size - written
                while written < len(data):
                    written += os.write(self._fd, data[written:])
            self._appended += 1
        except OSError as error:
            self._take_back(before)
            raise LogError(_unwritable("written", self.path, error)) from error

    def _take_back(self, size: int | None) -> None:
        """Half a record is worse than none. If it can't be cut off now, the next writer does it."""
        if size is None:
            return
        try:
            os.ftruncate(self._fd, size)
        except OSError:
            return

    async def sync(self) -> None:
        """Returns when everything appended before is on the disk. Concurrent calls share a sync where they can.

        Raises:
            LogError: the disk refused.
        """
        wanted = self._appended
        while self._synced < wanted:
            if self._syncing is None:
                self._syncing = asyncio.create_task(self._sync_to(self._appended))
            syncing = self._syncing
            try:
                await asyncio.shield(syncing)
            except OSError as error:
                raise LogError(_unwritable("synced", self.path, error)) from error

    async def _sync_to(self, count: int) -> None:
        try:
            await asyncio.to_thread(self._sync_file)
            self._synced = count
        finally:
            self._syncing = None

    def _sync_file(self) -> None:
        if self._fd < 0:  # a negative number is a ValueError
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        os.fsync(self._fd)
        if os.fstat(self._fd).st_nlink == 0:  # what goes on to be written is nowhere
            raise OSError(errno.ENOENT, "somebody has removed it")
        if not self._listed:
            sync_directory(self.path.parent)
            self._listed = True

    async def close(self) -> None:
        """Releases the lock, once a sync that is under way has ended. Harmless when closed already."""
        if self._syncing is not None:
            await asyncio.wait({self._syncing})
        self._release()

    def discard(self) -> None:
        """Removes a log that was just made and has no record: nobody was told of it. If that fails an empty file stays,
        which no list shows."""
        try:
            self.path.unlink()
        except OSError as error:
            _log.info("%s could not be removed: %s", self.path, error)
        self._release()

    def _release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _unwritable(what: str, path: Path, error: OSError) -> str:
    if error.errno == errno.ENOENT:
        return f"The session log is gone: {path}: {error.strerror}. Start a new session."
    todo = "Make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "See to that"
    return (
        f"The session log can't be {what}: {path}: {error.strerror}. {todo}, then open the session again: nothing is "
        "done in it before."
    )


def _blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The records as bytes, many to a write."""
    block = bytearray()
    for line in lines:
        block += line + b"\n"
        if len(block) >= _CHUNK:
            yield bytes(block)
            block.clear()
    yield bytes(block)
