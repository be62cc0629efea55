"""Lists the models that there are: asks all providers with a key, and the servers of this machine, at the same time.

A key goes nowhere that a run would not send it. The general key, STEERSMAN_API_KEY, goes only to the server of the
configured model. A variable that several providers share goes to one of them, unless a provider is asked for by name.
"""

import asyncio
import itertools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from steersman.models.catalog import Catalog
from steersman.models.endpoint import HttpFailure
from steersman.models.errors import ModelConfigError
from steersman.models.listed_facts import ListedModel
from steersman.models.listing import SECONDS, ends_a_run, list_models
from steersman.models.local_servers import SECONDS as LOCAL_SECONDS
from steersman.models.local_servers import default_ports, find_local_servers, is_loopback
from steersman.models.provider import APIS, Provider
from steersman.session.catalog import catalog_of
from steersman.session.facts_cache import FactsCache
from steersman.session.home import Home
from steersman.session.offers import (
    Offer,
    Offers,
    elsewhere,
    is_at,
    local_offers,
    offered,
    to_begin_with,
)
from steersman.session.retry import advice_of, sentence
from steersman.session.settings import Settings

if TYPE_CHECKING:
    from steersman.models.routes import Route

log = logging.getLogger(__name__)

ANY_NAME: Final = "NAME"
"""In place of a model's name, where a provider alone is meant."""
_BY_DEPLOYMENT: Final = ("azure",)
"""What these list is what could be deployed."""


