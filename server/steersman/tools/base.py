"""What all tools share: binding arguments, turning expected failures into `ToolError`s, and bounded results."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import (
    Execution,
    Proposal,
    ToolContext,
    ToolDenied,
    ToolError,
    ToolResult,
    text_result,
)
from steersman.tools.schema import Arguments, schema_of
from steersman.workspace.errors import DeniedPath, WorkspaceError
from steersman.workspace.roots import printable

A = TypeVar("A", bound=Arguments)

MAX_RESULT_BYTES = 50 * 1024
"""The largest text that one result gives the model."""
MAX_ERROR = 8000
"""Characters of an error message, which may repeat what the model wrote, at any length."""
ABORTED = "Operation aborted"


class AccessDenied(ToolDenied):
    """A deny rule covers the path: nobody is asked, and nothing is done."""


class BaseTool(ABC, Generic[A]):
    """A tool with arguments of type `A`. It keeps no state between calls."""

    name: str
    description: str
    arguments: type[A]
    execution: Execution = "sequential"

    def __init__(self) -> None:
        self.parameters: JsonObject = schema_of(self.arguments)

    def bind(self, arguments: JsonObject) -> "Call[A]":
        """Raises BadArguments."""
        with expected_failures():
            return Call(self, self.arguments.bind(arguments, self.name))

    async def propose(self, args: A, signal: AbortSignal) -> Proposal | None:
        """See `BoundCall.propose`. May let errors of the workspace pass."""
        return None

    @abstractmethod
    async def execute(self, args: A, context: ToolContext) -> ToolResult:
        """See `BoundCall.execute`. May let errors of the workspace pass."""


@dataclass(frozen=True, slots=True)
class Call(Generic[A]):
    """A call with valid arguments."""

    tool: BaseTool[A]
    args: A

    @property
    def arguments(self) -> dict[str, Json]:
        return self.args.as_json()

    async def propose(self, signal: AbortSignal) -> Proposal | None:
        with expected_failures():
            return await self.tool.propose(self.args, signal)

    async def execute(self, context: ToolContext) -> ToolResult:
        if context.signal.aborted:
            return text_result(ABORTED, is_error=True)
        with expected_failures():
            return await self.tool.execute(self.args, context)


@contextmanager
def expected_failures() -> Iterator[None]:
    """Turns refusals of the workspace or the system into ToolErrors, with a bounded and encodable message."""
    try:
        yield
    except ToolError as error:
        said = sayable(str(error))
        if said == str(error):
            raise
        raise type(error)(said) from error
    except DeniedPath as error:
        raise AccessDenied(sayable(str(error))) from error
    except WorkspaceError as error:
        raise ToolError(sayable(str(error))) from error
    except OSError as error:
        name = (
            f": {printable(os.fsdecode(error.filename))}" if isinstance(error.filename, str | bytes) else ""
        )
        raise ToolError(f"The system refused: {error.strerror or type(error).__name__}{name}.") from error


def sayable(text: str) -> str:
    """`text` within MAX_ERROR, with lone surrogates escaped."""
    return clipped(text, MAX_ERROR).encode("utf-8", "backslashreplace").decode("utf-8")


def with_notes(body: str, notes: Sequence[str]) -> str:
    """`body`, and below it each note in brackets: the tool's own words, apart from what it found. A blank line comes
    between them only where it can't be taken for one of the body."""
    if not notes:
        return body
    gap = "" if not body or body.endswith("\n") else "\n\n"
    return body + gap + "\n".join(f"[{note}]" for note in notes)


def count(number: int, noun: str) -> str:
    """`1 file`, `1,200 files`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def within_result(text: str, what: str) -> str:
    """As much of `text` as a result has room for, with lone surrogates escaped, and a note if something is left out.
    The note begins with `what`: `The answer`."""
    whole = text.encode("utf-8", "backslashreplace")
    if len(whole) <= MAX_RESULT_BYTES:
        return whole.decode("utf-8")
    shown = whole[:MAX_RESULT_BYTES].decode("utf-8", "ignore")
    return with_notes(
        shown, [f"{what} has {len(whole):,} bytes: only the first {MAX_RESULT_BYTES // 1024} KB are shown"]
    )


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, and `…` for the rest."""
    return text if len(text) <= limit else f"{text[:limit]}…"
