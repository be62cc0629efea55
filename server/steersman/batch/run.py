"""Runs a batch from its orders to its summary: decides which task is done when. How one is done is its `Doer`'s job."""

import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from steersman import __version__
from steersman.batch.errors import BatchError
from steersman.batch.folder import OutputFolder
from steersman.batch.locking import take_within
from steersman.batch.order import Data, Order
from steersman.batch.preparing import finished, set_aside
from steersman.batch.workers import WorkerLost
from steersman.batch.writing import write_result

Report = Callable[[Data], object]
"""Called with `{"type": …}` for each event of a batch."""

LET_GO = 10.0
"""Seconds that a worker that was killed elsewhere has to release the folder of its task."""


class Doer(Protocol):
    """Has orders done, any number at once."""

    async def do(self, order: Order) -> Data: ...

    def stop(self, reason: str) -> None: ...

    def kill(self) -> None: ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class Summary:
    """What became of all tasks, earlier batches in the same folder included."""

    statuses: Counter[str] = field(default_factory=Counter)
    skipped: int = 0
    """Tasks that were finished before."""
    unfinished: int = 0
    """Tasks that were aborted, not begun, or whose result was not written. The next batch does them."""
    cost: float | None = None
    """Of this batch, in US dollars; None if no model tells its cost."""
    seconds: float = 0.0
    failure: str | None = None
    """Why the batch could not go on; None if it could."""

    def add(self, result: Data) -> None:
        self.statuses[result["status"]] += 1
        if result.get("cost") is not None:
            self.cost = (self.cost or 0.0) + result["cost"]

    def data(self) -> Data:
        return {
            "statuses": dict(self.statuses),
            "skipped": self.skipped,
            "unfinished": self.unfinished,
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "failure": self.failure,
        }


