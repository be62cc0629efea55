"""The built-in tools of a session."""

from typing import Any, Final

from steersman.agent.tool import Tool
from steersman.tools import ask_user
from steersman.tools.base import BaseTool
from steersman.tools.bash import BashTool, CommandSettings
from steersman.tools.changing import Amend, unchanged
from steersman.tools.delete import DeleteTool
from steersman.tools.diagnostics import DiagnosticsTool
from steersman.tools.edit import EditTool
from steersman.tools.find import FindTool
from steersman.tools.grep import GrepTool
from steersman.tools.ledger import ReadLedger
from steersman.tools.ls import LsTool
from steersman.tools.move import MoveTool
from steersman.tools.read import ReadTool
from steersman.tools.write import WriteTool
from steersman.workspace.ports import Workspace
from steersman.workspace.search import Ripgrep

STANDARD: Final[tuple[type[BaseTool[Any]], ...]] = (
    ReadTool,
    LsTool,
    FindTool,
    GrepTool,
    EditTool,
    WriteTool,
    DeleteTool,
    MoveTool,
    BashTool,
)
"""The built-in tools, in the order in which models see them."""
STANDARD_NAMES: Final = tuple(tool.name for tool in STANDARD)
RESERVED: Final = frozenset({*STANDARD_NAMES, ask_user.NAME, DiagnosticsTool.name})
"""Names of our own tools, whether or not a session has them."""


def standard_tools(
    workspace: Workspace,
    *,
    ledger: ReadLedger,
    commands: CommandSettings,
    ripgrep: Ripgrep,
    amend: Amend = unchanged,
) -> list[Tool]:
    """The tools, in the order in which models see them. `workspace`, `ledger` and `amend` are those of one session."""
    return [
        ReadTool(workspace, ledger),
        LsTool(workspace),
        FindTool(workspace, ripgrep),
        GrepTool(workspace, ripgrep),
        EditTool(workspace, ledger, amend),
        WriteTool(workspace, ledger, amend),
        DeleteTool(workspace, ledger),
        MoveTool(workspace, ledger),
        BashTool(workspace, commands),
    ]
