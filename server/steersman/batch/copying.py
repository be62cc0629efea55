"""Copies whole folders, and removes them. Links, times and permissions are kept; only pipes, sockets and devices are
left out.
"""

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PIECE = 1 << 30
"""Most bytes of one call. The kernel copies them, or shares their blocks if the file system can."""
_CANNOT = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM, errno.EBADF)


def copy_tree(source: Path, target: Path) -> None:
    """Copies a folder to `target`, which must not exist. Blocks.

    Hard links become separate files: no change of the copy reaches the source. What goes meanwhile is left out.

    Raises:
        OSError: something could not be copied. What was copied so far stays.
    """
    folders: list[tuple[str, str]] = []
    waiting = [(os.fspath(source), os.fspath(target))]
    while waiting:
        here, there = waiting.pop()
        Path(there).mkdir(mode=0o700)
        folders.append((here, there))
        with _unless_gone(here, there), os.scandir(here) as found:
            for each in found:
                to = f"{there}/{each.name}"
                if each.is_dir(follow_symlinks=False):
                    waiting.append((each.path, to))
                else:
                    copy_entry(each, to)
    source.stat()  # it has not gone itself
    # Last, and innermost first: each new entry changes its folder's time, and some folders must not be writable.
    for here, there in reversed(folders):
        with _unless_gone(here, there):
            shutil.copystat(here, there)


def copy_entry(entry: os.DirEntry[str], target: str) -> None:
    """Copies a file or a link; nothing else, and nothing that has gone since it was listed.

    Raises:
        OSError: it could not be copied.
    """
    with _unless_gone(entry.path, target):
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), target)  # noqa: PTH115, PTH211 - a Path would change the text
        elif entry.is_file(follow_symlinks=False):
            _copy_file(entry.path, target)


@contextmanager
def _unless_gone(source: str, target: str) -> Iterator[None]:
    """Ends the context if the source has gone. What was made of it stays, unless it is a file."""
    try:
        yield
    except FileNotFoundError:
        if os.path.lexists(source):
            raise
        if not os.path.isdir(target):  # noqa: PTH112 - as above
            Path(target).unlink(missing_ok=True)


def _copy_file(source: str, target: str) -> None:
    if not _copied_by_the_kernel(source, target):
        shutil.copyfile(source, target)
    shutil.copystat(source, target)


def _copied_by_the_kernel(source: str, target: str) -> bool:
    if not hasattr(os, "copy_file_range"):
        return False
    with open(source, "rb", buffering=0) as given, open(target, "xb", buffering=0) as made:  # noqa: PTH123 - hot
        try:
            copied = 0
            while piece := os.copy_file_range(given.fileno(), made.fileno(), _PIECE):
                copied += piece
        except OSError as error:
            if error.errno in _CANNOT:
                return False
            raise
        # Pseudo files (/proc) pretend to be empty: copy_file_range copies nothing of them.
        return copied > 0 or not given.read(1)


def remove_tree(path: Path) -> None:
    """Removes a folder, even if it is not writable. Does nothing if there is none. Blocks.

    Each folder further down is moved to the top before it is emptied: no depth is too deep for a name or for the stack.

    Raises:
        OSError: something is still there.
    """
    if not os.path.lexists(path):
        return
    _open_up(path)
    mark, count = secrets.token_hex(8), 0
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        with os.scandir(folder) as found:
            entries = list(found)
        for each in entries:
            inner = Path(each.path)
            if not each.is_dir(follow_symlinks=False):
                inner.unlink()
                continue
            _open_up(inner)
            count += 1
            waiting.append(inner.rename(path / f"{mark}-{count}"))
        if folder != path:
            folder.rmdir()
    path.rmdir()


def _open_up(folder: Path) -> None:
    mode = folder.stat().st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        folder.chmod(stat.S_IMODE(mode) | stat.S_IRWXU)
