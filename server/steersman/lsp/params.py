"""The parameters of the commands, as models: one object for each command.

The JSON Schema of the protocol is made from them.
"""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from steersman.agent.config import Budget
from steersman.agent.inbox import QueueKind
from steersman.agent.model import ThinkingLevel
from steersman.session.approvals import Decision
from steersman.session.settings import Mode


class Params(BaseModel):
    # Strict: a value of the wrong type is an error and is not converted.
    # Validators are built when a command is first used: most never are, and building all of them delays the start.
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, defer_build=True)


class BudgetParams(Params):
    """Limits of one run."""

    turns: Annotated[int, Field(ge=1)] | None = None
    seconds: Annotated[float, Field(gt=0)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[float, Field(gt=0)] | None = None
    """US dollars."""

    def over(self, usual: Budget) -> Budget:
        """The ceilings that are given, and the usual ones in place of the others."""
        return replace(usual, **self.model_dump(exclude_none=True))


class Place(Params):
    line: Annotated[int, Field(ge=0)]
    character: Annotated[int, Field(ge=0)]


class Span(Params):
    start: Place
    end: Place


class SelectionParams(Params):
    """A part of a document that the prompt is about. Positions are in the encoding negotiated at initialize."""

    uri: str
    range: Span
    text: str | None = None
    """The selected text. Default: taken from the open document."""


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
    """What the client takes it for. The server looks at the bytes."""


class ContextParams(Params):
    """What the user points at. The model gets it with the prompt."""

    uris: list[str] = []
    selections: list[SelectionParams] = []
    diagnostics: list[DiagnosticParams] = []
    images: list[ImageParams] = []


class StartParams(Params):
    prompt: str
    session: str | None = None
    """The session to continue. Default: a new one."""
    root: str | None = None
    """URI or path of the workspace folder to work in. Default: the first one."""
    context: ContextParams | None = None
    model: str | None = None
    """`PROVIDER:NAME`."""
    mode: Mode | None = None
    """For this run only."""
    thinking: ThinkingLevel | None = None
    """How much the model thinks before it answers, if it takes a level. It holds for the session."""
    budget: BudgetParams | None = None


class ContinueParams(Params):
    session: str | None = None
    """Default: the one that was used last."""
    budget: BudgetParams | None = None


class DoCommentParams(Params):
    uri: str
    """Of an open document."""
    range: Span
    """The comments in this range. Positions are in the encoding negotiated at initialize."""
    text: str | None = None
    """Only the comment with this text, even if it has moved. Default: all comments in the range."""
    how: Literal["start", "steer", "followUp"] = "start"
    """While a run is live, `start` becomes a follow-up; while none is, the others become a start."""
    run: str | None = None
    """The run to steer or to follow. Default: the only live one."""


class AskParams(Params):
    question: str
    """Shown to the user."""
    context: ContextParams | None = None
    mode: Mode | None = None
    """For the run only. While another run is live, a `read-only` run begins beside it; any other is a follow-up."""


class TextParams(Params):
    text: str
    run: str | None = None
    """Default: the only live one."""
    context: ContextParams | None = None


class ModelsParams(Params):
    provider: str | None = None
    """Only the models of this one. Default: all."""


class TemplatesParams(Params):
    root: str | None = None
    """URI or path of the workspace folder. Default: the first one."""


class QueueParams(Params):
    op: Literal["list", "edit", "remove", "move", "clear"] = "list"
    run: str | None = None
    """Default: the only live one."""
    id: str | None = None
    """Of the item to edit, remove or move."""
    text: str | None = None
    """The new text of an edited item."""
    to: Annotated[int, Field(ge=0)] | None = None
    """Where to move the item: its position among those of its kind, from 0. Default: the end."""
    kind: QueueKind | None = None
    """The new kind of a moved item. Default: unchanged."""


class AbortParams(Params):
    run: str | None = None
    """Default: the only live one; if none is live, the operations under way (compaction, revert, export)."""
    reason: str | None = None


class EditedText(Params):
    """A file of a question, as the user has edited it."""

    uri: str
    new_text: str
    """The whole text. New line ends become the file's own."""


class ApprovalAnswer(Params):
    """The answer to `steersman/requestApproval`."""

    decision: Decision
    feedback: str | None = None
    """For the model, with a decline."""
    edited: list[EditedText] | None = None
    """With an accept: what is written instead of the proposal."""
    hunks: list[str] | None = None
    """With an accept: ids of the hunks to apply; the others are left out. Not together with `edited`."""


class ApproveParams(ApprovalAnswer):
    id: str


class ShowQuestionParams(Params):
    id: str | None = None
    """Of a pending question. Default: the one that has waited longest."""


class ApprovalTextsParams(Params):
    """The params of `steersman/approvalTexts`."""

    id: str
    """Of a pending question."""


class EventsParams(Params):
    session: str
    run: str | None = None
    after: Annotated[int, Field(ge=0)] = 0
    """The number of the last event that the client has; 0 for all events."""
    limit: Annotated[int, Field(ge=1)] | None = None


class ConfigureParams(Params):
    session: str | None = None
    """Default: all new runs of this server."""
    model: str | None = None
    mode: Mode | None = None
    thinking: ThinkingLevel | None = None


class NoParams(Params):
    pass
