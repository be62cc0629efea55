"""What the server answers, as models: for the protocol's schema and its tables.

Nothing here is used while a server runs. The answers are made by the commands and in the session layer; a test checks
the answer of every command, and the data of every refusal, against these models.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from steersman.agent.model import BlockKind, ThinkingLevel
from steersman.lsp.features import ClientFeatures
from steersman.session.approvals import Decision
from steersman.session.errors import RefusalCode
from steersman.session.run import RunState
from steersman.session.schema import Event
from steersman.session.schema_parts import Count, QueuedItem, UsageData, Wire
from steersman.session.schema_work import ApprovalRequestedData
from steersman.session.settings import Mode
from steersman.session.templates import TemplateSource

# Commands


class StartAnswer(Wire):
    """A run will begin. This answer comes before anything of the run."""

    session: str
    run: str
    token: str
    """The token of its work-done progress."""


class SteerAnswer(Wire):
    """The text goes into the run's next request to the model."""

    disposition: Literal["steered"]
    session: str
    run: str
    id: str
    """The id of the text in the queue, where it waits for that request."""


class QueuedAnswer(Wire):
    """The text waits until the run would otherwise end."""

    disposition: Literal["queued"]
    session: str
    run: str
    id: str
    """The id of the text in the queue."""


class StartedAnswer(StartAnswer):
    """No run was live, so one begins with the text."""

    disposition: Literal["started"]


class ClosedAnswer(Wire):
    """The user closed the question without an answer, so nothing was done."""

    disposition: Literal["closed"]


class QueueAnswer(Wire):
    """The queue after the operation."""

    session: str
    run: str
    items: list[QueuedItem]
    """Steering messages first; each kind in the order of delivery."""
    removed: list[QueuedItem] | None = None
    """The removed items, so that the user can have their texts back."""


class AbortAnswer(Wire):
    aborted: bool
    """False: there was nothing to abort, or it was already being aborted."""


class PendingQuestion(ApprovalRequestedData):
    """A question without an answer yet: the data of its `approval_requested`, with its session and run."""

    session: str
    run: str


class ApprovalsAnswer(Wire):
    approvals: list[PendingQuestion]
    """Oldest first."""


class ApproveAnswer(Wire):
    id: str
    decision: Decision


class SessionStatus(Wire):
    """A session that is open here."""

    session: str
    title: str | None
    model: str | None
    usage: UsageData
    state: RunState
    queue: list[QueuedItem]
    run: str | None = None
    """The live one."""


class StatusAnswer(Wire):
    version: str
    """The version of Steersman."""
    model: str | None
    """For new runs; null if none is configured."""
    mode: Mode
    """For new runs."""
    thinking: ThinkingLevel
    """For new runs."""
    sessions: list[SessionStatus]
    approvals: list[PendingQuestion]


class StreamedBlock(Wire):
    index: Count
    kind: BlockKind
    text: str


class StreamedMessage(Wire):
    """The part of a streaming message that has arrived."""

    message_id: str
    blocks: list[StreamedBlock]


class EventsAnswer(Wire):
    events: list[Event]
    """The durable ones, oldest first."""
    more: bool
    """There are more events than fit: ask again, after the last of these."""
    streaming: StreamedMessage | None


class ConfigureAnswer(Wire):
    """The settings from now on."""

    model: str | None
    mode: Mode
    thinking: ThinkingLevel


class TemplateInfo(Wire):
    """A prompt template. A message that begins with `/name` calls it."""

    name: str
    description: str
    """"" if it has none."""
    hint: str
    """The arguments that it takes."""
    source: TemplateSource
    path: str
    problem: str | None = None
    """Why it can't be used."""


class TemplatesAnswer(Wire):
    templates: list[TemplateInfo]
    """By name."""


# Requests


class ApprovalRequest(PendingQuestion):
    """The params of `steersman/requestApproval`."""


class ChangeTexts(Wire):
    """A file of a question, with LF line ends. `oldText` is empty for a new file, `newText` for a deleted one."""

    uri: str
    old_text: str
    new_text: str


class ApprovalTextsAnswer(Wire):
    """The answer to `steersman/approvalTexts`."""

    changes: list[ChangeTexts]


class SaveRequest(Wire):
    """The params of `steersman/save`."""

    uris: list[str]


class OpenDocumentsRequest(Wire):
    """The params of `steersman/openDocuments`."""

    uris: list[str] | None = None
    """The documents whose text is wanted. Default: all open documents, without their texts."""


# Errors


class InvalidParamsData(Wire):
    """`data` of error -32602: the parameters of a command are not valid."""

    field: str
    """The wrong field, as a path with dots."""
    # The name is the protocol's; BaseModel's own `schema` is a deprecated class method that nobody here calls.
    expected: dict[str, JsonValue] | None = Field(default=None, alias="schema")
    """JSON Schema of what the command takes."""


class RefusedData(BaseModel):
    """`data` of error -32803: the request can't be done now, or at all."""

    # A code may come with further fields.
    model_config = ConfigDict(
        alias_generator=to_camel, extra="allow", strict=True, use_attribute_docstrings=True
    )

    code: RefusalCode
    text: str | None = None
    """The user's text, handed back: put it where the user can send it again."""
    session: str | None = None
    run: str | None = None
    runs: list[str] | None = None
    """The runs to choose from."""
    id: str | None = None
    """Of a question, or of an item of the queue."""
    decisions: list[Decision] | None = None
    """The decisions that the question allows."""
    root: str | None = None
    uri: str | None = None
    limit: int | None = None
    """In characters."""


# initialize


class SteersmanOptions(ClientFeatures):
    """What the client can do beyond LSP. Unknown fields are ignored."""

    version: str | None = None
    """The version of the protocol that the client was written for."""


class InitializationOptions(BaseModel):
    """`initializationOptions` or `capabilities.experimental` of the client."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    steersman: SteersmanOptions | None = None


class ServerFeatures(Wire):
    version: str
    """The version of the protocol."""
    uses: list[str]
    """The features that the client asked for and the server uses."""
    tools: list[str] | None = None
    """The tools that the client offered and models have."""


class ShowQuestionAnswer(Wire):
    """The question will be shown by `window/showDocument`, or else in a message."""

    id: str
    uri: str
    """Of its document, which is deleted with the question."""


class ExperimentalCapabilities(BaseModel):
    """`capabilities.experimental` of the server."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    steersman: ServerFeatures
