"""Finds the model for a name like `PROVIDER:NAME`. A provider's code is imported when it is needed."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from steersman.agent.model import Model
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.vision import takes_images

if TYPE_CHECKING:
    import httpx

    from steersman.models.keys import KeyCommands
    from steersman.models.provider import ModelFacts, Provider
    from steersman.models.provider_file import UserProvider
    from steersman.models.routes import General, Route

# The modules that read providers take longer to load than the rest of a start, so they are imported only when needed.

_KNOWN_ROUTES = 64
"""That are kept: a user has a few models."""

SERVER_VARIABLES: Final = ("STEERSMAN_API_KEY", "STEERSMAN_BASE_URL")
"""Variables for the providers that are named like an API. A base URL may contain a key too."""


class Catalog:
    """All known providers: the package's, and the user's, which replace and extend them.

    Args:
        own: the providers of the user's file.
        general: what the user has set for any server.
        images: whether models take images, if the user has said so for all of them.
        environ: where variables with keys are looked up.
        file: the name of the user's file in messages.
        locked: why keys in the user's file are not used; None if they are.
        heard: what a provider has said of a model, by the provider's id, the base URL and the model's name.
    """

    def __init__(
        self,
        own: "Mapping[str, UserProvider] | None" = None,
        general: "Callable[[], General] | None" = None,
        *,
        images: bool | None = None,
        environ: Mapping[str, str] = os.environ,
        file: str = "config.toml",
        locked: str | None = None,
        heard: "Callable[[str, str, str], ModelFacts] | None" = None,
    ) -> None:
        self._own, self._heard = own or {}, heard
        self._general, self._images, self._environ = general, images, environ
        self._file, self._locked = file, locked
        self._commands: KeyCommands | None = None
        self._routes: dict[str, _KnownRoute] = {}

    @property
    def providers(self) -> "dict[str, Provider]":
        """All providers by id: the package's in the order of its file, then the user's."""
        return {**_package(), **{name: each.provider for name, each in self._own.items()}}

    @property
    def general(self) -> "General":
        """What the user has set for any server."""
        from steersman.models.routes import General  # noqa: PLC0415

        return self._general() if self._general is not None else General()

    @property
    def key_variables(self) -> frozenset[str]:
        """All variables that may hold a provider's key. Only the server gets to see them."""
        named = [each.key_env for each in (*_package().values(), *self.providers.values())]
        return frozenset(variable for variables in named for variable in variables)

    @property
    def commands(self) -> "KeyCommands":
        """Runs the user's key commands."""
        if self._commands is None:
            from steersman.models.keys import KeyCommands  # noqa: PLC0415

            self._commands = KeyCommands(self.key_variables.union(SERVER_VARIABLES), self._environ)
        return self._commands

    def route(self, spec: str) -> "Route":
        """Where requests to the model `PROVIDER:NAME` go. If it needs a key and there is none, `missing` says so.

        Raises:
            ModelConfigError: no such provider, no name, no base URL, or a tape. The text says what to do.
        """
        general, known = self.general, self._routes.get(spec)
        if known is not None and known.holds(general, self._environ, self._hear):
            return known.route
        provider, name = self._named(spec)
        route, heard = self._route(spec, provider, name, general)
        if len(self._routes) >= _KNOWN_ROUTES:
            self._routes.clear()
        values = {variable: self._environ.get(variable) for variable in self._variables(provider)}
        self._routes[spec] = _KnownRoute(route, general, values, heard)
        return route

    def _variables(self, provider: "Provider") -> "tuple[str, ...]":
        """Those of the environment that say something of a route."""
        own, package = self._own.get(provider.id), _package().get(provider.id)
        return (
            *provider.key_env,
            *(own.own_key.variables if own is not None else ()),
            *(package.key_env if package is not None else ()),
        )

    def _hear(self, provider: "Provider", base_url: str, name: str) -> "ModelFacts | None":
        return None if self._heard is None else self._heard(provider.id, base_url, name)

    def _route(
        self, spec: str, provider: "Provider", name: str, general: "General"
    ) -> "tuple[Route, ModelFacts | None]":
        """The route, and what was heard of its model."""
        from steersman.models.routes import Route, Sources, find_way  # noqa: PLC0415

        sources = Sources(
            provider,
            _package().get(provider.id),
            self._own.get(provider.id),
            general,
            self._environ,
            self._file,
            self._locked,
        )
        way = find_way(sources, spec)
        heard = self._hear(provider, way.base_url, name)
        route = Route(
            provider=provider,
            name=name,
            base_url=way.base_url,
            base_url_from=way.base_url_from,
            key=way.key,
            command=way.command,
            headers=way.headers,
            facts=provider.facts(name) if heard is None else provider.facts(name).over(heard),
            images=self._sees(provider, name, heard),
            missing=way.missing,
            withheld=way.withheld,
        )
        return route, heard

    def facts(self, spec: str) -> "ModelFacts":
        """What is known of a model. Of a tape, or a model of an unknown provider, that is nothing."""
        from steersman.models.provider import ModelFacts  # noqa: PLC0415

        try:
            provider, name = self._named(spec)
        except ModelConfigError:
            return ModelFacts()
        return replace(provider.facts(name), images=self._sees(provider, name))

    def route_if_known(self, spec: str) -> "Route | None":
        """As `route`, but None where that raises."""
        try:
            return None if spec.startswith("tape:") else self.route(spec)
        except ModelConfigError:
            return None

    def model(self, spec: str, *, client: "httpx.AsyncClient | None" = None) -> Model:
        """The model that `spec` names.

        Args:
            spec: `PROVIDER:NAME`, or `tape:FILE`.
            client: for HTTP; None: the process's own.

        Raises:
            MissingKey: it needs a key, and there is none.
            ModelConfigError: no such provider, no name, no usable base URL, or no usable tape.
        """
        if spec.startswith("tape:") and spec.removeprefix("tape:").strip():
            from steersman.models.tape import TapeModel  # noqa: PLC0415

            return TapeModel(spec.removeprefix("tape:"))
        route = self.route(spec)
        if route.missing is not None:
            raise MissingKey(route.missing)
        from steersman.models.making import make_model  # noqa: PLC0415

        if route.command is None:
            return make_model(route, None if route.key is None else route.key.value, client)
        from steersman.models.keyed import KeyedModel  # noqa: PLC0415

        return KeyedModel(route, self.commands, client)

    def has_command(self, spec: str) -> bool:
        """Whether a command of the user's has to be run to get the model's key.

        Raises:
            ModelConfigError: see `route`.
        """
        if not self._own or spec.startswith("tape:"):
            return False
        command = self.route(spec).command
        return command is not None and self.commands.kept(command) is None

    def prepare(self, spec: str) -> None:
        """Runs that command, unless its key is known. Blocks, so call it in a thread.

        Raises:
            MissingKey: it has printed no key.
            ModelConfigError: see `route`.
        """
        command = self.route(spec).command
        if command is not None:
            self.commands.key(command)

    def _sees(self, provider: "Provider", name: str, heard: "ModelFacts | None" = None) -> bool:
        """Whether the model takes images. The first to say so decides: the user for the model, the user for all models,
        the package, the provider, and then the model's name."""
        own = self._own.get(provider.id)
        said = (
            None if own is None else own.facts(name).images,
            self._images,
            provider.facts(name).images,
            None if heard is None else heard.images,
        )
        return next((each for each in said if each is not None), takes_images(provider.id, name))

    def _named(self, spec: str) -> "tuple[Provider, str]":
        """The provider and the model's name in `spec`. Raises ModelConfigError if they are not there."""
        known = self.providers
        prefix, _, name = spec.partition(":")
        if prefix in known and name.strip():
            return known[prefix], name
        from steersman.models.naming import no_model  # noqa: PLC0415 - only where a name was wrong

        raise ModelConfigError(f"{no_model(spec, known, self._file)} See steersman models.")


