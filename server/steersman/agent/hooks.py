"""The extension points of the loop, all optional. Planners, policies and compaction are built on these from outside.

A hook that raises ends the run as `error`, with everything closed; its text goes to the application log only, unless
it is a `HookError`. Three differ: `before_tool_call` also raises to the caller (an exception never means yes), a
failing `after_tool_call` becomes that call's error result, and a failing `transform_update` withholds the rest of that
call's live output.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from steersman.agent.abort import AbortSignal
from steersman.agent.events import EndedBy, Input
from steersman.agent.inbox import DeliveryMode
from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    JsonObject,
    LlmMessage,
    Message,
    ToolCall,
    ToolResultMessage,
)
from steersman.agent.model import Model, StreamFailure, ThinkingLevel
from steersman.agent.tool import Proposal, Tool, ToolResult


class HookError(Exception):
    """An expected failure of a hook, which ends the run as `error`: its text is for a person."""

    def __init__(self, code: str, message: str) -> None:
        """`code`: of the run's error, such as a `FailureKind`."""
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that is prepared and waits for leave."""

    call: ToolCall
    arguments: JsonObject
    """As they will be used."""
    proposal: Proposal | None
    """What it would change."""


@dataclass(frozen=True, slots=True)
class Allow:
    proposal: Proposal | None = None
    """What to do instead of what was proposed; None leaves it."""


@dataclass(frozen=True, slots=True)
class Block:
    """This call is not done; the model is told why, and the run goes on."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """This call is not done and the run ends as aborted."""

    reason: str


Leave = Allow | Block | Stop


@dataclass(frozen=True, slots=True)
class Retry:
    after: float = 0.0
    """Seconds to wait first. An abort during the wait ends the run."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    message: str | None = None
    """For a person, in place of the failure's own."""


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A turn that has just ended."""

    turn: int
    message: AssistantMessage
    results: tuple[ToolResultMessage, ...]
    history: Sequence[Message]
    """The whole conversation; not to be changed."""


@dataclass(frozen=True, slots=True)
class NextTurn:
    """What to change from the next turn on; None leaves a thing as it is."""

    model: Model | None = None
    thinking: ThinkingLevel | None = None
    tools: Sequence[Tool] | None = None
    system: str | None = None
    context: Sequence[Message] | None = None
    """The messages that requests are made from, followed by what comes later. History itself stays whole."""


@dataclass(slots=True)
class Hooks:
    transform_context: Callable[[Sequence[Message], AbortSignal], Awaitable[Sequence[Message]]] | None = None
    """What the model will see of the conversation. Called before each request, a retried one too."""

    prepare_run: Callable[[Sequence[Input], AbortSignal], Awaitable[NextTurn | None]] | None = None
    """Called once, before the first turn, with what the run begins with: what to change for the whole run."""

    convert_to_llm: Callable[[Sequence[Message]], Sequence[LlmMessage]] | None = None
    """The messages that may be sent. By default all but custom ones."""

    before_tool_call: Callable[[PendingCall, AbortSignal], Awaitable[Leave]] | None = None
    """May this call be done? Asked again, up to three times, when the base of its proposal has moved."""

    after_tool_call: Callable[[PendingCall, ToolResult, AbortSignal], Awaitable[ToolResult | None]] | None = (
        None
    )
    """May replace what a tool returned (also its expected errors), before anything of it is told or kept."""

    transform_update: Callable[[ToolCall, str], str | None] | None = None
    """Live output on its way out. Where `after_tool_call` is set and this is not, live output is withheld."""

    prepare_next_turn: Callable[[TurnSummary, AbortSignal], Awaitable[NextTurn | None]] | None = None
    """Called between two turns of a run."""

    should_stop_after_turn: Callable[[TurnSummary], Awaitable[EndedBy | None]] | None = None
    """A reason ends the run as complete, whatever is left to do."""

    on_stream_failure: Callable[[StreamFailure, int, AbortSignal], Awaitable[Retry | GiveUp]] | None = None
    """The one place where retry, compaction and giving up are decided. The number is the attempt's, from 1."""

    get_steering_messages: Callable[[], Sequence[Input]] | None = None
    """Takes what is to be injected before the next request."""

    steering_mode: DeliveryMode = "one"
    """`one`: asked once for each request. `all`: what comes while a request is being made joins it too."""

    get_custom_messages: Callable[[], Sequence[CustomMessage]] | None = None
    """Takes what is to be kept and shown, but is no reason for a request: asked at the start of each turn, and at the
    end of the run, after its last turn."""

    get_follow_up_messages: Callable[[], Sequence[Input]] | None = None
    """Takes what comes next when the run would end. Called right after an empty poll for steering; an empty answer
    decides the end, so whoever answers it refuses later input in the same step."""

    hand_back: Callable[[Sequence[Input]], Sequence[Input]] | None = None
    """Called once, in the step in which the run's end is told, with what was taken but not delivered. Returns what
    `agent_end` is to hand back. By default just that."""


def without_custom(messages: Sequence[Message]) -> list[LlmMessage]:
    """The default of `convert_to_llm`."""
    return [message for message in messages if message.role != "custom"]
