"""One live run as its session sees it: its state, its abort, its end."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.abort import AbortController
from steersman.agent.config import Budget
from steersman.agent.events import AgentEnd, Input, MessageUpdate
from steersman.agent.loop import RunResult
from steersman.agent.model import ThinkingLevel
from steersman.session.facts import RunFacts
from steersman.session.settings import Mode
from steersman.session.wire import Data

RunState = Literal[
    "streaming",
    "tool",
    "waitingApproval",
    "waitingInput",
    "retrying",
    "compacting",
    "aborting",
    "idle",
    "interrupted",
]


@dataclass(slots=True, eq=False)
class Run:
    id: str
    session: str
    inputs: tuple[Input, ...]
    """Empty: goes on from the tail of the history."""
    budget: Budget
    mode: Mode
    model: str
    """As the user names it: `PROVIDER:NAME`."""
    thinking: ThinkingLevel = "off"
    """As it was asked for; a model that takes no level doesn't get it."""
    notices: tuple[str, ...] = ()
    """For the user, about its prompt: told when it has begun."""
    controller: AbortController = field(default_factory=AbortController)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Nothing of the run is told before this is set: the answer to its start goes first."""
    facts: RunFacts = field(default_factory=RunFacts)
    """What its records say that it did."""
    streaming: "StreamingMessage | None" = None
    """The response that is being streamed, as far as it has come."""
    interrupted: bool = False
    """The server is closing: nobody has asked for the abort."""
    state: RunState = "idle"
    end: AgentEnd | None = None
    """As it was told."""
    result: RunResult | None = None
    error: BaseException | None = None
    """What the run raised: a caller in raise mode wants it."""
    task: "asyncio.Task[None] | None" = None

    @property
    def aborting(self) -> bool:
        return self.controller.signal.aborted

    def release(self) -> None:
        """Lets the run begin."""
        self.released.set()

    async def wait(self) -> RunResult | None:
        """Returns when the run has ended; None if it ended without a result."""
        if self.task is not None:
            await asyncio.wait({self.task})
        return self.result


class StreamingMessage:
    """A response while it is being streamed."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        self._blocks: dict[int, tuple[str, list[str]]] = {}

    def add(self, update: MessageUpdate) -> None:
        self._blocks.setdefault(update.index, (update.kind, []))[1].append(update.text)

    def data(self) -> Data:
        """`{messageId, blocks: [{index, kind, text}]}`."""
        blocks = [
            {"index": index, "kind": kind, "text": "".join(pieces)}
            for index, (kind, pieces) in sorted(self._blocks.items())
        ]
        return {"messageId": self.message_id, "blocks": blocks}
