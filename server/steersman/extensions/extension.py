"""The base class of extensions, with their hooks. All are optional: one that is not overridden changes nothing.

The hooks of several extensions are called one after the other, by `order` and then by name. They are awaited, and an
abort of the run stops them. If a hook raises, the run ends as `error` and the log names the extension. Hooks that
decide what may be done or shown fail closed, as described there.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel

from steersman.agent.abort import AbortSignal
from steersman.agent.events import Input
from steersman.agent.hooks import Block, NextTurn, PendingCall, Stop, TurnSummary
from steersman.agent.messages import CustomMessage, Json, Message, ToolCall
from steersman.agent.tool import Tool, ToolResult
from steersman.extensions.session import Session


class CannotGoOn(Exception):
    """Raised by a hook that decides about turns or requests: ends the run as `error`. The message is for the user."""


class CommandFailed(Exception):
    """A command can't do what it was asked to do. The message becomes the client's error."""


@dataclass(frozen=True, slots=True)
class Command:
    """`steersman.x.EXTENSION.NAME`, for clients. It is a part of the class since it is advertised at initialize."""

    name: str
    """Letters, digits, `_` and `-`; the first is a letter."""
    params: type[BaseModel]
    """The model of its argument, an object. `session` is added to it; by default, that is the only live session or, if
    there are several or none, the one used last."""
    run: Callable[[Any, Any], Awaitable[Json]]
    """A method of the extension, called with the params. It returns JSON, and may raise CommandFailed."""
    description: str = ""


class Extension:
    """An extension in one session. Its state lives in the object, which is new whenever the session is opened."""

    order: ClassVar[int] = 0
    """Lower numbers come first."""
    redacts: ClassVar[bool] = True
    """Whether what `after_tool_call` removes must not be kept or shown anywhere else: live output then goes through
    `transform_update` or is withheld, and no file keeps the long output of a command. False for an extension that only
    shortens or adds."""
    commands: ClassVar[Sequence[Command]] = ()

    def __init__(self, session: Session) -> None:
        """If this raises, the session goes without the extension, and the user is told."""
        self.session = session

    def tools(self) -> Sequence[Tool]:
        """Tools for the model. Those that are not `parallel` have effects, so they need permission as the session's
        mode says: for what they propose or, if they propose nothing, for their name and arguments."""
        return ()

    async def prepare_run(self, inputs: Sequence[Input], signal: AbortSignal) -> NextTurn | None:
        """Called before the first turn: what to change for the run. `inputs` is empty if it continues without a
        prompt."""
        return None

    async def prepare_next_turn(self, turn: TurnSummary, signal: AbortSignal) -> NextTurn | None:
        """Called between turns: what to change from here on. If several extensions set the same thing, the last one
        wins."""
        return None

    async def transform_context(self, messages: Sequence[Message], signal: AbortSignal) -> Sequence[Message]:
        """What models see of the conversation, for each request. Each extension gets what the previous one returned."""
        return messages

    def show_to_model(self, message: CustomMessage) -> str | None:
        """What models see in place of a custom message; None: nothing. The first extension with an answer decides.
        Called for each message and request, before `transform_context`."""
        return None

    async def before_tool_call(self, pending: PendingCall, signal: AbortSignal) -> Block | Stop | None:
        """Can forbid a call, in any mode. None leaves the decision to the policy and the user. If this raises, the call
        is not made and the run ends."""
        return None

    async def after_tool_call(
        self, pending: PendingCall, result: ToolResult, signal: AbortSignal
    ) -> ToolResult | None:
        """What becomes of a result before any of it is shown or kept; None leaves it as it is. If this raises, the
        result is withheld."""
        return None

    def transform_update(self, call: ToolCall, text: str) -> str | None:
        """What is shown of a running tool's output, piece by piece as it comes; None withholds the piece."""
        return text

    async def should_stop_after_turn(self, turn: TurnSummary) -> str | None:
        """Ends the run as complete, whatever is left to do, by returning a reason for the user. All extensions are
        asked."""
        return None

    def get_steering_messages(self) -> Sequence[str]:
        """Returns, and forgets, what the extension has to say before the next request."""
        return ()

    def get_follow_up_messages(self) -> Sequence[str]:
        """Returns, and forgets, what the extension has to say now that the run would end. Called when nothing else is
        queued: an extension that always returns something keeps the run from ending."""
        return ()

    async def close(self) -> None:
        """Called when the session is closed, to release resources within a second."""
