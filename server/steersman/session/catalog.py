"""The catalog of providers as this user has it: the package's, with what the settings say."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from steersman.models.catalog import SERVER_VARIABLES, Catalog
from steersman.models.secrets import secrets_of_url
from steersman.session.facts_cache import FactsCache
from steersman.session.home import Home
from steersman.session.settings import Settings

if TYPE_CHECKING:
    from steersman.models.routes import General


def catalog_of(home: Home, settings: Settings, environ: Mapping[str, str] = os.environ) -> Catalog:
    """Reads nothing yet: a catalog does when it is asked."""
    return Catalog(
        settings.providers,
        lambda: _general(home, settings),
        images=settings.images,
        environ=environ,
        file=str(home.config),
        locked=settings.locked,
        heard=FactsCache(home.model_facts).facts,
    )


def _general(home: Home, settings: Settings) -> "General":
    """The settings for any server. The key is among them only if it may go to that base URL."""
    from steersman.models.routes import General  # noqa: PLC0415 - when a model is asked for

    by_file = settings.api_key_source == "file"
    return General(
        settings.base_url,
        settings.usable_key,
        base_url_from=str(home.config) if settings.base_url_source == "file" else "the environment",
        key_from=f"api_key in {home.config}" if by_file else "STEERSMAN_API_KEY",
        in_file=settings.base_url_source == "file",
        locked=settings.general_locked,
        withheld=settings.withheld_key,
    )


def withheld_variables(catalog: Catalog) -> frozenset[str]:
    """Variables that commands of the agent don't get: keys, and base URLs, which may hold one."""
    return catalog.key_variables.union(SERVER_VARIABLES)


def secrets_of(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Every secret that the settings and the environment hold, whether it is in use or overruled."""
    catalog = Catalog(settings.providers)
    variables = ("STEERSMAN_API_KEY", *sorted(catalog.key_variables))
    urls = [settings.base_url, *(each.provider.base_url for each in settings.providers.values())]
    found = [settings.api_key, *settings.file_secrets, *(environ.get(name) for name in variables)]
    return [*filter(None, found), *(secret for url in urls for secret in _of_url(url or ""))]


def _of_url(url: str) -> list[str]:
    try:
        return secrets_of_url(url)
    except ValueError:  # it is no URL, as whoever makes a model is told
        return [url]
