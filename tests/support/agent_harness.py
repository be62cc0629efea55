"""An agent with a scripted model, and everything it told. Whatever a test asserts, `verify` checks the rest."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

from steersman.agent.abort import AbortController
from steersman.agent.agent import Agent
from steersman.agent.config import LoopConfig
from steersman.agent.events import AgentEnd, AgentEvent, AgentStart, DurableEvent
from steersman.agent.hooks import Hooks
from steersman.agent.inbox import Inbox
from steersman.agent.loop import RunResult
from steersman.agent.messages import Message
from support.event_checker import check, check_conversation
from support.fake_tools import FakeTool, Gate
from support.manual_clock import ManualClock
from support.scripted_model import ScriptedModel, Step, Stream

E = TypeVar("E")


class DiskFull(Exception):
    """What a failing sink says."""


class MemorySink:
    """Keeps durable events, and everything told in order. Can be made to fail or to wait at an event."""

    def __init__(self) -> None:
        self.kept: list[DurableEvent] = []
        self.told: list[AgentEvent] = []
        self.fails: Callable[[DurableEvent], bool] = lambda event: False
        self.waits: Callable[[DurableEvent], Gate | None] = lambda event: None
        self.records = 0
        self.failed = False
        self._recording = False

    async def record(self, event: DurableEvent) -> None:
        assert not self._recording, "the sink takes one event at a time"
        self._recording = True
        try:
            if gate := self.waits(event):
                await gate()
            self.records += 1
            if self.fails(event):
                raise DiskFull("no space left on device, says secret.txt")
        except BaseException:
            self.failed = True
            raise
        finally:
            self._recording = False
        self.kept.append(event)
        self.told.append(event)

    def tell(self, event: AgentEvent) -> None:
        self.told.append(event)


class AgentHarness:
    def __init__(
        self,
        *responses: Sequence[Step] | Stream,
        tools: Sequence[FakeTool] = (),
        hooks: Hooks | None = None,
        messages: Sequence[Message] = (),
        inbox: Inbox | None = None,
        **config: object,
    ) -> None:
        self.model = ScriptedModel(*responses)
        self.clock = ManualClock()
        self.sink = MemorySink()
        self.results: list[RunResult] = []
        numbers = itertools.count(1)
        self.config = LoopConfig(
            self.model,
            tools=tools,
            hooks=hooks or Hooks(),
            clock=self.clock,
            new_id=lambda prefix: f"{prefix}_{next(numbers)}",
            **config,
        )
        self.agent = Agent(self.config, messages=messages, inbox=inbox, sink=self.sink)
        self._before = len(messages)

    # Driving

    async def prompt(self, text: str = "go", controller: AbortController | None = None) -> RunResult:
        return self._kept(await self.agent.prompt(text, controller=controller))

    async def continue_(self) -> RunResult:
        return self._kept(await self.agent.continue_())

    def start(self, text: str = "go", controller: AbortController | None = None) -> "asyncio.Task[RunResult]":
        """A run that the test can interfere with; it has not begun yet."""
        return asyncio.create_task(self.prompt(text, controller))

    async def elapse(self, task: "asyncio.Task[RunResult]") -> RunResult:
        """Lets time pass until the run has ended."""
        await self.clock.elapse_until(task)
        return task.result()

    def _kept(self, result: RunResult) -> RunResult:
        self.results.append(result)
        return result

    # What came of it

    @property
    def events(self) -> list[AgentEvent]:
        return self.sink.told

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def end(self) -> AgentEnd:
        return self.of(AgentEnd)[-1]

    @property
    def roles(self) -> list[str]:
        return [message.role for message in self.agent.messages]

    @property
    def outcomes(self) -> list[str]:
        """Of all results in history, in its order."""
        return [message.outcome for message in self.agent.messages if message.role == "tool"]

    @property
    def texts(self) -> list[str]:
        """Of all results in history, in its order."""
        return [message.text for message in self.agent.messages if message.role == "tool"]

    def asked(self, request: int = -1) -> list[str]:
        """What a request of the model held: `role:text` of each message."""
        return [f"{message.role}:{_text(message)}" for message in self.model.requests[request].messages]

    @property
    def everything(self) -> str:
        """All that left the kernel, as text to search in."""
        return repr((self.events, self.agent.messages, self.model.requests))

    def verify(self) -> None:
        """Checks every run's events, the history as a whole, and every request."""
        assert not self.agent.running, "a run is still live at the end of its test"
        runs: list[list[AgentEvent]] = []
        for event in self.events:
            if isinstance(event, AgentStart):
                runs.append([])
            runs[-1].append(event)
        added = list(self.agent.messages[self._before :])
        for run in runs:
            count = sum(1 for event in run if _adds(event)) + _results(run)
            check(run, history=added[:count])
            del added[:count]
        if not self.sink.failed:
            passing = ("message_update", "tool_execution_update")
            assert self.sink.kept == [event for event in self.events if event.type not in passing]
        assert not added, f"in history, but never told: {added}"
        check_conversation(self.agent.messages)
        for result in self.results:
            assert result.end in self.events
        for request in self.model.requests:
            check_conversation(request.messages)


def _text(message: Message) -> str:
    return "".join(getattr(block, "text", "") for block in message.content)


def _adds(event: AgentEvent) -> bool:
    return event.type == "message_end" and hasattr(event, "message")


def _results(run: Sequence[AgentEvent]) -> int:
    return sum(1 for event in run if event.type == "tool_execution_end")
