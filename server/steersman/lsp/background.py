"""Tasks that run beside the handling of messages: nothing waits for them before the connection ends."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """Owns its tasks. One that ends is forgotten, one that fails is logged; `close` ends the rest."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Starts a task; after `close` it does nothing."""
        if self._closed:
            work.close()
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def close(self, *, cancel: bool = True) -> None:
        """Waits until every task has ended, and cancels them first unless `cancel` is false."""
        self._closed = True
        tasks = list(self._tasks)
        if cancel:
            for task in tasks:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("A background task failed.", exc_info=error)
