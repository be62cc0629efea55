"""Where the requests of a model go, and with which key: the rule by which a key meets its own base URL only.

A key that the package's catalog knows by its variable belongs to the base URL of the catalog. What a table of the
user's file names belongs to the base URL of that table. What the user says once, for any server with an API, belongs
to the providers that are named like an API.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from steersman.models.errors import ModelConfigError
from steersman.models.keys import Key, KeyCommand
from steersman.models.provider import APIS, ModelFacts, Provider
from steersman.models.provider_file import OwnKey, UserProvider

DEFAULT: Final = "the provider's default"
"""In place of who says what the base URL is."""


@dataclass(frozen=True, slots=True)
class General:
    """What the user says once: `STEERSMAN_BASE_URL`, `STEERSMAN_API_KEY`, and their like at the top of the file."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    """For `base_url`, else for a provider's own; whether the two belong together is for the caller to know."""
    base_url_from: str = "the environment"
    key_from: str = "STEERSMAN_API_KEY"
    in_file: bool = False
    """It comes from the user's file, where a provider's table says more."""
    locked: bool = False
    """The file has a key of it that is not used: others may read that file."""
    withheld: str | None = None
    """Why a key that is there is not sent to `base_url`. For people."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where the requests of one model go, and with what."""

    provider: Provider
    name: str
    base_url: str = field(repr=False)
    base_url_from: str
    """Who says so, for people."""
    key: Key | None = None
    command: KeyCommand | None = None
    """What prints the key, where `key` is None."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The user's own, which may go to this base URL."""
    facts: ModelFacts = field(default_factory=ModelFacts)
    images: bool = False
    """Whether it is sent images."""
    missing: str | None = None
    """Why it can't be used: there is no key where one is needed. For people, with what to do."""
    withheld: str | None = None
    """Why a key that is there is not sent. For people."""

    @property
    def spec(self) -> str:
        return f"{self.provider.id}:{self.name}"

    @property
    def key_source(self) -> str:
        """Where the key comes from, for people; empty where there is none."""
        source = self.key or self.command
        return "" if source is None else source.source

    @property
    def host(self) -> str:
        """Of the base URL, with its port, without credentials."""
        return host_of(self.base_url)


@dataclass(frozen=True, slots=True)
class Way:
    """The part of a route that is about base URL and key."""

    base_url: str = field(repr=False)
    base_url_from: str
    key: Key | None = None
    command: KeyCommand | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    missing: str | None = None
    withheld: str | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that may say something of one provider's base URL and key."""

    provider: Provider
    """As it is: the package's, overruled by the user's."""
    package: Provider | None
    own: UserProvider | None
    general: General
    environ: Mapping[str, str] = field(repr=False)
    file: str
    """The user's file, as it is named to people."""
    locked: str | None
    """Why no key of the user's file is used; None if they are."""

    @property
    def table(self) -> str:
        return f"[providers.{self.provider.id}] of {self.file}"

    @property
    def is_general(self) -> bool:
        return self.provider.id in APIS


def find_way(sources: Sources, spec: str) -> Way:
    """The base URL of a provider, and the key that belongs to it.

    Raises:
        ModelConfigError: no base URL is known.
    """
    own, general = sources.own, sources.general
    has_own_url = own is not None and own.own_base_url
    if sources.is_general and general.base_url is not None and not (general.in_file and has_own_url):
        # A server of the user's may want no key.
        key = Key(general.api_key, general.key_from) if general.api_key else None
        return Way(general.base_url, general.base_url_from, key, withheld=general.withheld)
    base_url = sources.provider.base_url
    if base_url is None:
        raise ModelConfigError(
            f"{spec!r} needs the base URL of your own {sources.provider.title}: set base_url in {sources.table}."
        )
    key = _key(sources, has_own_url=has_own_url)
    command = _command(sources) if key is None else None
    missing = withheld = None
    if key is None and command is None:
        withheld = _withheld(sources, base_url) if has_own_url else None
        names_key = own is not None and bool(own.own_key)
        if names_key or not (has_own_url or sources.provider.local):
            missing = _missing(sources, spec)
    headers = sources.provider.headers
    url_from = sources.table if has_own_url else DEFAULT
    return Way(base_url, url_from, key, command, headers, missing, withheld)


def _key(sources: Sources, *, has_own_url: bool) -> Key | None:
    """The first that there is and that belongs to the base URL: the environment's for any server, what the user's
    table names, the file's for any server, and the variables that the package knows."""
    general, package = sources.general, sources.package
    own = sources.own.own_key if sources.own is not None else OwnKey()
    general_key = None
    if sources.is_general and general.base_url is None and general.api_key and not has_own_url:
        general_key = Key(general.api_key, general.key_from)
    if general_key is not None and not general.in_file:
        return general_key
    if (key := _of_variables(own.variables, sources.environ)) is not None:
        return key
    if own.key is not None and sources.locked is None:
        return Key(own.key, f"api_key in {sources.table}")
    if own.command:
        return None  # the command is to be asked
    if general_key is not None:
        return general_key
    if package is None or (has_own_url and package.base_url is not None):
        return None
    return _of_variables(package.key_env, sources.environ)


def _of_variables(variables: tuple[str, ...], environ: Mapping[str, str]) -> Key | None:
    return next((Key(value, name) for name in variables if (value := environ.get(name, "").strip())), None)


def _command(sources: Sources) -> KeyCommand | None:
    own = sources.own
    if own is None or not own.own_key.command:
        return None
    return KeyCommand(own.own_key.command, f"key_command in {sources.table}")


def _withheld(sources: Sources, base_url: str) -> str | None:
    """A variable of the package's that is set, and belongs to another server."""
    package = sources.package
    if package is None or package.base_url is None:
        return None
    known = _of_variables(package.key_env, sources.environ)
    if known is None:
        return None
    return (
        f"{known.source} is not sent to {host_of(base_url)}: it belongs to {host_of(package.base_url)}. If it is "
        f'meant for both, set key_env = "{known.source}" in {sources.table}.'
    )


def _missing(sources: Sources, spec: str) -> str:
    provider, own = sources.provider, sources.own
    if own is not None and own.own_key.key is not None and sources.locked is not None:
        return f"No API key for {spec!r}: {sources.locked}"
    variables = own.own_key.variables if own is not None and own.own_key else provider.key_env
    if sources.is_general and not variables:
        said = "set STEERSMAN_API_KEY, or STEERSMAN_BASE_URL for a server of your own."
    else:
        names = " or ".join((*variables, "STEERSMAN_API_KEY") if sources.is_general else variables)
        page = f" (a key is made at {provider.key_page})" if provider.key_page else ""
        named = f"{names}{page}, or " if names else ""
        said = f"set {named}api_key or key_command in {sources.table}."
    locked = sources.locked if sources.is_general and sources.general.locked else None
    refused = f" {locked}" if locked else ""
    return f"No API key for {spec!r}: {said}{refused}"


def host_of(url: str) -> str:
    """With its port, without credentials; empty where the URL is none, which a model then refuses."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2]
    except ValueError:
        return ""