class Batch:
    """One batch in its folder. Call `run` once; `stop` and `kill` may be called while it runs."""

    def __init__(
        self,
        orders: Sequence[Order],
        folder: OutputFolder,
        doer: Doer,
        report: Report,
        *,
        notices: Sequence[str] = (),
        let_go: float = LET_GO,
    ) -> None:
        """`notices`: to be told when it has begun."""
        self._notices, self._let_go = notices, let_go
        self._orders, self._folder, self._doer, self._report = orders, folder, doer, report
        self._todo: deque[Order] = deque()
        self._needed: Counter[str] = Counter()
        """How many unfinished tasks need each base."""
        self._settling = asyncio.Lock()
        """Held while a prediction is written."""
        self.summary = Summary()
        self.stopped: str | None = None

    async def run(self, at_once: int, *, retry_failed: bool = False) -> Summary:
        """Does what is not finished yet, up to `at_once` tasks at a time.

        Raises:
            BatchError: the folder can't be read or written.
        """
        begun = time.monotonic()
        try:
            changed = await asyncio.to_thread(self._prepare, retry_failed)
        except OSError as error:
            raise BatchError(f"{error.filename or self._folder.root}: {error.strerror}.") from error
        self._report(
            {
                "type": "batch_start",
                "tasks": len(self._orders),
                "todo": len(self._todo),
                "skipped": self.summary.skipped,
                "version": __version__,
            }
        )
        for each in self._notices:
            self._notice(each)
        if changed:
            noun = "task says" if changed == 1 else "tasks say"
            self._notice(
                f"{changed} finished {noun} something else now than when done, and will not be done again. "
                "To do one again, delete its folder."
            )
        if linked := _linked(self._todo):
            more = f" and {len(linked) - 1} more" if len(linked) > 1 else ""
            self._notice(
                f"{linked[0]}{more}: a git worktree or submodule, whose repository is elsewhere. What git commands do "
                "in its copies, they do to that repository, or they fail. Take a clone as the workspace."
            )
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(at_once, len(self._todo))):
                    group.create_task(self._lane())
        finally:
            await self._doer.close()
        self.summary.unfinished += len(self._todo)
        self.summary.seconds = time.monotonic() - begun
        self._report({"type": "batch_end", **self.summary.data()})
        return self.summary

    def stop(self, reason: str) -> None:
        """Begins nothing new and aborts what is being done."""
        if self.stopped is None:
            self.stopped = reason
            self._doer.stop(reason)

    def kill(self) -> None:
        """Ends everything at once. What was being done is unfinished."""
        self._doer.kill()

    def _prepare(self, retry_failed: bool) -> int:
        """Sorts out the tasks that are finished. Returns how many of those say something else now."""
        again = []
        changed = 0
        for order in self._orders:
            place = order.place
            result = finished(place)
            if result is not None and retry_failed and result["status"] != "complete":
                again.append(order)
                result = None
            if result is None:
                self._todo.append(order)
                self._needed[order.base] += 1
                continue
            self.summary.skipped += 1
            self.summary.statuses[result["status"]] += 1
            changed += result.get("task") != order.digest
            self._folder.tidy(place, result)
        self._folder.refuse_foreign(order.place for order in self._todo)
        self._folder.settle(again=[order.id for order in again])
        for order in again:
            set_aside(order.place)
        return changed

    async def _lane(self) -> None:
        while self._todo and self.stopped is None:
            order = self._todo.popleft()
            try:
                answer = await self._doer.do(order)
            except WorkerLost as lost:
                answer = await asyncio.to_thread(self._lost, order, lost)
            except BatchError as error:
                self._todo.appendleft(order)
                self._stop_for(str(error))
                return
            async with self._settling:
                await self._settle(order, answer)

    def _lost(self, order: Order, lost: WorkerLost) -> Data:
        """The answer for a task whose worker is lost: the result that it could still write, or one that says so."""
        if self.stopped is not None:
            return {"unwritten": "killed"}
        place = order.place
        try:
            place.root.mkdir(parents=True, exist_ok=True)
            lock = take_within(place.lock, self._let_go)
            if lock is None:
                return {"unwritten": f"{lost} Its last attempt has not let go of its folder."}
            try:
                if (result := finished(place)) is None:
                    result = _result_for(order, lost, set_aside(place))
                    write_result(place, result)
            finally:
                os.close(lock)
        except OSError as error:
            return {"unwritten": f"{error.filename}: {error.strerror}", "errno": error.errno}
        return {"result": result}

    async def _settle(self, order: Order, answer: Data) -> None:
        if "unwritten" in answer:
            self.summary.unfinished += 1
            self._report({"type": "task_unwritten", "id": order.id, "message": answer["unwritten"]})
            if self.stopped is None and answer.get("errno") is not None:
                self._stop_for(f"{order.id}: {answer['unwritten']}")
            return
        result = answer["result"]
        if result["status"] == "aborted":
            self.summary.unfinished += 1
        else:
            try:
                await asyncio.to_thread(self._folder.add, result)
            except OSError as error:
                self._stop_for(f"The predictions can't be written: {error.strerror}")
            await self._forget(order)
        self.summary.add(result)
        self._report({"type": "task_end", **result})

    async def _forget(self, order: Order) -> None:
        self._needed[order.base] -= 1
        if self._needed[order.base] == 0:
            try:
                await asyncio.to_thread(self._folder.drop, Path(order.base))
            except OSError as error:
                self._notice(f"A copy could not be removed: {error.filename}: {error.strerror}")

    def _stop_for(self, why: str) -> None:
        """Begins nothing more: what is still to do could not be done or written either."""
        self.summary.failure = self.summary.failure or why
        self.stopped = self.stopped or why

    def _notice(self, message: str) -> None:
        self._report({"type": "notice", "message": message})


def _linked(orders: Iterable[Order]) -> list[str]:
    """The workspaces whose copies are no repositories of their own: their `.git` is a file that names a folder."""
    copied = dict.fromkeys(order.workspace for order in orders if not order.in_place)
    return [name for name in copied if os.path.isfile(os.path.join(name, ".git"))]  # noqa: PTH113, PTH118 - never raises


def _result_for(order: Order, lost: WorkerLost, attempts: int) -> Data:
    return {
        "id": order.id,
        "status": lost.status,
        "stopReason": None,
        "message": f"{lost} What it had done is in earlier/{attempts}." if attempts else str(lost),
        "text": "",
        "model": order.model,
        "mode": order.mode,
        "session": None,
        "turns": 0,
        "usage": None,
        "cost": None,
        "seconds": 0.0,
        "files": [],
        "leftOut": {"count": 0, "paths": []},
        "denied": [],
        "attempt": attempts,
        "startedAt": None,
        "endedAt": round(time.time() * 1000),
        "task": order.digest,
        "version": __version__,
        "workspace": None,
    }
