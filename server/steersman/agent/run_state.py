"""What the parts of one run share: its conversation, what waits to join it, and how hooks are called."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.config import LoopConfig
from steersman.agent.events import Input, MessageEnd, MessageStart, Sink
from steersman.agent.hooks import HookError
from steersman.agent.messages import NO_USAGE, CustomMessage, Message, Usage, UserMessage
from steersman.agent.recorder import Recorder
from steersman.agent.tasks import supervise

log = logging.getLogger(__name__)
T = TypeVar("T")
P = ParamSpec("P")


class HookFailed(Exception):
    """A hook raised; the application log has it."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.expected = error if isinstance(error, HookError) else None
        """The error, if its text may be shown; None: it stays in the log."""


class Aborted(Exception):
    """The run was aborted. Raised where there is nothing to return instead."""


class RunState:
    def __init__(
        self,
        inputs: Sequence[Input],
        history: list[Message],
        config: LoopConfig,
        sink: Sink,
        signal: AbortSignal,
    ) -> None:
        self.config = replace(config)  # `prepare_next_turn` changes this run's, not the caller's
        self.hooks = config.hooks
        self.signal = signal
        self.recorder = Recorder(sink)
        self.history = history
        self.pending: list[Input] = list(inputs)
        """Taken from a queue and not yet committed."""
        self.usage: Usage = NO_USAGE
        self._view: list[Message] | None = None
        self._steered = any(item.kind == "steer" for item in inputs)

    # The conversation

    @property
    def messages(self) -> Sequence[Message]:
        """What requests are made from: history, or what `prepare_next_turn` put in its place."""
        return self.history if self._view is None else self._view

    def replace_context(self, context: Sequence[Message]) -> None:
        self._view = list(context)

    def append(self, *messages: Message) -> None:
        self.history.extend(messages)
        if self._view is not None:
            self._view.extend(messages)

    def count_own_usage(self) -> None:
        """Adds what hooks have spent themselves."""
        if take := self.hooks.get_own_usage:
            self.usage += self.call("get_own_usage", take)

    # Input

    def poll_steering(self) -> None:
        """Takes steering for the request that is being made. In mode `one`, only one message for each request."""
        take = self.hooks.get_steering_messages
        if take is None or (self._steered and self.hooks.steering_mode == "one"):
            return
        taken = self.call("get_steering_messages", take)
        self.pending.extend(taken)
        self._steered = self._steered or bool(taken)

    def request_sent(self) -> None:
        """From now on steering joins the next request."""
        self._steered = False

    def take_follow_ups(self) -> None:
        if take := self.hooks.get_follow_up_messages:
            self.pending.extend(self.call("get_follow_up_messages", take))

    async def inject(self) -> None:
        """Moves pending input into history, after the custom messages. Each item stays pending until committed."""
        await self.keep_custom()
        while self.pending:
            self.check_abort()
            message = self.pending[0].message
            await self._tell(message)
            del self.pending[0]
            self.append(message)

    async def keep_custom(self) -> None:
        """Adds to history what hooks want kept and shown."""
        if take := self.hooks.get_custom_messages:
            for message in self.call("get_custom_messages", lambda: _custom(take())):
                await self._tell(message)
                self.append(message)

    async def _tell(self, message: UserMessage | CustomMessage) -> None:
        await self.recorder.emit(MessageStart(message.id, message.role))
        await self.recorder.emit(MessageEnd(message))

    def hand_back(self) -> tuple[Input, ...]:
        """What was taken but not delivered, or what the hook makes of it."""
        if hook := self.hooks.hand_back:
            return self.call("hand_back", lambda: tuple(hook(self.pending)))
        return tuple(self.pending)

    # Hooks and the abort

    def check_abort(self) -> None:
        """Raises Aborted if the run has been aborted."""
        if self.signal.aborted:
            raise Aborted

    def call(self, what: str, hook: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a synchronous hook.

        Raises:
            HookFailed: it raised.
        """
        try:
            return hook(*args, **kwargs)
        except Exception as error:
            raise _failed(what, error) from error

    async def wait(self, what: str, hook: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a hook; an abort stops it.

        Raises:
            Aborted: the abort came before the hook was done.
            HookFailed: it raised.
        """
        config = self.config
        try:
            answer = await supervise(
                hook(*args, **kwargs),
                what=what,
                signal=self.signal,
                clock=config.clock,
                strays=config.strays,
                grace=config.limits.grace,
            )
        except Exception as error:
            if self.signal.aborted:
                raise Aborted from error
            raise _failed(what, error) from error
        self.check_abort()
        return answer


def _custom(messages: Sequence[object]) -> list[CustomMessage]:
    """Raises TypeError for any other message: at the end of a run nobody is left to close what it would open."""
    found = [message for message in messages if isinstance(message, CustomMessage)]
    if len(found) < len(messages):
        raise TypeError("expected custom messages only")
    return found


def _failed(what: str, error: Exception) -> HookFailed:
    if not isinstance(error, HookError):
        log.error("the hook %s raised", what, exc_info=error)
    return HookFailed(error)
