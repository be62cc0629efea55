"""The kernel's events. Durable ones go through the sink, awaited and in order; passing ones may be dropped.

Every start has its end, whatever happens: message, tool execution, turn, agent. Each run has one `AgentEnd`, last. No
event is ever changed, but passing ones are not frozen: there are many thousands of them, and freezing costs time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from steersman.agent.messages import (
    NO_USAGE,
    AssistantContent,
    AssistantMessage,
    CustomMessage,
    JsonObject,
    ModelStop,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from steersman.agent.model import BlockKind, StreamFailure

RunStop = Literal["complete", "max_turns", "budget", "aborted", "interrupted", "error"]
TurnStop = ModelStop | Literal["aborted", "error"]
Limit = Literal["turns", "seconds", "tokens", "cost"]
EndedBy = Literal["terminate", "hook", "declines"]
DiscardReason = Literal["retried", "failed", "aborted", "interrupted"]
InputKind = Literal["prompt", "steer", "followUp"]


@dataclass(frozen=True, slots=True)
class Input:
    """A message on its way into a run, and how it was sent."""

    kind: InputKind
    message: UserMessage | CustomMessage
    id: str = ""
    """Identifies it while it is queued; empty: it can't be changed there."""


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run ended as `error`."""

    code: str
    """A model's `FailureKind`, the code of a `HookError`, or `logFailed`, `hookFailed`, `toolFailed` or `internal`."""
    message: str
    """For a person."""


@dataclass(frozen=True, slots=True)
class AgentStart:
    type: ClassVar[str] = "agent_start"


@dataclass(frozen=True, slots=True)
class TurnStart:
    type: ClassVar[str] = "turn_start"
    turn: int
    """1 for the first turn of the run."""


@dataclass(frozen=True, slots=True)
class MessageStart:
    type: ClassVar[str] = "message_start"
    message_id: str
    role: Literal["user", "assistant", "custom"]
    model: str | None = None


@dataclass(slots=True)
class MessageUpdate:
    """More of block `index` of the message that is being streamed. Passing."""

    type: ClassVar[str] = "message_update"
    message_id: str
    index: int
    kind: BlockKind
    offset: int
    """Where `text` goes in the block, in UTF-16 code units."""
    text: str


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """The message is complete. Once the sink has taken this, the message is committed."""

    type: ClassVar[str] = "message_end"
    message: UserMessage | AssistantMessage | CustomMessage


@dataclass(frozen=True, slots=True)
class MessageDiscarded:
    """The response was not committed. It is told and logged, but is never part of history or sent to a model."""

    type: ClassVar[str] = "message_end"
    message_id: str
    reason: DiscardReason
    partial: tuple[AssistantContent, ...] = ()
    usage: Usage = NO_USAGE
    failure: StreamFailure | None = None


@dataclass(frozen=True, slots=True)
class ToolExecutionStart:
    type: ClassVar[str] = "tool_execution_start"
    call: ToolCall
    arguments: JsonObject | None
    """As they will be used; None if they are not a JSON object."""


@dataclass(frozen=True, slots=True)
class ToolExecutionRunning:
    """The call was allowed and its work begins: from here on there may be effects."""

    type: ClassVar[str] = "tool_execution_running"
    call_id: str


@dataclass(slots=True)
class ToolExecutionUpdate:
    """More of a running tool's live output. Passing."""

    type: ClassVar[str] = "tool_execution_update"
    call_id: str
    offset: int
    """In UTF-16 code units."""
    text: str


@dataclass(frozen=True, slots=True)
class ToolExecutionEnd:
    """The call has its result. Once the sink has taken this, the result is committed."""

    type: ClassVar[str] = "tool_execution_end"
    result: ToolResultMessage
    duration: float
    """Seconds that the work took, without the wait for approval; 0 if it never began."""


@dataclass(frozen=True, slots=True)
class TurnEnd:
    type: ClassVar[str] = "turn_end"
    turn: int
    stop_reason: TurnStop
    tool_call_ids: tuple[str, ...] = ()
    """In declared order."""


@dataclass(frozen=True, slots=True)
class AgentEnd:
    type: ClassVar[str] = "agent_end"
    stop_reason: RunStop
    truncated: bool = False
    """The last answer was cut: `continue` asks for the rest."""
    limit: Limit | None = None
    """Which limit ended a run as `max_turns` or `budget`."""
    ended_by: EndedBy | None = None
    last_call: ToolCall | None = None
    """The last tool call that was committed in this run."""
    error: RunError | None = None
    undelivered: tuple[Input, ...] = ()
    """Messages that never reached the model, oldest first."""
    usage: Usage = NO_USAGE
    """Of the whole run, discarded responses included."""
    turns: int = 0


DurableEvent = (
    AgentStart
    | TurnStart
    | MessageStart
    | MessageEnd
    | MessageDiscarded
    | ToolExecutionStart
    | ToolExecutionRunning
    | ToolExecutionEnd
    | TurnEnd
    | AgentEnd
)
PassingEvent = MessageUpdate | ToolExecutionUpdate
AgentEvent = DurableEvent | PassingEvent


class Sink(Protocol):
    """Where a run's events go."""

    async def record(self, event: DurableEvent) -> None:
        """Keeps a durable event, then tells it. Called in order, never concurrently.

        Raises:
            Exception: it could not be kept. The run closes what is open with `tell` and ends as `error`.
        """
        ...

    def tell(self, event: AgentEvent) -> None:
        """Tells an event without keeping it: a passing one, or a closing one after `record` has failed.

        Must neither raise nor block.
        """
        ...


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units."""
    if text.isascii():
        return len(text)
    return len(text) + sum(character > "\uffff" for character in text)


def call_ids(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    return tuple(call.id for call in calls)
