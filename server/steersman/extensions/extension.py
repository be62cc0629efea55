"""The base of every extension: its hooks, all of them optional. What is not overridden changes nothing.

Hooks are called one after the other, in the order of `order`, then of the names. They are awaited: an abort of the
run stops them. What a hook raises ends the run as `error`, and the log names the extension; where a hook decides what
may be done or told, that fails closed, as it says.
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
    """A hook that decides on turns or requests ends the run as `error` with this: the text is for the user."""


class CommandFailed(Exception):
    """What a command was asked for can't be done: the text is the client's error."""


@dataclass(frozen=True, slots=True)
class Command:
    """`steersman.x.EXTENSION.NAME`, for clients. It is advertised at initialize, so it belongs to the class."""

    name: str
    """Letters, digits, `_` and `-`, a letter first."""
    params: type[BaseModel]
    """Its one argument, an object. `session` is added to it: without, the only live one, else the one used last."""
    run: Callable[[Any, Any], Awaitable[Json]]
    """A method of the extension, called with the params. Its answer is JSON. Raises CommandFailed."""
    description: str = ""


class Extension:
    """One session's. State is kept in the object; it begins anew when the session is opened again."""

    order: ClassVar[int] = 0
    """Lower comes first."""
    redacts: ClassVar[bool] = True
    """What `after_tool_call` leaves out must be kept and told nowhere else: live output goes through `transform_update`
    or is withheld, and no file takes the long output of a command. False for one that only shortens or adds."""
    commands: ClassVar[Sequence[Command]] = ()

    def __init__(self, session: Session) -> None:
        """What it raises leaves the extension out of this session, and the user is told."""
        self.session = session

    def tools(self) -> Sequence[Tool]:
        """Tools for the model. Those that are not `parallel` have effects: they need leave as the session's mode says,
        by what they propose or, if they propose nothing, by their name and arguments."""
        return ()

    async def prepare_run(self, inputs: Sequence[Input], signal: AbortSignal) -> NextTurn | None:
        """Before the first turn: what to change for the run. `inputs` are empty where it goes on without a prompt."""
        return None

    async def prepare_next_turn(self, turn: TurnSummary, signal: AbortSignal) -> NextTurn | None:
        """Between two turns: what to change from here on. Of several extensions the last one that sets a thing wins."""
        return None

    async def transform_context(self, messages: Sequence[Message], signal: AbortSignal) -> Sequence[Message]:
        """What models see of the conversation, for each request. Each extension gets what the one before it made."""
        return messages

    def show_to_model(self, message: CustomMessage) -> str | None:
        """What models are told of a custom message, in its place; None: nothing. The first extension with an answer
        decides. Called for each message and request, before `transform_context`."""
        return None

    async def before_tool_call(self, pending: PendingCall, signal: AbortSignal) -> Block | Stop | None:
        """Forbids a call, in any mode. None leaves it to the policy, and to the user. Whatever it raises, the call is
        not done and the run ends."""
        return None

    async def after_tool_call(
        self, pending: PendingCall, result: ToolResult, signal: AbortSignal
    ) -> ToolResult | None:
        """What becomes of a result, before anything of it is told or kept; None leaves it. Whatever it raises, the
        result is withheld."""
        return None

    def transform_update(self, call: ToolCall, text: str) -> str | None:
        """What is told of a running tool's output, piece by piece as it comes; None withholds the piece."""
        return text

    async def should_stop_after_turn(self, turn: TurnSummary) -> str | None:
        """A reason ends the run as complete, whatever is left to do; the user is told it. All extensions are asked."""
        return None

    def get_steering_messages(self) -> Sequence[str]:
        """Takes what it has to say before the next request."""
        return ()

    def get_follow_up_messages(self) -> Sequence[str]:
        """Takes what it has to say now that the run would end: asked when nothing else is queued. Whoever always has
        something never lets a run end."""
        return ()

    async def close(self) -> None:
        """The session is closed: for what has to be released, within a second."""
