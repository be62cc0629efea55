"""Decides what is allowed, asked about or refused: by the mode, the user's rules, and what the user has granted.

The rule above all: nothing changes without a yes that a person gave to exactly this, or a rule that the user (not the
repository, not the model) wrote. Deny rules are enforced by the tools themselves, for every mode.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from steersman.session.approvals import QuestionKind
from steersman.session.settings import Mode

Effect = Literal["create", "edit", "move", "delete", "command", "tool", "read"]
"""What a call does. `read` only where it has to be asked about: outside the workspace."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one call needs permission for."""

    effect: Effect
    file: str | None = None
    """Its displayed path, if the call changes several files."""
    outside: bool = False
    protected: str | None = None
    """The pattern that protects a path of it."""
    conflict: bool = False
    """The file has unsaved changes, and has changed on the disk as well."""
    held: str | None = None
    """Another editor that has a file of it open."""
    command: str | None = None
    tool: str | None = None
    """The digest of a call of the editor's own: the tool and its arguments."""
    names_denied: str | None = None
    """What a command names that a deny rule covers."""

    @property
    def asks_always(self) -> bool:
        """No mode and no grant covers it."""
        return bool(self.outside or self.protected or self.names_denied or self.conflict or self.held)


@dataclass(frozen=True, slots=True)
class Allowed:
    pass


@dataclass(frozen=True, slots=True)
class Ask:
    kind: QuestionKind
    reason: str
    setting: str
    """What would allow it without a question, for where nobody can be asked."""


@dataclass(frozen=True, slots=True)
class Refuse:
    reason: str
    setting: str


Verdict = Allowed | Ask | Refuse

_NAMED = 5
"""Files that are named with one reason."""
_MODE_HINT = {
    "edit": "--mode auto-edit, with --trust if the folder is not trusted yet",
    "delete": "--mode full-auto, with --trust if the folder is not trusted yet",
    "command": "--mode full-auto, with --trust if the folder is not trusted yet, or allow_commands in config.toml",
    "tool": "--mode full-auto, with --trust if the folder is not trusted yet",
}


@dataclass(slots=True)
class Grants:
    """What the user has said yes to for longer than one call. In memory only."""

    edits: bool = False
    commands: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return self.edits or bool(self.commands) or bool(self.tools)

    def add(self, need: Need) -> None:
        """Edits cover creating, editing and moving inside the workspace; a command is that exact string, a call of the
        editor's that tool with exactly these arguments."""
        if need.command is not None:
            self.commands.add(need.command)
        elif need.tool is not None:
            self.tools.add(need.tool)
        elif need.effect in ("create", "edit", "move"):
            self.edits = True

    def cover(self, need: Need) -> bool:
        if need.asks_always:
            return False
        if need.effect == "command":
            return need.command in self.commands
        if need.effect == "tool":
            return need.tool in self.tools
        return self.edits and need.effect in ("create", "edit", "move")

    def clear(self) -> None:
        self.edits = False
        self.commands.clear()
        self.tools.clear()


@dataclass(frozen=True, slots=True)
class Policy:
    mode: Mode = "ask"
    allow_commands: Sequence[str] = ()

    def decide_all(self, needs: Sequence[Need], grants: Sequence[Grants] = ()) -> Verdict:
        """Of a call with at least one need: the strictest verdict on any of them."""
        verdicts = [(need, self.decide(need, grants)) for need in needs]
        for _, verdict in verdicts:
            if isinstance(verdict, Refuse):
                return verdict
        asks = [(need, verdict) for need, verdict in verdicts if isinstance(verdict, Ask)]
        if not asks:
            return Allowed()
        if len(needs) == 1:
            return asks[0][1]
        return _of_all(asks)

    def decide(self, need: Need, grants: Sequence[Grants] = ()) -> Verdict:
        if self.mode == "read-only" and need.effect != "read":
            return Refuse(
                f"The session is read-only: {_doing(need)} is not allowed.", "any mode but read-only"
            )
        if any(grant.cover(need) for grant in grants):
            return Allowed()
        if need.outside:
            return Ask(
                "outside",
                f"{_doing(need).capitalize()} outside the workspace.",
                "none; start in that folder to work there",
            )
        if need.protected:
            reason = f"{need.protected} is protected: it decides what runs on your machine or elsewhere."
            return Ask("protected", reason, "none; it is asked about in every mode")
        if need.conflict:
            reason = "The file has unsaved changes in the editor and was changed on the disk too."
            return Ask("conflict", reason, "none; save or reload the file")
        if need.held:
            reason = f"Another editor has it open ({need.held})."
            return Ask("conflict", reason, "none; close it there")
        if need.effect == "command":
            return self._command(need)
        if need.effect == "delete":
            ask = Ask("delete", "Deleting is asked about in this mode.", _MODE_HINT["delete"])
            return Allowed() if self.mode == "full-auto" else ask
        if need.effect == "tool":
            reason = "What tools of the editor and of extensions do is asked about in this mode."
            return Allowed() if self.mode == "full-auto" else Ask("tool", reason, _MODE_HINT["tool"])
        if need.effect == "read" or self.mode in ("auto-edit", "full-auto"):
            return Allowed()
        return Ask(need.effect, "Changes are asked about in this mode.", _MODE_HINT["edit"])

    def _command(self, need: Need) -> Verdict:
        command = need.command or ""
        if need.names_denied:
            reason = f"The command names {need.names_denied}, which a deny rule covers."
            return Ask("protected", reason, "none; it is asked about in every mode")
        if self.mode == "full-auto" or any(matches(rule, command) for rule in self.allow_commands):
            return Allowed()
        return Ask("command", "Commands are asked about in this mode.", _MODE_HINT["command"])


_GRAVEST: Sequence[QuestionKind] = ("outside", "protected", "conflict", "delete", "move", "edit", "create")


def _of_all(asks: Sequence[tuple[Need, Ask]]) -> Ask:
    """One question about several files: as grave as the gravest, with every grave reason and its files."""
    _, gravest = min(asks, key=lambda each: _GRAVEST.index(each[1].kind))
    files: dict[str, list[str]] = {}
    for need, ask in asks:
        if need.asks_always:
            files.setdefault(ask.reason, []).append(need.file or "")
    if not files:
        return gravest
    reasons = [f"{reason} This holds for {_some(names)}." for reason, names in files.items()]
    return Ask(gravest.kind, " ".join(reasons), gravest.setting)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


_SPECIAL = re.compile(r"[;&|<>()$`\\\n\r\x00{}*?\[\]~#!]|(?:^|\s)\w+\+?=")
"""What makes a command more than one program with plain arguments, or an argument other than it looks."""


def matches(rule: str, command: str) -> bool:
    """Whether an allow rule covers a command: the same words, or the same first words if the rule ends with ` *`.

    A command with a pipe, redirection, substitution, second command, glob or variable in it is covered by no rule.
    """
    if _SPECIAL.search(command):
        return False
    try:
        words = shlex.split(command)
        pattern = shlex.split(rule)
    except ValueError:
        return False
    if pattern and pattern[-1] == "*":
        pattern = pattern[:-1]
        return bool(pattern) and words[: len(pattern)] == pattern
    return bool(pattern) and words == pattern


def _doing(need: Need) -> str:
    names: dict[Effect, str] = {
        "create": "creating a file",
        "edit": "changing a file",
        "move": "moving a file",
        "delete": "deleting a file",
        "command": "running a command",
        "tool": "a tool that may change something",
        "read": "reading",
    }
    return names[need.effect]
