"""The advisory lock of an open file (flock), which another process can see. Knows no paths."""

import errno

try:
    import fcntl
except ImportError:  # Windows has no fcntl, and so no such locks
    fcntl = None  # type: ignore[assignment]  # the module is absent, and checked for before use


def try_lock(descriptor: int) -> bool | None:
    """Takes the lock for as long as the file is open, without waiting. False: somebody else has it. None: there are no
    locks here; not every file system has them."""
    locked: bool | None = None
    if fcntl is not None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked = True
        except OSError as error:
            locked = False if error.errno in (errno.EAGAIN, errno.EACCES) else None
    return locked
