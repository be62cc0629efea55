"""Whether a run could work here, and how to mend what is in its way: what `steersman doctor` says.

It looks and changes nothing, and no text of it holds a key.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping
from typing import Final

from steersman.models.catalog import resolve_model
from steersman.models.errors import ModelConfigError
from steersman.models.http import HttpFailure
from steersman.models.listing import SECONDS, list_models
from steersman.models.secrets import Redactor
from steersman.session.applog import FILE_NAME, secrets_of
from steersman.session.extensions import Find, installed, load_extensions, what_it_adds
from steersman.session.home import Home
from steersman.session.machine import Finding, log_summary, programs, system, who_may_enter
from steersman.session.settings import Settings, SettingsError, load_settings
from steersman.workspace.roots import printable

_ENVIRONMENT: Final = "the environment"
_UNREACHABLE: Final = ("network", "timeout")
_KEY_REFUSED: Final = ("auth", "permission")


async def examine(
    home: Home,
    environ: Mapping[str, str] = os.environ,
    *,
    can_ask: bool,
    seconds: float = SECONDS,
    find: Find = installed,
) -> list[Finding]:
    """Everything that was looked at, in the order in which it is told. Asks the model's server, if there is one.

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
        findings += _model(home, settings, environ)
        findings += _key(home, settings)
        findings.append(await _server(settings, seconds))
        findings.append(_mode(home, settings, environ))
        findings.append(_terminal(settings, can_ask=can_ask))
        findings += await asyncio.to_thread(lambda: list(_extensions(home, settings, find)))
    findings += _home(home, environ)
    findings.append(_sessions(home))
    findings.append(_log(home))
    findings += [*await asyncio.to_thread(lambda: list(programs(environ))), *system()]
    redact = Redactor(secrets_of(settings or Settings(), environ.get))
    return [Finding(it.name, it.level, redact(it.text), it.mend and redact(it.mend)) for it in findings]


def is_usable(findings: list[Finding]) -> bool:
    """Whether a run could work."""
    return all(finding.level != "problem" for finding in findings)


def _model(home: Home, settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    if not settings.model:
        mend = (
            "Set STEERSMAN_MODEL to openai-chat:NAME, with STEERSMAN_BASE_URL for the server and STEERSMAN_API_KEY "
            f"where it wants a key; or model, base_url and api_key in {home.config}."
        )
        yield Finding("model", "problem", "None is configured.", mend)
        return
    source = _ENVIRONMENT if environ.get("STEERSMAN_MODEL") else str(home.config)
    try:
        resolve_model(settings.model, settings.base_url, settings.usable_key)
    except ModelConfigError as error:
        yield Finding("model", "problem", f"{settings.model}, from {source}: {error}", "Correct it there.")
    else:
        yield Finding("model", "ok", f"{settings.model}, from {source}")
    if settings.base_url:
        source = _source(home, settings.base_url_source)
        yield Finding("base URL", "ok", f"{_without_secrets(settings.base_url)}, from {source}")


def _key(home: Home, settings: Settings) -> Iterator[Finding]:
    if settings.withheld_key is not None:
        yield Finding("key", "warning", settings.withheld_key)
    elif settings.api_key is not None:
        yield Finding("key", "ok", f"there is one, from {_source(home, settings.api_key_source)}")
    else:
        yield Finding("key", "ok", "none")
    if settings.api_key_source == "file" and (who := who_may_enter(home.config)):
        yield Finding(
            "key",
            "warning",
            f"{home.config} holds a key and can be read by {who}.",
            f"chmod 600 {home.config}",
        )


async def _server(settings: Settings, seconds: float) -> Finding:
    provider, _, name = (settings.model or "").partition(":")
    if provider == "tape":
        return Finding("server", "ok", "none is needed: a tape answers")
    if not provider or (settings.base_url is None and settings.usable_key is None):
        return Finding("server", "ok", "none is configured, so none was asked")
    key = settings.usable_key
    try:
        listing = await list_models(provider, settings.base_url, key, seconds=seconds)
    except ModelConfigError as error:
        return Finding("server", "problem", str(error), "Correct STEERSMAN_BASE_URL or base_url.")
    except HttpFailure as failure:
        kind, said = failure.failure.kind, str(failure)
        if kind in _UNREACHABLE:
            return Finding(
                "server", "problem", said, "Start the server, or correct STEERSMAN_BASE_URL or base_url."
            )
        if kind in _KEY_REFUSED:
            mend = (
                "Correct the key."
                if key
                else "It wants a key: set STEERSMAN_API_KEY beside STEERSMAN_BASE_URL."
            )
            return Finding("server", "problem", said, mend)
        return Finding(
            "server", "warning", f"It answers, but doesn't say what models it has; a run may work. {said}"
        )
    said = f"{listing.host} answers and offers {len(listing.names) + listing.left_out} models"
    if name in listing.names or listing.left_out or not name:
        return Finding("server", "ok", said)
    return Finding("server", "warning", f"{said}; {name} is not among them.", "See steersman models.")


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
    place = next(path for path in (home.root, *home.root.parents) if path.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
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
    said = f"{summary.count} logs, {_size(summary.size)}, in {home.sessions}"
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


def _source(home: Home, source: str) -> str:
    return {"file": str(home.config), "user": _ENVIRONMENT}.get(source, "the provider's default")


def _without_secrets(url: str) -> str:
    """Neither user information nor query."""
    scheme, separator, rest = url.partition("?")[0].rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def _size(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB" if size >= 1024 * 1024 else f"{(size + 1023) // 1024} KB"
