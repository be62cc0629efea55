"""Temporary files next to what they become, and their removal after the process that wrote them was killed.

A leftover is recognised by its name, and by its lock, which nobody holds any more. Blocking.
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
    """A new file in `directory` with `data` in it, locked while it is used. It is removed at the end unless it was
    renamed.

    Its name is short: one derived from the final name could be too long.
    """
    path, descriptor = _made(directory, permissions)
    try:
        try:
            write_all(descriptor, data)
            yield path, descriptor
        finally:
            os.close(descriptor)
    finally:
        path.unlink(missing_ok=True)


def _made(directory: Path, permissions: int) -> tuple[Path, int]:
    """A new file that nobody takes for a leftover: somebody who looks for these may have found it before it was locked.
    Whoever has the lock by then removes it, if that has not been done already."""
    while True:
        path = directory / f".steersman-{os.getpid()}-{secrets.token_hex(6)}.tmp"
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, permissions
        )
        if try_lock(descriptor) is not False and os.path.lexists(path):
            return path, descriptor
        os.close(descriptor)


def remove_leftovers(directory: Path) -> int:
    """Removes the temporary files in `directory` that killed processes have left. Returns their number.

    Files in use are not touched: their process is alive, or holds the lock. For our own, the lock alone counts: we
    leave one if a full disk refused even its removal. What can't be removed is logged and stays.
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
        _log.warning("%s can't be searched for temporary files: %s", directory, error)
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
        return False  # somebody else has removed it, or it is not ours
    try:
        locked = try_lock(descriptor)  # process numbers tell nothing across containers, a lock does
        if locked is False or (is_ours and locked is None):
            return False
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
    return True


def _is_alive(process: int) -> bool:
    """True where we can't know: on Windows, asking would end the process."""
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
