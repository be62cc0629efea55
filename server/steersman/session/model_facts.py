"""What is known of a model: what the user says counts over what the package says, and that over what its provider says.

The provider is asked in the background, after one of its models has answered, and not again for a day. A program on
this machine is asked again sooner, since its window depends on how it was started. The server of a general base URL is
asked only if it is in the user's own network: any other may be anything.
"""

import asyncio
import ipaddress
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from steersman.models.catalog import Catalog
from steersman.models.endpoint import HttpFailure
from steersman.models.errors import ModelConfigError
from steersman.models.provider import APIS, ModelFacts
from steersman.session.facts_cache import DAY, FactsCache

if TYPE_CHECKING:
    from steersman.models.routes import Route

log = logging.getLogger(__name__)

NEAR_SECONDS: Final = 60.0
"""Seconds after which a server of the user's own network may be asked again."""
LEAST_WINDOW: Final = 1000
"""Tokens: anything less is taken for a mistake, as in the settings."""


class KnownFacts:
    """The facts of one server's models. `facts` and `used` are called from one event loop."""

    def __init__(self, catalog: Catalog, cache: FactsCache, *, near_seconds: float = NEAR_SECONDS) -> None:
        self._catalog, self._cache, self._near_seconds = catalog, cache, near_seconds
        self._asking: dict[str, asyncio.Task[None]] = {}
        """By provider."""

    def facts(self, spec: str) -> ModelFacts:
        """What is known of the model of `PROVIDER:NAME`; nothing of a tape."""
        route = self._catalog.route_if_known(spec)
        return self._catalog.facts(spec) if route is None else replace(route.facts, images=route.images)

    def window(self, spec: str) -> int | None:
        """Tokens that the model takes, if that is known."""
        size = self.facts(spec).context_window
        return size if size is not None and size >= LEAST_WINDOW else None

    def used(self, spec: str) -> None:
        """A model has answered: its provider may be asked."""
        route = self._catalog.route_if_known(spec)
        if route is None or route.provider.id in self._asking or not _may_be_asked(route):
            return
        seconds = self._near_seconds if is_near(route.base_url) else DAY
        if self._cache.is_fresh(route.provider.id, route.base_url, seconds):
            return
        name = f"facts of {route.provider.id}"
        task = self._asking[route.provider.id] = asyncio.create_task(self._ask(route), name=name)
        task.add_done_callback(lambda _: self._asking.pop(route.provider.id, None))

    @property
    def is_asking(self) -> bool:
        return bool(self._asking)

    async def asked(self) -> None:
        """Returns when nobody is being asked."""
        await asyncio.gather(*self._asking.values())

    async def close(self) -> None:
        """Gives up what is under way."""
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, route: "Route") -> None:
        from steersman.models.listing import list_models  # noqa: PLC0415 - a server loads as little as will do

        provider = route.provider
        key = route.key.value if route.key is not None else None
        if route.command is not None:
            key = self._catalog.commands.kept(route.command)  # the model that answered had it
        try:
            listing = await list_models(
                provider.api, route.base_url, key, headers=route.headers, local=provider.local
            )
            await asyncio.to_thread(self._cache.keep, provider.id, route.base_url, listing.models)
        except (HttpFailure, ModelConfigError, OSError) as error:
            log.info("Nothing was learned of the models of %s: %s", provider.id, error)


def _may_be_asked(route: "Route") -> bool:
    """A provider of the catalog or of the user's file, or a server in the user's own network."""
    named = route.provider.id not in APIS or route.base_url == route.provider.base_url
    return named or is_near(route.base_url)


def is_near(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".local")
    return address.is_loopback or address.is_private or address.is_link_local
