"""Cooperative cancellation: one controller aborts, everything that holds its signal finds out."""

import asyncio
from collections.abc import Callable


class AbortSignal:
    """Tells whether a run is to stop. Passed to the model stream, to hooks and to every tool.

    Reading `aborted` is a plain attribute look-up; waiting costs one future. All use is from one event loop.
    """

    __slots__ = ("_callbacks", "aborted", "reason")

    def __init__(self) -> None:
        self.aborted = False
        """True from the instant of the abort on; it never becomes false again."""
        self.reason: str | None = None
        """What the one who aborted said, for people; None before the abort or when nothing was said."""
        self._callbacks: dict[int, Callable[[], None]] = {}

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls `callback` once, at the abort, or at once if it has been. Returns a function that withdraws it."""
        if self.aborted:
            callback()
            return _nothing
        key = id(callback)
        while key in self._callbacks:
            key += 1
        self._callbacks[key] = callback
        return lambda: _withdraw(self._callbacks, key)

    async def wait(self) -> None:
        """Returns when the abort has been asked for."""
        if self.aborted:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        withdraw = self.on_abort(lambda: None if waiter.done() else waiter.set_result(None))
        try:
            await waiter
        finally:
            withdraw()


class AbortController:
    """The one end that can abort. Aborting twice, or after the end of what listens, is harmless."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str | None = None) -> bool:
        """Aborts. Returns False if it had been aborted before; the first reason stands."""
        signal = self.signal
        if signal.aborted:
            return False
        signal.aborted, signal.reason = True, reason
        callbacks, signal._callbacks = list(signal._callbacks.values()), {}
        for callback in callbacks:
            callback()
        return True


def _nothing() -> None:
    return


def _withdraw(callbacks: dict[int, Callable[[], None]], key: int) -> None:
    callbacks.pop(key, None)
