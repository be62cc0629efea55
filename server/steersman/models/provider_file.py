"""Reads providers from TOML: the package's, and those of the user's file, which replace and extend them.

    [providers.NAME]
    base_url = "https://…/v1"
    [[providers.NAME.models]]
    match = "gpt-5*"
    context_window = 400_000

The package's file is read when a provider is first needed. It is not checked at run time, since loading the library for
that takes as long as a first answer: a test checks it by the same rules as the user's tables.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from steersman.models.provider import APIS, ModelFacts, ModelRule, Price, Provider, RateLimits, Timeouts

if TYPE_CHECKING:
    from steersman.models.provider_tables import ProviderTable

FILE_NAME: Final = "providers.toml"

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class OwnKey:
    """Where to find the key according to a user's table, in the order of the lookup."""

    variables: tuple[str, ...] = ()
    key: str | None = field(default=None, repr=False)
    command: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.variables or self.key or self.command)


@dataclass(frozen=True, slots=True)
class UserProvider:
    """What the user's file says about one provider."""

    provider: Provider
    """The package's with the table's changes, or a new one."""
    own_base_url: bool
    """The base URL comes from the table."""
    own_key: OwnKey = OwnKey()
    models: tuple[ModelRule, ...] = ()
    """The table's own rules. `provider` has them too."""

    def facts(self, name: str) -> ModelFacts:
        """What the user's own rules say about a model."""
        return replace(self.provider, models=self.models).facts(name)


@cache
def package_providers() -> Mapping[str, Provider]:
    """The providers of the package's file, in its order."""
    text = Path(__file__).with_name(FILE_NAME).read_text("utf-8")
    return {name: _as_written(name, table) for name, table in tomllib.loads(text).items()}


def _as_written(name: str, table: Mapping[str, Any]) -> Provider:
    """The provider of a table of the package. Does the same as `checked` and `with_table`, without the checks."""
    own = {**table, "models": tuple(_rule_as_written(rule) for rule in table.get("models", ()))}
    for words in {"key_env", "names"} & own.keys():
        own[words] = (own[words],) if isinstance(own[words], str) else tuple(own[words])
    return Provider(id=name, **{"base_url": None, **own})


def _rule_as_written(rule: Mapping[str, Any]) -> ModelRule:
    facts = {name: value for name, value in rule.items() if name != "match"}
    if "price" in facts:
        facts["price"] = Price(**facts["price"])
    return ModelRule(rule["match"], ModelFacts(**facts))


def user_providers(tables: Mapping[str, object]) -> dict[str, UserProvider]:
    """The providers of the tables below `[providers]` in the user's file.

    Raises:
        ProviderFileError: one can't be used. The text begins with the TOML key, and never contains a secret.
    """
    if not tables:
        return {}
    known = package_providers()
    return {name: _user_provider(name, table, known.get(name)) for name, table in tables.items()}


def _user_provider(name: str, given: object, base: Provider | None) -> UserProvider:
    from steersman.models.provider_tables import (  # noqa: PLC0415 - see above: few people have a table
        ProviderFileError,
        check_quirks,
        checked,
    )

    if not _NAME.fullmatch(name) or name == "tape":
        raise ProviderFileError(
            f"providers.{name:.80}: a provider's name is made of up to 64 of a-z, 0-9, '.', '_' and '-', and isn't "
            "'tape'."
        )
    table = checked(name, given)
    if base is None:
        missing = [key for key in ("api", "base_url") if getattr(table, key) is None]
        if missing:
            raise ProviderFileError(
                f"providers.{name}: a new provider needs {' and '.join(missing)}; api is one of {', '.join(APIS)}."
            )
    provider = with_table(name, table, base)
    check_quirks(name, provider.api, table.quirks)
    own_key = OwnKey(table.key_variables, table.api_key, table.command)
    return UserProvider(provider, table.base_url is not None, own_key, table.rules)


def with_table(name: str, table: "ProviderTable", base: Provider | None = None) -> Provider:
    """The provider of a table. What the table doesn't say is taken from `base`."""
    base = base or Provider(name, title=name, api=table.api or "openai-chat", base_url=None)
    api = table.api or base.api
    quirks = base.quirks if base.api == api else {}
    return replace(
        base,
        title=table.title or base.title,
        api=api,
        base_url=table.base_url or base.base_url,
        key_env=table.key_variables or base.key_env,
        key_page=table.key_page or base.key_page,
        local=base.local if table.local is None else table.local,
        quirks={**quirks, **table.quirks},
        headers={**base.headers, **table.headers},
        timeouts=Timeouts(**table.timeouts.model_dump()),
        limits=RateLimits(**table.limits.model_dump()),
        names=tuple(table.names) or base.names,
        models=(*table.rules, *base.models),
    )