@dataclass(frozen=True, slots=True)
class _KnownRoute:
    """A route, and what it was made of that may change: a run asks for it often."""

    route: "Route"
    general: "General"
    environ: Mapping[str, str | None] = field(repr=False)
    heard: "ModelFacts | None"

    def holds(
        self,
        general: "General",
        environ: Mapping[str, str],
        hear: "Callable[[Provider, str, str], ModelFacts | None]",
    ) -> bool:
        """Whether it would be made the same now."""
        return (
            self.general == general
            and all(environ.get(name) == value for name, value in self.environ.items())
            and self.heard == hear(self.route.provider, self.route.base_url, self.route.name)
        )


def resolve_model(
    spec: str,
    base_url: str | None = None,
    api_key: str | None = None,
    *,
    images: bool | None = None,
    client: "httpx.AsyncClient | None" = None,
) -> Model:
    """The model that `spec` names, if it is one of the package's providers. See `Catalog.model`.

    Args:
        base_url: for a provider that is named like an API; None: its own.
        api_key: for `base_url`. The caller has to know that the two belong together.
        images: whether the model takes images; None: as its name says.
    """
    if spec.startswith("tape:"):
        return Catalog().model(spec)
    from steersman.models.routes import General  # noqa: PLC0415

    return Catalog(general=lambda: General(base_url, api_key), images=images).model(spec, client=client)


def _package() -> "Mapping[str, Provider]":
    from steersman.models.provider_file import package_providers  # noqa: PLC0415

    return package_providers()
