"""What the calls of one batch share: what the run gives them, and whether one of them has stopped it."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.config import LoopConfig
from steersman.agent.recorder import Recorder
from steersman.agent.tasks import supervise
from steersman.agent.tool import Tool

T = TypeVar("T")


@dataclass(slots=True)
class BatchContext:
    config: LoopConfig
    recorder: Recorder
    signal: AbortSignal
    tools: Mapping[str, Tool]
    stopped: bool = False
    """Whoever was asked chose Stop: the run is to end as aborted."""

    def stopping(self) -> bool:
        return self.stopped or self.signal.aborted

    async def supervise(self, work: Awaitable[T], what: str) -> T:
        config = self.config
        return await supervise(
            work,
            what=what,
            signal=self.signal,
            clock=config.clock,
            strays=config.strays,
            grace=config.limits.grace,
        )
