"""Pipes and threads that are late, each time by another little: `make jitter` runs the suite so, and finds what holds
only while the machine is quick.

What asyncio promises stays: bytes come in their order, and so do the callbacks of a loop. Without STEERSMAN_JITTER
everything here is the plain thing.
"""

import asyncio
import os
import random
import select
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")
JITTER = os.environ.get("STEERSMAN_JITTER")
"""The seed."""
_HEAD = b"Content-Length"
_MOST = 64
"""Pieces of what is read at once, so that much is not late for long."""


class Late:
    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def pause(self) -> float:
        """Seconds: mostly none or a few milliseconds, now and then 30."""
        kind = self._random.random()
        most = 0.0 if kind < 0.3 else 0.004 if kind < 0.85 else 0.03
        return self._random.random() * most

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """`data`, cut before each message, and now and then within one."""
        begin = 0
        for _ in range(_MOST):
            next_head = data.find(_HEAD, begin + 1)
            end = len(data) if next_head == -1 else next_head
            if self._random.random() < 0.1:
                end = self._random.randint(begin + 1, end)
            yield data[begin:end]
            begin = end
            if begin == len(data):
                return
        yield data[begin:]

    def pipe(self) -> tuple[int, int]:
        """As `os.pipe`: two pipes, and a thread that carries bytes from one to the other until an end is closed."""
        source, write_fd = os.pipe()
        read_fd, target = os.pipe()
        threading.Thread(target=self._carry, args=(source, target), daemon=True).start()
        return read_fd, write_fd

    def _carry(self, source: int, target: int) -> None:
        poll = select.poll()
        poll.register(source, select.POLLIN)
        poll.register(target, 0)  # tells when its other end is closed
        try:
            while not any(fd == target for fd, _ in poll.poll()) and (data := os.read(source, 1 << 16)):
                for piece in self.pieces(data):
                    time.sleep(self.pause())
                    left = memoryview(piece)
                    while left:
                        left = left[os.write(target, left) :]
        except BrokenPipeError:
            pass
        finally:
            os.close(source)
            os.close(target)

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """What is done in a thread begins late, and is known late to be done."""
        time.sleep(self.pause())
        try:
            return function(*arguments)
        finally:
            time.sleep(self.pause())

    def loop(self) -> asyncio.AbstractEventLoop:
        """An event loop whose threads are late."""
        late = self

        class Loop(asyncio.SelectorEventLoop):
            def run_in_executor(
                self, executor: Executor | None, func: Callable[..., T], *arguments: Any
            ) -> "asyncio.Future[T]":
                return super().run_in_executor(executor, late.call, func, *arguments)

        return Loop()


_late = None if JITTER is None else Late(JITTER)
pipe = os.pipe if _late is None else _late.pipe
"""Gives (read_fd, write_fd) of a line between a client and a server."""


def pytest_configure() -> None:
    if _late is None:
        return

    class Policy(asyncio.DefaultEventLoopPolicy):
        def new_event_loop(self) -> asyncio.AbstractEventLoop:
            return _late.loop()

    asyncio.set_event_loop_policy(Policy())
