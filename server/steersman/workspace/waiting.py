"""Waiting in asyncio: for a sign to stop, and for work that must not be left half done."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Stop(Protocol):
    """A request to stop what is running (the kernel's AbortSignal is one)."""

    @property
    def aborted(self) -> bool: ...

    async def wait(self) -> None:
        """Returns once the stop is requested."""
        ...


async def outlast(task: asyncio.Future[_T], on_cancel: Callable[[], None] = lambda: None) -> None:
    """Waits until `task` is done, even if we are cancelled: then `on_cancel` is called, and the cancellation raised in
    the end. The outcome of the task is left to the caller."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
            on_cancel()
    if not task.cancelled():
        task.exception()
    if cancelled is not None:
        raise cancelled
