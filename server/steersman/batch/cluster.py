"""Does the tasks on an existing Dask cluster: its scheduler picks Dask workers, which start worker processes of ours.

Needs `steersman[cluster]` here and on the Dask workers, and a file system that they all share. The worker that does a
task writes its result; only the process that was started as the batch writes predictions.
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
"""How often a task that raised on its worker is sent again. For workers that are killed, the scheduler has a limit of
its own (`distributed.scheduler.allowed-failures`)."""
CONNECT = 10.0
"""Seconds to find the scheduler."""
LOOK_OUT = 5.0
"""Seconds of one wait for the stop of the batch."""

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
        """Has one order done on some worker.

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
        except Exception as error:  # whatever a task raises on its worker is raised here
            raise WorkerLost(f"A Dask worker failed: {type(error).__name__}: {error}") from error
        finally:
            future.release()
        if "lost" in answer:
            raise WorkerLost(answer["lost"], answer["status"])
        return answer

    def stop(self, reason: str) -> None:
        """Aborts what runs on the workers; what waits there does not begin."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._tell_stop())

    async def _tell_stop(self) -> None:
        try:
            await self._stop.set()
        except OSError as error:
            log.info("The scheduler is gone: %s", error)  # its workers notice that themselves

    def kill(self) -> None:
        """Nothing to do: when this client is gone, the workers end what they do for it."""

    async def close(self) -> None:
        """Disconnects from the cluster, which keeps running."""
        if self._stopping is not None:
            await self._stopping
        await self._client.close()


@dataclass(slots=True)
class _Here:
    """What one Dask worker holds for one batch: worker processes, which are reused and end with the Dask worker, and a
    task that waits for the batch to be stopped."""

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
        """Runs while something is done here. Each wait is short, since the scheduler keeps one that is cancelled."""
        while self.busy:
            try:
                if not await stopped.wait(timeout=LOOK_OUT):
                    continue
            except OSError as error:
                log.info("The scheduler could not be asked: %s", error)
                await asyncio.sleep(LOOK_OUT)  # a Dask worker whose scheduler is gone for good ends
                continue
            for worker in self.busy:
                worker.stop("the batch was stopped")
            return

    async def close(self) -> None:
        await asyncio.gather(*(worker.close() for worker in self.idle))
        self.idle.clear()


_here: dict[str, _Here] = {}


async def do_order(data: Data, batch: str) -> Data:
    """Runs on the event loop of a Dask worker and takes one of its slots.

    Args:
        data: the order.
        batch: name of the event that stops the batch.
    """
    here = _here.setdefault(batch, _Here(batch))
    # Another batch may have other settings, so processes of earlier ones are not used again.
    over = [each for each in _here.values() if each is not here and not each.busy]
    for each in over:
        del _here[each.batch]
    await asyncio.gather(*(each.close() for each in over))
    try:
        return await here.do(Order(**data))
    except WorkerLost as lost:
        return {"lost": str(lost), "status": lost.status}
