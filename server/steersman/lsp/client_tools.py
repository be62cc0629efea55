"""The tools that a client offers: which of them are used, and how models see the client's own.

A tool that can't be used is left out and logged: a newer client must still work.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.clock import Clock
from steersman.agent.messages import Json, JsonObject
from steersman.agent.tool import Execution, Proposal, Tool, ToolContext, ToolError, ToolResult, text_result
from steersman.lsp.buffers import Buffers
from steersman.lsp.client import Client
from steersman.lsp.features import ClientTool
from steersman.lsp.known_tools import KNOWN_TOOLS
from steersman.lsp.rpc import RpcServer
from steersman.lsp.tool_calls import ToolCalls
from steersman.session.limits import Limits
from steersman.session.services import ToolSetting
from steersman.tools.base import within_result
from steersman.tools.json_arguments import check_arguments, schema_fault
from steersman.tools.proposals import ClientToolProposal
from steersman.tools.registry import RESERVED
from steersman.workspace.roots import printable

log = logging.getLogger(__name__)

MAX_TOOLS: Final = 64


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool of the client that is used."""

    name: str
    """Its name on the wire."""
    own: ClientTool | None = None
    """The client's own tool; None for a known one."""


def usable(tools: Sequence[str | ClientTool]) -> list[Offered]:
    """The tools that can be used, in the order in which they are offered."""
    taken = {name.casefold() for name in RESERVED}
    offered: list[Offered] = []
    for tool in tools:
        name = tool if isinstance(tool, str) else tool.name
        fault = "there are too many" if len(offered) >= MAX_TOOLS else _fault(tool, taken)
        if fault is not None:
            log.warning("the client's tool %s is left out: %s", printable(name[:80]), fault)
            continue
        taken.add(_shown_name(tool).casefold())
        offered.append(Offered(name, None if isinstance(tool, str) else tool))
    return offered


def _shown_name(tool: str | ClientTool) -> str:
    """The name that models see."""
    return KNOWN_TOOLS[tool].name if isinstance(tool, str) else tool.name


def _fault(tool: str | ClientTool, taken: Collection[str]) -> str | None:
    if isinstance(tool, str) and tool not in KNOWN_TOOLS:
        return f"there is no known tool of this name; the known tools are {', '.join(KNOWN_TOOLS)}"
    if _shown_name(tool).casefold() in taken:
        return "another tool has its name"
    fault = None if isinstance(tool, str) else schema_fault(tool.parameters)
    return None if fault is None else f"its parameters can't be used: {fault}"


class ClientTools:
    """One connection's."""

    def __init__(
        self, server: RpcServer, client: Client, buffers: Buffers, limits: Limits, clock: Clock
    ) -> None:
        self._server, self._client, self._buffers = server, client, buffers
        self._limits, self._clock = limits, clock
        self._offered: list[Offered] = []

    def learn(self) -> list[str]:
        """Reads what the client offered at initialize. Returns the names of the tools that are used, as on the wire."""
        self._offered = usable(self._client.features.tools or [])
        return [offered.name for offered in self._offered]

    def of_session(self, setting: ToolSetting) -> list[Tool]:
        """The tools for a session."""
        calls = ToolCalls(self._server, self._limits, self._clock, setting)
        return [self._tool(offered, calls, setting) for offered in self._offered]

    def _tool(self, offered: Offered, calls: ToolCalls, setting: ToolSetting) -> Tool:
        if offered.own is not None:
            return OwnTool(offered.own, calls)
        known = KNOWN_TOOLS[offered.name]
        documents = self._server.documents
        return known(setting.workspace, calls, uri_of=self._uri_of, encoding=lambda: documents.encoding)

    def _uri_of(self, path: Path) -> str:
        """The client's own spelling if it has the file open."""
        buffer = self._buffers.of(path)
        return path.as_uri() if buffer is None else buffer.document.uri


class OwnTool:
    """A client's own tool. Implements `agent.tool.Tool`."""

    def __init__(self, tool: ClientTool, calls: ToolCalls) -> None:
        self.name, self.description = tool.name, tool.description
        self.parameters: JsonObject = {"properties": {}, **tool.parameters}
        self.read_only, self.calls = tool.read_only, calls

    @property
    def execution(self) -> Execution:
        return "parallel" if self.read_only else "sequential"

    def bind(self, arguments: JsonObject) -> "_OwnCall":
        """Checks the arguments at the top level; the rest is for the client to check.

        Raises:
            BadArguments: they don't fit the parameters.
        """
        check_arguments(arguments, self.parameters, self.name)
        return _OwnCall(self, dict(arguments))


@dataclass(frozen=True, slots=True)
class _OwnCall:
    tool: OwnTool
    arguments: dict[str, Json]

    async def propose(self, signal: AbortSignal) -> Proposal | None:
        if self.tool.read_only:
            return None
        return ClientToolProposal.of(self.tool.name, self.arguments)

    async def execute(self, context: ToolContext) -> ToolResult:
        tool = self.tool
        answer = await tool.calls.call(tool.name, self.arguments, context, read_only=tool.read_only)
        if answer.text is None:
            raise ToolError(f"The editor's answer to {tool.name} can't be used: it has no content.")
        text = within_result(answer.text, "The result")
        return text_result(text or "[The tool said nothing]", is_error=answer.is_error)
