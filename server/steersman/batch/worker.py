"""The process that does tasks, one after the other: an order a line on standard input, what came of it on standard
output. When nobody gives orders any more it ends, and what it was doing with it.

Lines in: `{"order": {…}}`, `{"stop": "why"}`. Lines out: `{"state": "running"}` and `{"state": "ended"}`, then
`{"result": {…}}` or `{"unwritten": "why"}`.
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
        """Until nothing more can be read. One order at a time is given."""
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
        """The next line. A task that fails as none should ends this process, which its order's giver notices."""
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
            except BrokenPipeError:  # nobody listens any more, which the end of the input says as well
                return


def main() -> None:
    """Started in a session of its own: Ctrl-C on the terminal is the batch's, which then says what to do."""
    # What anything prints goes to standard error: the pipe has only our lines.
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
