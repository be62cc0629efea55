"""The events of what a run does in a workspace and with its user: questions, changes, checkpoints, compaction."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from steersman.agent.model import FailureKind
from steersman.session.approvals import AnsweredBy, Decision, QuestionKind
from steersman.session.run import RunState
from steersman.session.schema_parts import Count, EventData, QueuedItem, Sha256, UsageData, Wire


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
    """Id of an accepted question that this one replaces: the file has changed since, and its hunks would be others."""


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
    """A file is about to be changed: after a crash this tells what was meant to be there."""

    event = "edit_start"
    tool_call_id: str | None
    uri: str
    sha256: Sha256 | None
    """Of what will be there; null if nothing will be."""
    base: Sha256 | None = None
    """Of what the change is made on; a new file has none."""
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
    others: Literal[True] | None = None
    """The user has changed the file meanwhile as well."""
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
    """The number of the request that failed, from 1."""
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


class ExtensionRequestData(EventData):
    """An extension has asked a model something itself. What that used is the session's, and the live run's."""

    event = "extension_request"
    extension: str
    model: str
    usage: UsageData


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
