"""How long files are kept that would pile up: long outputs of commands, and pre-images. Knows their directories and
names, not who made them."""

import logging
import os
import stat
import time
from collections.abc import Callable, Iterator
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
class _File:
    changed: float
    size: int
    path: str


def prune_outputs(
    directory: Path, max_bytes: int = MAX_BYTES, max_age: float = MAX_AGE, *, now: float | None = None
) -> int:
    """Deletes output files last written more than `max_age` seconds ago and then, oldest first, as many as necessary to
    bring the rest within `max_bytes`. Returns the number of bytes freed.

    Only files made for outputs of commands are considered. What can't be deleted is logged and stays. Blocking; two
    servers may do this at once. `now` is like `time.time()`.
    """
    return _prune(
        _listed(_output_files(directory), "outputs of commands", directory), max_bytes, max_age, now
    )


def prune_blobs(
    directory: Path,
    max_bytes: int = MAX_BLOB_BYTES,
    max_age: float = MAX_BLOB_AGE,
    *,
    now: float | None = None,
) -> int:
    """The same for the blobs of a `BlobStore`, which are one directory deeper."""
    return _prune(_listed(_blob_files(directory), "pre-images", directory), max_bytes, max_age, now)


def _prune(files: list[_File], max_bytes: int, max_age: float, now: float | None) -> int:
    now = time.time() if now is None else now
    files.sort(key=lambda file: (file.changed, file.path))
    left = sum(file.size for file in files)
    freed = 0
    for file in files:
        age = now - file.changed
        if age < IN_USE or (age <= max_age and left <= max_bytes):
            break
        if _delete(file.path):
            freed += file.size
            left -= file.size
    return freed


def _listed(files: Iterator[_File], what: str, directory: Path) -> list[_File]:
    found: list[_File] = []
    try:
        for file in files:
            found.append(file)  # noqa: PERF402  (what came before an error counts)
    except FileNotFoundError:
        pass  # nothing has been kept yet
    except OSError as error:
        _log.warning("The %s in %s can't be listed: %s", what, directory, error)
    return found


def _output_files(directory: Path) -> Iterator[_File]:
    return _files_in(directory, lambda name: name.startswith(FILE_PREFIX) and name.endswith(FILE_SUFFIX))


def _blob_files(directory: Path) -> Iterator[_File]:
    with os.scandir(directory) as parts:
        folders = [part.path for part in parts if len(part.name) == 2 and part.is_dir(follow_symlinks=False)]
    for folder in folders:
        yield from _files_in(folder, lambda _name: True)


def _files_in(directory: Path | str, wanted: Callable[[str], bool]) -> Iterator[_File]:
    with os.scandir(directory) as entries:
        for entry in entries:
            status = _status(entry) if wanted(entry.name) else None
            if status is not None and stat.S_ISREG(status.st_mode):
                yield _File(status.st_mtime, status.st_size, entry.path)


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # another server has deleted it meanwhile
        return None


def _delete(path: str) -> bool:
    try:
        os.unlink(path)  # noqa: PTH108  (the path is os.scandir's)
    except FileNotFoundError:
        return True
    except OSError as error:
        _log.warning("An old file can't be deleted: %s", error)
        return False
    return True
