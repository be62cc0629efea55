"""An event loop in a thread, so that tests can drive runs without being asynchronous, or from their own loop."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """Starts at its first use, ends with `close`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Starts `work` in the loop. Cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="steersman-test", daemon=True
                )
                self._thread.start()
            return self._loop

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for the result of `work`. If the wait is interrupted (Ctrl-C), `work` is cancelled."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Ends the loop and its thread. Does nothing if it never started."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        self._loop = self._thread = None
        asyncio.run_coroutine_threadsafe(_shut_down(loop), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _shut_down(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
