"""Reads a pipe from the event loop, and leaves it to another process when we stop reading."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

_CHUNK = 256 * 1024
_SWEEP = 4 * 1024 * 1024
"""Bytes to read at most after the program has ended: more than a pipe can hold."""

_KEEP_EMPTYING = r"""
exec 3<&0 </dev/null
{ head -c "$1"; exec cat >/dev/null; } <&3 3<&- &
"""


class PipeReader:
    """Passes what comes through a pipe to `feed`. What `feed` raises, `finished` raises."""

    __slots__ = ("_feed", "_loop", "_pipe", "finished")

    def __init__(self, pipe: IO[bytes] | None, feed: Callable[[bytes], object]) -> None:
        """Takes over the pipe (unbuffered, from Popen); `close` closes it."""
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        self._pipe = pipe
        self._feed = feed
        self._loop = asyncio.get_running_loop()
        self.finished: asyncio.Future[None] = self._loop.create_future()
        """Done at the end of the pipe: when no process has its other end open."""
        self._loop.add_reader(pipe, self._read)

    async def drain(self, seconds: float) -> None:
        """Reads to the end of the pipe, or for `seconds` and then what is in the pipe."""
        await asyncio.wait({self.finished}, timeout=seconds)
        swept = 0
        while not self.finished.done() and swept < _SWEEP and (got := self._read()):
            swept += got

    def give_away(self, path: Path | None, limit: int) -> None:
        """Leaves the pipe to a process that empties it for as long as somebody writes to it, so that the writers don't
        die of a broken pipe. The first `limit` bytes are appended to `path`, the rest is dropped.

        Raises:
            OSError, subprocess.SubprocessError: no such process could be started.
        """
        self._loop.remove_reader(self._pipe)
        os.set_blocking(self._pipe.fileno(), True)
        with (path or Path(os.devnull)).open("ab") as target:
            subprocess.run(
                ["/bin/sh", "-c", _KEEP_EMPTYING, "sh", str(limit)],
                stdin=self._pipe,
                stdout=target,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.environ.get("PATH", os.defpath)},
                start_new_session=True,
                check=True,
                timeout=5,
            )

    def close(self) -> None:
        self._loop.remove_reader(self._pipe)
        self._pipe.close()
        if self.finished.done():
            self.finished.exception()  # marks it as retrieved: the caller isn't interested
        else:
            self.finished.cancel()

    def _read(self) -> int:
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
            if data:
                self._feed(data)
                return len(data)
        except BlockingIOError:
            return 0
        except Exception as error:  # noqa: BLE001 -- whoever awaits `finished` gets it
            self._loop.remove_reader(self._pipe)
            if not self.finished.done():
                self.finished.set_exception(error)
            return 0
        self._loop.remove_reader(self._pipe)
        if not self.finished.done():
            self.finished.set_result(None)
        return 0
