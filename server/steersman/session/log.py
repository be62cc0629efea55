"""The session log on disk: append-only JSON lines, one writer at a time, whole after any crash.

It knows records as JSON objects with a `seq`; what they mean is fold.py's. Written by one `write` per record to a file
opened for appending; synced to the disk when asked. A last line that a crash cut off is removed by the next writer.
"""

import asyncio
import errno
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from steersman.session import log_lines
from steersman.session.errors import LogError, LogLocked
from steersman.session.log_lines import Tail, damaged, parse, tail_of
from steersman.workspace.atomic import sync_directory, write_file

try:
    import fcntl
except ImportError:  # Windows has no fcntl; there a second writer is not noticed
    fcntl = None  # type: ignore[assignment]  # the module is absent, and looked at before use

_log = logging.getLogger(__name__)

Record = log_lines.Record
_CHUNK = 1 << 20
READ_BUFFER: Final = 8192
"""Bytes that a reader takes at once, whatever Python's own buffer is: a page of a log begins anywhere in it."""
ELSEWHERE: Final = "Set STEERSMAN_HOME to a folder that can be written, or keep no log (run --no-session)."
_LOCK_TRIES, _LOCK_PAUSE = 3, 0.002
"""Whoever lists sessions holds each lock for some microseconds."""


class Place(NamedTuple):
    """Stands between two records. Record n is line n."""

    seq: int
    """The number of the record before it; 0 at the start."""
    offset: int
    """Of the record after it, in bytes."""


START: Final = Place(0, 0)


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
        """An existing log, for appending. A torn last record is cut off; the `Tail` says how much that was. That it is
        of a format that can be read, the caller knows.

        Raises:
            LogLocked: another process is writing it.
            LogError: it isn't there, or can't be opened.
        """
        try:
            log = cls._locked(path, 0)
        except OSError as error:
            raise LogError(f"The session log can't be opened: {path}: {error.strerror}") from error
        try:
            tail = tail_of(log._fd)
            if tail.torn:
                os.ftruncate(log._fd, tail.whole)
                os.fsync(log._fd)
        except OSError as error:
            log._release()
            raise LogError(f"The session log can't be mended: {path}: {error.strerror}") from error
        return log, tail

    @classmethod
    def _locked(cls, path: Path, flags: int) -> "SessionLog":
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | flags, 0o600)
        try:
            _lock(fd)
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.EAGAIN, errno.EACCES):
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
        """Half a record is worse than none. If it can't be cut off now, the next writer will."""
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
        if not self._listed:
            sync_directory(self.path.parent)
            self._listed = True

    async def close(self) -> None:
        """Releases the lock, once a sync that is under way has ended. Harmless when closed already."""
        if self._syncing is not None:
            await asyncio.wait({self._syncing})
        self._release()

    def discard(self) -> None:
        """Takes away a log that was made and has no record: nobody was told of it. Where it can't be removed it stays,
        empty, and is in no list."""
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
    todo = "Make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "See to that"
    return (
        f"The session log can't be {what}: {path}: {error.strerror}. {todo}, then open the session again: nothing is "
        "done in it before."
    )


def _lock(fd: int) -> None:
    """Belongs to the open file: it goes with the process that holds it, however that ends.

    Raises:
        OSError: another process has it. One that only looks (`is_being_written`) is waited for.
    """
    for _ in range(_LOCK_TRIES):
        if not _is_locked(fd, for_writing=True):
            return
        time.sleep(_LOCK_PAUSE)
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_being_written(fd: int) -> bool:
    """Whether another open file has the lock. `fd` is opened for reading."""
    locked = _is_locked(fd)
    if not locked and fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_UN)
    return locked


def _is_locked(fd: int, *, for_writing: bool = False) -> bool:
    """Tries to take the lock, and holds it if that is False."""
    if fcntl is not None:
        try:
            fcntl.flock(fd, (fcntl.LOCK_EX if for_writing else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return True
            raise
    return False


def read_records(path: Path) -> Iterator[Record]:
    """The complete records of a log, one at a time. A torn last line is left out; nothing is changed.

    Raises:
        LogCorrupt, LogError: see `read_from`.
    """
    return (record for record, _ in read_from(START, path, lambda: SessionLog.reader(path)))


def read_from(place: Place, path: Path, reader: Callable[[], BinaryIO]) -> Iterator[tuple[Record, Place]]:
    """The complete records after a place, each with the place after it. `reader` opens the log `path`.

    After a loss of power the last line can be whole in length and not in content: that is torn too.

    Raises:
        LogCorrupt: a complete line is no record, or numbers are missing; the text names the line.
        LogError: it can't be read.
    """
    seq, offset = place.seq, place.offset
    try:
        with reader() as file:
            file.seek(offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                seq += 1
                try:
                    record = parse(line)
                except ValueError as error:
                    if seq == 1 or file.read(1):
                        raise damaged(path, seq, str(error)) from None
                    return
                if record.get("seq") != seq:
                    raise damaged(path, seq, f"expected record {seq}, found {record.get('seq')}")
                offset += len(line)
                yield record, Place(seq, offset)
    except OSError as error:
        raise LogError(f"The session log can't be read: {path}: {error.strerror}") from error


def _blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The records as bytes, many to a write."""
    block = bytearray()
    for line in lines:
        block += line + b"\n"
        if len(block) >= _CHUNK:
            yield bytes(block)
            block.clear()
    yield bytes(block)
