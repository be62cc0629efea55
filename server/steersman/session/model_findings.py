"""What the doctor says of the configured model: whose it is, where its requests go, where its key comes from, and
whether its server answers. No text of it holds a key.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Final

from steersman.models.catalog import Catalog
from steersman.models.endpoint import HttpFailure
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.listing import ends_a_run, list_models
from steersman.models.routes import DEFAULT, Route
from steersman.session.catalog import catalog_of
from steersman.session.home import Home
from steersman.session.machine import Finding
from steersman.session.retry import advice_of, sentence
from steersman.session.settings import Settings

_ENVIRONMENT: Final = "the environment"
_UNREACHABLE: Final = ("network", "timeout")
_KEY_REFUSED: Final = ("auth", "permission")


async def model_findings(
    home: Home, settings: Settings, environ: Mapping[str, str], seconds: float
) -> AsyncIterator[Finding]:
    """In the order in which they are shown. Asks the model's server, if there is one, for at most so many seconds."""
    catalog = catalog_of(home, settings, environ)
    if settings.locked is not None:
        told, _, mend = settings.locked.rpartition(": ")
        yield Finding("key", "warning", f"{told}.", mend)
    if not settings.model:
        yield Finding("model", "problem", "None is configured.", _how_to_begin(home, catalog, environ))
        yield Finding("key", "ok", _general_key(settings, home))
        yield Finding("server", "ok", "none is configured, so none was asked")
        return
    source = _ENVIRONMENT if environ.get("STEERSMAN_MODEL") else str(home.config)
    named = f"{settings.model}, from {source}"
    try:
        if settings.model.startswith("tape:"):
            catalog.model(settings.model)
            yield Finding("model", "ok", named)
            yield Finding("server", "ok", "none is needed: a tape answers")
            return
        route = catalog.route(settings.model)
    except ModelConfigError as error:
        yield Finding("model", "problem", f"{named}: {error}", "Correct it there.")
        return
    yield Finding("model", "ok", f"{named}; {route.provider.title}, by {route.provider.api}")
    yield Finding("base URL", "ok", f"{_without_secrets(route.base_url)}, from {route.base_url_from}")
    try:
        key = await _key(catalog, route)
    except MissingKey as error:
        yield Finding("key", "problem", str(error), "Then steersman doctor again.")
        yield Finding("server", "ok", "was not asked: there is no key")
        return
    except ModelConfigError as error:
        key_from = f"; the key is from {route.key_source}" if route.key_source else ""
        yield Finding(
            "server", "problem", str(error), f"The base URL is from {route.base_url_from}{key_from}."
        )
        return
    yield _key_finding(route)
    yield await _server(route, key, seconds)


def _how_to_begin(home: Home, catalog: Catalog, environ: Mapping[str, str]) -> str:
    usable = [
        f"{each.id}:NAME ({variable} is set)"
        for each in catalog.providers.values()
        for variable in each.key_env
        if environ.get(variable)
    ]
    named = " or ".join(usable[:3]) or "PROVIDER:NAME (steersman models lists what you can use)"
    return (
        f"Set STEERSMAN_MODEL to {named}. For a server of your own: openai-chat:NAME, with STEERSMAN_BASE_URL. Or set "
        f"model and base_url in {home.config}."
    )


def _general_key(settings: Settings, home: Home) -> str:
    if settings.api_key is None:
        return "none"
    return f"there is one, from {home.config if settings.api_key_source == 'file' else 'STEERSMAN_API_KEY'}"


async def _key(catalog: Catalog, route: Route) -> str | None:
    """The key as a run would get it, once it is sure that a model can be made with it.

    Raises:
        ModelConfigError: there is none, or it can't be used.
    """
    catalog.model(route.spec)
    if route.command is not None:
        return await asyncio.to_thread(catalog.commands.key, route.command)
    return None if route.key is None else route.key.value


def _key_finding(route: Route) -> Finding:
    if route.withheld is not None:
        return Finding("key", "warning", route.withheld)
    if route.command is not None:
        return Finding("key", "ok", f"there is one, printed by {route.command.source}")
    if route.key is not None:
        return Finding("key", "ok", f"there is one, from {route.key.source}")
    return Finding("key", "ok", "none")


async def _server(route: Route, key: str | None, seconds: float) -> Finding:
    provider = route.provider
    try:
        listing = await list_models(
            provider.api,
            route.base_url,
            key,
            headers=route.headers,
            key_source=route.key_source,
            local=provider.local,
            seconds=seconds,
        )
    except ModelConfigError as error:
        return Finding("server", "problem", str(error), f"Correct the base URL: {route.base_url_from}.")
    except HttpFailure as failure:
        return _failed(route, failure, keyed=key is not None)
    said = f"{listing.host} answers and offers {len(listing.names) + listing.left_out} models"
    if route.name in listing.names or listing.left_out:
        return Finding("server", "ok", said)
    return Finding("server", "warning", f"{said}; {route.name} is not among them.", "See steersman models.")


def _failed(route: Route, failure: HttpFailure, *, keyed: bool) -> Finding:
    kind, said = failure.failure.kind, sentence(str(failure))
    if kind in _UNREACHABLE:
        return Finding("server", "problem", said, _how_to_reach(route))
    if kind in _KEY_REFUSED:
        mend = advice_of(failure.failure) if keyed else f"It wants a key. {_where_to_put_one(route)}"
        return Finding("server", "problem", said, mend)
    if ends_a_run(failure.failure):
        return Finding("server", "problem", said, advice_of(failure.failure))
    said = f"It answers, but doesn't say what models it has; a run may work. {said}"
    return Finding("server", "warning", said, "If a run fails, check the base URL.")


def _how_to_reach(route: Route) -> str:
    if route.provider.local:
        return f"Start {route.provider.title}, or set base_url in [providers.{route.provider.id}] of config.toml."
    if route.base_url_from == DEFAULT:
        return "Check the network, and HTTPS_PROXY if there is a proxy."
    return "Start the server, or correct STEERSMAN_BASE_URL or base_url (http or https, host, port)."


def _where_to_put_one(route: Route) -> str:
    table = f"[providers.{route.provider.id}]"
    if route.base_url_from == _ENVIRONMENT:
        return "Set STEERSMAN_API_KEY beside STEERSMAN_BASE_URL."
    return f"Set key_env, api_key or key_command in {table} of config.toml."


def _without_secrets(url: str) -> str:
    """Neither user information nor query."""
    scheme, separator, rest = url.partition("?")[0].rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
