"""What a model is told before the conversation: its role, the workspace, the platform, how to use its tools."""

import platform
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from steersman.session.trust import INSTRUCTION_FILES
from steersman.workspace.roots import printable

MAX_INSTRUCTIONS = 32 * 1024
"""Bytes of one instruction file; the rest is left out, and the model is told."""

_ROLE = """\
You are Steersman, a coding agent inside the user's editor. You work on the user's files with the tools below; the \
user watches every step, can send you messages at any time, and is asked before a file changes unless they chose \
otherwise."""

_TOOLS = """\
How to work:
- Look before you change: find and grep to locate, read before you edit. Paths are relative to the workspace.
- Use edit for changes to existing files: oldText must be copied exactly from the file and appear once in it; add \
surrounding lines until it does. Several edits of one file go into one call and are all matched against the file as \
it was before the call. Use write for new files only, or to replace a small file as a whole.
- Use read, ls, find and grep rather than bash to look at files. They see text that the editor has not saved; commands \
only see what is on the disk.
- Commands run without a terminal: nothing can be typed into them. Give a timeout to what may take long.
- When a result is an error, read it: it says what to do. If the user declines a change, don't propose it again; \
ask, or find another way.
- Do what was asked, no more. Check your work with the project's own tests where there are some. When you are done, \
say briefly what you did and what is left."""


def system_prompt(
    folders: Sequence[Path], *, today: date, tools: Sequence[str], instructions: str | None = None
) -> str:
    """The system prompt of a session. `instructions` are those of a trusted folder."""
    parts = [_ROLE, _environment(folders, today)]
    if tools:
        parts.append(f"Tools: {', '.join(tools)}.\n{_TOOLS}")
    if instructions:
        parts.append(f"The workspace's own instructions:\n\n{instructions}")
    return "\n\n".join(parts)


def read_instructions(folder: Path) -> str | None:
    """The text of the folder's instruction file, bounded; None if it has none or it can't be read."""
    for name in INSTRUCTION_FILES:
        try:
            with (folder / name).open("rb") as file:
                data = file.read(MAX_INSTRUCTIONS + 1)
        except OSError:
            continue
        text = data[:MAX_INSTRUCTIONS].decode("utf-8", "ignore").strip()
        return text + ("\n\n(The rest of this file is left out.)" if len(data) > MAX_INSTRUCTIONS else "")
    return None


def _environment(folders: Sequence[Path], today: date) -> str:
    named = ", ".join(printable(str(folder)) for folder in folders) or "none; paths must be absolute"
    where = f"Workspace folder{'s' if len(folders) > 1 else ''}: {named}"
    system = "macOS" if sys.platform == "darwin" else platform.system()
    return f"{where}\nPlatform: {system} ({platform.machine()})\nDate: {today.isoformat()}"
