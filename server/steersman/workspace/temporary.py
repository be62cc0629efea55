"""Temporary files beside what they become, and their removal where the process that wrote them was killed.

Such a file is known by its name, and by nobody's holding it any more. Blocking.
"""

import contextlib
import logging
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from steersman.workspace.advisory_lock import try_lock

_log = logging.getLogger(__name__)
_NAME = re.compile(r"\.steersman-(\d+)-[0-9a-f]{12}\.tmp")


@contextlib.contextmanager
def temporary_file(directory: Path, data: bytes, *, permissions: int = 0o600) -> Iterator[tuple[Path, int]]:
    """A new file in `directory` that holds `data`; gone at the end unless it was renamed. Locked as long as it is used.

    Its name is short and bounded in length: one made from a name of the longest length would be too long.
    """
    path = directory / f".steersman-{os.getpid()}-{secrets.token_hex(6)}.tmp"
    descriptor = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, permissions
    )
    try:
        try:
            try_lock(descriptor)
            write_all(descriptor, data)
            yield path, descriptor
        finally:
            os.close(descriptor)
    finally:
        path.unlink(missing_ok=True)


def remove_leftovers(directory: Path) -> int:
    """Removes the temporary files in `directory` of processes that were killed; returns how many there were.

    One that is in use is not touched: its process lives, or holds its lock. Our own are known by the lock alone: they
    are left where a disk took nothing any more, not even that a file goes. What can't be removed is logged and stays.
    """
    removed = 0
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
        for name in names:
            removed += _remove_if_left(directory / name)
    except FileNotFoundError:
        return removed
    except OSError as error:
        _log.warning("%s can't be looked through for temporary files: %s", directory, error)
    return removed


def _remove_if_left(path: Path) -> bool:
    match = _NAME.fullmatch(path.name)
    if match is None:
        return False
    is_ours = int(match[1]) == os.getpid()
    if not is_ours and _is_alive(int(match[1])):
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False  # somebody else has removed it, or it is no file of ours
    try:
        locked = try_lock(descriptor)  # process numbers tell nothing across containers, a lock does
        if locked is False or (is_ours and locked is None):
            return False
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    return True


def _is_alive(process: int) -> bool:
    """True where it is not known: on Windows, where asking would end it."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another user's
    return True


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it.

    Raises:
        OSError: some of it may have been written.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
