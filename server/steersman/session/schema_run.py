"""The events of a run: its turns, messages and tool calls, from its start to its end."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from steersman.agent.events import DiscardReason, EndedBy, Limit, RunStop, TurnStop
from steersman.agent.messages import ModelStop, Outcome
from steersman.agent.model import BlockKind, FailureKind
from steersman.session.schema_parts import Content, Count, DenialMark, EventData, InputData, UsageData, Wire
from steersman.session.settings import Mode


class AgentStartData(EventData):
    """A run begins."""

    event = "agent_start"
    model: str
    mode: Mode
    """As it was asked for; the mode that holds is in the `config` that follows."""
    inputs: list[InputData]
    """Empty when the run continues without a prompt."""
    context_window: Count | None = None
    """Tokens that the model takes, where that is known."""


class TurnStartData(EventData):
    """A turn begins: the model is asked."""

    event = "turn_start"
    turn: Annotated[int, Field(ge=1)]


class MessageStartData(EventData):
    """A message begins; its `message_end` says what became of it."""

    event = "message_start"
    message_id: str
    role: Literal["user", "assistant", "custom"]
    model: str | None = None


class MessageUpdateData(EventData):
    """More of a block of the answer that is being streamed."""

    event = "message_update"
    durable = False
    message_id: str
    index: Count
    kind: BlockKind
    offset: Count
    """Where in the block's text this goes, in UTF-16 code units."""
    text: str


class MessageEndData(EventData):
    """A message is committed."""

    event = "message_end"
    message_id: str
    role: Literal["user", "assistant", "custom"]
    content: Content
    parent: str | None
    """Id of the node before it; null for the first."""
    model: str | None = None
    stop_reason: ModelStop | None = None
    usage: UsageData | None = None
    kind: str | None = None
    """Of a custom message."""
    source: str | None = None
    """Of a user message: the extension that said it in the user's place."""


class FailureData(Wire):
    kind: FailureKind
    message: str


class DiscardedData(EventData):
    """A message was not committed: it is never part of history, never sent to a model."""

    event = "message_end"
    message_id: str
    discarded: DiscardReason
    partial: Content
    usage: UsageData
    failure: FailureData | None = None


class ToolStartData(EventData):
    """A committed call begins, even one that will not be executed."""

    event = "tool_execution_start"
    tool_call_id: str
    name: str
    args: dict[str, JsonValue]
    """As they will be used."""
    args_text: str | None = None
    """As the model wrote them, where they are no JSON object."""


class ToolRunningData(EventData):
    """The call was prepared and allowed; from here on it may have effects."""

    event = "tool_execution_running"
    tool_call_id: str


class ToolUpdateData(EventData):
    """More live output."""

    event = "tool_execution_update"
    durable = False
    tool_call_id: str
    offset: Count
    """In UTF-16 code units."""
    text: str


class ToolEndData(EventData):
    """The one result of a call."""

    event = "tool_execution_end"
    tool_call_id: str
    name: str
    outcome: Outcome
    is_error: bool
    content: Content
    duration_ms: Count
    details: dict[str, JsonValue] | None = None
    """For clients; no model sees it."""
    denial: DenialMark | None = None


class TurnEndData(EventData):
    """The answer and the results of its calls are complete."""

    event = "turn_end"
    turn: Annotated[int, Field(ge=1)]
    stop_reason: TurnStop
    tool_call_ids: list[str]
    """In declared order."""


class FileSummary(Wire):
    uri: str
    added: Count
    removed: Count


class DeniedCall(DenialMark):
    tool_call_id: str
    name: str


class ErrorData(Wire):
    code: FailureKind | Literal["logFailed", "hookFailed", "toolFailed", "internal"]
    message: str


class SessionTotals(Wire):
    """A session as it stands."""

    title: str | None
    model: str | None
    mode: Mode | None
    usage: UsageData
    """Of all its runs, those on other branches included."""


class AgentEndData(EventData):
    """The run has ended, exactly once."""

    event = "agent_end"
    stop_reason: RunStop
    text: str
    """Of the last answer."""
    message: str
    """One sentence for a person."""
    usage: UsageData
    cost: Annotated[float, Field(ge=0, strict=False)] | None
    """US dollars; null where the price is not known."""
    turns: Count
    context_window: Count | None = None
    """Tokens that the model takes, where that is known by now."""
    files: list[FileSummary]
    commands: list[str]
    denied: list[DeniedCall]
    undelivered: list[InputData]
    """What was said and never reached the model."""
    last_action: str | None = None
    limit: Limit | None = None
    ended_by: EndedBy | None = None
    truncated: Literal[True] | None = None
    """The last answer was cut: `continue` asks for the rest."""
    error: ErrorData | None = None
    session: SessionTotals
