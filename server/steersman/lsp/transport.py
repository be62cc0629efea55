"""The two pipes to the client: a thread that reads and splits frames, and the outbox with its writer thread.

What arrives is handed to the event loop in order, with one wake-up for many messages. Knows no JSON.
"""

import asyncio
import logging
import os
import selectors
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from steersman.lsp.framing import Frame, FrameParser, FramingFault
from steersman.lsp.outbox import DEFAULT_LIMIT, Outbox

logger = logging.getLogger(__name__)

_READ_SIZE = 256 * 1024
_FRAMES_PER_TURN = 64
"""Messages handled before the event loop gets a turn."""


@dataclass(frozen=True, slots=True)
class TransportLimits:
    """Sizes in bytes."""

    message: int = 64 * 1024 * 1024
    """Of one message from the client. A larger one is skipped and answered with an error."""
    inbox: int = 64 * 1024 * 1024
    """Of messages that have arrived and are not yet handled. Beyond it, the reader waits."""
    outbox: int = DEFAULT_LIMIT
    """Of frames that wait for the client. Beyond it, droppable ones are refused."""


class Receiver(Protocol):
    """What the transport reports to. Every method is called on the event loop."""

    def on_frame(self, body: bytes) -> bool:
        """Takes one message body. Returns True if it began a task that has to take its first step before the next
        message is handed over."""

    def on_fault(self, fault: FramingFault) -> None:
        """Bytes arrived that are not a message."""

    def on_eof(self) -> None:
        """The client closed its end. Everything that it sent before has been handed over."""

    def on_broken(self, error: OSError) -> None:
        """The client can't be written to any more. Called once."""

    def on_drained(self) -> None:
        """There is room again after frames were refused."""


class Transport:
    """Owns both file descriptors from `start` to `close`."""

    def __init__(
        self, read_fd: int, write_fd: int, receiver: Receiver, limits: TransportLimits | None = None
    ) -> None:
        limits = limits or TransportLimits()
        self._loop = asyncio.get_running_loop()
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._receiver = receiver
        self.outbox = Outbox(
            write_fd,
            limit=limits.outbox,
            on_drained=lambda: self._tell(receiver.on_drained),
            on_broken=lambda error: self._tell(receiver.on_broken, error),
        )
        self._parser = FrameParser(limits.message)
        self._inbox: deque[Frame | None] = deque()  # None: the client closed its end
        self._inbox_limit = limits.inbox
        self._inbox_bytes = 0
        self._inbox_room = threading.Condition()
        self._woken = False
        self._closed = False
        self._stop_read, self._stop_write = os.pipe()
        self._reader = threading.Thread(target=self._read, name="lsp-reader", daemon=True)

    def start(self) -> None:
        """Starts both threads."""
        self.outbox.start()
        self._reader.start()

    async def close(self, flush_timeout: float) -> None:
        """Stops reading, spends at most `flush_timeout` seconds on writing what is queued, and closes both ends."""
        with self._inbox_room:
            self._closed = True
            self._inbox.clear()
            self._inbox_room.notify()
        os.write(self._stop_write, b"x")
        await asyncio.to_thread(self._join, flush_timeout)

    def _join(self, flush_timeout: float) -> None:
        if not self.outbox.close(flush_timeout):
            logger.warning("The client did not take the last %d bytes.", self.outbox.waiting)
        self._reader.join(flush_timeout)
        if not self._reader.is_alive():
            for fd in (self._stop_read, self._stop_write, self._read_fd):
                os.close(fd)
        if self.outbox.ended:
            os.close(self._write_fd)

    # The reader thread.

    def _read(self) -> None:
        try:
            # poll() also takes regular files, which epoll refuses: `steersman serve < recorded`.
            with selectors.PollSelector() as selector:
                selector.register(self._read_fd, selectors.EVENT_READ)
                selector.register(self._stop_read, selectors.EVENT_READ)
                self._read_until_end(selector)
        except OSError as error:
            logger.error("Can't read from the client: %s", error)
        self._post([None])

    def _read_until_end(self, selector: selectors.BaseSelector) -> None:
        while True:
            ready = selector.select()
            if any(key.fd == self._stop_read for key, _ in ready):
                return
            try:
                data = os.read(self._read_fd, _READ_SIZE)
            except BlockingIOError:
                continue
            if not data:
                if broken_off := self._parser.unfinished:
                    logger.error("The client's input ended in the middle of %s.", broken_off)
                return
            if frames := self._parser.feed(data):
                self._post(frames)

    def _post(self, frames: list[Frame] | list[None]) -> None:
        size = sum(len(item) for item in frames if isinstance(item, bytes))
        with self._inbox_room:
            while self._inbox_bytes > self._inbox_limit and not self._closed:
                self._inbox_room.wait()
            if self._closed:
                return
            self._inbox.extend(frames)
            self._inbox_bytes += size
            wake = not self._woken
            self._woken = True
        if wake:
            self._tell(self._pump)

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            logger.debug("The event loop is closed; %s can't report to it.", threading.current_thread().name)

    # The event loop.

    def _pump(self) -> None:
        """Hands over messages. The loop gets a turn after one that began a task, and after every few others."""
        for _ in range(_FRAMES_PER_TURN):
            with self._inbox_room:
                if not self._inbox:
                    self._woken = False
                    return
                item = self._inbox.popleft()
                if isinstance(item, bytes):
                    self._inbox_bytes -= len(item)
                    self._inbox_room.notify()
            if self._hand_over(item):
                break
        self._loop.call_soon(self._pump)

    def _hand_over(self, item: Frame | None) -> bool:
        try:
            if isinstance(item, bytes):
                return self._receiver.on_frame(item)
            if item is None:
                self._receiver.on_eof()
            else:
                self._receiver.on_fault(item)
        except Exception:
            logger.exception("A message could not be handled.")
        return False


def take_stdio() -> tuple[int, int]:
    """Takes standard input and output for the client's messages alone: descriptor 0 becomes the null device, 1 becomes
    standard error.

    So a stray print can't damage the stream, and a child process can't read the client's messages.

    Returns: the descriptors to read from and to write to. Children don't inherit them.
    Raises:
        OSError: standard input or output is closed.
    """
    if sys.stdout is not None:
        sys.stdout.flush()
    read_fd = os.dup(0)
    write_fd = os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(null, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # standard error is closed
            os.dup2(null, 1)
    finally:
        os.close(null)
    return read_fd, write_fd
