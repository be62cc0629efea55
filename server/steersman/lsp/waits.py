"""Waits for a client that may never answer, on an injected clock."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from steersman.agent.clock import Clock
from steersman.lsp.errors import RequestTimeout

T = TypeVar("T")


async def answered_within(clock: Clock, seconds: float, request: Coroutine[Any, Any, T]) -> T:
    """The result of a request that has no timeout of its own. After `seconds` the request is cancelled.

    Raises:
        RequestTimeout: no answer within `seconds`.
        ClientRequestError: as the request itself.
    """
    task = asyncio.ensure_future(request)
    if not await _first(clock, seconds, task):
        raise RequestTimeout(f"no answer within {seconds:g} s")
    return task.result()


async def set_within(clock: Clock, seconds: float, event: asyncio.Event) -> bool:
    """Whether the event is set within `seconds`."""
    return event.is_set() or await _first(clock, seconds, asyncio.ensure_future(event.wait()))


async def _first(clock: Clock, seconds: float, task: "asyncio.Future[Any]") -> bool:
    """Waits for the task. Returns whether it is done within `seconds`; if not, it is cancelled."""
    sleeper = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({task, sleeper}, return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        task.cancel()
        sleeper.cancel()
        await asyncio.gather(task, sleeper, return_exceptions=True)
