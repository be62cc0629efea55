"""One lock per file for all sessions of a server. It knows paths as names only."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path


class LockTable:
    """Locks by resolved path, made when they are needed and dropped when nobody holds or awaits them.

    Names that some file system takes for the same (case, Unicode form) share a lock; elsewhere that only queues.
    """

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, *paths: Path) -> AsyncIterator[None]:
        """Holds the locks of all `paths`, taken in one order everywhere, so that nobody waits in a circle."""
        keys = sorted({unicodedata.normalize("NFC", str(path)).casefold() for path in paths})
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
