"""Which entries of a folder differ from what they were: names, kinds and contents; nothing of patches.

An entry is a file or a symbolic link. Folders are the paths of their entries; an empty one is not seen, nor are pipes,
sockets and devices. What git keeps for itself (`.git`) is no part of a tree.
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
"""A file that was changed so shortly before it was looked at may be changed again with no other time."""


@dataclass(frozen=True, slots=True)
class Entry:
    mode: int
    """As git has it: 0o100644, 0o100755, or 0o120000 for a symbolic link."""
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
    """The bytes of an entry, a link's target; nothing for none.

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
    """One path whose entry is another than it was; None: there is none."""

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

    A file with the same size and time of change is taken for the same, as rsync has it, unless that time is so late
    that a change could hide behind it.

    Args:
        before: the tree as it was; copies have the times of their originals.
        now: the tree as it is.
        taken_ns: when the copy was begun, in nanoseconds since 1970.

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
