"""What the server answers, as models: for the protocol's schema, its tables, and the check that answers are as is said.

Nothing here is used while a server runs. The answers themselves are made in commands, in the session's manager and
status; a test holds the answer of every command, and the data of every refusal, against these models.
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
    """A run will begin; nothing of it is told before this answer."""

    session: str
    run: str
    token: str
    """Of its work-done progress."""


class SteerAnswer(Wire):
    """The text joins the run's next request."""

    disposition: Literal["steered"]
    session: str
    run: str
    id: str
    """Of the text in the queue, where it waits for that request."""


class QueuedAnswer(Wire):
    """The text waits until the run would end."""

    disposition: Literal["queued"]
    session: str
    run: str
    id: str
    """Of the text in the queue."""


class StartedAnswer(StartAnswer):
    """No run was live: one begins with the text."""

    disposition: Literal["started"]


class ClosedAnswer(Wire):
    """The user has closed the question: nothing was done."""

    disposition: Literal["closed"]


class QueueAnswer(Wire):
    """What waits, after what was done."""

    session: str
    run: str
    items: list[QueuedItem]
    """Steering first; in each kind in the order of delivery."""
    removed: list[QueuedItem] | None = None
    """What was taken out, for who wants it back."""


class AbortAnswer(Wire):
    aborted: bool
    """False: there was nothing to abort, or it was aborting already."""


class PendingQuestion(ApprovalRequestedData):
    """A question that has no answer yet: the data of its `approval_requested`, and whose it is."""

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
    """Of Steersman."""
    model: str | None
    """Of new runs; null where none is configured."""
    mode: Mode
    """Of new runs."""
    thinking: ThinkingLevel
    """Of new runs."""
    sessions: list[SessionStatus]
    approvals: list[PendingQuestion]


class StreamedBlock(Wire):
    index: Count
    kind: BlockKind
    text: str


class StreamedMessage(Wire):
    """A message that is being streamed, as far as it got."""

    message_id: str
    blocks: list[StreamedBlock]


class EventsAnswer(Wire):
    events: list[Event]
    """The durable ones, oldest first."""
    more: bool
    """There are more than fit: ask again, after the last of these."""
    streaming: StreamedMessage | None


class ConfigureAnswer(Wire):
    """What holds from now on."""

    model: str | None
    mode: Mode
    thinking: ThinkingLevel


class TemplateInfo(Wire):
    """A prompt template, called by `/name` at the start of a message."""

    name: str
    description: str
    """"" if it has none."""
    hint: str
    """What arguments it takes."""
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
    """A file of a question, LF line ends; `oldText` is empty for a new one, `newText` for one that is deleted."""

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
    """Of the documents whose text is wanted; without, all that are open, without their text."""


# Errors


class InvalidParamsData(Wire):
    """`data` of error -32602: the parameters of a command don't fit."""

    field: str
    """That is wrong, as a path with dots."""
    # The name is the protocol's; BaseModel's own `schema` is a deprecated class method that nobody here calls.
    expected: dict[str, JsonValue] | None = Field(default=None, alias="schema")
    """JSON Schema of what the command takes."""


class RefusedData(BaseModel):
    """`data` of error -32803: it can't be done now, or at all."""

    # More may come with a code than is known today.
    model_config = ConfigDict(
        alias_generator=to_camel, extra="allow", strict=True, use_attribute_docstrings=True
    )

    code: RefusalCode
    text: str | None = None
    """What was said and is handed back: put it where the user can send it again."""
    session: str | None = None
    run: str | None = None
    runs: list[str] | None = None
    """To choose from."""
    id: str | None = None
    """Of a question, or of an item of the queue."""
    decisions: list[Decision] | None = None
    """What the question takes."""
    root: str | None = None
    uri: str | None = None
    limit: int | None = None
    """Characters."""


# initialize


class SteersmanOptions(ClientFeatures):
    """What the client can do more than LSP says. Unknown fields are ignored."""

    version: str | None = None
    """Of the protocol that the client was written for."""


class InitializationOptions(BaseModel):
    """`initializationOptions`, or `capabilities.experimental`, of the client."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    steersman: SteersmanOptions | None = None


class ServerFeatures(Wire):
    version: str
    """Of the protocol."""
    uses: list[str]
    """Names of the features that were asked for and are used."""
    tools: list[str] | None = None
    """Of the tools that the client has offered, those that models have."""


class ShowQuestionAnswer(Wire):
    """It will be shown by `window/showDocument`, or named in a message."""

    id: str
    uri: str
    """Of its document, which goes with the question."""


class ExperimentalCapabilities(BaseModel):
    """`capabilities.experimental` of the server."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    steersman: ServerFeatures
