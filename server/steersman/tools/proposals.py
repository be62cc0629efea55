"""What tools ask the user about besides changes of files: running a command, looking outside the workspace, calling a
tool of the editor or an extension."""

import json
from dataclasses import dataclass

from steersman.agent.messages import JsonObject
from steersman.agent.tool import ProposalSuperseded, ToolContext
from steersman.workspace.change_proposal import digest_of
from steersman.workspace.ports import Workspace
from steersman.workspace.roots import ResolvedPath, printable

_TITLE = 80


@dataclass(frozen=True, slots=True)
class CommandProposal:
    """A shell command, before it runs."""

    command: str
    cwd: str
    """Absolute path of the directory where it runs."""
    title: str
    digest: str
    mentions: str | None = None
    """A word of the command that names a denied file. Every mode asks then."""
    unsaved: tuple[str, ...] = ()
    """Displayed paths of files with unsaved text, which the command would not see."""

    @classmethod
    def of(
        cls, command: str, cwd: str, *, mentions: str | None, unsaved: tuple[str, ...]
    ) -> "CommandProposal":
        lines = command.strip().splitlines() or [""]
        shown = _short(lines[0])
        more = f" (+{len(lines) - 1} lines)" if len(lines) > 1 else ""
        digest = digest_of({"command": command, "cwd": cwd})
        return cls(command, cwd, f"Run {shown}{more}", digest, mentions, unsaved)


@dataclass(frozen=True, slots=True)
class ClientToolProposal:
    """A call of a tool of the editor or an extension, before it is made."""

    name: str
    arguments: JsonObject
    title: str
    digest: str

    @classmethod
    def of(cls, name: str, arguments: JsonObject, where: str = "in the editor") -> "ClientToolProposal":
        """`where` the tool does its work."""
        shown = _short(json.dumps(arguments, ensure_ascii=False))
        digest = digest_of({"tool": name, "arguments": arguments})
        return cls(name, arguments, f"Call {name} {where}: {shown}", digest)


@dataclass(frozen=True, slots=True)
class AccessProposal:
    """Access to a path outside the workspace folders."""

    path: ResolvedPath
    title: str
    digest: str

    @classmethod
    def of(cls, tool: str, path: ResolvedPath) -> "AccessProposal":
        return cls(
            path,
            f"{tool.capitalize()} {path.display} (outside the workspace)",
            digest_of({"access": tool, "path": str(path.path)}),
        )


def access_needed(workspace: Workspace, tool: str, path: ResolvedPath) -> AccessProposal | None:
    """What to ask before `path` is read; None inside the workspace."""
    return None if workspace.roots.may_read(path) else AccessProposal.of(tool, path)


def require_access(workspace: Workspace, tool: str, path: ResolvedPath, context: ToolContext) -> None:
    """Makes sure that what is executed is what was asked about: links may have changed since.

    Raises:
        ProposalSuperseded: the path needs a question, and another one or none was asked.
    """
    needed = access_needed(workspace, tool, path)
    if needed is not None and (context.proposal is None or context.proposal.digest != needed.digest):
        raise ProposalSuperseded(needed)


def _short(text: str) -> str:
    """A text as part of a title, which is one line."""
    shown = printable(text)
    return shown if len(shown) <= _TITLE else f"{shown[:_TITLE]}…"
