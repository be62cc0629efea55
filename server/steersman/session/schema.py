"""The events of the protocol as models: for its tables, its JSON Schema, and the check that events are as they say.

Nothing here is used while a server runs. The events themselves are made in wire, facts, approvals, sink, changes and
store; a test holds every event of rich runs against these models.
"""

from typing import Annotated, Any

from pydantic import Field, JsonValue

from steersman.session.schema_parts import EventData, Wire
from steersman.session.schema_run import (
    AgentEndData,
    AgentStartData,
    DiscardedData,
    MessageEndData,
    MessageStartData,
    MessageUpdateData,
    ToolEndData,
    ToolRunningData,
    ToolStartData,
    ToolUpdateData,
    TurnEndData,
    TurnStartData,
)
from steersman.session.schema_session import ConfigData, HeadData, SessionData, SessionRenamedData
from steersman.session.schema_work import (
    ApprovalRequestedData,
    ApprovalResolvedData,
    CheckpointData,
    CompactionEndData,
    CompactionStartData,
    EditAppliedData,
    EditStartData,
    ExportEndData,
    ExtensionRequestData,
    NoticeData,
    QueueUpdateData,
    RetryData,
    RevertEndData,
    RevertStartData,
    StateData,
)

EVENTS: tuple[type[EventData], ...] = (
    SessionData,
    ConfigData,
    HeadData,
    SessionRenamedData,
    AgentStartData,
    TurnStartData,
    MessageStartData,
    MessageUpdateData,
    MessageEndData,
    DiscardedData,
    ToolStartData,
    ToolRunningData,
    ToolUpdateData,
    ToolEndData,
    TurnEndData,
    AgentEndData,
    StateData,
    QueueUpdateData,
    ApprovalRequestedData,
    ApprovalResolvedData,
    EditStartData,
    EditAppliedData,
    CheckpointData,
    RevertStartData,
    RevertEndData,
    RetryData,
    CompactionStartData,
    CompactionEndData,
    ExtensionRequestData,
    ExportEndData,
    NoticeData,
)
"""In the order in which they are documented. `message_end` has two forms."""


class Event(Wire):
    """What every event is wrapped in."""

    seq: Annotated[int, Field(ge=1)] | None = None
    """Its number in the session's log, without a gap; none for what is not kept."""
    session: str
    run: str | None = None
    turn: Annotated[int, Field(ge=1)] | None = None
    ts: int
    """Milliseconds since 1970, UTC."""
    type: str
    data: dict[str, JsonValue]


def validate(event: dict[str, Any]) -> EventData:
    """The data of an event, checked with its envelope.

    Raises:
        pydantic.ValidationError: a field is missing, unknown or of another kind.
        LookupError: no event has this type.
        ValueError: it has a number and should have none, or lacks it.
    """
    envelope = Event.model_validate(event)
    forms = [model for model in EVENTS if model.event == envelope.type]
    if not forms:
        raise LookupError(f"no event is called {envelope.type}")
    form = forms[1] if len(forms) > 1 and "discarded" in envelope.data else forms[0]
    if envelope.seq is not None and not form.durable:
        raise ValueError(f"{envelope.type} is not kept, and has the number {envelope.seq}")
    return form.model_validate(envelope.data)
