"""Checks whether a run could work here, and says how to mend what is in its way: `steersman doctor`.

It changes nothing, and none of its texts holds a key.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping
from typing import Final

from steersman.models.listing import SECONDS
from steersman.models.secrets import Redactor
from steersman.session.applog import FILE_NAME
from steersman.session.catalog import secrets_of
from steersman.session.extensions import Find, installed, load_extensions, what_it_adds
from steersman.session.home import Home
from steersman.session.looking import is_folder, is_there
from steersman.session.machine import Finding, log_summary, programs, system, who_may_enter
from steersman.session.model_findings import model_findings
from steersman.session.settings import Settings, SettingsError, load_settings
from steersman.workspace.roots import printable

_ENVIRONMENT: Final = "the environment"


async def examine(
    home: Home,
    environ: Mapping[str, str] = os.environ,
    *,
    can_ask: bool,
    seconds: float = SECONDS,
    find: Find = installed,
) -> list[Finding]:
    """All findings, in the order in which they are shown. Asks the model's server, if there is one.

    Args:
        can_ask: a person at this terminal could answer a question.
        seconds: for the model's server.
        find: the extensions that are installed.
    """
    settings: Settings | None = None
    findings: list[Finding] = []
    try:
        settings = load_settings(home, environ)
    except SettingsError as error:
        findings.append(
            Finding("settings", "problem", str(error), "Correct it: no command works until then.")
        )
    if settings is not None:
        findings += [each async for each in model_findings(home, settings, environ, seconds)]
        findings.append(_mode(home, settings, environ))
        findings.append(_terminal(settings, can_ask=can_ask))
        findings += await asyncio.to_thread(lambda: list(_extensions(home, settings, find)))
    findings += _home(home, environ)
    findings.append(_sessions(home))
    findings.append(_log(home))
    findings += [*await asyncio.to_thread(lambda: list(programs(environ))), *system()]
    redact = Redactor(secrets_of(settings or Settings(), environ))
    return [Finding(it.name, it.level, redact(it.text), it.mend and redact(it.mend)) for it in findings]


def is_usable(findings: list[Finding]) -> bool:
    """Whether a run could work."""
    return all(finding.level != "problem" for finding in findings)


def _mode(home: Home, settings: Settings, environ: Mapping[str, str]) -> Finding:
    if environ.get("STEERSMAN_MODE"):
        return Finding("mode", "ok", f"{settings.mode}, from {_ENVIRONMENT}")
    said = f"{settings.mode}, from {home.config}" if settings.mode != "ask" else "ask"
    return Finding("mode", "ok", said)


def _terminal(settings: Settings, *, can_ask: bool) -> Finding:
    if can_ask:
        return Finding("terminal", "ok", "questions can be asked here")
    if settings.mode in ("read-only", "full-auto"):
        return Finding("terminal", "ok", f"nobody can be asked here; {settings.mode} asks little")
    return Finding(
        "terminal",
        "warning",
        "Nobody can be asked here: steersman run declines what needs a question. Editors ask by themselves.",
        "For a script: --mode auto-edit --trust.",
    )


def _extensions(home: Home, settings: Settings, find: Find) -> Iterator[Finding]:
    points = {printable(point.name) for point in find()}
    extensions = load_extensions(settings.extensions, find)
    for loaded in extensions.loaded:
        yield Finding("extension", "ok", what_it_adds(loaded))
    for problem in extensions.problems:
        yield Finding(
            "extension", "warning", problem, f"Mend it, or take it out of extensions in {home.config}."
        )
    if others := sorted(points - set(settings.extensions)):
        text = f"installed, not enabled: {', '.join(others)}. To enable them: extensions = [...] in {home.config}"
        yield Finding("extension", "ok", text)
    elif not points and not settings.extensions:
        yield Finding("extension", "ok", "none is installed")


def _home(home: Home, environ: Mapping[str, str]) -> Iterator[Finding]:
    source = "STEERSMAN_HOME" if environ.get("STEERSMAN_HOME") else "the platform's default"
    place = next(path for path in (home.root, *home.root.parents) if is_there(path))
    if not is_folder(place) or not os.access(place, os.W_OK | os.X_OK):
        yield Finding(
            "home",
            "problem",
            f"{home.root}, {source}: {place} can't be written to.",
            "Set STEERSMAN_HOME to a folder of yours.",
        )
    elif place != home.root:
        yield Finding("home", "ok", f"{home.root}, {source}; made when it is needed")
    elif who := who_may_enter(home.root):
        yield Finding(
            "home", "warning", f"{home.root}, {source}: it can be entered by {who}.", f"chmod 700 {home.root}"
        )
    else:
        yield Finding("home", "ok", f"{home.root}, {source}; yours alone")


def _sessions(home: Home) -> Finding:
    try:
        summary = log_summary(home.sessions)
    except OSError as error:
        return Finding(
            "sessions", "problem", f"{home.sessions}: {error.strerror}.", "Give yourself access to it."
        )
    said = (
        f"{summary.count} log{'' if summary.count == 1 else 's'}, {_size(summary.size)}, in {home.sessions}"
    )
    if summary.locked:
        said += f"; {summary.locked} in use"
    if not summary.torn and not summary.unreadable:
        return Finding("sessions", "ok", said)
    if summary.torn:
        said += (
            f"; {summary.torn} with an unfinished last record, which is cut off when the session is opened"
        )
    if summary.unreadable:
        said += f"; {summary.unreadable} that can't be read"
    return Finding("sessions", "warning", said)


def _log(home: Home) -> Finding:
    path = home.logs / FILE_NAME
    try:
        return Finding("log", "ok", f"{path}, {_size(path.stat().st_size)}")
    except FileNotFoundError:
        return Finding("log", "ok", f"{path}, not written yet")
    except OSError as error:
        return Finding("log", "warning", f"{path}: {error.strerror}.")


def _size(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB" if size >= 1024 * 1024 else f"{(size + 1023) // 1024} KB"
