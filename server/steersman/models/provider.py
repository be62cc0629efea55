"""What is known of a provider and its models: plain data, from the package's file, the user's, and the provider itself.

No I/O: `provider_file` reads the files, `listing` asks servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, get_args

Api = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]
"""The wire APIs. The provider that is named like one is the server of the user's own base URL."""
APIS: Final[tuple[Api, ...]] = get_args(Api)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; None: not known."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of one model; None: not known."""

    context_window: int | None = None
    """Most tokens of prompt and answer together."""
    max_output: int | None = None
    """Most tokens of one answer."""
    images: bool | None = None
    thinking: bool | None = None
    """Whether it takes a thinking level."""
    price: Price | None = None

    def over(self, other: "ModelFacts") -> "ModelFacts":
        """These facts, with those of `other` where nothing is known."""
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
"""Nothing is known."""


@dataclass(frozen=True, slots=True)
class ModelRule:
    """Facts about all models whose names match."""

    match: str
    """A case-sensitive glob: `gpt-5*`."""
    facts: ModelFacts

    def matches(self, name: str) -> bool:
        return fnmatchcase(name, self.match)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds; None: the default of `endpoint.Stall`."""

    connect: float | None = None
    first_byte: float | None = None
    """From the request to the first byte of the answer."""
    stall: float | None = None
    """Between two pieces of the answer."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Limits on a provider's use by all runs of one process; None: no limit."""

    concurrent: int | None = None
    """Requests at the same time."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    """Tokens of prompts and answers together."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A source of models: a company, or a program on this machine."""

    id: str
    """The first part of `PROVIDER:NAME`."""
    title: str
    api: Api
    base_url: str | None
    """None: the user has to set it, since it is that of a server or resource of their own."""
    key_env: tuple[str, ...] = ()
    """Variables that may hold its key. The first one that is set counts."""
    key_page: str | None = None
    """The web page where people get a key."""
    local: bool = False
    """A program on this machine that needs no key. It is looked for on its default port."""
    quirks: Mapping[str, bool | str] = field(default_factory=dict)
    """By field of the API's class of quirks (`ChatQuirks`, `ResponsesQuirks`)."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Additional headers of each request. They may be secret, so they only go where the provider's key may go."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    limits: RateLimits = field(default_factory=RateLimits)
    names: tuple[str, ...] = ()
    """Globs for the names of its models (`gpt-*`), to suggest it when a name comes without a provider."""
    models: tuple[ModelRule, ...] = ()
    """Each fact is taken from the first matching rule that has it."""

    def facts(self, name: str) -> ModelFacts:
        """What the rules say about a model."""
        known = NOTHING
        for rule in self.models:
            if rule.matches(name):
                known = known.over(rule.facts)
        return known
