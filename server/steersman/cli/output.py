"""The output of a command whose work does not wait for a reader, since it must obey timeouts and signals."""

import asyncio
import os
import select
import sys
from collections.abc import Callable
from typing import TextIO

LAST_SECONDS = 2.0
"""For the reader to take the rest, once the command has been stopped."""
_FAR_BEHIND = 1024 * 1024
"""Bytes that wait to be read."""


class Output:
    """Standard output or error, while an event loop runs. What its reader does not take yet is kept. When it fails or
    its reader goes, `on_gone` is called once and nothing more is written."""

    def __init__(self, stream: TextIO, on_gone: Callable[[], object] = lambda: None) -> None:
        self._stream, self._on_gone = stream, on_gone
        self._waiting = bytearray()
        self._empty = asyncio.Event()
        self._empty.set()
        self.gone = False
        """Whether it has failed, or its reader has gone."""
        self.error: str | None = None
        """Why it failed; None also if its reader has simply gone."""

    @property
    def is_far_behind(self) -> bool:
        """Whether its reader is so slow that what can be left out should be."""
        return len(self._waiting) > _FAR_BEHIND

    def write(self, data: bytes) -> None:
        """Writes as much as the reader takes at once, and the rest when it takes more."""
        if self.gone:
            return
        self._waiting += data
        if self._empty.is_set():
            self._push()

    def say(self, text: str) -> None:
        """Writes a line for people."""
        self.write(f"{text}\n".encode(self._stream.encoding, "backslashreplace"))

    async def delivered(self, stopped: asyncio.Event) -> bool:
        """Whether the reader has taken everything. Waits for that, but not for long once the event is set."""
        emptied, told = (asyncio.create_task(each.wait()) for each in (self._empty, stopped))
        try:
            await asyncio.wait({emptied, told}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({emptied}, timeout=LAST_SECONDS)
        finally:
            emptied.cancel()
            told.cancel()
        is_delivered = not self._waiting
        self._waiting.clear()
        self._settle()
        return is_delivered

    def _push(self) -> None:
        # Not with O_NONBLOCK: other processes share the pipe's flags. A pipe that is ready takes PIPE_BUF bytes.
        fd = self._stream.fileno()
        try:
            while self._waiting and select.select((), (fd,), (), 0)[1]:
                del self._waiting[: os.write(fd, self._waiting[: select.PIPE_BUF])]
        except OSError as error:
            self.gone = True
            if not isinstance(error, BrokenPipeError):
                self.error = error.strerror or str(error)
            self._waiting.clear()
            self._settle()
            self._on_gone()
            return
        self._settle()

    def _settle(self) -> None:
        """Has the rest pushed when the reader takes more, or nothing if there is none."""
        loop, fd = asyncio.get_running_loop(), self._stream.fileno()
        if self._waiting and self._empty.is_set():
            self._empty.clear()
            loop.add_writer(fd, self._push)
        elif not self._waiting and not self._empty.is_set():
            self._empty.set()
            loop.remove_writer(fd)


def beside(output: Output) -> Output:
    """Standard error. Where it is the same pipe or file as standard output, its lines stay in their places there."""
    is_same = os.path.samestat(os.fstat(sys.stdout.fileno()), os.fstat(sys.stderr.fileno()))
    return output if is_same and not sys.stdout.isatty() else Output(sys.stderr)
