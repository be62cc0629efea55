"""What tools ask the user for beside changes of files: to run a command, to look outside the workspace, to have the
editor do something."""

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
    """Absolute path of the directory that it runs in."""
    title: str
    digest: str
    mentions: str | None = None
    """A word of the command that names a denied file: a question in every mode."""
    unsaved: tuple[str, ...] = ()
    """Displayed paths of files whose newest text the command would not see."""

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
    """A call of a tool of the editor's own or of an extension, before it is made."""

    name: str
    arguments: JsonObject
    title: str
    digest: str

    @classmethod
    def of(cls, name: str, arguments: JsonObject, where: str = "in the editor") -> "ClientToolProposal":
        """`where` the tool does it."""
        shown = _short(json.dumps(arguments, ensure_ascii=False))
        digest = digest_of({"tool": name, "arguments": arguments})
        return cls(name, arguments, f"Call {name} {where}: {shown}", digest)


@dataclass(frozen=True, slots=True)
class AccessProposal:
    """A look at a path outside the workspace folders."""

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
    """The question that reading `path` needs; None inside the workspace."""
    return None if workspace.roots.may_read(path) else AccessProposal.of(tool, path)


def require_access(workspace: Workspace, tool: str, path: ResolvedPath, context: ToolContext) -> None:
    """Holds the execution to what was asked: links may have been changed since.

    Raises:
        ProposalSuperseded: the path needs a question, and this is not the one that was asked.
    """
    needed = access_needed(workspace, tool, path)
    if needed is not None and (context.proposal is None or context.proposal.digest != needed.digest):
        raise ProposalSuperseded(needed)


def _short(text: str) -> str:
    """A text on the one line of a title."""
    shown = printable(text)
    return shown if len(shown) <= _TITLE else f"{shown[:_TITLE]}…"
