"""The session log on disk: append-only JSON lines, one writer at a time, whole after any crash.

It knows records as JSON objects with a `seq`; what they mean is fold.py's. Written by one `write` per record to a file
opened for appending; synced to the disk when asked. A last line that a crash cut off is removed by the next writer.
"""

import asyncio
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steersman.session.errors import LogCorrupt, LogError, LogLocked
from steersman.session.jsonlines import decode
from steersman.workspace.atomic import sync_directory

try:
    import fcntl
except ImportError:  # Windows has no fcntl; there a second writer is not noticed
    fcntl = None  # type: ignore[assignment]  # the module is absent, and looked at before use

Record = dict[str, Any]  # Any: a JSON object as read from disk
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Tail:
    """How a log ends."""

    whole: int
    """Bytes of complete records."""
    torn: int
    """Bytes after them: the record that was being written at a crash."""


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
            raise LogError(
                f"The session log can't be made: {path}: {error.strerror}. "
                "Set STEERSMAN_HOME to a folder that can be written, or keep no log (run --no-session)."
            ) from error

    @classmethod
    def open(cls, path: Path) -> tuple["SessionLog", Tail]:
        """An existing log, for appending. A torn last record is cut off; the `Tail` says how much that was.

        Raises:
            LogLocked: another process is writing it.
            LogError: it isn't there, or can't be opened.
        """
        try:
            log = cls._locked(path, 0)
        except OSError as error:
            raise LogError(f"The session log can't be opened: {path}: {error.strerror}") from error
        try:
            tail = _tail(log._fd)
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
            if fcntl is not None:
                # Belongs to the open file: it goes with the process that holds it, however that ends.
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise LogLocked(
                    f"Another Steersman is working in this session ({path.stem}). "
                    "End it there, or start a session of your own."
                ) from None
            raise
        return cls(path, fd)

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
            raise LogError(f"The session log can't be written: {self.path}: {error.strerror}") from error

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
                raise LogError(f"The session log can't be synced: {self.path}: {error.strerror}") from error

    async def _sync_to(self, count: int) -> None:
        try:
            await asyncio.to_thread(self._sync_file)
            self._synced = count
        finally:
            self._syncing = None

    def _sync_file(self) -> None:
        os.fsync(self._fd)
        if not self._listed:
            sync_directory(self.path.parent)
            self._listed = True

    async def close(self) -> None:
        """Releases the lock, once a sync that is under way has ended. Harmless when closed already."""
        if self._syncing is not None:
            await asyncio.wait({self._syncing})
        self._release()

    def _release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def read_records(path: Path) -> Iterator[Record]:
    """The complete records of a log, one at a time. A torn last line is left out; nothing is changed.

    Raises:
        LogCorrupt, LogError: see `read_sized`.
    """
    return (record for record, _ in read_sized(path))


def read_sized(path: Path) -> Iterator[tuple[Record, int]]:
    """The complete records of a log, each with its length in bytes.

    After a loss of power the last line can be whole in length and not in content: that is torn too.

    Raises:
        LogCorrupt: a complete line is no record, or numbers are missing; the text names the line.
        LogError: it can't be read.
    """
    expected = 1
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    record = _parse(line, path, number)
                except LogCorrupt:
                    if file.peek(1):
                        raise
                    return
                if record.get("seq") != expected:
                    raise LogCorrupt(
                        f"{path}, line {number}: expected record {expected}, found {record.get('seq')}."
                    )
                expected += 1
                yield record, len(line)
    except OSError as error:
        raise LogError(f"The session log can't be read: {path}: {error.strerror}") from error


def _parse(line: bytes, path: Path, number: int) -> Record:
    try:
        record = decode(line)
    except ValueError as error:
        raise LogCorrupt(f"{path}, line {number}: not a record: {error}.") from None
    if not isinstance(record, dict) or "type" not in record:
        raise LogCorrupt(f"{path}, line {number}: not a record.")
    return record


def _tail(fd: int) -> Tail:
    """Looks back from the end for the last line that is a record, or may be one."""
    size = os.fstat(fd).st_size
    whole = _line_break_before(fd, size)
    start = _line_break_before(fd, whole - 1)
    if whole and not _is_json(os.pread(fd, whole - start, start)):
        whole = start
    return Tail(whole, size - whole)


def _line_break_before(fd: int, end: int) -> int:
    """The offset after the last line break in the first `end` bytes; 0 if there is none."""
    while end > 0:
        start = max(0, end - _CHUNK)
        at = os.pread(fd, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _is_json(line: bytes) -> bool:
    try:
        decode(line)
    except ValueError:
        return False
    return True
