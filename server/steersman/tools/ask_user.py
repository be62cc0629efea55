"""ask_user: asks the user a question that only they can answer.

The face decides how the user is asked: this module knows neither screens nor protocols.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from pydantic import Field

from steersman.agent.messages import Json
from steersman.agent.tool import ToolContext, ToolResult, text_result
from steersman.tools.base import BaseTool, within_result
from steersman.tools.schema import Arguments, from_json_text
from steersman.tools.waits import answered_or_aborted

NAME = "ask_user"
MIN_OPTIONS, MAX_OPTIONS = 2, 6

CLOSED = (
    "The user closed the question without an answer. Use your best judgement where that is safe, otherwise end your "
    "turn with the question."
)
LATER = "The user will answer later. End your turn now, with the question in your answer."
NOBODY = (
    "Nobody can be asked here. Use your best judgement where that is safe, otherwise end your turn with the "
    "question."
)
WITHDRAWN = "Operation aborted: the question was withdrawn without an answer."


@dataclass(frozen=True, slots=True)
class UserQuestion:
    call_id: str
    text: str
    options: tuple[str, ...] = ()
    """Distinct answers to choose from. Any other text is an answer as well."""


@dataclass(frozen=True, slots=True)
class Reply:
    kind: Literal["answered", "closed", "later", "nobody"]
    """`nobody`: there is nobody to ask."""
    text: str = ""
    """The answer, unchanged."""


class User(Protocol):
    """Somebody who can ask the user."""

    async def ask(self, question: UserQuestion) -> Reply:
        """Waits for as long as it takes. It is cancelled when the question is withdrawn, and must then remove it."""
        ...


class AskUserArguments(Arguments):
    renames: ClassVar = {
        "prompt": "question",
        "text": "question",
        "message": "question",
        "choices": "options",
        "suggestions": "options",
    }
    question: str = Field(
        min_length=1,
        description="The question, in plain words, with what the user needs to know to answer it.",
    )
    options: list[str] | None = Field(
        None,
        min_length=MIN_OPTIONS,
        max_length=MAX_OPTIONS,
        description="Short answers to choose from, if any. The user may also answer something else.",
    )

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        if isinstance(raw.get("question"), str):
            raw["question"] = str(raw["question"]).strip()
        options = from_json_text(raw.get("options"))
        if isinstance(options, list):
            texts = [option.strip() if isinstance(option, str) else option for option in options]
            raw["options"] = [text for i, text in enumerate(texts) if text != "" and text not in texts[:i]]
        return raw


class ChooseArguments(AskUserArguments):
    """For a user who can only choose."""

    options: list[str] = Field(
        min_length=MIN_OPTIONS,
        max_length=MAX_OPTIONS,
        description="Short answers. The user chooses one.",
    )


class AskUserTool(BaseTool[AskUserArguments]):
    name = NAME
    description = (
        "Ask the user one question and wait for the answer. Use it instead of guessing when you need a decision or a "
        "fact that only they have; look in the workspace first. Don't ask for permission to do what you were asked to "
        "do, or whether to go on."
    )
    arguments: type[AskUserArguments] = AskUserArguments
    # It has no effects, but nothing else should happen or be asked while the user thinks.
    execution = "sequential"

    def __init__(self, user: User, *, takes_text: bool) -> None:
        """`takes_text`: the user can type an answer. If not, options are required."""
        if not takes_text:
            self.arguments = ChooseArguments
        super().__init__()
        self._user = user

    async def execute(self, args: AskUserArguments, context: ToolContext) -> ToolResult:
        question = UserQuestion(context.call_id, args.question, tuple(args.options or ()))
        reply = await answered_or_aborted(self._user.ask(question), context.signal, WITHDRAWN)
        if reply.kind == "answered" and reply.text.strip():
            return text_result(within_result(reply.text, "The answer"))
        others: dict[str, str] = {"later": LATER, "nobody": NOBODY}
        return text_result(others.get(reply.kind, CLOSED))
