"""bash: runs a command in the workspace folder, with bounded output that is shown as it comes."""

import asyncio
import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Json
from steersman.agent.tool import ToolContext, ToolError, ToolResult, text_result
from steersman.tools.base import ABORTED, MAX_RESULT_BYTES, BaseTool, count, with_notes
from steersman.tools.proposals import CommandProposal
from steersman.tools.schema import Arguments
from steersman.workspace.guard import Guard
from steersman.workspace.ports import Workspace
from steersman.workspace.process import (
    Aborted,
    CommandResult,
    Exited,
    NotStarted,
    ProcessLimits,
    Signalled,
    TimedOut,
    run_command,
)
from steersman.workspace.roots import printable

DEFAULT_TIMEOUT = 120
MAX_TIMEOUT = 3600
_INLINE = 5000
"""Characters of a command up to which its words are examined on the event loop."""
_SHELLS = ("bash", "sh", "/bin/bash", "/bin/sh", "zsh", "/bin/zsh")


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """How commands run, for all sessions of a server."""

    guard: Guard
    spill_dir: Path | None
    """The directory for outputs too long to be shown in full, which tools should be able to read (`Roots.readable`).
    None: what is not shown must not be kept."""
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    without: Collection[str] = ()
    """Variables withheld from commands: our own keys."""
    limits: ProcessLimits = field(default_factory=lambda: ProcessLimits(tail_bytes=MAX_RESULT_BYTES))


class BashArguments(Arguments):
    renames: ClassVar = {
        "cmd": "command",
        "script": "command",
        "timeout_seconds": "timeout",
        "description": None,
        "explanation": None,
    }
    command: str = Field(min_length=1, description="Command line for bash.")
    timeout: float | None = Field(
        None,
        gt=0,
        le=MAX_TIMEOUT,
        description=f"Seconds; default {DEFAULT_TIMEOUT}, at most {MAX_TIMEOUT}.",
    )

    @classmethod
    def mend(cls, raw: dict[str, Json]) -> dict[str, Json]:
        command = raw.get("command")
        if isinstance(command, list) and command and all(isinstance(part, str) for part in command):
            words = [str(part) for part in command]
            is_shell = len(words) == 3 and words[0] in _SHELLS and words[1] in ("-c", "-lc")
            raw["command"] = words[2] if is_shell else shlex.join(words)
        return raw


class BashTool(BaseTool[BashArguments]):
    name = "bash"
    description = (
        "Run a command with bash in the workspace folder: tests, builds, git. Each call starts in that folder with a "
        f"fresh shell. It gets no input and is ended after the timeout ({DEFAULT_TIMEOUT} s unless you set another). "
        f"Of long output, the last {MAX_RESULT_BYTES // 1024} KB are returned and all of it goes to a file. Start "
        "servers in the background, with their output in a file. To read, search or change files use the other tools."
    )
    arguments = BashArguments

    def __init__(self, workspace: Workspace, settings: CommandSettings) -> None:
        super().__init__()
        self._workspace = workspace
        self._settings = settings

    async def propose(self, args: BashArguments, signal: AbortSignal) -> CommandProposal:
        if not args.command.strip():
            raise ToolError("The command is empty.")
        mentions = self._workspace.rules.mentions_denied
        if len(args.command) <= _INLINE:
            mentioned = mentions(args.command)
        else:
            mentioned = await asyncio.to_thread(mentions, args.command)
        return CommandProposal.of(
            args.command,
            str(self._cwd()),
            mentions=mentioned,
            unsaved=tuple(await self._workspace.unsaved_files()),
        )

    async def execute(self, args: BashArguments, context: ToolContext) -> ToolResult:
        settings = self._settings
        await self._workspace.save_own()
        unsaved = await self._workspace.unsaved_files()
        result = await run_command(
            args.command,
            cwd=self._cwd(),
            env=settings.env,
            stop=context.signal,
            guard=settings.guard,
            spill_dir=settings.spill_dir,
            without=settings.without,
            timeout=args.timeout or DEFAULT_TIMEOUT,
            limits=settings.limits,
            on_output=context.update,
        )
        if isinstance(result.outcome, NotStarted):
            raise ToolError(result.outcome.reason)
        notes = _notes(result)
        if unsaved:
            notes.append(
                "The command saw the files as saved; the editor has newer, unsaved text of "
                + ", ".join(unsaved)
            )
        ending = _ending(result)
        body = result.output.text or ("" if ending else "(no output)")
        text = with_notes(body, notes)
        if ending:
            text = f"{text.rstrip()}\n\n{ending}" if text else ending
        return text_result(text, is_error=bool(ending), details=_details(result))

    def _cwd(self) -> Path:
        root = self._workspace.roots.primary
        if root is None:
            raise ToolError("There is no workspace folder to run commands in. Ask the user to open a folder.")
        return root.path


def _ending(result: CommandResult) -> str:
    """What the model is told about an end without success; "" for a success."""
    match result.outcome:
        case Exited(code) if code:
            return f"Command exited with code {code}"
        case Signalled(name):
            return f"Command was ended by {name}"
        case TimedOut(seconds):
            return f"Command timed out after {seconds:g} seconds and was ended. Set a longer timeout if it needs one"
        case Aborted():
            return ABORTED
    return ""


def _notes(result: CommandResult) -> list[str]:
    output, notes = result.output, list[str]()
    if output.truncated:
        shown = output.text.count("\n") + (0 if output.text.endswith("\n") or not output.text else 1)
        what = "All of it is" if output.file_error is None else "What could be kept is"
        where = f"{what} in {output.path}" if output.path is not None else "The rest is lost"
        notes.append(
            f"The last {count(shown, 'line')} of {output.total_lines:,} ({output.total_bytes:,} bytes). {where}"
        )
    if output.file_error is not None:
        notes.append(f"The file is incomplete: {output.file_error}")
    if result.still_running:
        named = "; ".join(f"{process.pid} ({printable(process.command)})" for process in result.still_running)
        notes.append(f"Still running: {named}")
    return notes


def _details(result: CommandResult) -> dict[str, Json]:
    details: dict[str, Json] = {"seconds": round(result.seconds, 3)}
    if isinstance(result.outcome, Exited):
        details["exitCode"] = result.outcome.code
    if result.output.path is not None:
        details["outputFile"] = printable(str(result.output.path))
    return details
