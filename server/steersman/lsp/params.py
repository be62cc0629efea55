"""Parameters of the commands: one object each, validated; a string in its place is the prompt or the text.

The JSON Schema of the protocol comes from these models.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from steersman.agent.config import Budget
from steersman.lsp.errors import InvalidParams
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Decision
from steersman.session.settings import Mode

M = TypeVar("M", bound="Params")


class Params(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=False, extra="forbid")


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


class ContextParams(Params):
    """What the user points at, told to the model with the prompt."""

    uris: list[str] = []
    selections: list[SelectionParams] = []
    diagnostics: list[DiagnosticParams] = []


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
    budget: BudgetParams | None = None


class ContinueParams(Params):
    session: str | None = None
    """The one that was used last, without."""
    budget: BudgetParams | None = None


class TextParams(Params):
    text: str
    run: str | None = None
    """The only live one, without."""


class AbortParams(Params):
    run: str | None = None
    reason: str | None = None


class ApproveParams(Params):
    id: str
    decision: Decision
    feedback: str | None = None
    """For the model, with a decline."""


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


class NoParams(Params):
    pass


class ClientFeatures(BaseModel):
    """`initializationOptions.steersman`, or `capabilities.experimental.steersman`: what the client can do more.

    What is not known here is left alone: a newer client may ask for more than this server has.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    version: str = "1"
    event_token: Annotated[
        str | int | None, Field(validation_alias=AliasChoices("eventToken", "event_token"))
    ] = None
    """Every session's events go to this progress token."""


def parse(model: type[M], arguments: Sequence[JsonValue], *, string_as: str | None = None) -> M:
    """The parameters in the arguments of a command.

    `string_as` names the field that a bare string is meant for.

    Raises:
        InvalidParams: naming the field, what was expected and what came.
    """
    if len(arguments) > 1:
        raise InvalidParams(
            "arguments", f"Expected one object as the only argument, got {len(arguments)} arguments."
        )
    value: Any = arguments[0] if arguments and arguments[0] is not None else {}
    if isinstance(value, str) and string_as is not None:
        value = {string_as: value}
    if not isinstance(value, dict):
        expected = "an object or a string" if string_as else "an object"
        raise InvalidParams("arguments", f"Expected {expected}, got {_kind(value)}.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "arguments"
        known = ", ".join(info.alias or name for name, info in model.model_fields.items())
        hint = f" It takes {known or 'no fields'}." if first["type"] == "extra_forbidden" else ""
        got = "" if first["type"] == "missing" else f", got {_kind(first['input'])}"
        raise InvalidParams(field, f"{field}: {first['msg']}{got}.{hint}") from None


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    return "an array" if isinstance(value, list) else "an object"
