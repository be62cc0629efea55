"""What each provider offers now, or why it offers nothing and what to do about it: for lists and pickers. No keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from steersman.models.listed_facts import ListedModel
from steersman.models.provider import ModelFacts, Price, Provider
from steersman.session.wire import Data

if TYPE_CHECKING:
    from steersman.models.local_servers import LocalServer


@dataclass(frozen=True, slots=True)
class OfferedModel:
    name: str
    spec: str
    """As settings and commands take it."""
    facts: ModelFacts
    """What the user says of it, over what the package says, over what its server says."""
    loaded: bool | None = None

    def data(self) -> Data:
        facts, price = self.facts, self.facts.price
        said = {
            "contextWindow": facts.context_window,
            "maxOutput": facts.max_output,
            "images": facts.images,
            "thinking": facts.thinking,
            "price": None if price is None else _price_data(price),
            "loaded": self.loaded,
        }
        return {"model": self.spec, "name": self.name, **_known(said)}


@dataclass(frozen=True, slots=True)
class Offer:
    """One provider, or a server on this machine that is no provider's."""

    provider: str
    title: str
    usable: bool
    """A run could begin with it."""
    local: bool = False
    server: str | None = None
    """Its host and port, without credentials, where it was asked or is looked for."""
    models: Sequence[OfferedModel] = ()
    left_out: int = 0
    """Models beside these."""
    problem: str | None = None
    """Why it can't be used; or why it told no models, though a run may work."""
    mend: str | None = None
    """What to do about that."""

    def data(self) -> Data:
        said = {"server": self.server, "problem": self.problem, "mend": self.mend}
        return {
            "provider": self.provider,
            "title": self.title,
            "usable": self.usable,
            "local": self.local,
            "models": [model.data() for model in self.models],
            "leftOut": self.left_out,
            **_known(said),
        }


@dataclass(frozen=True, slots=True)
class Offers:
    """All of them: those that are usable first."""

    configured: str | None
    """`PROVIDER:NAME` of new runs."""
    offers: Sequence[Offer]
    config: str = "config.toml"
    """The user's file, where keys and base URLs can be said too."""

    def of(self, provider: str) -> Offer | None:
        return next((each for each in self.offers if each.provider == provider), None)

    def data(self) -> Data:
        providers = [offer.data() for offer in self.offers]
        return {"model": self.configured, "providers": providers, "config": self.config}


def offered(provider: Provider, models: Sequence[ListedModel]) -> list[OfferedModel]:
    """What a provider lists, as it can be named."""
    return [
        OfferedModel(
            model.name,
            f"{provider.id}:{model.name}",
            provider.facts(model.name).over(model.facts),
            model.loaded,
        )
        for model in models
    ]


def local_offers(
    local: Sequence[Provider], servers: "Sequence[LocalServer]"
) -> tuple[list[Offer], "list[LocalServer]"]:
    """What the local providers offer, and the servers that belong to none of them.

    Args:
        local: those that are looked for on this machine.
        servers: all that were found there.
    """
    offers, taken = [], []
    for provider in local:
        place = urlsplit(provider.base_url or "")
        where = f"{place.hostname}:{place.port or 80}"
        there = [server for server in servers if server.port == (place.port or 80)]
        own = next((server for server in there if is_at(server, provider)), None)
        if own is not None:
            taken.append(own)
            models = offered(provider, own.models)
            none = None if models else "It has no model yet."
            offer = Offer(provider.id, provider.title, bool(models), True, where, models, problem=none)
        else:
            problem = f"Not running on {where}." if not there else f"Another program answers on {where}."
            mend = None if there else "Start it."
            offer = Offer(provider.id, provider.title, False, True, where, problem=problem, mend=mend)
        offers.append(offer)
    return offers, [server for server in servers if server not in taken]


def is_at(server: "LocalServer", provider: Provider) -> bool:
    """Whether requests to the provider get to this server, and it is the program that the provider is."""
    place = urlsplit(provider.base_url or "")
    here = place.hostname in ("localhost", urlsplit(server.base_url).hostname)
    return here and server.port == (place.port or 80) and server.program == provider.id


def elsewhere(server: "LocalServer", providers: Mapping[str, Provider]) -> Offer:
    """An offer for a server that no provider points to, with the settings that make requests go there."""
    known = providers.get(server.program or "")
    place = urlsplit(server.base_url).netloc
    names = [model.name for model in server.models]
    name = names[0] if len(names) == 1 else "NAME"
    models = [
        replace(model, spec=f"openai-chat:{model.name}")
        for model in (offered(known, server.models) if known else _plain(server.models))
    ]
    return Offer(
        provider="openai-chat",
        title=known.title if known else "Local server",
        usable=False,
        local=True,
        server=place,
        models=models,
        problem=f"No provider has its base URL, {server.base_url}.",
        mend=f"Set STEERSMAN_BASE_URL={server.base_url} and STEERSMAN_MODEL=openai-chat:{name}.",
    )


def _plain(models: Sequence[ListedModel]) -> list[OfferedModel]:
    return [OfferedModel(model.name, model.name, model.facts, model.loaded) for model in models]


def to_begin_with(servers: "Sequence[LocalServer]", local: Sequence[Provider]) -> str | None:
    """The settings with which a run would work, where one model alone is loaded on this machine; for people."""
    loaded = [(server, model) for server in servers for model in server.models if model.loaded]
    if len(servers) != 1 or len(loaded) != 1:
        return None
    (server, model), own = loaded[0], next((each for each in local if is_at(loaded[0][0], each)), None)
    if own is not None:
        return f"STEERSMAN_MODEL={own.id}:{model.name}"
    return f"STEERSMAN_BASE_URL={server.base_url} STEERSMAN_MODEL=openai-chat:{model.name}"


def _price_data(price: Price) -> Data:
    said = {
        "input": price.input,
        "output": price.output,
        "cacheRead": price.cache_read,
        "cacheWrite": price.cache_write,
    }
    return _known(said)


def _known(data: Data) -> Data:
    """Only what is known."""
    return {name: value for name, value in data.items() if value is not None}
