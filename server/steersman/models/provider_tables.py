"""Checks a provider's table, of the user's file or (in a test) of the package's. Errors name the TOML key."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Final, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from steersman.models.base_url import header_value, split_base_url
from steersman.models.errors import ModelConfigError
from steersman.models.provider import Api, ModelFacts, ModelRule, Price

if TYPE_CHECKING:
    from steersman.models.chat_request import ChatQuirks
    from steersman.models.responses_request import ResponsesQuirks

_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OURS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
    }
)
"""Headers that a table may not set, since every request has its own."""
_SECRET: Final = frozenset({"api_key", "key_command", "headers"})
"""TOML keys whose values are never shown."""

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1)]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class ProviderFileError(ModelConfigError):
    """A table can't be used. The text names the TOML key and what it may be."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class PriceTable(_Table):
    """US dollars for a million tokens."""

    input: Dollars | None = None
    output: Dollars | None = None
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None


class RuleTable(_Table):
    match: Annotated[str, Field(min_length=1)]
    context_window: Count | None = None
    max_output: Count | None = None
    images: bool | None = None
    thinking: bool | None = None
    price: PriceTable | None = None

    def rule(self) -> ModelRule:
        price = None if self.price is None else Price(**self.price.model_dump())
        facts = ModelFacts(self.context_window, self.max_output, self.images, self.thinking, price)
        return ModelRule(self.match, facts)


class TimeoutsTable(_Table):
    connect: Seconds | None = None
    first_byte: Seconds | None = None
    stall: Seconds | None = None


class LimitsTable(_Table):
    concurrent: Count | None = None
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None


class ProviderTable(_Table):
    title: str | None = None
    api: Api | None = None
    base_url: str | None = None
    key_env: str | list[str] | None = None
    key_page: str | None = None
    local: bool | None = None
    quirks: dict[str, bool | str] = {}
    api_key: Annotated[str, Field(min_length=1)] | None = None
    key_command: str | list[str] | None = None
    headers: dict[str, str] = {}
    timeouts: TimeoutsTable = TimeoutsTable()
    limits: LimitsTable = LimitsTable()
    names: list[str] = []
    models: list[RuleTable] = []

    @property
    def key_variables(self) -> tuple[str, ...]:
        return _words(self.key_env)

    @property
    def command(self) -> tuple[str, ...]:
        """The words of `key_command`. A string is split as a shell would do it, but no shell is run.

        Raises:
            ValueError: it can't be split.
        """
        return (
            tuple(shlex.split(self.key_command))
            if isinstance(self.key_command, str)
            else _words(self.key_command)
        )

    @property
    def rules(self) -> tuple[ModelRule, ...]:
        return tuple(each.rule() for each in self.models)


def checked(name: str, given: object) -> ProviderTable:
    """The checked table of the provider `name`. Its quirks are not checked here: they depend on the API.

    Raises:
        ProviderFileError: it can't be used. The text never contains a secret.
    """
    try:
        table = ProviderTable.model_validate(given)
    except ValidationError as error:
        raise ProviderFileError(_told(name, error)) from None
    if table.base_url is not None:
        try:
            split_base_url(table.base_url, "https://api.example.com/v1")
        except ModelConfigError as error:
            raise ProviderFileError(f"providers.{name}.base_url: {error}") from None
    for variable in table.key_variables:
        if not _VARIABLE.fullmatch(variable):
            raise ProviderFileError(
                f"providers.{name}.key_env: it takes names of environment variables, such as MY_API_KEY."
            )
    for header, value in table.headers.items():
        _check_header(name, header, value)
    _check_command(name, table)
    return table


def _check_command(name: str, table: ProviderTable) -> None:
    try:
        words = table.command
    except ValueError:
        words = ()
    if table.key_command is not None and not (words and words[0].strip()):
        raise ProviderFileError(f"providers.{name}.key_command: it takes a program and its arguments.")


def _check_header(name: str, header: str, value: str) -> None:
    if not _HEADER.fullmatch(header):
        raise ProviderFileError(f"providers.{name}.headers: {header!r:.60} is not a valid header name.")
    if header.lower() in _OURS:
        raise ProviderFileError(
            f"providers.{name}.headers: {header} is set for each request by Steersman itself."
        )
    try:
        header_value(value)
    except ModelConfigError:
        raise ProviderFileError(
            f"providers.{name}.headers: the value of {header:.60} holds a character that no header can carry."
        ) from None


def check_quirks(name: str, api: Api, given: Mapping[str, bool | str]) -> None:
    """Raises ProviderFileError if one is not a quirk of the API, or has an impossible value."""
    kinds = _kinds_of_quirks(api) if given else {}
    for quirk, value in given.items():
        where = f"providers.{name}.quirks.{quirk:.60}"
        if quirk not in kinds:
            known = ", ".join(kinds) or "none"
            raise ProviderFileError(f"{where} is not a quirk of {api}. Known quirks: {known}.")
        choices = kinds[quirk]
        if not any(type(value) is type(each) and value == each for each in choices):
            known = ", ".join(str(each).lower() if isinstance(each, bool) else each for each in choices)
            raise ProviderFileError(f"{where}: it can be {known}.")


def _kinds_of_quirks(api: Api) -> dict[str, tuple[bool | str, ...]]:
    """The possible values of each quirk. `images` is not one: rules for models say that."""
    quirks = quirks_of(api)
    if quirks is None:
        return {}
    hints = get_type_hints(quirks)
    kinds = {each.name: hints[each.name] for each in fields(quirks) if each.name != "images"}
    return {name: (True, False) if kind is bool else get_args(kind) for name, kind in kinds.items()}


def quirks_of(api: Api) -> "type[ChatQuirks | ResponsesQuirks] | None":
    """The class of an API's quirks; None if it has none."""
    if api == "openai-chat":
        from steersman.models.chat_request import ChatQuirks  # noqa: PLC0415 - imported when it is needed

        return ChatQuirks
    if api == "openai-responses":
        from steersman.models.responses_request import ResponsesQuirks  # noqa: PLC0415 - as above

        return ResponsesQuirks
    return None


def _told(name: str, error: ValidationError) -> str:
    """The first error, or an unknown key, which is probably a misspelt one. Values that may be secret are left out."""
    wrong = error.errors()
    first = next((each for each in wrong if each["type"] == "extra_forbidden"), wrong[0])
    # The place includes which kind of a union was tried, which is of no use to a user.
    place = [str(part) for part in first["loc"] if part not in ("str", "bool", "list[str]")]
    key = ".".join(["providers", name, *place])[:200]
    if first["type"] == "extra_forbidden":
        return f"{key} is not a known key. Known keys: {', '.join(_keys_at(place[:-1]))}."
    if not place or first["type"] == "missing" or _SECRET & set(place):
        return f"{key}: {first['msg']}."
    return f"{key}: {first['msg']}, got {first['input']!r:.60}."


def _keys_at(place: list[str]) -> list[str]:
    tables: dict[str, type[BaseModel]] = {
        "timeouts": TimeoutsTable,
        "limits": LimitsTable,
        "models": RuleTable,
        "price": PriceTable,
    }
    inner: type[BaseModel] = next((tables[part] for part in reversed(place) if part in tables), ProviderTable)
    return list(inner.model_fields)


def _words(value: str | list[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
