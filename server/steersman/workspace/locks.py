"""Locks on files: among the sessions of a server, and among processes for the moment of a change."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from steersman.workspace.advisory_lock import try_lock
from steersman.workspace.spelling import composed

PATIENCE = 2.0
"""Seconds to wait for another process. A change takes milliseconds: whoever holds the lock longer isn't making one."""
_PAUSE = 0.002


class LockTable:
    """Locks by resolved path, made when needed and dropped when nobody holds or awaits them.

    Names that some file systems treat as equal (case, Unicode form) share a lock. On others that only costs a wait.
    """

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @property
    def in_use(self) -> int:
        """The number of locks that somebody holds or awaits."""
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, *paths: Path) -> AsyncIterator[None]:
        """Holds the locks of all `paths`. They are always taken in the same order, which rules out deadlocks."""
        keys = sorted({composed(str(path)).casefold() for path in paths})
        async with AsyncExitStack() as stack:
            for key in keys:
                await stack.enter_async_context(self._one(key))
            yield

    @asynccontextmanager
    async def _one(self, key: str) -> AsyncIterator[None]:
        lock, users = self._locks.get(key) or (asyncio.Lock(), 0)
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)


@contextlib.contextmanager
def alone_on(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Keeps other Steersman processes from changing the file between a last look at it and its replacement.

    The lock is on the file that is there now, not on its name: whoever has waited for it has to look again, since the
    name may belong to another file by then. It is advisory: where there are no locks, or a stranger holds this one for
    longer than `patience` seconds, the work is done without it. Blocking.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _lock(descriptor, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, deadline: float) -> None:
    while try_lock(descriptor) is False:
        if time.monotonic() > deadline:
            return
        time.sleep(_PAUSE)  # flock itself could wait for the lock, but not for a bounded time
