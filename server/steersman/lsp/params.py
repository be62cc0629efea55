"""Parameters of the commands: one object each, validated; a string in its place is the prompt or the text.

The JSON Schema of the protocol comes from these models.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from steersman.agent.config import Budget
from steersman.agent.inbox import QueueKind
from steersman.agent.model import ThinkingLevel
from steersman.session.approvals import Decision
from steersman.session.settings import Mode


class Params(BaseModel):
    # Strict: a wrong type is told, not guessed at.
    # Validators are built at the first use of a command: most are never used, and building all delays the start.
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, defer_build=True)


class BudgetParams(Params):
    """Ceilings of one run."""

    turns: Annotated[int, Field(ge=1)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[float, Field(gt=0)] | None = None
    """US dollars."""

    def budget(self) -> Budget:
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return Budget(**given)


class Place(Params):
    line: Annotated[int, Field(ge=0)]
    character: Annotated[int, Field(ge=0)]


class Span(Params):
    start: Place
    end: Place


class SelectionParams(Params):
    """A part of a document that the prompt is about. Positions as negotiated at initialize."""

    uri: str
    range: Span
    text: str | None = None
    """What is selected; taken from the open document if it is left out."""


class DiagnosticParams(Params):
    uri: str
    range: Span
    message: str
    severity: Annotated[int, Field(ge=1, le=4)] | None = None
    source: str | None = None


class ImageParams(Params):
    """A picture that the prompt is about: png, jpeg, gif or webp."""

    data: str
    """Base64 of the file, at most 5 MB."""
    mime_type: str
    """As the client knows it; what the bytes are counts."""


class ContextParams(Params):
    """What the user points at, told to the model with the prompt."""

    uris: list[str] = []
    selections: list[SelectionParams] = []
    diagnostics: list[DiagnosticParams] = []
    images: list[ImageParams] = []


class StartParams(Params):
    prompt: str
    session: str | None = None
    """A session to go on in; a new one is made without."""
    root: str | None = None
    """URI or path of the workspace folder to work in; the first one without."""
    context: ContextParams | None = None
    model: str | None = None
    """`PROVIDER:NAME`."""
    mode: Mode | None = None
    """For this run."""
    thinking: ThinkingLevel | None = None
    """How much the model is to think before it answers, where it takes a level. It holds for the session."""
    budget: BudgetParams | None = None


class ContinueParams(Params):
    session: str | None = None
    """The one that was used last, without."""
    budget: BudgetParams | None = None


class DoCommentParams(Params):
    uri: str
    """Of an open document."""
    range: Span
    """Whose comments are meant. Positions as negotiated at initialize."""
    text: str | None = None
    """What the one comment says that is meant, wherever it is by now; all in the range without."""
    how: Literal["start", "steer", "followUp"] = "start"
    """`start` is a follow-up while a run is live, the others are a start when none is."""
    run: str | None = None
    """To steer, or to follow: the only live one, without."""


class AskParams(Params):
    question: str
    """What the user is asked."""
    context: ContextParams | None = None
    mode: Mode | None = None
    """For the run. With `read-only` it begins beside one that is live; otherwise it is a follow-up then."""


class TextParams(Params):
    text: str
    run: str | None = None
    """The only live one, without."""
    context: ContextParams | None = None


class ModelsParams(Params):
    provider: str | None = None
    """Only of this one; all without."""


class TemplatesParams(Params):
    root: str | None = None
    """URI or path of the workspace folder; the first one without."""


class QueueParams(Params):
    op: Literal["list", "edit", "remove", "move", "clear"] = "list"
    run: str | None = None
    """The only live one, without."""
    id: str | None = None
    """Of the item to edit, remove or move."""
    text: str | None = None
    """What an edited item says from now on."""
    to: Annotated[int, Field(ge=0)] | None = None
    """Where an item is moved: its place among those of its kind, from 0; the end without."""
    kind: QueueKind | None = None
    """What a moved item becomes; what it is, without."""


class AbortParams(Params):
    run: str | None = None
    reason: str | None = None


class EditedText(Params):
    """A file of a question as the user has rewritten it."""

    uri: str
    new_text: str
    """The whole text. Where a line end comes in, it becomes the file's own."""


class ApprovalAnswer(Params):
    """The answer to `steersman/requestApproval`."""

    decision: Decision
    feedback: str | None = None
    """For the model, with a decline."""
    edited: list[EditedText] | None = None
    """With an accept: what is written in place of what was proposed."""
    hunks: list[str] | None = None
    """With an accept: ids of the only hunks to be made. Not beside `edited`."""


class ApproveParams(ApprovalAnswer):
    id: str


class ShowQuestionParams(Params):
    id: str | None = None
    """Of a pending question; without, the one that has waited the longest."""


class ApprovalTextsParams(Params):
    """What `steersman/approvalTexts` asks for."""

    id: str
    """Of a pending question."""


class EventsParams(Params):
    session: str
    run: str | None = None
    after: Annotated[int, Field(ge=0)] = 0
    """The number of the last event that is known; 0 for all."""
    limit: Annotated[int, Field(ge=1)] | None = None


class ConfigureParams(Params):
    session: str | None = None
    """All new runs of this server, without."""
    model: str | None = None
    mode: Mode | None = None
    thinking: ThinkingLevel | None = None


class NoParams(Params):
    pass
