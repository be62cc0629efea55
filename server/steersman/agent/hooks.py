"""The loop's extension points, all optional. Planners, policies and compaction are built on them, outside the kernel.

A hook that raises ends the run as `error`, with everything closed. The exception's text goes to the application log
only, unless it is a `HookError`. Three hooks differ: `before_tool_call` also raises to the caller (an exception never
means yes), a failing `after_tool_call` becomes the call's error result, and a failing `transform_update` withholds the
rest of the call's live output.
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
    Usage,
)
from steersman.agent.model import Model, StreamFailure, ThinkingLevel
from steersman.agent.tool import Proposal, Tool, ToolResult


class HookError(Exception):
    """An expected failure of a hook, which ends the run as `error`. Its text is for a person."""

    def __init__(self, code: str, message: str) -> None:
        """`code`: that of the run's error, such as a `FailureKind`."""
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that is prepared and waits to be allowed."""

    call: ToolCall
    arguments: JsonObject
    """As they will be used."""
    proposal: Proposal | None
    """What it would change."""


@dataclass(frozen=True, slots=True)
class Allow:
    proposal: Proposal | None = None
    """Replaces what was proposed; None: do what was proposed."""


@dataclass(frozen=True, slots=True)
class Block:
    """The call is not executed. The model is told why, and the run goes on."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The call is not executed, and the run ends as aborted."""

    reason: str


Leave = Allow | Block | Stop


@dataclass(frozen=True, slots=True)
class Retry:
    after: float = 0.0
    """Seconds to wait first. An abort during the wait ends the run."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    message: str | None = None
    """For a person; None: the failure's own message."""


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
    """What to change from the next turn on; None changes nothing."""

    model: Model | None = None
    thinking: ThinkingLevel | None = None
    tools: Sequence[Tool] | None = None
    system: str | None = None
    context: Sequence[Message] | None = None
    """Replaces the messages that requests are made from; later ones follow it. History itself is not changed."""


@dataclass(slots=True)
class Hooks:
    transform_context: Callable[[Sequence[Message], AbortSignal], Awaitable[Sequence[Message]]] | None = None
    """Returns what the model sees of the conversation. Called before each request, including retries."""

    prepare_run: Callable[[Sequence[Input], AbortSignal], Awaitable[NextTurn | None]] | None = None
    """Called once, before the first turn, with the run's first input. Returns what to change for the whole run."""

    convert_to_llm: Callable[[Sequence[Message]], Sequence[LlmMessage]] | None = None
    """Returns the messages to send. By default all but custom ones."""

    before_tool_call: Callable[[PendingCall, AbortSignal], Awaitable[Leave]] | None = None
    """May this call be executed? Asked again, up to `KernelLimits.supersedes` times, if its proposal is superseded."""

    after_tool_call: Callable[[PendingCall, ToolResult, AbortSignal], Awaitable[ToolResult | None]] | None = (
        None
    )
    """May replace a tool's result, including expected errors, before anything of it is told or kept."""

    transform_update: Callable[[ToolCall, str], str | None] | None = None
    """Returns live output as it may be told; None withholds it. Without this hook, but with `after_tool_call`, all live
    output is withheld."""

    prepare_next_turn: Callable[[TurnSummary, AbortSignal], Awaitable[NextTurn | None]] | None = None
    """Called between two turns of a run."""

    should_stop_after_turn: Callable[[TurnSummary], Awaitable[EndedBy | None]] | None = None
    """A reason ends the run as complete, even if there is more to do."""

    on_stream_failure: Callable[[StreamFailure, int, AbortSignal], Awaitable[Retry | GiveUp]] | None = None
    """The one place that decides on retries, compaction and giving up. The number counts attempts, from 1."""

    get_steering_messages: Callable[[], Sequence[Input]] | None = None
    """Takes the messages to inject before the next request."""

    steering_mode: DeliveryMode = "one"
    """`one`: `get_steering_messages` is asked once for each request. `all`: it is asked again while one is made."""

    get_custom_messages: Callable[[], Sequence[CustomMessage]] | None = None
    """Takes messages to keep and show, which are no reason for a request. Called at the start of each turn, and after
    the last one."""

    get_follow_up_messages: Callable[[], Sequence[Input]] | None = None
    """Takes the next input when the run would end. Called right after an empty poll for steering. An empty answer ends
    the run, so whoever gives it must refuse later input in the same step."""

    get_own_usage: Callable[[], Usage] | None = None
    """Takes what hooks have spent on requests of their own, such as for a summary: it counts as the run's. Called
    before each turn, and at the end."""

    hand_back: Callable[[Sequence[Input]], Sequence[Input]] | None = None
    """Called once, in the step that tells the run's end, with what was taken but not delivered. Returns what
    `agent_end` hands back; by default the same."""


def without_custom(messages: Sequence[Message]) -> list[LlmMessage]:
    """The default for `convert_to_llm`."""
    return [message for message in messages if message.role != "custom"]
