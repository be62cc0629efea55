"""A new name for what has one, unless that name is taken: looked up and given in one step, where the system can.

Python knows only the rename that replaces. Blocking.
"""

import errno
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

ExclusiveRename = Callable[[bytes, bytes], int]
"""From one path to another: 0, or the number of the error. It replaces nothing."""

_AT_FDCWD: Final = -100
_RENAME_NOREPLACE: Final = 1
"""Both of Linux: renameat2(2)."""
_RENAME_EXCL: Final = 4
"""Of macOS: renamex_np(2)."""
_UNKNOWN: Final = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What a kernel or a file system says that doesn't know the way. EINVAL has other causes: the plain rename tells them
again."""


@functools.cache
def exclusive_rename() -> ExclusiveRename | None:
    """The system's own; None where it has none."""
    try:
        import ctypes  # noqa: PLC0415 - not before an editor has its answer

        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            call = library.renamex_np
            call.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint)
            return lambda source, target: ctypes.get_errno() if call(source, target, _RENAME_EXCL) else 0
        call = library.renameat2
        call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    except (ImportError, OSError, AttributeError, TypeError):
        return None

    def rename(source: bytes, target: bytes) -> int:
        failed = call(_AT_FDCWD, source, _AT_FDCWD, target, _RENAME_NOREPLACE)
        return ctypes.get_errno() if failed else 0

    return rename


def rename_new(source: Path, target: Path, exclusive: ExclusiveRename | None) -> None:
    """Renames a file or a symbolic link itself. Without `exclusive`, or where it is unknown, a file that is made at the
    target in the same moment is replaced.

    Raises:
        FileExistsError: something is at the target.
        OSError: as of `os.rename`.
    """
    number = errno.ENOSYS if exclusive is None else exclusive(os.fsencode(source), os.fsencode(target))
    if number == 0:
        return
    if number not in _UNKNOWN:
        raise OSError(number, os.strerror(number), str(source), None, str(target))
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)