@dataclass(frozen=True, slots=True)
class ModelLister:
    """Args:
    cache: where what was heard is kept.
    config: the user's file, as it is named to people.
    seconds, local_seconds: for each provider, and for all servers of this machine.
    """

    catalog: Catalog
    settings: Settings
    cache: FactsCache
    config: str
    seconds: float = SECONDS
    local_seconds: float = LOCAL_SECONDS

    async def offers(self, only: str | None = None, *, configured: str | None = None) -> Offers:
        """What there is. `only`: of this provider alone; `configured`: the model of new runs, where it is another
        than that of the settings.

        Raises:
            ModelConfigError: there is no such provider.
        """
        configured = configured or self.settings.model
        providers = self.catalog.providers
        if only is not None and only not in providers:
            self.catalog.route(f"{only}:{ANY_NAME}")  # says it better
        wanted = [each for each in providers.values() if only in (None, each.id)]
        local = [each for each in wanted if self._is_looked_for(each)]
        asked = [each for each in wanted if each not in local]
        servers, offers = await asyncio.gather(
            find_local_servers(default_ports(local), seconds=self.local_seconds),
            asyncio.gather(*(self._offer(each, only, configured) for each in asked)),
        )
        for each, server in itertools.product(local, servers):
            if is_at(server, each):
                await self._keep(each, each.base_url or "", server.models)
        found, others = local_offers(local, servers)
        if only is None:
            own = self._own_port()
            found += [elsewhere(server, providers) for server in others if server.port != own]
        offers = [*found, *offers]
        return Offers(configured, sorted(offers, key=lambda offer: not offer.usable), self.config)

    async def to_begin_with(self) -> str | None:
        """See `offers.to_begin_with`."""
        local = [each for each in self.catalog.providers.values() if self._is_looked_for(each)]
        servers = await find_local_servers(default_ports(local), seconds=self.local_seconds)
        return to_begin_with(servers, local)

    def _is_looked_for(self, provider: Provider) -> bool:
        """Whether it is a program of this machine that can be asked by its port alone."""
        own = self.settings.providers.get(provider.id)
        wants_more = own is not None and (bool(own.own_key) or bool(own.provider.headers))
        path = urlsplit(provider.base_url or "").path.rstrip("/")
        return provider.local and is_loopback(provider.base_url) and path in ("", "/v1") and not wants_more

    async def _offer(self, provider: Provider, only: str | None, configured: str | None) -> Offer:
        try:
            route = self.catalog.route(f"{provider.id}:{ANY_NAME}")
            if route.missing is not None:
                return _no_use(provider, "No API key.", self._what_to_set(route))
            if provider.id in _BY_DEPLOYMENT:
                how = f"Models are named by their deployments: {provider.id}:DEPLOYMENT."
                return Offer(provider.id, provider.title, True, server=route.host, problem=how)
            if only is None and (why := self.not_meant(route, configured)):
                return _no_use(provider, why, f"Set STEERSMAN_MODEL to {route.spec} if it is meant.")
            return await self._listed(route)
        except ModelConfigError as error:
            return _no_use(provider, str(error), None)

    def _what_to_set(self, route: "Route") -> str:
        """How to get a key to it. Where the user has said where the key is, why there was none."""
        provider = route.provider
        if provider.id in self.settings.providers or not provider.key_env:
            return _sentence((route.missing or "").removeprefix(f"No API key for {route.spec!r}: "))
        page = f" ({provider.key_page})" if provider.key_page else ""
        return f"Set {' or '.join(provider.key_env)}{page}."

    def not_meant(self, route: "Route", configured: str | None) -> str | None:
        """Why a server is not asked: the base URL or the key may be meant for another one. None: it is."""
        mine, meant = route.provider.id, (configured or "").partition(":")[0]
        if mine == meant:
            return None
        general = self.catalog.general
        if mine in APIS and general.base_url is not None and route.base_url == general.base_url:
            plain = mine == "openai-chat" and meant not in APIS
            return None if plain else "The base URL is that of another API's server."
        if route.key is None:
            return None
        if mine in APIS and route.key.value == general.api_key:
            return f"{route.key.source} may be meant for another server."
        if mine in self.settings.providers:
            return None
        sharing = [each.id for each in self.catalog.providers.values() if route.key.source in each.key_env]
        first = meant if meant in sharing else next(iter(sharing), mine)
        return None if mine == first else f"{route.key.source} may be meant for {first}."

    async def _listed(self, route: "Route") -> Offer:
        provider = route.provider
        try:
            key = await self._key(route)
            listing = await list_models(
                provider.api,
                route.base_url,
                key,
                headers=route.headers,
                key_source=route.key_source,
                local=provider.local,
                seconds=self.seconds,
            )
        except HttpFailure as error:
            failure, usable = error.failure, not ends_a_run(error.failure)
            return Offer(
                provider.id,
                provider.title,
                usable,
                provider.local,
                route.host,
                problem=sentence(failure.message),
                mend=route.withheld or (None if usable else advice_of(failure)),
            )
        await self._keep(provider, route.base_url, listing.models)
        models = offered(provider, listing.models)
        return Offer(
            provider.id, provider.title, True, provider.local, listing.host, models, listing.left_out
        )

    async def _key(self, route: "Route") -> str | None:
        """Raises MissingKey: the user's command printed none."""
        if route.command is None:
            return None if route.key is None else route.key.value
        return await asyncio.to_thread(self.catalog.commands.key, route.command)

    async def _keep(self, provider: Provider, base_url: str, models: Sequence[ListedModel]) -> None:
        try:
            await asyncio.to_thread(self.cache.keep, provider.id, base_url, models)
        except OSError as error:
            log.info("What %s offers could not be kept: %s", provider.id, error)

    def _own_port(self) -> int | None:
        """Where the user's own base URL is, if it is on this machine."""
        base_url = self.settings.base_url
        try:
            return urlsplit(base_url).port if base_url and is_loopback(base_url) else None
        except ValueError:  # it is no URL, as the offer of its provider says
            return None


def lister_of(home: Home, settings: Settings) -> ModelLister:
    """For a process that only lists."""
    cache = FactsCache(home.model_facts)
    return ModelLister(catalog_of(home, settings), settings, cache, str(home.config))


def _no_use(provider: Provider, problem: str, mend: str | None) -> Offer:
    return Offer(provider.id, provider.title, usable=False, local=provider.local, problem=problem, mend=mend)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
