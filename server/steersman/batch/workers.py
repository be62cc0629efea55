"""Starts worker processes when they are needed, gives them orders, and ends them with the batch.

A process does many tasks, since starting one costs more than a small task. Tasks are not done in the batch's own
process, so that a crash, a leak or the out-of-memory killer costs only one of them.
"""

import asyncio
import signal
import sys

from steersman.batch.errors import BatchError
from steersman.batch.order import Data, Order, Status
from steersman.batch.worker import MAX_LINE
from steersman.session.jsonlines import decode, encode

OVERDUE = 60.0
"""Seconds after a task's timeout at which its process is killed, since aborting it did not help."""


class WorkerLost(Exception):
    """The process that did a task has ended too early. The text says how."""

    def __init__(self, message: str, status: Status = "error") -> None:
        super().__init__(message)
        self.status: Status = status


class WorkerProcess:
    """One process. To be used from one event loop, for one order at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._orders, self._answers = process, process.stdin, process.stdout

    @classmethod
    async def start(cls) -> "WorkerProcess":
        """Raises:
        BatchError: the process can't be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                # -P: no module is imported from the current folder.
                *(sys.executable, "-P", "-m", "steersman.batch.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=MAX_LINE,
            )
        except OSError as error:
            raise BatchError(f"No worker process can be started: {error.strerror}.") from error
        return cls(process)

    @classmethod
    async def one_of(cls, idle: "list[WorkerProcess]") -> "WorkerProcess":
        """Takes a living process from the idle ones, or starts one.

        Raises:
            BatchError: no process can be started.
        """
        while idle:
            worker = idle.pop()
            if worker._process.returncode is None:
                return worker
        return await cls.start()

    async def do(self, order: Order, overdue: float = OVERDUE) -> Data:
        """Has the order done. Returns the answer: `{"result": …}` or `{"unwritten": …}`.

        Args:
            overdue: seconds after the order's timeout at which the process is killed.

        Raises:
            WorkerLost: the process ended before, or had to be killed.
        """
        self._say({"order": order.data()})
        killed = asyncio.Event()
        timer: asyncio.TimerHandle | None = None

        def on_overdue() -> None:
            killed.set()
            self.kill()

        try:
            while line := await self._answers.readline():
                answer: Data = decode(line)
                if "state" not in answer:
                    return answer
                if answer["state"] == "running" and order.timeout is not None:
                    loop = asyncio.get_running_loop()
                    timer = loop.call_later(order.timeout + overdue, on_overdue)
                elif timer is not None:
                    timer.cancel()
        except ConnectionError:
            pass  # like the end of its output
        finally:
            if timer is not None:
                timer.cancel()
        code = await self._process.wait()
        if killed.is_set():
            raise WorkerLost(f"Killed {overdue:g} s after its timeout: it could not be aborted.", "timeout")
        raise WorkerLost(f"The process that worked on it {_ended(code)}.")

    def stop(self, reason: str) -> None:
        """Asks it to abort what it is doing. Without an order it does nothing."""
        self._say({"stop": reason})

    def kill(self) -> None:
        """Kills the process; its guard kills the commands that it has started."""
        if self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        """Has it abort what it is doing and end. Returns when it has ended."""
        self._orders.close()
        while await self._answers.readline():
            pass
        await self._process.wait()

    def _say(self, data: Data) -> None:
        if not self._orders.is_closing():
            self._orders.write(encode(data) + b"\n")


def _ended(code: int) -> str:
    if code >= 0:
        return f"has ended with status {code}"
    name = signal.Signals(-code).name if -code in {int(each) for each in signal.Signals} else str(-code)
    hint = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
    return f"was killed by {name}{hint}"


class Local:
    """Does orders on this machine, each in a worker process."""

    def __init__(self) -> None:
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._stopped = False

    async def do(self, order: Order) -> Data:
        """Has one order done, by an idle process or a new one.

        Raises:
            BatchError: no process can be started.
            WorkerLost: see `WorkerProcess.do`.
        """
        worker = await WorkerProcess.one_of(self._idle)
        if self._stopped:
            self._idle.append(worker)
            return {"unwritten": "stopped before it began"}
        self._busy.add(worker)
        try:
            answer = await worker.do(order)
        except WorkerLost:
            self._busy.discard(worker)
            raise
        # If this was cancelled it stays busy: `close` waits for its end.
        self._busy.discard(worker)
        self._idle.append(worker)
        return answer

    def stop(self, reason: str) -> None:
        """Aborts everything that is being done."""
        self._stopped = True
        for worker in self._busy:
            worker.stop(reason)

    def kill(self) -> None:
        """Kills every process at once."""
        for worker in (*self._busy, *self._idle):
            worker.kill()

    async def close(self) -> None:
        """Returns when all processes have ended."""
        await asyncio.gather(*(worker.close() for worker in (*self._busy, *self._idle)))
