"""Puts the tools of extensions under the session's policy: one with effects needs permission, whatever it proposes."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import BoundCall, Execution, Proposal, Tool, ToolContext, ToolResult
from steersman.tools.json_arguments import schema_fault
from steersman.tools.proposals import AccessProposal, ClientToolProposal, CommandProposal
from steersman.tools.registry import RESERVED
from steersman.workspace.change_proposal import ChangeProposal

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_KNOWN = (AccessProposal, ChangeProposal, ClientToolProposal, CommandProposal)
"""What the policy can judge."""


def tool_fault(tool: Tool, taken: Collection[str]) -> str | None:
    """Why a session can't have this tool; None if it can. `taken`: names in lower case."""
    if not _NAME.fullmatch(tool.name):
        return "its name has other characters than letters, digits, _ and -, or too many"
    if tool.name.casefold() in taken or tool.name.casefold() in RESERVED:
        return "another tool has its name"
    description: object = tool.description  # what the protocol says of it is a promise
    if not isinstance(description, str):
        return "its description is no text"
    if tool.execution not in ("parallel", "sequential"):
        return "its execution is neither parallel nor sequential"
    fault = schema_fault(tool.parameters)
    return None if fault is None else f"its parameters can't be used: {fault}"


def names_with_effects(tools: Iterable[Tool]) -> set[str]:
    return {tool.name for tool in tools if tool.execution == "sequential"}


class GuardedTool:
    """Implements `agent.tool.Tool` for one of an extension."""

    def __init__(self, tool: Tool, extension: str) -> None:
        self._tool, self.extension = tool, extension
        self.name, self.description = tool.name, tool.description
        self.parameters: JsonObject = tool.parameters
        self.execution: Execution = tool.execution

    def bind(self, arguments: JsonObject) -> "_GuardedCall":
        """Raises BadArguments."""
        where = f"of the extension {self.extension}"
        return _GuardedCall(self._tool.bind(arguments), self.name, where, self.execution == "sequential")


def is_of(tool: Tool, extension: str) -> bool:
    """Whether it is a tool that the session has from this extension."""
    return isinstance(tool, GuardedTool) and tool.extension == extension


@dataclass(slots=True)
class _GuardedCall:
    call: BoundCall
    name: str
    where: str
    has_effects: bool

    @property
    def arguments(self) -> dict[str, Json]:
        return self.call.arguments

    async def propose(self, signal: AbortSignal) -> Proposal | None:
        proposal = await self.call.propose(signal)
        if isinstance(proposal, _KNOWN) or (proposal is None and not self.has_effects):
            return proposal
        return ClientToolProposal.of(self.name, self.arguments, self.where)

    async def execute(self, context: ToolContext) -> ToolResult:
        ours = isinstance(context.proposal, ClientToolProposal)
        return await self.call.execute(replace(context, proposal=None) if ours else context)
