"""The worker process: does one task after the other. It reads orders from standard input and writes answers to standard
output. At the end of its input it aborts what it is doing and ends.

Lines in: `{"order": {…}}`, `{"stop": "why"}`. Lines out: `{"state": "running"}` and `{"state": "ended"}`, then
`{"result": {…}}` or `{"unwritten": "why", "errno": N}`.
"""

import asyncio
import os
import sys

from steersman.batch.attempt import Stopper, attempt
from steersman.batch.errors import Unwritten
from steersman.batch.order import Data, Order
from steersman.session.applog import configure_logging
from steersman.session.home import Home
from steersman.session.jsonlines import decode, encode
from steersman.session.settings import load_settings

MAX_LINE = 64 * 1024 * 1024
"""Bytes of one line, either way."""
GONE = "the batch has ended"


class Worker:
    def __init__(self, reader: asyncio.StreamReader, out: int) -> None:
        self._reader, self._out = reader, out
        self._home = Home.from_environment()
        self._settings = load_settings(self._home)
        self._stopper = Stopper()
        self._task: asyncio.Task[None] | None = None

    async def work(self) -> None:
        """Works until the end of the input. The batch gives one order at a time."""
        configure_logging(self._home, self._settings, stderr_level="error")
        while line := await self._next():
            data = decode(line)
            if "stop" in data:
                self._stopper.stop(data["stop"])
                continue
            await self._end()
            self._stopper = Stopper()
            self._task = asyncio.create_task(self._do(Order(**data["order"]), self._stopper))
        self._stopper.stop(GONE)
        await self._end()

    async def _next(self) -> bytes:
        """The next line, empty at the end. An unexpected exception of the task ends this process: the batch notices."""
        reading = asyncio.create_task(self._reader.readline())
        try:
            if self._task is not None:
                await asyncio.wait({reading, self._task}, return_when=asyncio.FIRST_COMPLETED)
                if self._task.done():
                    await self._end()
            return await reading
        finally:
            reading.cancel()

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            await task

    async def _do(self, order: Order, stopper: Stopper) -> None:
        try:
            tell = self._tell_state
            answer: Data = {
                "result": await attempt(order, self._home, self._settings, stopper, on_state=tell)
            }
        except Unwritten as error:
            cause = error.__cause__
            answer = {"unwritten": str(error), "errno": cause.errno if isinstance(cause, OSError) else None}
        self._tell(answer)

    def _tell_state(self, state: str) -> None:
        self._tell({"state": state})

    def _tell(self, data: Data) -> None:
        text = encode(data) + b"\n"
        while text:
            try:
                text = text[os.write(self._out, text) :]
            except BrokenPipeError:  # the batch is gone; the end of the input says so too
                return


def main() -> None:
    """Runs the process. It is in a session of its own: Ctrl-C on the terminal reaches only the batch."""
    # Whatever is printed goes to standard error: the pipe is for answers only.
    out = os.dup(1)
    os.dup2(2, 1)
    asyncio.run(_main(out))


async def _main(out: int) -> None:
    reader = asyncio.StreamReader(limit=MAX_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await Worker(reader, out).work()


if __name__ == "__main__":
    main()
