"""Work that has an owner: it is awaited, told of an abort, cancelled if it doesn't stop, and never just forgotten."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.clock import Clock

log = logging.getLogger(__name__)
T = TypeVar("T")


class WorkAborted(Exception):
    """The work was cancelled before it had a result."""


class WorkLeftRunning(Exception):
    """The work ignored both the abort and its cancellation; it is one of the strays now."""


class Strays:
    """Tasks that would not stop: logged when they are left, told of when they end, awaited at close."""

    def __init__(self, on_settled: Callable[[str, str], None] | None = None) -> None:
        """`on_settled(what, how)` is called when a stray ends after all; `how` is what came of it, in a few words."""
        self._tasks: dict[asyncio.Future[Any], str] = {}  # Any: whatever the work returns; nobody looks at it
        self._on_settled = on_settled

    def __len__(self) -> int:
        return len(self._tasks)

    def add(self, task: "asyncio.Future[Any]", what: str) -> None:
        log.warning("%s did not stop and was left running", what)
        self._tasks[task] = what
        task.add_done_callback(self._settled)

    async def close(self, clock: Clock, patience: float) -> list[str]:
        """Waits up to `patience` seconds for all of them. Returns those that still run."""
        if self._tasks:
            await _first_of(clock, patience, asyncio.gather(*self._tasks, return_exceptions=True))
        return list(self._tasks.values())

    def _settled(self, task: "asyncio.Future[Any]") -> None:
        what = self._tasks.pop(task)
        if task.cancelled():
            how = "ended by cancellation"
        elif error := task.exception():
            log.warning("%s failed after its run had ended", what, exc_info=error)
            how = "ended with an error"
        else:
            how = "ended by itself"
        if self._on_settled:
            self._on_settled(what, how)


async def supervise(
    work: Awaitable[T],
    *,
    what: str,
    signal: AbortSignal,
    clock: Clock,
    strays: Strays,
    grace: float,
) -> T:
    """Runs `work` to its end.

    After an abort it has `grace` seconds to end by itself and, once cancelled, as many again; then it is left to
    `strays`. If the caller is cancelled, the work is cancelled at once.

    Raises:
        WorkAborted: cancelled, by us after an abort or by itself.
        WorkLeftRunning: still running.
        Exception: what the work raised.
    """
    task = asyncio.ensure_future(work)
    try:
        await until_aborted(task, signal)
        if not task.done() and grace > 0:
            await _first_of(clock, grace, task)
    finally:
        await stop(task, what=what, clock=clock, strays=strays, grace=grace)
    if not task.done():
        raise WorkLeftRunning(what)
    if task.cancelled():
        raise WorkAborted(what)
    return task.result()


async def until_aborted(task: "asyncio.Future[Any]", signal: AbortSignal) -> None:
    """Returns when `task` is done, or at the abort."""
    if signal.aborted or task.done():
        return
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake(_: object = None) -> None:
        if not waiter.done():
            waiter.set_result(None)

    withdraw = signal.on_abort(wake)
    task.add_done_callback(wake)
    try:
        await waiter
    finally:
        withdraw()
        task.remove_done_callback(wake)


async def stop(
    task: "asyncio.Future[Any]",
    *,
    what: str,
    clock: Clock,
    strays: Strays,
    grace: float,
    patience: float = 0,
) -> None:
    """Gives `task` `patience` seconds to end, cancels it, and after `grace` more leaves it to `strays`."""
    try:
        if not task.done() and patience > 0:
            await _first_of(clock, patience, task)
        if not task.done():
            task.cancel()
            await _first_of(clock, grace, task)
    finally:
        if not task.done():
            task.cancel()  # our own wait may have been cut short before the first time
            strays.add(task, what)
        elif not task.cancelled():
            task.exception()  # retrieved here: a caller that is being cancelled won't, and asyncio would complain


async def pause(seconds: float, *, signal: AbortSignal, clock: Clock) -> None:
    """Waits for `seconds`, or until the abort if that is sooner."""
    if seconds <= 0 or signal.aborted:
        return
    aborted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    withdraw = signal.on_abort(lambda: aborted.set_result(None))
    try:
        await _first_of(clock, seconds, aborted)
    finally:
        withdraw()
        aborted.cancel()


async def _first_of(clock: Clock, seconds: float, work: "asyncio.Future[Any]") -> None:
    """Returns when `work` is done or the time is up, whichever is first. Never cancels `work`."""
    sleeper = asyncio.create_task(clock.sleep(seconds))
    try:
        await asyncio.wait({work, sleeper}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeper.cancel()
        await asyncio.gather(sleeper, return_exceptions=True)
