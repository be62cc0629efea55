"""What `steersman.models` answers, as models: see `answers`."""

from steersman.session.schema_parts import Count, Wire


class ModelPrice(Wire):
    """US dollars for a million tokens. Unknown prices are left out."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class OfferedModel(Wire):
    """A model that can be chosen. What is not known of it is left out."""

    model: str
    """As `steersman.configure` takes it: `PROVIDER:NAME`."""
    name: str
    """Its name at the provider."""
    context_window: Count | None = None
    """Tokens of prompt and answer together, as the server is configured."""
    max_output: Count | None = None
    """Tokens of one answer."""
    images: bool | None = None
    """It accepts images."""
    thinking: bool | None = None
    """It accepts a thinking level."""
    price: ModelPrice | None = None
    loaded: bool | None = None
    """It is in memory, if the server loads models on demand."""


class OfferingProvider(Wire):
    """A provider, or a model server on this machine."""

    provider: str
    """The part of `PROVIDER:NAME` before the colon."""
    title: str
    """Its name for people."""
    usable: bool
    """A run could begin with it. False: its models can't be chosen yet."""
    local: bool
    """A program that users run themselves."""
    server: str | None = None
    """The host and port that were asked, or are tried."""
    models: list[OfferedModel]
    """In the provider's order."""
    left_out: Count
    """How many more models there are."""
    problem: str | None = None
    """Why it can't be used, or why it listed no models although a run may work."""
    mend: str | None = None
    """What to do about the problem."""


class ModelsAnswer(Wire):
    model: str | None
    """For new runs; null if none is configured."""
    providers: list[OfferingProvider]
    """Usable ones first."""
    config: str
    """Path of the user's configuration file. Keys and base URLs can also be set in its tables `[providers.NAME]`."""
