"""Signs beside a file that an editor has it open: Emacs' lock file, Vim's swap file. Knows no connected editors.

Emacs: the link `.#NAME` (a file where there are no links) with `USER@HOST.PID:BOOT`, while the text is unsaved
(GNU Emacs, src/filelock.c). Vim and Neovim: `.NAME.swp`, or `.swo` and so on for further ones, while the file is
open; its first block says who, where, and whether there is unsaved text (Vim, src/memline.c, block 0).
"""

import os
import platform
import re
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.regular import read_head
from steersman.workspace.roots import printable

_SUFFIXES = ("swp", "swo", "swn", "swm", "swl", "swk")
"""Of the swap files of the first Vims that open the same file."""
_LOCK = re.compile(r"(?P<user>.*)@(?P<host>[^@]+)\.(?P<pid>\d{1,10})(?::\d*)?", re.DOTALL)
_SWAP_IDS = (b"b0", b"bc", b"bC", b"bd")
"""Plain, and with each encryption method."""
_BLOCK_BYTES = 1008
_UNSAVED = 0x55
_SHOWN = 60
"""Characters of a user's or host's name that are shown."""
_SLACK = 60.0
"""Seconds by which a clock may have been corrected since a lock was made."""


@dataclass(frozen=True, slots=True)
class EditorLock:
    """What a lock file says about its maker."""

    editor: str
    user: str
    host: str
    pid: int
    made: float
    """When it was last written, in seconds since 1970. Its maker was running by then."""
    unsaved: bool | None = None
    """Whether there is unsaved text; None if the lock doesn't say."""

    def __str__(self) -> str:
        names = [printable(name)[:_SHOWN] for name in (self.user, self.host)]
        unsaved = ", with unsaved text" if self.unsaved else ""
        return f"{self.editor}: {names[0] or 'somebody'} on {names[1]}, process {self.pid}{unsaved}"


def held_by(
    path: Path, *, this_host: str | None = None, swap_directories: Sequence[Path] | None = None
) -> str | None:
    """Which editor has a file (an absolute path) open, in words; None if there is no sign of one.

    A lock is ignored if its process ran on this host and has ended. `swap_directories` are those where swap files are
    named after whole paths; by default Neovim's own.
    """
    host = platform.node() if this_host is None else this_host
    directories = _neovims() if swap_directories is None else swap_directories
    for lock in _locks(path, directories):
        if not (_is_here(lock.host, host) and _has_ended(lock)):
            return str(lock)
    return None


def _locks(path: Path, swap_directories: Sequence[Path]) -> Iterator[EditorLock]:
    if (lock := _emacs_lock(path.parent / f".#{path.name}")) is not None:
        yield lock
    hidden = path.name if path.name.startswith(".") else f".{path.name}"
    places = [path.parent / hidden, *(each / str(path).replace("/", "%") for each in swap_directories)]
    for place in places:
        for suffix in _SUFFIXES:
            if (lock := _swap_file(place.with_name(f"{place.name}.{suffix}"))) is not None:
                yield lock


def _emacs_lock(lock: Path) -> EditorLock | None:
    try:
        status = lock.lstat()
        is_link = stat.S_ISLNK(status.st_mode)
        told = str(lock.readlink()) if is_link else os.fsdecode(read_head(lock, 512))
    except (OSError, ValueError):
        return None
    found = _LOCK.fullmatch(told.strip())
    if found is None:
        return None
    return EditorLock("Emacs", found["user"], found["host"], int(found["pid"]), status.st_mtime, unsaved=True)


def _swap_file(swap: Path) -> EditorLock | None:
    try:
        made = swap.lstat().st_mtime
        block = read_head(swap, _BLOCK_BYTES)
    except (OSError, ValueError):
        return None
    if len(block) < _BLOCK_BYTES or block[:2] not in _SWAP_IDS:
        return None
    user, host = (os.fsdecode(field.split(b"\0", 1)[0]) for field in (block[28:68], block[68:108]))
    pid = int.from_bytes(block[24:28], "little")
    return EditorLock("Vim", user, host, pid, made, unsaved=block[_BLOCK_BYTES - 1] == _UNSAVED)


def _neovims() -> list[Path]:
    # Path.expanduser would raise where the user has no home directory.
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111
    return [Path(state) / "nvim" / "swap"] if state.startswith("/") else []


def _is_here(host: str, this_host: str) -> bool:
    """Whether both are the same host. Some name it with its domain, some without."""
    one, other = host.casefold(), this_host.casefold()
    if "." in one and "." in other:
        return one == other
    return one.partition(".")[0] == other.partition(".")[0]


def _has_ended(lock: EditorLock) -> bool:
    """Whether the process is gone, or its number belongs to another one now."""
    if lock.pid <= 0:
        return True
    try:
        os.kill(lock.pid, 0)
    except PermissionError:
        pass  # somebody else's
    except (ProcessLookupError, OverflowError):
        return True
    began = _began(lock.pid)
    return began is not None and began > lock.made + _SLACK


def _began(pid: int) -> float | None:
    """When a process started, in seconds since 1970 (proc_pid_stat(5)); None where that can't be known."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        ticks = int(fields[19])
        booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        return booted + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError, ValueError):
        return None
