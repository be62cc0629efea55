"""Looking at real processes, and waiting for their end, for tests of commands."""

import asyncio
import os
import select
from pathlib import Path


class StopSwitch:
    """A stop port that the test throws."""

    def __init__(self) -> None:
        self._thrown = asyncio.Event()

    @property
    def aborted(self) -> bool:
        return self._thrown.is_set()

    async def wait(self) -> None:
        await self._thrown.wait()

    def throw(self) -> None:
        self._thrown.set()


def alive_with(word: str) -> set[int]:
    """The processes that live and have `word` in their environment."""
    found = set()
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit():
            continue
        try:
            environment = (directory / "environ").read_bytes()
        except OSError:
            continue
        if word.encode() in environment:  # a zombie's environment is empty
            found.add(int(directory.name))
    return found


def wait_gone(pid: int, seconds: float = 20.0) -> None:
    """Blocks until the process has ended.

    Raises:
        AssertionError: it lives on.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    assert ended, f"process {pid} lives on"


def pipes_of(pid: int | str) -> set[str]:
    """The pipes that a process has open, by their inode, such as `pipe:[4711]`."""
    return {target for target in descriptors_of(pid).values() if target.startswith("pipe:")}


def descriptors_of(pid: int | str) -> dict[int, str]:
    """A process's open descriptors and what they lead to."""
    found = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found[int(link.name)] = str(link.readlink())
        except OSError:  # the one that the listing itself needed
            continue
    return found


def others_holding(target: str) -> set[int]:
    """The other processes that have this pipe or file open."""
    found = set()
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit() and int(directory.name) != os.getpid():
            try:
                if target in descriptors_of(directory.name).values():
                    found.add(int(directory.name))
            except OSError:
                continue
    return found
