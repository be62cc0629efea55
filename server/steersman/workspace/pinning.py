"""Directories held fast while something is done in them, so that a link put in their place meanwhile leads nowhere.

It needs /proc (Linux). Elsewhere a directory is used by its name, as it was checked a moment before.
"""

import contextlib
import errno
import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

_OPEN = Path("/proc/self/fd")
_CAN_PIN = _OPEN.is_dir() and hasattr(os, "O_PATH")


class Replaced(OSError):
    """Another directory is where this one was expected."""


@contextlib.contextmanager
def pinned(directory: Path) -> Iterator[Path]:
    """A name for `directory` (absolute, links resolved) that stays with it, whatever is done to the names in its path.

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
    """Some file systems take names for the same that differ in case or in their Unicode form."""
    return path if path.isascii() and path.islower() else unicodedata.normalize("NFC", path).casefold()
