"""ask_user: a question that only the user can answer, and what they say.

How the user is asked is the face's: this module knows neither screens nor protocols.
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
    "The user closed the question without an answer. Go on with your best judgement where that is safe, else end "
    "your turn with the question."
)
LATER = "The user will answer later. End your turn now, with the question in your answer."
NOBODY = (
    "Nobody can be asked here. Go on with your best judgement where that is safe, else end your turn with the "
    "question."
)
WITHDRAWN = "Operation aborted: the question was withdrawn, and nobody has answered it."


@dataclass(frozen=True, slots=True)
class UserQuestion:
    call_id: str
    text: str
    options: tuple[str, ...] = ()
    """Answers to choose from, each once; any other text is an answer as well."""


@dataclass(frozen=True, slots=True)
class Reply:
    kind: Literal["answered", "closed", "later", "nobody"]
    """`nobody`: there is nobody who could be asked."""
    text: str = ""
    """What was said, as it was said."""


class User(Protocol):
    """Whoever can put a question to the one user."""

    async def ask(self, question: UserQuestion) -> Reply:
        """Waits for as long as it takes. Cancelled when the question is withdrawn: then take it away."""
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
        description="Short answers to choose from, if there are some. The user may answer anything else.",
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
    """Where the user can only choose."""

    options: list[str] = Field(
        min_length=MIN_OPTIONS,
        max_length=MAX_OPTIONS,
        description="Short answers, one of which the user chooses.",
    )


class AskUserTool(BaseTool[AskUserArguments]):
    name = NAME
    description = (
        "Ask the user one question and wait for the answer. Use it when you can't go on well without a decision or a "
        "fact that only they have, rather than guess; look in the workspace first. Don't ask for leave to do what was "
        "asked for, nor whether to go on."
    )
    arguments: type[AskUserArguments] = AskUserArguments
    # Without effects, but nothing else is to happen, or to be asked, while the user thinks.
    execution = "sequential"

    def __init__(self, user: User, *, takes_text: bool) -> None:
        """`takes_text`: the user can type an answer; otherwise they choose one, so that options are required."""
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
