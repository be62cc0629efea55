"""Worker processes as the batch sees them: started when they are needed, given orders, ended with the batch.

A process does many tasks, since its start costs more than a small task; it is not this one, so that a crash, a leak or
the out-of-memory killer costs one task and not all.
"""

import asyncio
import signal
import sys

from steersman.batch.errors import BatchError
from steersman.batch.order import Data, Order, Status
from steersman.batch.worker import MAX_LINE
from steersman.session.jsonlines import decode, encode

OVERDUE = 60.0
"""Seconds beyond a task's timeout after which its process is killed: aborting did not help."""


class WorkerLost(Exception):
    """The process has ended in the middle of a task. The text says how."""

    def __init__(self, message: str, status: Status = "error") -> None:
        super().__init__(message)
        self.status: Status = status


class WorkerProcess:
    """One process. All use is from one event loop, one order at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._process, self._orders, self._answers = process, process.stdin, process.stdout

    @classmethod
    async def start(cls) -> "WorkerProcess":
        """Raises:
        BatchError: the system has no process for us.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                # -P: what lies in the current folder is nobody's module.
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
        """Takes one that still lives from those that have nothing to do, or starts one.

        Raises:
            BatchError: the system has no process for us.
        """
        while idle:
            worker = idle.pop()
            if worker._process.returncode is None:
                return worker
        return await cls.start()

    async def do(self, order: Order, overdue: float = OVERDUE) -> Data:
        """What the worker says when it is done: `{"result": …}` or `{"unwritten": …}`.

        Raises:
            WorkerLost: it has ended before, or had to be killed.
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
            pass  # as an end of its output
        finally:
            if timer is not None:
                timer.cancel()
        code = await self._process.wait()
        if killed.is_set():
            raise WorkerLost(f"Killed {overdue:g} s after its timeout: it could not be aborted.", "timeout")
        raise WorkerLost(f"The process that worked on it {_ended(code)}.")

    def stop(self, reason: str) -> None:
        """Asks it to end what it is doing; that is told as aborted. Nothing while it has no order."""
        self._say({"stop": reason})

    def kill(self) -> None:
        """Ends it at once; the guard ends what it has started."""
        if self._process.returncode is None:
            self._process.kill()

    async def close(self) -> None:
        """Returns when it has ended, with what it was doing."""
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
    """Worker processes on this machine, one for each order that is being done."""

    def __init__(self) -> None:
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._stopped = False

    async def do(self, order: Order) -> Data:
        """Has one order done, by a process that has nothing to do or a new one.

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
        finally:
            self._busy.discard(worker)
        self._idle.append(worker)
        return answer

    def stop(self, reason: str) -> None:
        """Everything that is being done is aborted."""
        self._stopped = True
        for worker in self._busy:
            worker.stop(reason)

    def kill(self) -> None:
        """Ends every process at once."""
        for worker in (*self._busy, *self._idle):
            worker.kill()

    async def close(self) -> None:
        """Returns when all processes have ended."""
        await asyncio.gather(*(worker.close() for worker in (*self._busy, *self._idle)))
