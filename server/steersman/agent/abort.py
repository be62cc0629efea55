"""Cooperative cancellation: one controller aborts, everything that holds its signal finds out."""

import asyncio
import logging
from collections.abc import Callable

log = logging.getLogger(__name__)


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
        self._callbacks: dict[object, Callable[[], None]] = {}

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls `callback` at the abort, or now if it has happened. Returns a function that withdraws it."""
        if self.aborted:
            callback()
            return _nothing
        key = object()  # the same callback may be there more than once
        self._callbacks[key] = callback

        def withdraw() -> None:
            self._callbacks.pop(key, None)

        return withdraw

    async def wait(self) -> None:
        """Returns at the abort."""
        if self.aborted:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        withdraw = self.on_abort(lambda: None if waiter.done() else waiter.set_result(None))
        try:
            await waiter
        finally:
            withdraw()


class AbortController:
    """The one end that can abort. Aborting twice, or when nobody listens any more, is harmless."""

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal = AbortSignal()

    def abort(self, reason: str | None = None) -> bool:
        """Aborts. Returns False if that has happened before; the first reason stands."""
        signal = self.signal
        if signal.aborted:
            return False
        signal.aborted, signal.reason = True, reason
        callbacks, signal._callbacks = list(signal._callbacks.values()), {}
        for callback in callbacks:
            try:
                callback()
            except Exception:
                log.exception("a callback raised at an abort; the others are still called")
        return True

    def follow(self, signal: AbortSignal) -> Callable[[], None]:
        """Aborts when `signal` does, for the same reason. Returns a function that ends the following."""

        def aborted() -> None:
            self.abort(signal.reason)

        return signal.on_abort(aborted)


def _nothing() -> None:
    return
