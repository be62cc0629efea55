"""An agent as a library offers it: a history, queues, subscribers, and at most one live run."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace

from steersman.agent.abort import AbortController
from steersman.agent.config import LoopConfig
from steersman.agent.events import AgentEvent, DurableEvent, Input, InputKind, Sink
from steersman.agent.inbox import Inbox
from steersman.agent.loop import RunResult, run_loop
from steersman.agent.messages import AssistantMessage, CustomMessage, Message, Text, UserMessage

log = logging.getLogger(__name__)

Subscriber = Callable[[AgentEvent], None]

GO_ON = "Your last answer was cut off. Go on exactly where it stopped."
"""Asks for the rest of a cut answer: not every API goes on from an answer by itself."""


class AgentError(Exception):
    """The agent can't do that now. The text says what to do instead.

    AgentError
    ├── Busy            a run is live
    └── NothingToDo     there is nothing to continue from
    """


class Busy(AgentError):
    pass


class NothingToDo(AgentError):
    pass


class Agent:
    """Keeps a conversation and runs the loop on it. All use is from one event loop."""

    def __init__(
        self,
        config: LoopConfig,
        *,
        messages: Iterable[Message] = (),
        inbox: Inbox | None = None,
        sink: Sink | None = None,
    ) -> None:
        """
        Args:
            inbox: its queues replace the hooks of `config` that take input.
            sink: gets every event before the subscribers do; without one only `messages` are kept.
        """
        self.config = config
        self.messages: list[Message] = list(messages)
        self.inbox = inbox or Inbox()
        self._sink = sink
        self._subscribers: list[Subscriber] = []
        self._controller: AbortController | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> bool:
        return self._controller is not None

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Calls `subscriber` with every event, in order. Returns a function that ends the subscription.

        If it raises, that is logged and affects nobody else.
        """
        self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return unsubscribe

    async def prompt(
        self, prompt: str | UserMessage, *, controller: AbortController | None = None
    ) -> RunResult:
        """Runs until the model is done with `prompt` and with all that is queued meanwhile.

        Raises:
            Busy: a run is live; use `steer` or `follow_up`.
            ValueError: the prompt is empty.
            Exception: as `run_loop`.
        """
        return await self._run([self._input("prompt", prompt)], controller)

    async def continue_(self, *, controller: AbortController | None = None) -> RunResult:
        """Goes on from the last message. After an answer: with what is queued, else with the rest of a cut answer.

        Raises:
            Busy: a run is live.
            NothingToDo: the history is empty, or ends with a complete answer and nothing is queued.
            Exception: as `run_loop`.
        """
        self._refuse_if_running()
        tail = self._tail()
        if tail is None:
            raise NothingToDo("There is no conversation yet: start with a prompt.")
        queued: list[Input] = []
        if isinstance(tail, AssistantMessage):
            queued = [*(self.inbox.take_steering() or self.inbox.take_follow_ups())]
            if not queued and tail.cut:
                queued = [self._input("prompt", GO_ON)]
            if not queued:
                raise NothingToDo(
                    "The last message is an answer and nothing is queued: send a prompt instead."
                )
        return await self._run(queued, controller)

    def steer(self, text: str | UserMessage) -> None:
        """Queues a message for the next request of the live run, or of the next run.

        Raises:
            InboxClosed: the run is ending and takes no more input.
            ValueError: the message is empty.
        """
        self.inbox.add(self._input("steer", text))

    def follow_up(self, text: str | UserMessage) -> None:
        """Queues a message for when the run would end. Raises as `steer`."""
        self.inbox.add(self._input("followUp", text))

    def abort(self, reason: str | None = None) -> None:
        """Asks the live run to stop. Harmless without one, and when it has been asked before."""
        if self._controller is not None:
            self._controller.abort(reason)

    async def wait_idle(self) -> None:
        """Returns when no run is live."""
        await self._idle.wait()

    # Inside

    def _tail(self) -> Message | None:
        return next((m for m in reversed(self.messages) if not isinstance(m, CustomMessage)), None)

    def _input(self, kind: InputKind, text: str | UserMessage) -> Input:
        message = text
        if isinstance(message, str):
            message = UserMessage(self.config.new_id("msg"), (Text(message),))
        if not any(not isinstance(block, Text) or block.text.strip() for block in message.content):
            raise ValueError("the message is empty")
        return Input(kind, message)

    def _refuse_if_running(self) -> None:
        if self._controller is not None:
            raise Busy("A run is live. Use steer to add to it, follow_up to queue, or abort to stop it.")

    async def _run(self, inputs: list[Input], controller: AbortController | None) -> RunResult:
        self._refuse_if_running()
        self._controller = controller or AbortController()
        self._idle.clear()
        self.inbox.reopen()
        try:
            hooks = replace(
                self.config.hooks,
                get_steering_messages=self.inbox.take_steering,
                get_follow_up_messages=self.inbox.take_follow_ups,
                hand_back=self.inbox.hand_back,
                steering_mode=self.inbox.steering_mode,
            )
            config = replace(self.config, hooks=hooks)
            return await run_loop(inputs, self.messages, config, _FanOut(self), self._controller.signal)
        finally:
            self._controller = None
            self._idle.set()

    def _tell_subscribers(self, event: AgentEvent) -> None:
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(event)
            except (Exception, asyncio.CancelledError):
                log.exception("a subscriber raised on %s", event.type)


class _FanOut:
    """The sink of an agent's runs: first the one that keeps, then all that watch."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    async def record(self, event: DurableEvent) -> None:
        if self._agent._sink is not None:
            await self._agent._sink.record(event)
        self._agent._tell_subscribers(event)

    def tell(self, event: AgentEvent) -> None:
        if self._agent._sink is not None:
            self._agent._sink.tell(event)
        self._agent._tell_subscribers(event)
