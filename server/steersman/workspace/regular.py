"""Opening regular files only: a pipe, a socket or a device is refused, never waited for.

Blocking; knows no workspace and raises OSError.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CHUNK = 1024 * 1024


class NotRegular(OSError):
    """A directory, device, pipe or socket is where a file was expected; `strerror` says which."""


class TooLarge(OSError):
    """The file has more bytes than the caller accepts."""

    def __init__(self, size: int) -> None:
        super().__init__(errno.EFBIG, "the file is too large")
        self.size = size


@contextmanager
def opened(path: Path) -> Iterator[tuple[int, os.stat_result]]:
    """A descriptor for reading a regular file, and the file's state. A link in the last place is not followed.

    Raises:
        NotRegular, OSError.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        status = os.fstat(descriptor)
        require_regular(status)
        yield descriptor, status
    finally:
        os.close(descriptor)


def read_regular(path: Path, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its state when it was opened.

    Raises:
        NotRegular, TooLarge, OSError.
    """
    with opened(path) as (descriptor, status):
        if status.st_size > max_bytes:
            raise TooLarge(status.st_size)
        # One byte more than expected reaches the end in the same call. Pseudo files claim 0 bytes and have more.
        data = os.read(descriptor, status.st_size + 1)
        if len(data) != status.st_size:
            data = _read_on(descriptor, data, max_bytes)
        return data, status


def read_head(path: Path, size: int) -> bytes:
    """The first `size` bytes of a regular file.

    Raises:
        NotRegular, OSError.
    """
    with opened(path) as (descriptor, _):
        return os.read(descriptor, size)


def _read_on(descriptor: int, begun: bytes, max_bytes: int) -> bytes:
    parts, size = [begun], len(begun)
    while size <= max_bytes and (part := os.read(descriptor, _CHUNK)):
        parts.append(part)
        size += len(part)
    if size > max_bytes:
        raise TooLarge(size)
    return b"".join(parts)


def require_regular(status: os.stat_result) -> None:
    """Raises NotRegular unless `status` is that of a regular file."""
    kind = describe_kind(status.st_mode)
    if kind != "file":
        raise NotRegular(errno.EISDIR if kind == "directory" else errno.EINVAL, kind)


def describe_kind(mode: int) -> str:
    """`file`, `directory`, `symbolic link`, `pipe`, `socket` or `device`."""
    kinds = {
        stat.S_IFREG: "file",
        stat.S_IFDIR: "directory",
        stat.S_IFLNK: "symbolic link",
        stat.S_IFIFO: "pipe",
        stat.S_IFSOCK: "socket",
    }
    return kinds.get(stat.S_IFMT(mode), "device")
