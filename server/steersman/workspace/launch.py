"""How a program is started: which shell, which environment, which pipes, and why it could not be started."""

import errno
import os
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from steersman.workspace.pinning import Replaced, pinned
from steersman.workspace.process_tree import MARKER_VARIABLE

_QUIET = {
    # No pager: nobody is there to turn a page.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    # `true` accepts what a program offers to edit (a merge message, a rebase plan) as it is.
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    # No questions: nobody is there to answer.
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    # No colours, no cursor movement.
    "TERM": "dumb",
    "NO_COLOR": "1",
    "CLICOLOR": "0",
}
_COLOURFUL = ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLORTERM")
"""Variables that would override NO_COLOR."""


class StartError(Exception):
    """A program could not be started. The message is for users and models."""


class TooLong(StartError):
    """The arguments are longer than the system takes. What to do depends on what they are, so the caller says it."""


def quiet_environment(
    env: Mapping[str, str], cwd: Path, *, without: Collection[str] = (), marker: str | None = None
) -> dict[str, str]:
    """`env` for a program that runs unattended in `cwd`: no prompts, pagers or colours, and none of `without`."""
    left_out = {*without, *_COLOURFUL, "OLDPWD"}
    result = {name: value for name, value in env.items() if name not in left_out}
    result.update(_QUIET, PWD=str(cwd))
    if marker is not None:
        outer = env.get(MARKER_VARIABLE)
        result[MARKER_VARIABLE] = f"{outer}:{marker}" if outer else marker
    return result


def shell_arguments(command: str, env: Mapping[str, str]) -> list[str]:
    """The arguments that run `command` with bash, or with sh if there is no bash.

    Raises:
        StartError: there is no shell.
    """
    path = env.get("PATH", os.defpath)
    shell = shutil.which("bash", path=path) or shutil.which("sh", path=path)
    if shell is None:
        raise StartError(f"No shell was found: neither bash nor sh is in PATH ({path}).")
    return [shell, "-c", command]


def start(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], merge_stderr: bool
) -> subprocess.Popen[bytes]:
    """Starts a program in its own session, with an empty stdin and unbuffered pipes for its output. `cwd` is absolute,
    with links resolved, and is entered only if none of its directories has been replaced.

    Raises:
        TooLong: the arguments are too long for the system.
        StartError: it could not be started; the message says why and what to do.
    """
    if not arguments:
        raise StartError("The command is empty.")
    try:
        with pinned(cwd) as directory:
            return subprocess.Popen(
                arguments,
                cwd=directory,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
    except ValueError as error:  # a NUL, a `=` in a variable's name, a character that can't be encoded
        raise StartError(f"The command can't be passed to the system: {error}.") from error
    except OSError as error:
        if error.errno == errno.E2BIG:
            raise TooLong("The command is too long for the system.") from error
        raise StartError(_reason(error, arguments[0], cwd)) from error


def _reason(error: OSError, program: str, cwd: Path) -> str:
    match error.errno:
        case errno.EAGAIN | errno.ENOMEM | errno.EMFILE | errno.ENFILE:
            return f"The system has no room for another process: {error.strerror}. Try again later."
        case _ if isinstance(error, Replaced) or error.filename not in (None, program):
            return f"{cwd} can't be entered: {error.strerror}."
        case errno.ENOENT:
            return f"The program was not found: {program}"
        case errno.EACCES:
            return f"Permission denied: {program}"
        case _:
            return f"{program} could not be started: {error.strerror or error}"
