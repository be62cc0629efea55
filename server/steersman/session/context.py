"""What a model is told before the conversation: its role, how to use its tools, the workspace, instructions.

What seldom changes comes first, the date last: providers keep the beginning of a request, up to its first difference.
What changes while a session goes on (the editor's state, instructions further down) is said in the conversation.
"""

import functools
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from steersman.workspace.roots import printable

_ROLE = """\
You are Steersman, a coding agent inside the user's editor. You work on the user's files with the tools below; the \
user watches every step, can send you messages at any time, and is asked before a file changes unless they chose \
otherwise."""

_TOOLS = """\
How to work:
- Look before you change: find and grep to locate, read before you edit. Paths are relative to the workspace.
- Use edit for changes to existing files: oldText must be copied exactly from the file and appear once in it; add \
surrounding lines until it does. Several edits of one file go into one call and are all matched against the file as \
it was before the call. A change of several files that belongs together goes into one call too, each edit with its \
path: the user is asked once. Use write for new files only, or to replace a small file as a whole.
- Use read, ls, find and grep rather than bash to look at files. They see text that the editor has not saved; commands \
only see what is on the disk.
- Commands run without a terminal: nothing can be typed into them. Give a timeout to what may take long.
- When a result is an error, read it: it says what to do. If the user declines a change, don't propose it again; \
ask, or find another way.
- Do what was asked, no more. Check your work with the project's own tests where there are some. When you are done, \
say briefly what you did and what is left."""


def system_prompt(
    folders: Sequence[Path],
    *,
    today: date,
    tools: Sequence[str],
    instructions: str | None = None,
    own: str | None = None,
) -> str:
    """The system prompt of a session. `instructions` are those of a trusted folder, `own` those of the user's home."""
    parts = [_ROLE]
    if tools:
        parts.append(f"Tools: {', '.join(tools)}.\n{_TOOLS}")
    parts.append(_environment(folders))
    if own:
        parts.append(f"The user's own instructions, for every workspace:\n\n{own}")
    if instructions:
        parts.append(f"The workspace's own instructions:\n\n{instructions}")
    parts.append(f"Date: {today.isoformat()}")
    return "\n\n".join(parts)


def _environment(folders: Sequence[Path]) -> str:
    named = ", ".join(printable(str(folder)) for folder in folders) or "none; paths must be absolute"
    where = f"Workspace folder{'s' if len(folders) > 1 else ''}: {named}"
    system = "macOS" if sys.platform == "darwin" else platform.system()
    shell = _shell(os.environ.get("PATH", ""))
    return f"{where}\nPlatform: {system} ({platform.machine()}), commands are run by {shell}"


@functools.cache
def _shell(path: str) -> str:
    """What commands are run by. Looking through the folders of PATH takes longer than all else here."""
    return "bash" if shutil.which("bash", path=path or None) else "sh"
