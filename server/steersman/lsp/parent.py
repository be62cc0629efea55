"""Notices when the client's process ends: the server must not outlive it."""

import asyncio
import logging
import os
from collections.abc import Callable

logger = logging.getLogger(__name__)

POLL_INTERVAL = 2.0
"""Seconds between two checks, where the system can't report the end."""


class ProcessWatch:
    """Calls back once, on the event loop, when the process has ended. `close` ends the watch."""

    def __init__(
        self,
        process_id: int,
        on_end: Callable[[], None],
        *,
        use_pidfd: bool = True,
        interval: float = POLL_INTERVAL,
    ) -> None:
        """A process that can't be seen (it runs in another container, or has ended already) is not watched; the end of
        the input will stop the server. Without a pidfd, which only Linux has, the process is checked every `interval`
        seconds.
        """
        self._loop = asyncio.get_running_loop()
        self._process_id = process_id
        self._on_end = on_end
        self._interval = interval
        self._pidfd: int | None = None
        self._timer: asyncio.TimerHandle | None = None
        if process_id <= 0 or not _exists(process_id):
            logger.warning("The client's process %d can't be seen; it is not watched.", process_id)
        elif use_pidfd and (pidfd := _open_pidfd(process_id)) is not None:
            self._pidfd = pidfd
            self._loop.add_reader(pidfd, self._ended)
        else:
            self._timer = self._loop.call_later(self._interval, self._look)

    def close(self) -> None:
        """Ends the watch without calling back."""
        if self._pidfd is not None:
            self._loop.remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        if _exists(self._process_id):
            self._timer = self._loop.call_later(self._interval, self._look)
        else:
            self._ended()

    def _ended(self) -> None:
        self.close()
        self._on_end()


def _exists(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _open_pidfd(process_id: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(process_id)
    except OSError:
        return None
