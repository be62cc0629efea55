"""What `steersman.models` answers, as models: for the protocol's schema, as in `answers`."""

from steersman.session.schema_parts import Count, Wire


class ModelPrice(Wire):
    """US dollars for a million tokens; what is not known is left out."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class OfferedModel(Wire):
    """A model that can be named; what is not known of it is left out."""

    model: str
    """As `steersman.configure` takes it: `PROVIDER:NAME`."""
    name: str
    """At its provider."""
    context_window: Count | None = None
    """Tokens of prompt and answer together, as they are served."""
    max_output: Count | None = None
    """Tokens of one answer."""
    images: bool | None = None
    """It takes images."""
    thinking: bool | None = None
    """It takes a thinking level."""
    price: ModelPrice | None = None
    loaded: bool | None = None
    """It is ready, where the server loads its models when they are asked for."""


class OfferingProvider(Wire):
    """A provider, or a server on this machine that is no provider's."""

    provider: str
    """The part of `PROVIDER:NAME` before the colon."""
    title: str
    """For people."""
    usable: bool
    """A run could begin with it. False: its models can't be named yet."""
    local: bool
    """A program that people run themselves."""
    server: str | None = None
    """Host and port, where it was asked or is looked for."""
    models: list[OfferedModel]
    """In the server's order."""
    left_out: Count
    """How many there are beside these."""
    problem: str | None = None
    """Why it can't be used; or why it told no models, though a run may work."""
    mend: str | None = None
    """What to do about that."""


class ModelsAnswer(Wire):
    model: str | None
    """Of new runs; null where none is configured."""
    providers: list[OfferingProvider]
    """Those that are usable first."""
    config: str
    """Path of the user's file: keys and base URLs can stand in its tables `[providers.NAME]` too."""
