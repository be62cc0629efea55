"""The port to a model: what is asked, the one stream type in which every API answers, and its failures."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import JsonObject, LlmMessage, ModelStop, Usage

FailureKind = Literal[
    "auth",
    "permission",
    "quota",
    "rate_limit",
    "overloaded",
    "server",
    "context_overflow",
    "bad_request",
    "not_found",
    "tool_use_failed",
    "refused",
    "network",
    "timeout",
    "protocol",
    "empty",
]
"""What policy can branch on. `timeout` is a stream that stalled, `protocol` one that broke its API's rules or ended
without its terminal marker, `empty` an answer with neither text nor refusal nor calls."""

ThinkingLevel = Literal["off", "low", "medium", "high"]
BlockKind = Literal["text", "thinking", "refusal", "toolCall"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema of the arguments object."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    system: str
    messages: Sequence[LlmMessage]
    tools: Sequence[ToolSpec] = ()
    thinking: ThinkingLevel = "off"
    max_output_tokens: int | None = None
    on_wait: Callable[[str], None] | None = field(default=None, compare=False, repr=False)
    """Told, in words for the user, of a wait before anything is asked; None: nobody hears of it."""


@dataclass(frozen=True, slots=True)
class StreamFailure:
    """Why a response can't be used. A value: nothing of it is ever raised."""

    kind: FailureKind
    message: str
    """For a person; never holds a key or a header."""
    retry_after: float | None = None
    """Seconds that the provider asked to wait."""
    status: int | None = None
    """The HTTP status, where there was one."""
    cut: bool = False
    """Of an `empty` answer: it was cut before anything was said. Asking again would give the same."""
    advice: str = ""
    """What the user can do, as a sentence, where more is known than the kind says."""


@dataclass(slots=True)
class BlockStart:
    """Opens block `index`. Indices are 0, 1, 2 … in the order in which blocks appear in the message."""

    index: int
    kind: BlockKind
    name: str = ""
    """Of a tool call: the tool's name."""
    provider_id: str | None = None
    """Of a tool call: the provider's own id."""


@dataclass(slots=True)
class BlockDelta:
    """More of block `index`: text, thinking, or the JSON text of a call's arguments."""

    index: int
    text: str


@dataclass(slots=True)
class BlockEnd:
    """Closes block `index`. What only the end tells (a late name, a signature) is set here; None leaves it."""

    index: int
    name: str | None = None
    signature: str | None = None
    redacted: bool = False


@dataclass(slots=True)
class Ping:
    """Bytes came that show nothing: the stream is alive."""


@dataclass(slots=True)
class StreamDone:
    """The response is complete. The last event of a good stream."""

    stop_reason: ModelStop
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    """The model that the provider says has answered."""


@dataclass(slots=True)
class StreamError:
    """The response failed. The last event of a bad stream."""

    failure: StreamFailure
    usage: Usage = field(default_factory=Usage)


StreamEvent = BlockStart | BlockDelta | BlockEnd | Ping | StreamDone | StreamError


class Model(Protocol):
    """A model that answers requests.

    `stream` must not raise, neither at the call nor while it is read: failures arrive as `StreamError`. It ends with
    exactly one `StreamDone` or `StreamError`, and must stop soon after `signal` is aborted (how it then ends is not
    looked at). The kernel holds even when an implementation breaks these rules.
    """

    @property
    def id(self) -> str:
        """`provider:name`."""
        ...

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]: ...
