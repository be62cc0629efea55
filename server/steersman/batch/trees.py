"""Finds the entries of a folder that have changed: added, deleted, or with another kind, mode or content.

An entry is a file or a symbolic link. Like git, it knows folders only by the entries in them, so an empty folder is not
seen; neither are pipes, sockets and devices, nor git's own files (`.git`).
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.regular import NotRegular, TooLarge, read_regular

MAX_BYTES = 1 << 30
"""Of one file. A larger one is no work to be handed over, and two of them would not fit into the memory of many."""
RACY_NS = 2_000_000_000
"""A file changed so shortly before it was looked at may be changed again without getting another time."""


@dataclass(frozen=True, slots=True)
class Entry:
    mode: int
    """Git's: 0o100644, 0o100755 (executable), or 0o120000 for a symbolic link."""
    size: int
    mtime_ns: int

    @property
    def is_link(self) -> bool:
        return self.mode == LINK


LINK = 0o120000
_PLAIN, _EXECUTABLE = 0o100644, 0o100755


def read_entries(root: Path) -> dict[str, Entry]:
    """All entries below `root` by their path, with `/` between its parts. Blocks.

    Raises:
        OSError: a folder can't be read.
    """
    return dict(_walk(os.fspath(root)))


def _walk(root: str) -> Iterator[tuple[str, Entry]]:
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        with os.scandir(os.path.join(root, prefix)) as found:  # noqa: PTH118 - hot: a Path for each entry is slow
            for each in found:
                if each.name.casefold() == ".git":
                    continue
                path = prefix + each.name
                if each.is_dir(follow_symlinks=False):
                    waiting.append(f"{path}/")
                elif (entry := _entry(each)) is not None:
                    yield path, entry


def _entry(found: os.DirEntry[str]) -> Entry | None:
    status = found.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, status.st_size, status.st_mtime_ns)
    if not stat.S_ISREG(status.st_mode):
        return None
    mode = _EXECUTABLE if status.st_mode & stat.S_IXUSR else _PLAIN
    return Entry(mode, status.st_size, status.st_mtime_ns)


def content(root: Path, path: str, entry: Entry | None) -> bytes:
    """The bytes of a file, or the target of a link; empty if `entry` is None.

    Raises:
        OSError: it can't be read, is no file any more, or has more than MAX_BYTES.
    """
    if entry is None:
        return b""
    place = root / path
    if entry.is_link:
        return os.readlink(os.fsencode(place))  # noqa: PTH115 - a Path would change the text
    try:
        return read_regular(place, MAX_BYTES)[0]
    except (NotRegular, TooLarge) as error:
        error.filename = os.fspath(place)
        raise


@dataclass(frozen=True, slots=True)
class Difference:
    """One path whose entry has changed. None: there was or is no entry."""

    path: str
    old: Entry | None
    new: Entry | None

    @property
    def kind(self) -> str:
        if self.old is None:
            return "added"
        return "deleted" if self.new is None else "changed"


def differences(before: Path, now: Path, taken_ns: int) -> list[Difference]:
    """The paths that differ, sorted by their bytes. Blocks.

    Like rsync, it takes a file with the same mode, size and modification time for unchanged, unless that time is so
    close to the copying that a later change could have the same.

    Args:
        before: the tree as it was. A copy has the times of its original.
        now: the tree as it is.
        taken_ns: when copying began, in nanoseconds since 1970.

    Raises:
        OSError: something can't be read.
    """
    old, new = read_entries(before), read_entries(now)
    paths = sorted(old.keys() | new.keys(), key=os.fsencode)
    safe_until = taken_ns - RACY_NS
    return [
        Difference(path, old.get(path), new.get(path))
        for path in paths
        if not _seems_same(old.get(path), new.get(path), safe_until)
        and _differs(before, now, Difference(path, old.get(path), new.get(path)))
    ]


def _seems_same(old: Entry | None, new: Entry | None, safe_until: int) -> bool:
    return new is not None and old == new and not new.is_link and new.mtime_ns < safe_until


def _differs(before: Path, now: Path, each: Difference) -> bool:
    if each.old is None or each.new is None:
        return True
    if (each.old.mode, each.old.size) != (each.new.mode, each.new.size):
        return True
    return content(before, each.path, each.old) != content(now, each.path, each.new)
