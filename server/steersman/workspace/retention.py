"""How long files are kept that would pile up: long outputs of commands, and pre-images. Knows their directories and
names, not who made them."""

import logging
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.output import FILE_PREFIX, FILE_SUFFIX

_log = logging.getLogger(__name__)

MAX_BYTES = 1 << 30
MAX_AGE = 14 * 24 * 3600.0
MAX_BLOB_BYTES = 2 << 30
MAX_BLOB_AGE = 60 * 24 * 3600.0
"""Seconds since a pre-image was last kept: older changes can't be reverted."""
IN_USE = 3600.0
"""Seconds after its last write in which a file is never deleted: a command may still be writing it or a model reading
it, in this server or another one."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was when it was listed."""

    changed: float
    """Its last write, in seconds since 1970."""
    size: int
    path: str


def prune_outputs(
    directory: Path, max_bytes: int = MAX_BYTES, max_age: float = MAX_AGE, *, now: float | None = None
) -> int:
    """Prunes the long outputs of commands, and no other files in their directory. See `prune`."""
    return prune(output_files(directory), max_bytes, max_age, now=now)


def prune_blobs(
    directory: Path,
    max_bytes: int = MAX_BLOB_BYTES,
    max_age: float = MAX_BLOB_AGE,
    *,
    now: float | None = None,
) -> int:
    """Prunes the blobs of a `BlobStore`. See `prune`."""
    return prune(blob_files(directory), max_bytes, max_age, now=now)


def prune(files: Iterable[KeptFile], max_bytes: int, max_age: float, *, now: float | None = None) -> int:
    """Deletes the files last written more than `max_age` seconds ago and then, oldest first, as many as necessary to
    bring the rest within `max_bytes`. Returns the number of bytes freed.

    A file that was written since it was listed stays. What can't be deleted is logged and stays. Blocking; two servers
    may do this at once. `now` is like `time.time()`.
    """
    now = time.time() if now is None else now
    by_age = sorted(files, key=lambda file: (file.changed, file.path))
    left = sum(file.size for file in by_age)
    freed = 0
    for file in by_age:
        age = now - file.changed
        if age < IN_USE or (age <= max_age and left <= max_bytes):
            break
        if _delete(file):
            freed += file.size
            left -= file.size
    return freed


def output_files(directory: Path) -> list[KeptFile]:
    """The long outputs of commands in a directory. If it can't be listed, that is logged."""
    found = _files_in(directory, lambda name: name.startswith(FILE_PREFIX) and name.endswith(FILE_SUFFIX))
    return _listed(found, f"The outputs of commands in {directory}")


def blob_files(directory: Path) -> list[KeptFile]:
    """The blobs of a `BlobStore`, which are one directory deeper. If they can't be listed, that is logged."""
    return _listed(_blobs_in(directory), f"The pre-images in {directory}")


def _listed(files: Iterator[KeptFile], what: str) -> list[KeptFile]:
    found: list[KeptFile] = []
    try:
        for file in files:
            found.append(file)  # noqa: PERF402  (what came before an error counts)
    except FileNotFoundError:
        pass  # nothing has been kept yet
    except OSError as error:
        _log.warning("%s can't be listed: %s", what, error)
    return found


def _blobs_in(directory: Path) -> Iterator[KeptFile]:
    with os.scandir(directory) as parts:
        folders = [part.path for part in parts if len(part.name) == 2 and part.is_dir(follow_symlinks=False)]
    for folder in folders:
        yield from _files_in(folder, lambda _name: True)


def _files_in(directory: Path | str, wanted: Callable[[str], bool]) -> Iterator[KeptFile]:
    with os.scandir(directory) as entries:
        for entry in entries:
            status = _status(entry) if wanted(entry.name) else None
            if status is not None and stat.S_ISREG(status.st_mode):
                yield KeptFile(status.st_mtime, status.st_size, entry.path)


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # another server has deleted it meanwhile
        return None


def _delete(file: KeptFile) -> bool:
    try:
        if os.lstat(file.path).st_mtime != file.changed:
            return False  # a session has kept the same bytes again, or a command is writing
        os.unlink(file.path)  # noqa: PTH108  (the path is os.scandir's)
    except FileNotFoundError:
        return True
    except OSError as error:
        _log.warning("An old file can't be deleted: %s", error)
        return False
    return True
