"""Something that a session does which takes time and is no run: a compaction that the user asks for, a revert."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.clock import Clock
from steersman.session.run import RunState
from steersman.session.waiting import ended_within

log = logging.getLogger(__name__)


class Operation:
    """It begins at once, and ends by itself or when it is aborted. Events tell its result."""

    def __init__(self, id: str, state: RunState, work: Callable[[AbortSignal], Awaitable[None]]) -> None:
        """`state` is what its session does meanwhile."""
        self.id, self.state = id, state
        self._controller = AbortController()
        self.task = asyncio.create_task(self._run(work))

    @property
    def done(self) -> bool:
        return self.task.done()

    def abort(self, reason: str | None = None) -> bool:
        """Asks it to stop. False if it has ended, or been asked before."""
        return not self.done and self._controller.abort(reason)

    async def close(self, clock: Clock, patience: float) -> None:
        """Ends it, within so many seconds."""
        self.abort("the server is closing")
        if not await ended_within(self.task, patience, clock):
            self.task.cancel()
            await asyncio.wait({self.task})

    async def _run(self, work: Callable[[AbortSignal], Awaitable[None]]) -> None:
        try:
            await work(self._controller.signal)
        except Exception:
            log.exception("the operation %s failed", self.id)
