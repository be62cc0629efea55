"""Writes frames to the client: directly if the client takes them at once, otherwise by a writer thread.

What waits is bounded in bytes. A client that stops reading blocks the thread, never the event loop. Knows frames, but
no protocol.
"""

import logging
import os
import selectors
import stat
import threading
from collections.abc import Callable, Hashable

logger = logging.getLogger(__name__)

DEFAULT_LIMIT = 8 * 1024 * 1024
"""Waiting bytes from which on droppable frames are refused."""

_DIRECT_SIZE = 32 * 1024
"""Bytes of a frame that its sender may write directly. When the client takes only a part, the rest is copied, which
costs too much for longer ones."""
_WRITE_SIZE = 256 * 1024
"""Bytes that are joined for one write. More gains nothing, and the joined copy costs memory."""


class Outbox:
    """Writes frames in the order of `send` to one file descriptor, which the outbox does not own.

    `on_drained` is called when frames were refused and at most half of the limit is waiting again; `on_broken` is
    called once, when the client can't be written to. Both are called in the writer thread.
    """

    def __init__(
        self,
        fd: int,
        *,
        limit: int = DEFAULT_LIMIT,
        on_drained: Callable[[], None],
        on_broken: Callable[[OSError], None],
    ) -> None:
        self._fd = fd
        self._limit = limit
        self._on_drained = on_drained
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._wake = threading.Condition(self._lock)
        self._slots: list[list[bytes]] = []
        self._keyed: dict[Hashable, list[bytes]] = {}
        self._queued = 0
        self._in_flight = 0
        self._writer_waits = False
        self._refused = False
        self._closing = False
        self._broken = False
        self._stop_read, self._stop_write = os.pipe()
        self._pollable = _is_pipe_or_socket(fd)
        if self._pollable:
            os.set_blocking(fd, False)
        self._thread = threading.Thread(target=self._run, name="lsp-writer", daemon=True)

    def start(self) -> None:
        """Starts the writer thread. Frames that were sent before have waited for it."""
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken."""
        return self._queued + self._in_flight

    @property
    def ended(self) -> bool:
        """Whether the writer thread has ended, so that the descriptor may be closed."""
        return not self._thread.is_alive()

    def send(self, data: bytes, *, droppable: bool = False, key: Hashable | None = None) -> bool:
        """Writes one frame or queues it; never blocks, from any thread.

        A frame with a key replaces a queued one with the same key: the latest state wins. A droppable frame is refused
        while the limit or more is waiting; `on_drained` follows. Its own length doesn't count.

        Returns: whether the frame will be written, as far as is known now. False if the client is gone.
        """
        with self._lock:
            if self._closing or self._broken:
                return False
            if key is not None and (slot := self._keyed.get(key)) is not None:
                self._queued += len(data) - len(slot[0])
                slot[0] = data
                return True
            if droppable and self._queued + self._in_flight >= self._limit:
                self._refused = True
                return False
            if self._writer_waits and self._pollable and len(data) <= _DIRECT_SIZE:
                # Nothing waits: a frame that the client takes at once needs no thread to be woken for it.
                written = self._written_now(data)
                if written == len(data):
                    return True
                if written:
                    data, key = data[written:], None
            slot = [data]
            self._slots.append(slot)
            if key is not None:
                self._keyed[key] = slot
            self._queued += len(data)
            if self._writer_waits:
                self._writer_waits = False
                self._wake.notify()
        return True

    def _written_now(self, data: bytes) -> int:
        """How many bytes the client has taken. An error is left for the thread to find."""
        try:
            return os.write(self._fd, data)
        except OSError:
            return 0

    def close(self, timeout: float) -> bool:
        """Writes what is queued, for at most `timeout` seconds, and ends the writer thread. Blocking.

        Returns: whether everything was written.
        """
        with self._lock:
            self._closing = True
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout)
            if self._thread.is_alive():
                os.write(self._stop_write, b"x")
                # A write that can't be polled (a terminal) may stay blocked: the thread is a daemon.
                self._thread.join(timeout if self._pollable else 0)
        if not self._thread.is_alive():
            os.close(self._stop_read)
            os.close(self._stop_write)
            if self._pollable:
                os.set_blocking(self._fd, True)
        return self.waiting == 0

    def _run(self) -> None:
        try:
            while batch := self._next_batch():
                self._write(batch)
        except _StopWriting:
            return
        except OSError as error:
            self._discard_all()
            self._on_broken(error)

    def _next_batch(self) -> list[list[bytes]]:
        """The frames to write next; empty when the outbox is closed and everything is written."""
        with self._lock:
            self._in_flight = 0
            drained = self._refused and self._queued <= self._limit // 2
            if drained:
                self._refused = False
        if drained:
            self._on_drained()
        with self._lock:
            while not self._slots and not self._closing:
                self._writer_waits = True
                self._wake.wait()
            self._writer_waits = False
            batch = self._slots
            self._slots = []
            self._keyed = {}
            self._in_flight = self._queued
            self._queued = 0
            return batch

    def _write(self, batch: list[list[bytes]]) -> None:
        start = 0
        size = 0
        for index, slot in enumerate(batch):
            size += len(slot[0])
            if size >= _WRITE_SIZE:
                self._write_all(batch, start, index + 1)
                start, size = index + 1, 0
        if start < len(batch):
            self._write_all(batch, start, len(batch))

    def _write_all(self, batch: list[list[bytes]], start: int, end: int) -> None:
        rest = memoryview(b"".join(slot[0] for slot in batch[start:end]))
        while rest:
            try:
                written = os.write(self._fd, rest)
            except BlockingIOError:
                self._wait_writable()
                continue
            rest = rest[written:]
            self._in_flight -= written  # only this thread writes the number while a batch is out

    def _wait_writable(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._fd, selectors.EVENT_WRITE)
            selector.register(self._stop_read, selectors.EVENT_READ)
            if any(key.fd == self._stop_read for key, _ in selector.select()):
                raise _StopWriting

    def _discard_all(self) -> None:
        with self._lock:
            self._broken = True
            self._slots = []
            self._keyed = {}


class _StopWriting(Exception):
    """The outbox was closed while the client was not reading."""


def _is_pipe_or_socket(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
