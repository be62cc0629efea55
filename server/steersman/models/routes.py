"""Where the requests of a model go, and with which key: a key is only sent to the base URL that it belongs to.

A key in one of the package's variables belongs to the package's base URL of that provider. A key that a table of the
user's file names belongs to the base URL of that table. Settings for any server are for the providers that are named
like an API.
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
"""The source of a base URL that nobody has set."""


@dataclass(frozen=True, slots=True)
class General:
    """Settings for any server: `STEERSMAN_BASE_URL` and `STEERSMAN_API_KEY`, or `base_url` and `api_key` at the top of
    the user's file."""

    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    """For `base_url`, or for a provider's own if that is None. The caller has to know that the two belong together."""
    base_url_from: str = "the environment"
    key_from: str = "STEERSMAN_API_KEY"
    in_file: bool = False
    """They come from the user's file, where a provider's table takes precedence."""
    locked: bool = False
    """The file has a key that is not used, because others may read the file."""
    withheld: str | None = None
    """Why an existing key is not sent to `base_url`, for people."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where the requests of one model go, and what is sent with them."""

    provider: Provider
    name: str
    base_url: str = field(repr=False)
    base_url_from: str
    """Where the base URL is set, for people."""
    key: Key | None = None
    command: KeyCommand | None = None
    """Prints the key, if `key` is None."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The user's additional headers for this base URL."""
    facts: ModelFacts = field(default_factory=ModelFacts)
    images: bool = False
    """Images are sent to the model."""
    missing: str | None = None
    """Why the model can't be used (it needs a key, and there is none) and what to do, for people."""
    withheld: str | None = None
    """Why an existing key is not sent, for people."""

    @property
    def spec(self) -> str:
        return f"{self.provider.id}:{self.name}"

    @property
    def key_source(self) -> str:
        """Where the key comes from, for people; empty if there is none."""
        source = self.key or self.command
        return "" if source is None else source.source

    @property
    def host(self) -> str:
        """The base URL's host and port, without credentials."""
        return host_of(self.base_url)


@dataclass(frozen=True, slots=True)
class Way:
    """The part of a route that concerns the base URL and the key."""

    base_url: str = field(repr=False)
    base_url_from: str
    key: Key | None = None
    command: KeyCommand | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    missing: str | None = None
    withheld: str | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that may determine one provider's base URL and key."""

    provider: Provider
    """The provider with the user's changes."""
    package: Provider | None
    own: UserProvider | None
    general: General
    environ: Mapping[str, str] = field(repr=False)
    file: str
    """The name of the user's file in messages."""
    locked: str | None
    """Why keys in the user's file are not used; None if they are."""

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
        # The user's own server may need no key.
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
    """The first key that belongs to the base URL: the environment's for any server, that of the user's table, the
    file's for any server, then that in one of the package's variables."""
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
        return None  # the command has to be run
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
    """Why a variable of the package's, though set, is not used: its key belongs to another server."""
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
    """A URL's host and port, without credentials; empty for an invalid URL, which is refused elsewhere."""
    try:
        return urlsplit(url.strip()).netloc.rpartition("@")[2]
    except ValueError:
        return ""
