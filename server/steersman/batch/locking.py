"""Locks between processes, on one machine or on a shared file system. They end with the process that holds them."""

import asyncio
import errno
import fcntl
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

_PAUSE = 0.2
"""Seconds between two attempts to take a lock: a blocking flock could not be called off."""


class Held(Exception):
    """Another process has the lock. The text is what it wrote into the file: its process id."""


def take(path: Path) -> int:
    """Takes the lock at once and writes this process's id into it. Returns the descriptor that holds it.

    Raises:
        Held: another process has it.
        OSError: the file can't be made or locked.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d" % os.getpid(), 0)
    except BlockingIOError:
        who = os.pread(descriptor, 100, 0).decode(errors="replace")
        os.close(descriptor)
        raise Held(who) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return descriptor  # it is locked; only the process id could not be written
        os.close(descriptor)
        raise
    return descriptor


def take_within(path: Path, seconds: float) -> int | None:
    """Like `take`, but waits for the lock; None if it isn't free in time. Blocks.

    Raises:
        OSError: the file can't be made or locked.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            return take(path)
        except Held:
            if time.monotonic() > deadline:
                return None
            time.sleep(_PAUSE)


@asynccontextmanager
async def holding(path: Path, called_off: Callable[[], bool]) -> AsyncIterator[bool]:
    """Waits for the lock and holds it in the context. Gives whether it holds it: not if `called_off` says so.

    Raises:
        OSError: the file can't be made or locked.
    """
    descriptor = None
    while descriptor is None and not called_off():
        try:
            descriptor = take(path)
        except Held:
            await asyncio.sleep(_PAUSE)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            os.close(descriptor)
