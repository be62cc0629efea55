"""Orders of a batch, and a `Doer` that does them without a model."""

import asyncio
import errno
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steersman.batch.order import Order
from steersman.batch.workers import WorkerLost
from steersman.batch.writing import write_result


def tape(path: Path, *turns: dict[str, Any]) -> str:
    """Writes a tape and returns it as a model."""
    lines = [{"tape": 1, "name": "test"}, *turns]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"tape:{path}"


def an_order(root: Path, name: str = "one", **fields: Any) -> Order:
    """A task in `root/out` about `root/w`, which is trusted."""
    (root / "w").mkdir(exist_ok=True)
    known: dict[str, Any] = {
        "id": name,
        "prompt": "fix it",
        "workspace": str(root / "w"),
        "folder": str(root / "out" / name),
        "base": str(root / "out/.bases/w"),
        "model": "m",
        "mode": "full-auto",
        "trusted": True,
        "digest": f"digest of {name}",
    }
    return Order(**known | fields)


def result_of(order: Order, status: str = "complete", **fields: Any) -> dict[str, Any]:
    """What a worker would write."""
    result: dict[str, Any] = {
        "id": order.id,
        "status": status,
        "message": "Done.",
        "model": order.model,
        "cost": 0.5,
        "seconds": 1.0,
        "task": order.digest,
        "workspace": None,
    }
    return result | fields


@dataclass
class FakeDoer:
    """Does each order at once: writes its result, and answers. `answers` say what else comes of one, by its id: an
    error number, an exception, or a status."""

    answers: dict[str, Any] = field(default_factory=dict)
    on_order: Callable[[Order], object] = lambda _: None
    done: list[str] = field(default_factory=list)
    closed: bool = False
    stopped: str | None = None
    hangs: bool = False
    """Each order is done when it is stopped, and then aborted."""
    most: int = 0
    """At once."""
    _now: int = 0
    _stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def do(self, order: Order) -> dict[str, Any]:
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            self.on_order(order)
            await asyncio.sleep(0)
            if self.hangs:
                await self._stop.wait()
                return {"result": self._written(order, "aborted")}
            return self._answer(order)
        finally:
            self._now -= 1

    def _answer(self, order: Order) -> dict[str, Any]:
        self.done.append(order.id)
        answer = self.answers.get(order.id, "complete")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, int):
            return {"unwritten": errno.errorcode[answer], "errno": answer}
        return {"result": self._written(order, answer)}

    def _written(self, order: Order, status: str) -> dict[str, Any]:
        order.place.root.mkdir(exist_ok=True)
        result = result_of(order, status)
        write_result(order.place, result)
        return result

    def stop(self, reason: str) -> None:
        self.stopped = reason
        self._stop.set()

    def kill(self) -> None:
        raise AssertionError("nobody asked for it")

    async def close(self) -> None:
        self.closed = True


def lost(message: str = "The process that worked on it was killed by SIGKILL.") -> WorkerLost:
    return WorkerLost(message)
