"""A clock that stands still until the test moves it."""

import asyncio

SETTLE = 40  # turns of the event loop in which everything that can go on without time does


class ManualClock:
    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        sleeper = (self.now + seconds, asyncio.get_running_loop().create_future())
        self._sleepers.append(sleeper)
        try:
            await sleeper[1]
        finally:
            self._sleepers.remove(sleeper)

    def advance(self, seconds: float) -> None:
        """Moves the time on and wakes whoever is due."""
        self.now += seconds
        for due, sleeper in self._sleepers:
            if due <= self.now and not sleeper.done():
                sleeper.set_result(None)

    async def elapse_until(self, task: "asyncio.Future[object]", *, at_most: float = 10_000.0) -> float:
        """Lets time pass, from one sleeper to the next, until `task` is done. Returns the seconds that it took."""
        began = self.now
        while not task.done():
            await settle()
            if task.done():
                break
            waiting = [due for due, sleeper in self._sleepers if not sleeper.done()]
            if not waiting or self.now - began > at_most:
                raise AssertionError(f"nothing will end this: {task!r}")
            self.advance(max(0.0, min(waiting) - self.now))
        return self.now - began


async def settle() -> None:
    """Returns when all that can go on without time or the test has done so."""
    for _ in range(SETTLE):
        await asyncio.sleep(0)
