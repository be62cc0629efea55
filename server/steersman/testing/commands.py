"""Commands that don't run: the test gives their results."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import BoundCall, Proposal, Tool, ToolContext, ToolResult, text_result
from steersman.testing.errors import ScriptError


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command has printed. With `is_error` the model is told that it failed."""

    output: str
    is_error: bool = False


Results: TypeAlias = "str | Ran | Sequence[str | Ran]"
"""The results of one command: the same each time, or a list with one for each time."""


class Commands:
    """The commands of a run. With `given=None` they really run, in the workspace."""

    def __init__(self, given: Mapping[str, Results] | None) -> None:
        """Raises:
        ScriptError: a result is neither a text nor `Ran`.
        """
        self._given = None if given is None else {name: _listed(name, given[name]) for name in given}
        self._count: Counter[str] = Counter()
        self._problems: list[str] = []

    @property
    def problems(self) -> list[str]:
        """Commands that were not expected, and results that were not used."""
        return [*self._problems, *(self._left(name) for name in self._given or () if self._left(name))]

    def result(self, command: str) -> ToolResult | None:
        """The result that the test gives; None if the command is to run."""
        if self._given is None:
            return None
        times = self._count[command]
        self._count[command] += 1
        results = self._given.get(command)
        if isinstance(results, Ran):
            return text_result(results.output, is_error=results.is_error)
        if results is None or times >= len(results):
            self._problems.append(self._unexpected(command, times))
            return text_result("The test has no result for this command.", is_error=True)
        return text_result(results[times].output, is_error=results[times].is_error)

    def _unexpected(self, command: str, times: int) -> str:
        if times:
            return f"The command {command!r} ran more often than the test has results for it: {times}."
        known = ", ".join(map(repr, self._given or ())) or "none"
        return f"A command that the test does not expect: {command!r}. It expects {known}."

    def _left(self, command: str) -> str:
        results, times = (self._given or {})[command], self._count[command]
        expected = 1 if isinstance(results, Ran) else len(results)
        return f"The command {command!r} ran {times} times, not {expected}." if times < expected else ""


def _listed(command: str, results: Any) -> Ran | list[Ran]:
    if isinstance(results, str | Ran):
        return Ran(results) if isinstance(results, str) else results
    if not isinstance(results, Sequence) or not all(isinstance(each, str | Ran) for each in results):
        raise ScriptError(
            f"commands: {command!r} has {results!r}; it takes a text, Ran(…), or a list of them."
        )
    return [Ran(each) if isinstance(each, str) else each for each in results]


class GivenCommands:
    """The tool `bash` with results from `Commands`, which may change from run to run."""

    def __init__(self, tool: Tool, commands: Callable[[], Commands]) -> None:
        self._tool, self._commands = tool, commands
        self.name, self.description, self.parameters = tool.name, tool.description, tool.parameters
        self.execution = tool.execution

    def bind(self, arguments: JsonObject) -> BoundCall:
        """See `agent.tool.Tool`."""
        return _GivenCall(self._tool.bind(arguments), self._commands)


@dataclass(frozen=True, slots=True)
class _GivenCall:
    call: BoundCall
    commands: Callable[[], Commands]

    @property
    def arguments(self) -> dict[str, Json]:
        return self.call.arguments

    async def propose(self, signal: AbortSignal) -> Proposal | None:
        return await self.call.propose(signal)

    async def execute(self, context: ToolContext) -> ToolResult:
        given = self.commands().result(str(self.arguments.get("command", "")))
        if given is None:
            return await self.call.execute(context)
        await asyncio.sleep(0)  # like a real command, let an abort come in between
        return replace(given, is_error=True) if context.signal.aborted else given
