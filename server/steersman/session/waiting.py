"""Waits for something with a limit of time, on the injected clock."""

import asyncio

from steersman.agent.clock import Clock


async def ended_within(work: "asyncio.Task[object]", seconds: float, clock: Clock) -> bool:
    """Whether `work` is done before the time is over. Cancels nothing."""
    sleeper = asyncio.create_task(clock.sleep(seconds))
    try:
        await asyncio.wait({work, sleeper}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        sleeper.cancel()
        await asyncio.gather(sleeper, return_exceptions=True)
    return work.done()
