"""Acts as a user who is not root, to whom permissions matter even where the tests run as root."""

import concurrent.futures.thread  # noqa: F401 - loaded late, from where nobody may have no access
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534
"""The user and the group that own nothing."""
UNKNOWN = 54_321
"""A user whom the system doesn't know, as containers have them."""


@contextmanager
def without_privileges(user: int = NOBODY) -> Iterator[None]:
    """Files are reached as by that user within, if this is root, and as by this user otherwise."""
    if os.geteuid() != 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.setresuid(user, user, 0)  # whom a process may send something, its real user decides as well
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setegid(group)
        os.setgroups(groups)


class Common:
    """A folder that nobody owns and may reach, unlike pytest's own, which are closed to all but their owner."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.own(root)

    def own(self, path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def put(self, name: str, data: bytes = b"one\n", *, time: float | None = None) -> Path:
        """Writes a file, with the directories on the way; `time` is that of its last write."""
        path = self.root / name
        for directory in reversed(path.relative_to(self.root).parents[:-1]):
            (self.root / directory).mkdir(exist_ok=True)
            self.own(self.root / directory)
        path.write_bytes(data)
        self.own(path)
        if time is not None:
            os.utime(path, (time, time))
        return path


@contextmanager
def common_folder() -> Iterator[Common]:
    root = Path(tempfile.mkdtemp(prefix="steersman-")).resolve()
    try:
        yield Common(root)
    finally:
        for directory, _, _ in os.walk(root):
            Path(directory).chmod(0o700)  # what a test has closed
        shutil.rmtree(root)
