"""The events of the protocol as models: for its tables, its JSON Schema, and the check that what is sent is as is said.

Nothing here is used while a server runs. The events themselves are made in wire, facts, approvals, sink, changes and
store; a test holds every event of rich runs against these models.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from steersman.agent.events import DiscardReason, EndedBy, InputKind, Limit, RunStop, TurnStop
from steersman.agent.inbox import QueueKind
from steersman.agent.messages import ModelStop, Outcome
from steersman.agent.model import BlockKind, FailureKind, ThinkingLevel
from steersman.session.approvals import AnsweredBy, Decision, QuestionKind
from steersman.session.run import RunState
from steersman.session.settings import Mode

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class Wire(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class UsageData(Wire):
    """Tokens of one request, or of all requests of a run."""

    input: Count
    """What was read from or written to a cache included."""
    output: Count
    cache_read: Count
    cache_write: Count
    reasoning: Count
    """Part of `output`."""
    cost: Annotated[float, Field(ge=0, strict=False)] | None
    """US dollars; null where the price is not known, of one part of it at least."""


class TextBlock(Wire):
    type: Literal["text", "refusal"]
    text: str
    attached: str | None = None
    """What was attached to a message or a result, by name: `src/app.py#L3-L9`, `diagnostics`. It was not typed."""


class ImageBlock(Wire):
    type: Literal["image"]
    data: str
    """Base64."""
    mime_type: str


class ThinkingBlock(Wire):
    type: Literal["thinking"]
    text: str
    redacted: Literal[True] | None = None
    """The provider hid the text."""
    signature: str | None = None


class ToolCallBlock(Wire):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: str
    """As the model wrote them."""
    provider_id: str | None = None
    signature: str | None = None


Content = list[Annotated[TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock, Field(discriminator="type")]]


class InputData(Wire):
    kind: InputKind
    text: str
    source: str | None = None
    """The extension that said it in the user's place."""
    attached: list[str] | None = None
    """What is attached to it, by name."""


class QueuedItem(Wire):
    """Something that waits to be said to the model."""

    id: str
    """`in_…`, for `steersman.queue`."""
    kind: QueueKind
    text: str
    source: str | None = None
    """The extension that said it in the user's place."""
    attached: list[str] | None = None
    """What is attached to it, by name."""


class DenialMark(Wire):
    """Why a call was not done."""

    title: str
    reason: str
    by: Literal["user", "nobody", "mode", "rule", "repeated", "extension"]
    setting: str | None = None
    """What would have allowed it."""


class EventData(Wire):
    """The `data` of an event."""

    event: ClassVar[str]
    durable: ClassVar[bool] = True
    """A record of the log, with a `seq`."""


# The session


class ForkOrigin(Wire):
    session: str
    node: str | None
    """The last that was copied."""


class SessionData(EventData):
    """The first record of a log."""

    event = "session"
    format: Literal[1]
    session: str
    version: str
    """Of Steersman."""
    created: int
    """Milliseconds since 1970, UTC."""
    forked_from: ForkOrigin | None = None
    """The session that this one is a copy of, up to a node."""
    roots: list[str]
    """URIs of the workspace folders; the first is the session's own."""
    platform: str


class HeadData(EventData):
    """The tip of the session's tree was moved: the next message follows another one than the last."""

    event = "head"
    tip: str | None
    """Id of a node: a message, a `config`, a compaction. Null: before the first."""


class SessionRenamedData(EventData):
    """The user has named the session."""

    event = "session_renamed"
    title: str


class ConfigData(EventData):
    """Model, mode or thinking have changed. A node of the tree, like a message."""

    event = "config"
    id: str
    parent: str | None
    model: str | None
    mode: Mode | None
    thinking: ThinkingLevel = "off"


# The run


class AgentStartData(EventData):
    """A run begins."""

    event = "agent_start"
    model: str
    mode: Mode
    """As it was asked for; what it may have is in the `config` that follows."""
    inputs: list[InputData]
    """Empty when it goes on from what there is."""
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
    """Of a message of the user's: the extension that said it in the user's place."""


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
    """A committed call is taken up, also one that will not run."""

    event = "tool_execution_start"
    tool_call_id: str
    name: str
    args: dict[str, JsonValue]
    """As they will be used."""
    args_text: str | None = None
    """As the model wrote them, where they are no JSON object."""


class ToolRunningData(EventData):
    """Prepare has passed; from here on there may be effects."""

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


# The product


class StateData(EventData):
    """What a run is doing."""

    event = "state"
    durable = False
    state: RunState


class QueueUpdateData(EventData):
    """What waits to be said to the model, steering first."""

    event = "queue_update"
    items: list[QueuedItem]
    removed: list[str] | None = None
    """Ids that the user has taken out. What else is gone is on its way to the model."""


class BaseVersion(Wire):
    sha256: Sha256 | None
    """Null where there is no file yet."""
    version: int | None = None
    """In the editor."""


