"""What this machine has and lacks for a run, and the state of the session logs. Only looks; for `doctor`."""

import os
import platform
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from steersman import __version__
from steersman.session.log_lines import tail_of
from steersman.session.log_lock import HAS_LOCKS, is_being_written
from steersman.workspace.errors import SearchError
from steersman.workspace.search import find_ripgrep

HAS_PROC: Final = Path("/proc/self").exists()
MAX_LOOKED_INTO: Final = 1000
"""Logs whose end and lock are looked at, the newest ones; all are counted."""
_VERSION_SECONDS: Final = 5.0


Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    level: Level
    """problem: no run can work until it is mended."""
    text: str
    mend: str | None = None
    """What to do about it."""


@dataclass(slots=True)
class LogSummary:
    count: int = 0
    size: int = 0
    """Bytes."""
    torn: int = 0
    """That end in an unfinished record, and that nobody is writing."""
    locked: int = 0
    """That a process is writing."""
    unreadable: int = 0


def log_summary(folder: Path) -> LogSummary:
    """Raises:
    OSError: the folder can't be listed.
    """
    summary = LogSummary()
    try:
        # `glob` finds nothing in a folder that can't be read, and says nothing; nor does `exists`, from Python 3.12 on.
        paths = list(folder.iterdir())
    except FileNotFoundError:
        return summary
    found: list[tuple[float, Path]] = []
    for path in paths:
        if path.suffix != ".jsonl":
            continue
        try:
            status = path.stat()
        except OSError:
            summary.unreadable += 1
            continue
        summary.count += 1
        summary.size += status.st_size
        found.append((status.st_mtime, path))
    for _, path in sorted(found, reverse=True)[:MAX_LOOKED_INTO]:
        try:
            with path.open("rb") as file:
                if is_being_written(file.fileno()):
                    summary.locked += 1
                elif tail_of(file.fileno()).torn:
                    summary.torn += 1
        except OSError:
            summary.unreadable += 1
    return summary


def who_may_enter(path: Path) -> str | None:
    """Who besides its owner has rights on a file or folder, in words; None if nobody, or if it doesn't exist."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
    if mode & 0o007:
        return "everybody"
    return "its group" if mode & 0o070 else None


def programs(environ: Mapping[str, str]) -> Iterator[Finding]:
    """ripgrep, a shell and git: where they are, or what doesn't work without."""
    yield _ripgrep()
    path = environ.get("PATH", os.defpath)
    bash, shell = shutil.which("bash", path=path), shutil.which("sh", path=path)
    if bash:
        yield Finding("bash", "ok", bash)
    elif shell:
        yield Finding("bash", "warning", f"It is not in PATH: commands are run by {shell}.", "Install bash.")
    else:
        text = "Neither bash nor sh is in PATH: no command can be run."
        yield Finding("bash", "warning", text, "Correct PATH.")
    git = shutil.which("git", path=path)
    if git:
        yield Finding("git", "ok", git)
    else:
        text = "It is not in PATH: a run can't look at the history of a project."
        yield Finding("git", "warning", text, "Install git.")


def _ripgrep() -> Finding:
    try:
        program = find_ripgrep().program
    except SearchError as error:
        return Finding("ripgrep", "warning", str(error))
    asked = [str(program), "--version"]
    try:
        done = subprocess.run(
            asked, capture_output=True, timeout=_VERSION_SECONDS, stdin=subprocess.DEVNULL, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        text = f"{program} can't be run ({error}): find and grep don't work."
        return Finding("ripgrep", "warning", text, "Install ripgrep anew.")
    version = done.stdout.decode(errors="replace").partition("\n")[0]
    return Finding("ripgrep", "ok", f"{program} ({version.strip()})")


def system() -> Iterator[Finding]:
    """Versions, and what the system lacks."""
    versions = f"Steersman {__version__}, Python {platform.python_version()}, {platform.platform(terse=True)}"
    yield Finding("versions", "ok", versions)
    if not HAS_PROC:
        text = "There is no /proc: processes that leave their command's group are not found after an abort."
        yield Finding("platform", "warning", text)
    if not HAS_LOCKS:
        text = "There are no file locks: nothing keeps two processes from working in one session."
        yield Finding("platform", "warning", text)
