"""The port to a tool: it binds raw arguments to a call, which can propose a change and be executed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject, ResultContent, Text, plain_text

Execution = Literal["parallel", "sequential"]


class ToolError(Exception):
    """An expected failure of a tool. Its text tells the model what is wrong and what to do."""


class ToolDenied(ToolError):
    """A rule forbids the call. The text says which setting allows it; the call's outcome is `denied`."""


class BadArguments(ToolError):
    """The arguments don't fit the tool's schema. The text names the field, what was expected and what came."""


class Proposal(Protocol):
    """A change, computed before anyone is asked. Its content is the business of the tool and of whoever asks."""

    @property
    def title(self) -> str:
        """One line for a person: `Edit src/app.py (+3 −1)`."""
        ...

    @property
    def digest(self) -> str:
        """Equal for equal changes to equal bases. An approval holds for one digest."""
        ...


class ProposalSuperseded(Exception):
    """Raised by `execute` before anything is changed: the base has changed, and `proposal` is the new proposal."""

    def __init__(self, proposal: Proposal) -> None:
        super().__init__(proposal.title)
        self.proposal = proposal


@dataclass(frozen=True, slots=True)
class ToolResult:
    content: tuple[ResultContent, ...]
    is_error: bool = False
    terminate: bool = False
    """Asks to end the run's work. It ends only if every result of the batch asks for it."""
    details: JsonObject | None = None
    """For hooks and faces; no model ever sees it."""

    @property
    def text(self) -> str:
        return plain_text(self.content)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What an executing call is given."""

    call_id: str
    signal: AbortSignal
    update: Callable[[str], None]
    """Tells more live output. Ignored once the call has settled."""
    proposal: Proposal | None = None
    """What was approved, perhaps edited by whoever was asked."""


class BoundCall(Protocol):
    """One call with good arguments."""

    @property
    def arguments(self) -> dict[str, Json]:
        """As they will be used: normalised, validated and coerced."""
        ...

    async def propose(self, signal: AbortSignal) -> Proposal | None:
        """The change that this call would make; None if it makes none. Changes nothing.

        Raises:
            ToolError: the call can't be done; the text says why.
        """
        ...

    async def execute(self, context: ToolContext) -> ToolResult:
        """Executes the call. After an abort it stops, cleans up, and returns what it has.

        Raises:
            ToolError: an expected failure.
            ProposalSuperseded: nothing was done, since the base of the proposal has changed.
        """
        ...


class Tool(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str:
        """For the model: what it does and when to use it."""
        ...

    @property
    def parameters(self) -> JsonObject:
        """JSON Schema of the arguments object."""
        ...

    @property
    def execution(self) -> Execution:
        """`parallel` only for tools without effects; one `sequential` call makes its whole batch sequential."""
        ...

    def bind(self, arguments: JsonObject) -> BoundCall:
        """Normalises old names and shapes, validates and coerces.

        Raises:
            BadArguments: they don't fit.
        """
        ...


def text_result(text: str, *, is_error: bool = False, details: JsonObject | None = None) -> ToolResult:
    """A result of one text block."""
    return ToolResult((Text(text),), is_error=is_error, details=details)
