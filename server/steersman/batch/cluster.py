"""The same tasks on an existing Dask cluster: its scheduler says where, its workers have ours do them.

Needs `steersman[cluster]` here and on the workers, and a file system that all of them share. Results are written by the
worker that did the task; whoever started the batch is the only one to count them.
"""

import asyncio
import logging
import secrets
from dataclasses import dataclass, field

from distributed import Client, Event, KilledWorker
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError

from steersman.batch.errors import BatchError
from steersman.batch.order import Data, Order
from steersman.batch.workers import WorkerLost, WorkerProcess

RETRIES = 2
"""How often a task is begun again when it could not be done where it was sent. Of workers that are killed the scheduler
itself takes account (`distributed.scheduler.allowed-failures`)."""
CONNECT = 10.0
"""Seconds to find the scheduler."""
LOOK_OUT = 5.0
"""Seconds of one wait for the end of the batch."""

log = logging.getLogger(__name__)


class Cluster:
    """A connection to a scheduler, made by `connect`."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._name = f"steersman-{secrets.token_hex(6)}"
        self._stop = Event(f"{self._name}-stop", client=client)
        self._stopping: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, address: str, timeout: float = CONNECT) -> "Cluster":
        """`address`: of the scheduler, such as `tcp://10.0.0.1:8786`.

        Raises:
            BatchError: no scheduler answers there.
        """
        try:
            client = await Client(address, asynchronous=True, timeout=timeout, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise BatchError(f"No Dask scheduler answers at {address}: {error}") from error
        return cls(client)

    async def do(self, order: Order) -> Data:
        """Has one order done somewhere.

        Raises:
            BatchError: the scheduler is gone.
            WorkerLost: the workers that had it were killed.
        """
        future = self._client.submit(
            do_order,
            order.data(),
            self._stop.name,
            key=f"{self._name}-{order.id}",
            pure=False,
            retries=RETRIES,
        )
        try:
            answer: Data = await future
        except KilledWorker as error:
            raise WorkerLost(f"Every worker that it was sent to was killed: {error}") from error
        except FutureCancelledError as error:
            raise BatchError(f"The scheduler is gone, or has dropped a task: {error}") from error
        except CommClosedError as error:
            raise BatchError(f"The scheduler is gone: {error}") from error
        except Exception as error:  # whatever was raised there is raised again here
            raise WorkerLost(f"A Dask worker failed: {type(error).__name__}: {error}") from error
        finally:
            future.release()
        if "lost" in answer:
            raise WorkerLost(answer["lost"], answer["status"])
        return answer

    def stop(self, reason: str) -> None:
        """What runs on the workers is aborted; what waits there is not begun."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._tell_stop())

    async def _tell_stop(self) -> None:
        try:
            await self._stop.set()
        except OSError as error:
            log.info("The scheduler is gone: %s", error)  # and its workers see that themselves

    def kill(self) -> None:
        """Nothing is waited for any more: the workers end what they do for a client that is gone."""

    async def close(self) -> None:
        """Lets go of the cluster, which goes on without us."""
        if self._stopping is not None:
            await self._stopping
        await self._client.close()


@dataclass(slots=True)
class _Here:
    """What one Dask worker has for one batch: processes, which outlive their tasks and end with it, and one look-out
    for the end of the batch."""

    batch: str
    idle: list[WorkerProcess] = field(default_factory=list)
    busy: set[WorkerProcess] = field(default_factory=set)
    look_out: asyncio.Task[None] | None = None

    async def do(self, order: Order) -> Data:
        stopped = Event(self.batch)
        worker = await WorkerProcess.one_of(self.idle)
        if await stopped.is_set():
            self.idle.append(worker)
            return {"unwritten": "stopped before it began"}
        self.busy.add(worker)
        if self.look_out is None or self.look_out.done():
            self.look_out = asyncio.create_task(self._look_out(stopped))
        try:
            answer = await worker.do(order)
        finally:
            self.busy.discard(worker)
        self.idle.append(worker)
        return answer

    async def _look_out(self, stopped: Event) -> None:
        """While something is being done here. The wait is bounded: one that is given up stays with the scheduler."""
        while self.busy:
            try:
                if not await stopped.wait(timeout=LOOK_OUT):
                    continue
            except OSError as error:
                log.info("The scheduler could not be asked: %s", error)
                await asyncio.sleep(LOOK_OUT)  # if it is gone for good, this Dask worker ends
                continue
            for worker in self.busy:
                worker.stop("the batch was stopped")
            return

    async def close(self) -> None:
        await asyncio.gather(*(worker.close() for worker in self.idle))
        self.idle.clear()


_here: dict[str, _Here] = {}


async def do_order(data: Data, batch: str) -> Data:
    """Runs on the event loop of a Dask worker, which counts it as one of the tasks that it does at once.

    `batch`: name of the event that ends it.
    """
    here = _here.setdefault(batch, _Here(batch))
    # Another batch comes with other settings, and gets processes of its own.
    over = [each for each in _here.values() if each is not here and not each.busy]
    for each in over:
        del _here[each.batch]
    await asyncio.gather(*(each.close() for each in over))
    try:
        return await here.do(Order(**data))
    except WorkerLost as lost:
        return {"lost": str(lost), "status": lost.status}
