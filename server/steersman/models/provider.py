"""What is known of a provider and of its models: plain data, from the package's file, the user's, and the provider.

Nothing here asks anybody; `catalog` reads the files, `listing` asks servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, get_args

Api = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]
"""The wire APIs that are spoken. A provider that is named like one is whoever the user's base URL says."""
APIS: Final[tuple[Api, ...]] = get_args(Api)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; None where it is not known."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of one model; None where nobody says."""

    context_window: int | None = None
    """Tokens of prompt and answer together."""
    max_output: int | None = None
    """Tokens of one answer."""
    images: bool | None = None
    thinking: bool | None = None
    """Whether it takes a thinking level."""
    price: Price | None = None

    def over(self, other: "ModelFacts") -> "ModelFacts":
        """These, and the other's where these don't say."""
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        return replace(
            other,
            **{
                name: value
                for name in self.__dataclass_fields__
                if (value := getattr(self, name)) is not None
            },
        )


NOTHING: Final = ModelFacts()
"""Is known."""


@dataclass(frozen=True, slots=True)
class ModelRule:
    """Facts of all models whose name matches."""

    match: str
    """A glob, with case: `gpt-5*`."""
    facts: ModelFacts

    def matches(self, name: str) -> bool:
        return fnmatchcase(name, self.match)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds; None: as the client has it (`http.Stall`, `transport_failures.CONNECT_SECONDS`)."""

    connect: float | None = None
    first_byte: float | None = None
    """From the request to the first byte of the answer."""
    stall: float | None = None
    """Between two pieces of the answer."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How much is asked of a provider at once and in a minute, by all runs of one process; None is no limit."""

    concurrent: int | None = None
    """Requests that are under way."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    """Of prompts and answers together."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Somebody who serves models: a company, or a program on this machine."""

    id: str
    """As in `PROVIDER:NAME`."""
    title: str
    api: Api
    base_url: str | None
    """None: the user has to name it (a resource of his own, a server somewhere)."""
    key_env: tuple[str, ...] = ()
    """Variables that may hold its key; the first that is set is taken."""
    key_page: str | None = None
    """Where people get a key."""
    local: bool = False
    """A program on this machine that wants no key, looked for on its default port."""
    quirks: Mapping[str, bool | str] = field(default_factory=dict)
    """Of the API's own quirks (`ChatQuirks` and its like), by field."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """More headers of each request. Their values may be secrets: they go where the provider's key may go."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    limits: RateLimits = field(default_factory=RateLimits)
    names: tuple[str, ...] = ()
    """Globs of how it names its models, to tell whom somebody means who names none: `gpt-*`."""
    models: tuple[ModelRule, ...] = ()
    """The first that matches and says something counts, for each fact."""

    def facts(self, name: str) -> ModelFacts:
        """What the rules say of a model."""
        known = NOTHING
        for rule in self.models:
            if rule.matches(name):
                known = known.over(rule.facts)
        return known
