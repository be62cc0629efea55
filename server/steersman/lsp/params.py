"""Parameters of the commands: one object each, validated; a string in its place is the prompt or the text.

The JSON Schema of the protocol comes from these models.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from steersman.agent.config import Budget
from steersman.agent.inbox import QueueKind
from steersman.agent.model import ThinkingLevel
from steersman.lsp.errors import InvalidParams
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Decision
from steersman.session.settings import Mode

M = TypeVar("M", bound=BaseModel)


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


_QUEUE_FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "list": (set(), set()),
    "edit": ({"id", "text"}, set()),
    "remove": ({"id"}, set()),
    "move": ({"id"}, {"to", "kind"}),
    "clear": (set(), set()),
}
"""What each op needs, and what it takes beside."""


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


class Told(Params):
    """What the client tells of its documents. More fields are ignored."""

    model_config = ConfigDict(extra="ignore")


class SaveAnswer(Told):
    """The answer to `steersman/save`."""

    saved: list[str]
    """URIs."""


class ListedDocument(Told):
    """A document that is open in the editor."""

    uri: str
    dirty: bool
    """It has text that is not saved."""
    visible: bool | None = None
    """The user sees it. If it is said of any document, what is not in the list is not told to models as open."""
    active: bool | None = None
    """The user is in it."""


class OpenDocument(ListedDocument):
    version: int | None = None
    """That an edit of it is bound to; null without versions."""
    text: str | None = None
    """The whole text; of those that were asked for by name."""


class OpenDocumentsAnswer(Told):
    """The answer to `steersman/openDocuments`."""

    documents: list[OpenDocument]


class OpenDocumentsChanged(Told):
    """The params of the notification `steersman/openDocumentsChanged`."""

    documents: list[ListedDocument]
    """All that are open, each time."""


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


def parse(model: type[M], arguments: Sequence[JsonValue], *, string_as: str | None = None) -> M:
    """The parameters in the arguments of a command.

    `string_as` names the field that a bare string is meant for.

    Raises:
        InvalidParams: naming the field, what was expected and what came; `data.schema` is what the command takes.
    """
    if len(arguments) > 1:
        text = f"Expected one object as the only argument, got {len(arguments)} arguments."
        raise _invalid(model, "arguments", text)
    value: Any = arguments[0] if arguments and arguments[0] is not None else {}
    if value == []:  # what an empty table of Lua, or an empty plist of Emacs, may become
        value = {}
    if isinstance(value, str) and string_as is not None:
        value = {string_as: value}
    if not isinstance(value, dict):
        expected = "an object or a string" if string_as else "an object"
        raise _invalid(model, "arguments", f"Expected {expected}, got {_kind(value)}.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(info.alias or name for name, info in model.model_fields.items())
        raise _invalid(model, field, f"{field} is not known here. The command takes {known or 'no fields'}.")
    got = "" if first["type"] == "missing" else f", got {_kind(first['input'])}"
    raise _invalid(model, field, f"{field}: {first['msg']}{got}.")


def parse_queue(arguments: Sequence[JsonValue]) -> QueueParams:
    """The parameters of `steersman.queue`, with the fields that its op takes.

    Raises:
        InvalidParams: see `parse`.
    """
    params = parse(QueueParams, arguments, string_as="op")
    needed, taken = _QUEUE_FIELDS[params.op]
    given = {name for name in ("id", "text", "to", "kind") if getattr(params, name) is not None}
    for field in sorted(needed - given):
        raise _invalid(QueueParams, field, f"{field} is missing: {params.op} needs it.")
    for field in sorted(given - needed - taken):
        raise _invalid(QueueParams, field, f"{field} is not taken by {params.op}.")
    if taken and not given & taken:
        raise _invalid(QueueParams, "to", f"to is missing: {params.op} needs it, or kind.")
    return params


def _invalid(model: type[BaseModel], field: str, message: str) -> InvalidParams:
    error = InvalidParams(field, message)
    error.data = {"field": field, "schema": model.model_json_schema()}
    return error


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    return "an array" if isinstance(value, list) else "an object"
