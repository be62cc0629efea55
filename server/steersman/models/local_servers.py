"""Finds model servers that run on this machine, by asking its loopback addresses on a few ports.

No other address is ever asked. Which program it is, is told by its answers, not by its port.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from steersman.models.endpoint import HttpFailure
from steersman.models.fetching import Server
from steersman.models.listed_facts import ListedModel, read_models
from steersman.models.local_client import LocalClient
from steersman.models.local_listing import Found, Program, look_closer
from steersman.models.provider import Provider

SECONDS: Final = 2.0
"""For all of them together: enough for a slow machine. A port without a server is known at once."""

_HOSTS: Final = ("127.0.0.1", "[::1]")
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered."""

    base_url: str
    """`http://127.0.0.1:11434/v1`"""
    program: Program | None
    """None: an unknown one that lists models as OpenAI does."""
    models: tuple[ListedModel, ...]

    @property
    def port(self) -> int:
        return urlsplit(self.base_url).port or 80


def default_ports(providers: Iterable[Provider]) -> list[int]:
    """The ports on which the local providers are looked for."""
    places = [
        urlsplit(each.base_url or "") for each in providers if each.local and is_loopback(each.base_url)
    ]
    return list(dict.fromkeys(each.port or 80 for each in places))


def is_loopback(base_url: str | None) -> bool:
    """Whether it is a URL on this machine."""
    return urlsplit(base_url or "").hostname in _LOOPBACK


async def find_local_servers(ports: Iterable[int], *, seconds: float = SECONDS) -> tuple[LocalServer, ...]:
    """The servers that answered with a list of models in time, in the order of the ports.

    Args:
        seconds: for everything. What a server has not told by then stays unknown.
    """
    places = [f"http://{host}:{port}/v1" for port in ports for host in _HOSTS]
    found: dict[str, Found] = {}
    client = LocalClient(connect=seconds, write=seconds)
    tasks = [asyncio.create_task(_look(place, client, found), name=f"look at {place}") for place in places]
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        await client.aclose()
    for end in ends:
        if isinstance(end, Exception):
            raise end
    servers = [
        LocalServer(place, found[place].program, tuple(found[place].models))
        for place in places
        if place in found
    ]
    return tuple({_identity(server): server for server in reversed(servers)}.values())[::-1]


async def _look(place: str, client: LocalClient, found: dict[str, Found]) -> None:
    server = Server.at(place, None, "openai-chat")
    try:
        answer = await server.ask(client, server.path + "/models")
    except HttpFailure:
        return
    models = read_models(answer)
    if models is not None:
        found[place] = Found(models)
        await look_closer(server, client, answer, found[place])


def _identity(server: LocalServer) -> object:
    """Equal for a server that listens on both addresses."""
    return server.port, server.program, frozenset(model.name for model in server.models)
