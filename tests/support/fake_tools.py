"""Small tools for tests: what they do is a function that the test hands in."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import BadArguments, Execution, ToolContext, ToolResult, text_result

Work = Callable[[ToolContext, dict[str, Json]], object]
"""Returns a result or its text, directly or awaited."""
Propose = Callable[[dict[str, Json], AbortSignal], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class FakeProposal:
    title: str
    digest: str = "digest"


@dataclass(slots=True)
class FakeCall:
    arguments: dict[str, Json]
    tool: "FakeTool"

    async def propose(self, signal: AbortSignal):
        if self.tool.proposes is None:
            return None
        return await self.tool.proposes(self.arguments, signal)

    async def execute(self, context: ToolContext) -> ToolResult:
        self.tool.executed.append(dict(self.arguments))
        outcome = self.tool.work(context, self.arguments)
        if inspect.isawaitable(outcome):
            outcome = await outcome
        return text_result(outcome) if isinstance(outcome, str) else outcome


class FakeTool:
    """Takes `value`, an integer (also written as text, also under its old name `val`), and `note`, a string."""

    def __init__(
        self,
        name: str = "tool",
        work: Work | None = None,
        *,
        execution: Execution = "parallel",
        proposes: Propose | None = None,
    ) -> None:
        self.name, self.execution = name, execution
        self.description = f"The tool {name}."
        self.parameters: JsonObject = {"type": "object", "properties": {"value": {"type": "integer"}}}
        self.work: Work = work or (lambda context, arguments: f"{name} done")
        self.proposes = proposes
        self.executed: list[dict[str, Json]] = []
        """The arguments of each execution that has begun."""

    def bind(self, arguments: JsonObject) -> FakeCall:
        bound = dict(arguments)
        if "val" in bound:
            bound["value"] = bound.pop("val")
        value = bound.get("value", 0)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise BadArguments(f"value: expected an integer, got {value!r}")
        bound["value"] = value
        return FakeCall(bound, self)


class Gate:
    """A place where a fake waits until the test lets it go on; the test can wait until it got there."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def __call__(self, *_: object) -> None:
        self.reached.set()
        await self.opened.wait()

    def open(self) -> None:
        self.opened.set()


async def ignores_everything(release: asyncio.Event) -> None:
    """Waits for `release`, whatever it is told: no abort and no cancellation stops it."""
    while not release.is_set():
        try:
            await release.wait()
        except asyncio.CancelledError:
            continue
