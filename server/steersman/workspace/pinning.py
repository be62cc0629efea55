"""Pins directories while something is done in them: a link put in their place meanwhile has no effect.

Needs /proc (Linux). Elsewhere a directory is used by its name, which was checked a moment before.
"""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from steersman.workspace.spelling import composed

_OPEN = Path("/proc/self/fd")
_CAN_PIN = _OPEN.is_dir() and hasattr(os, "O_PATH")


class Replaced(OSError):
    """The path leads to another directory than expected."""


@contextlib.contextmanager
def pinned(directory: Path) -> Iterator[Path]:
    """A path that stays with `directory` (absolute, links resolved), whatever happens to the names that lead to it.

    Raises:
        Replaced: the path leads to another directory now.
        OSError: it can't be opened.
    """
    if not _CAN_PIN:
        yield directory
        return
    descriptor = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        place = _OPEN / str(descriptor)
        if _spelled(os.readlink(place)) != _spelled(str(directory)):  # noqa: PTH115  (Path would change the text)
            raise Replaced(errno.ESTALE, "a directory of the path was replaced")
        yield place
    finally:
        os.close(descriptor)


def _spelled(path: str) -> str:
    """Equal for names that some file system treats as equal: those that differ in case or Unicode form."""
    return path if path.isascii() and path.islower() else composed(path).casefold()