class HunkData(Wire):
    """Line numbers from 1."""

    id: str
    old_start: int
    old_lines: Count
    new_start: int
    new_lines: Count


class FileChangeData(Wire):
    uri: str
    kind: Literal["create", "edit", "delete", "move"]
    base: BaseVersion
    diff: str
    """Unified."""
    hunks: list[HunkData]
    added: Count
    removed: Count
    truncated: Literal[True] | None = None
    """The diff is not whole: cut short or, in `steersman/requestApproval`, left out."""


class ToolCallData(Wire):
    """A call of a tool of the client's own."""

    name: str
    arguments: dict[str, JsonValue]


class ApprovalRequestedData(EventData):
    """The user is asked."""

    event = "approval_requested"
    id: str
    tool_call_id: str
    """Empty where it is about no call (`trust`)."""
    kind: QuestionKind
    title: str
    reason: str
    changes: list[FileChangeData]
    decisions: list[Decision]
    command: str | None = None
    cwd: str | None = None
    tool: ToolCallData | None = None
    supersedes: str | None = None
    """An accepted question: its file has changed so that its hunks would be others."""


class ApprovalResolvedData(EventData):
    """A question has its one answer."""

    event = "approval_resolved"
    id: str
    tool_call_id: str
    decision: Decision | Literal["withdrawn"]
    by: AnsweredBy
    feedback: str | None = None
    edited: Literal[True] | None = None
    """Accepted as the user has rewritten it."""
    hunks: list[str] | None = None
    """Ids of the only hunks that were accepted."""


class EditStartData(EventData):
    """A file is about to be changed: what a crash leaves there is known by it."""

    event = "edit_start"
    tool_call_id: str | None
    uri: str
    sha256: Sha256 | None
    """Of what will be there; null if nothing will be."""
    target: str | None = None
    """Where a file is moved."""


class EditAppliedData(EventData):
    """A file was changed."""

    event = "edit_applied"
    tool_call_id: str | None
    """Null where no call did it: after the run's end, by a tool that had not stopped; or an instruction's comment was
    taken out."""
    uri: str
    kind: Literal["create", "edit", "delete", "move"]
    added: Count
    removed: Count
    sha256: Sha256 | None
    """Of what is there now; null if nothing is."""
    via: Literal["editor", "disk"]
    unsaved: bool
    target: str | None = None
    """Where a moved file is."""


class CheckpointData(EventData):
    """What was at a path before its first change after a user message; the bytes are kept by their SHA-256."""

    event = "checkpoint"
    checkpoint: str | None
    """Id of that message."""
    uri: str
    kind: Literal["absent", "file", "link"]
    sha256: Sha256 | None
    mode: int | None
    """Permission bits."""
    buffer_sha256: Sha256 | None
    """Of the editor's text, where it differed from the disk."""


class RevertStartData(EventData):
    """The user takes back what was changed since a checkpoint. It is a checkpoint itself."""

    event = "revert_start"
    id: str
    checkpoint: str
    title: str


class RevertedFile(Wire):
    uri: str
    outcome: Literal["restored", "deleted", "done", "kept", "skipped", "conflict", "failed"]
    """`done`: it was as it had been already. `conflict`: it was changed meanwhile, and left alone."""
    message: str | None = None


class RevertEndData(EventData):
    """What became of each file."""

    event = "revert_end"
    id: str
    files: list[RevertedFile]
    cut: Literal[True] | None = None
    """It was interrupted: `edit_applied` tells what was done."""


class RetryData(EventData):
    """A response failed and is asked for again."""

    event = "retry"
    attempt: Annotated[int, Field(ge=1)]
    """That failed."""
    after_ms: Count
    kind: FailureKind
    message: str


class CompactionStartData(EventData):
    """Old messages are about to be replaced, for the model, by a summary."""

    event = "compaction_start"
    reason: Literal["threshold", "overflow", "user"]
    tokens: Count
    """Of the conversation; an estimate."""


class FilesSeen(Wire):
    """Paths as the model wrote them."""

    read: list[str]
    changed: list[str]


class CompactionEndData(EventData):
    """The summary, a node of the tree; or `failed`, and nothing has changed. The messages stay in the log."""

    event = "compaction_end"
    id: str | None = None
    parent: str | None = None
    summary: str | None = None
    kept_from: str | None = None
    """Id of the first message that is still told in its own words; null: none is."""
    replaced: Count | None = None
    """Messages."""
    files: FilesSeen | None = None
    tokens_before: Count | None = None
    tokens_after: Count | None = None
    """Estimates."""
    failed: str | None = None
    """Why there is no summary, for a person."""
    usage: UsageData
    """Of its requests."""


class ExportEndData(EventData):
    """A transcript has been written, or has not."""

    event = "export_end"
    durable = False
    operation: str
    path: str
    failed: str | None = None
    """Why there is no file, for a person."""


class NoticeData(EventData):
    """Something the user should know, that needs no answer."""

    event = "notice"
    message: str


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
