"""What the kernel tells. Durable events go through the sink, awaited and in order; passing ones may be dropped.

Every start has its end, whatever happens: message, tool execution, turn, agent. One `AgentEnd` per run, last. None of
them is ever changed; the passing ones, of which there are many thousands, are not frozen since that costs time.
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
    """A message on its way into a run, and how it came."""

    kind: InputKind
    message: UserMessage | CustomMessage
    id: str = ""
    """By which it can be changed while it waits; empty: not at all."""


@dataclass(frozen=True, slots=True)
class RunError:
    """Why a run ended as `error`."""

    code: str
    """A `FailureKind` of the model, `logFailed`, `hookFailed`, `toolFailed`, `internal`, or that of a `HookError`."""
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
    """Where in the block's text this goes, in UTF-16 code units."""
    text: str


@dataclass(frozen=True, slots=True)
class MessageEnd:
    """The message is complete. Once the sink has taken this, the message is committed."""

    type: ClassVar[str] = "message_end"
    message: UserMessage | AssistantMessage | CustomMessage


@dataclass(frozen=True, slots=True)
class MessageDiscarded:
    """The response was not committed. It is told and kept, never part of history, never sent to a model."""

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
    """As they will be used; None if they are no JSON object."""


@dataclass(frozen=True, slots=True)
class ToolExecutionRunning:
    """Prepare has passed and the work begins: from here on there may be effects."""

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
    """Seconds that the work took, without the wait for leave; 0 if it never began."""


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
    """Which one ended a run as `max_turns` or `budget`."""
    ended_by: EndedBy | None = None
    last_call: ToolCall | None = None
    """The last tool call that was committed in this run."""
    error: RunError | None = None
    undelivered: tuple[Input, ...] = ()
    """What was asked but never reached the model, oldest first."""
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
        """Takes a durable event: kept, then told. Called in order, never concurrently.

        Raises:
            Exception: it could not be kept. The run closes what is open by `tell` and ends as `error`.
        """
        ...

    def tell(self, event: AgentEvent) -> None:
        """Tells an event that is not kept: a passing one, or a closing one after `record` has failed.

        Must not raise and must not block.
        """
        ...


def utf16_length(text: str) -> int:
    """Length in UTF-16 code units. Immediate for ASCII."""
    if text.isascii():
        return len(text)
    return len(text) + sum(character > "\uffff" for character in text)


def call_ids(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    return tuple(call.id for call in calls)
