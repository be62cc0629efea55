"""The lock of a session log: while one process writes the log, no other one can.

The lock belongs to an open file. It goes with the process that holds it, however that process ends.
"""

import errno
import time
from typing import Final

try:
    import fcntl
except ImportError:  # Windows has no fcntl; there a second writer is not noticed
    fcntl = None  # type: ignore[assignment]  # the module is absent, and looked at before use

HAS_LOCKS: Final = fcntl is not None
REFUSED: Final = (errno.EAGAIN, errno.EACCES)
"""What the system says where somebody else has the lock."""
_TRIES, _PAUSE = 3, 0.002
"""Attempts, and the seconds between them: whoever lists sessions holds each lock for some microseconds."""


def lock(fd: int) -> None:
    """Takes the lock for writing. A process that only looks (`is_being_written`) is waited for.

    Raises:
        OSError: another process has it (its number is in `REFUSED`), or the file system has no locks.
    """
    for _ in range(_TRIES):
        if not _is_locked(fd, for_writing=True):
            return
        time.sleep(_PAUSE)
    if fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_being_written(fd: int) -> bool:
    """Whether another open file has the lock. `fd` is opened for reading."""
    locked = _is_locked(fd)
    if not locked and fcntl is not None:
        fcntl.flock(fd, fcntl.LOCK_UN)
    return locked


def _is_locked(fd: int, *, for_writing: bool = False) -> bool:
    """Tries to take the lock, and holds it if the answer is no."""
    if fcntl is not None:
        try:
            fcntl.flock(fd, (fcntl.LOCK_EX if for_writing else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in REFUSED:
                return True
            raise
    return False
