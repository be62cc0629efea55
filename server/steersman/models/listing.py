"""Lists the models that a server offers, with what it says of them, bounded in time, size and pages."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from steersman.agent.model import StreamFailure
from steersman.models.endpoint import HttpFailure
from steersman.models.fetching import Server
from steersman.models.http import new_client
from steersman.models.listed_facts import ListedModel, read_models
from steersman.models.local_client import LocalClient
from steersman.models.local_listing import Found, Program, look_closer
from steersman.models.local_servers import is_loopback
from steersman.models.provider import Api

if TYPE_CHECKING:
    from steersman.models.fetching import Client

SECONDS: Final = 5.0
"""For everything together."""
MAX_PAGES: Final = 10
MAX_NAMES: Final = 1000

_PRICED: Final = {"api.x.ai": "/language-models"}
"""Hosts that have a separate list with prices, and its path."""


_ENDS_A_RUN: Final = ("auth", "permission", "network", "timeout", "quota")
"""Failures of a list that a run would have too; others may be the list's alone."""


@dataclass(frozen=True, slots=True)
class Listing:
    host: str
    """The server's name, without credentials."""
    models: tuple[ListedModel, ...]
    """In the server's order, at most `MAX_NAMES`."""
    left_out: int = 0
    program: Program | None = None
    """Which of the known programs for one's own machine the server is; None: none of them."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model.name for model in self.models)


async def list_models(
    api: Api,
    base_url: str,
    api_key: str | None,
    *,
    headers: Mapping[str, str] | None = None,
    key_source: str = "",
    local: bool = False,
    seconds: float = SECONDS,
    client: "Client | None" = None,
) -> Listing:
    """Asks a provider's server for its models. Nothing that this returns or raises contains the key.

    Args:
        headers: the user's, whose values may be secret too.
        key_source: where the key comes from, for the message if it is refused.
        local: the server is a program that people run themselves, on any machine.
        seconds: for everything, from the connection to the last byte.
        client: used instead of a new one. The caller closes it.

    Raises:
        ModelConfigError: the base URL or the key can't be used.
        HttpFailure: the server can't be reached, refuses, is too slow, or answers with something else.
    """
    server = Server.at(base_url, api_key, api, headers, key_source)
    asking: Client = client or _client(server, seconds)
    found: Found | None = None
    try:
        async with asyncio.timeout(seconds):
            answer = await server.ask(asking, server.path + "/models", query=_query(api, {}) or "")
            found = Found(await _all_pages(server, asking, api, answer))
            if priced := _PRICED.get(server.host):
                await _add_prices(server, asking, server.path + priced, found)
            if local or is_loopback(base_url):
                await look_closer(server, asking, answer, found)
    except TimeoutError:
        if found is None:
            raise server.failure(
                "timeout", f"{server.host} did not answer within {seconds:g} seconds."
            ) from None
    finally:
        if client is None:
            await asking.aclose()
    left_out = max(0, len(found.models) - MAX_NAMES)
    return Listing(server.host, tuple(found.models[:MAX_NAMES]), left_out, found.program)


def ends_a_run(failure: StreamFailure) -> bool:
    """Whether a run would fail too, given that the list has failed like this."""
    no_connection = failure.kind == "bad_request" and failure.status is None
    return no_connection or failure.kind in _ENDS_A_RUN


def _client(server: Server, seconds: float) -> "Client":
    """A client for one listing. Servers on this machine are asked without httpx, since loading it takes longer."""
    return LocalClient(connect=seconds, write=seconds) if server.is_local else new_client()


def _read(server: Server, answer: object) -> list[ListedModel]:
    models = read_models(answer)
    if models is None:
        raise server.failure(
            "protocol", f"{server.host} answered /models with something that is not a list of models."
        )
    return models


async def _all_pages(server: Server, client: "Client", api: Api, answer: object) -> list[ListedModel]:
    """The models of all pages. `answer` is the first page."""
    found = {model.name: model for model in _read(server, answer)}
    for _ in range(MAX_PAGES - 1):
        query = _query(api, answer)
        if query is None or len(found) > MAX_NAMES:
            break
        answer = await server.ask(client, server.path + "/models", query=query)
        found |= {model.name: model for model in _read(server, answer) if model.name not in found}
    return list(found.values())


def _query(api: Api, answer: object) -> str | None:
    """The query for the page after `answer`, or for the first one if that is an empty object; None after the last page.

    Anthropic, "List models": `has_more`, `last_id`. Google, "models.list": `nextPageToken`.
    """
    page = answer if isinstance(answer, dict) else {}
    if api == "anthropic":
        last = page.get("last_id")
        if not page:
            return _encoded({"limit": str(MAX_NAMES)})
        if page.get("has_more") is True and isinstance(last, str) and last:
            return _encoded({"limit": str(MAX_NAMES), "after_id": last})
    elif api == "gemini":
        token = page.get("nextPageToken")
        if not page:
            return _encoded({"pageSize": str(MAX_NAMES)})
        if isinstance(token, str) and token:
            return _encoded({"pageSize": str(MAX_NAMES), "pageToken": token})
    return None


def _encoded(fields: Mapping[str, str]) -> str:
    return urlencode(fields, errors="replace")


async def _add_prices(server: Server, client: "Client", path: str, found: Found) -> None:
    try:
        priced = read_models(await server.ask(client, path)) or []
    except HttpFailure:
        return  # the names are what was asked for
    facts = {model.name: model.facts for model in priced}
    found.models = [
        replace(model, facts=model.facts.over(facts[model.name])) if model.name in facts else model
        for model in found.models
    ]
