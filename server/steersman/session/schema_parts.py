"""What the events of the protocol have in common, as models: see `steersman.session.schema`."""

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from steersman.agent.events import InputKind
from steersman.agent.inbox import QueueKind

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]


class Wire(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, use_attribute_docstrings=True
    )


class UsageData(Wire):
    """Tokens of one request, or of all requests of a run."""

    input: Count
    """Includes what was read from or written to a cache."""
    output: Count
    cache_read: Count
    cache_write: Count
    reasoning: Count
    """Part of `output`."""
    cost: Annotated[float, Field(ge=0, strict=False)] | None
    """US dollars; null if any part of the price is not known."""


class TextBlock(Wire):
    type: Literal["text", "refusal"]
    text: str
    attached: str | None = None
    """What was attached to a message or a result, by name: `src/app.py#L3-L9`, `diagnostics`. It was not typed."""


class ImageBlock(Wire):
    type: Literal["image"]
    data: str
    """Base64."""
    mime_type: str


class ThinkingBlock(Wire):
    type: Literal["thinking"]
    text: str
    redacted: Literal[True] | None = None
    """The provider hid the text."""
    signature: str | None = None


class ToolCallBlock(Wire):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: str
    """As the model wrote them."""
    provider_id: str | None = None
    signature: str | None = None


Content = list[Annotated[TextBlock | ImageBlock | ThinkingBlock | ToolCallBlock, Field(discriminator="type")]]


class InputData(Wire):
    kind: InputKind
    text: str
    source: str | None = None
    """The extension that said it in the user's place."""
    attached: list[str] | None = None
    """What is attached to it, by name."""


class QueuedItem(Wire):
    """Something that waits to be said to the model."""

    id: str
    """`in_…`, for `steersman.queue`."""
    kind: QueueKind
    text: str
    source: str | None = None
    """The extension that said it in the user's place."""
    attached: list[str] | None = None
    """What is attached to it, by name."""


class DenialMark(Wire):
    """Why a call was not done."""

    title: str
    reason: str
    by: Literal["user", "nobody", "mode", "rule", "repeated", "extension"]
    setting: str | None = None
    """What would have allowed it."""


class EventData(Wire):
    """The `data` of an event."""

    event: ClassVar[str]
    durable: ClassVar[bool] = True
    """A record of the log, with a `seq`."""
