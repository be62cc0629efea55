"""Whether a file is still in the state in which it was looked at. Blocking."""

import os
from pathlib import Path


class WrittenMeanwhile(Exception):
    """Somebody else has written or replaced the file, or changed its mode."""


def require_untouched(path: Path, status: os.stat_result) -> None:
    """Raises:
    WrittenMeanwhile: the file or link at `path` is not in the state `status`.
    OSError: it is gone.
    """
    if _state(path.lstat()) != _state(status):
        raise WrittenMeanwhile


def _state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode
