"""The port to a model: what is asked, the one stream type in which every API answers, and its failures."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

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
"""What a policy can branch on. `timeout`: the stream stalled. `protocol`: it broke its API's rules, or ended without
its terminal marker. `empty`: the answer has neither text nor a refusal nor calls."""

ThinkingLevel = Literal["off", "low", "medium", "high"]
BlockKind = Literal["text", "thinking", "refusal", "toolCall"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is described to a model."""

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
    """Called with a sentence for the user if the request has to wait before it is sent; None: nobody wants to know."""


@dataclass(frozen=True, slots=True)
class StreamFailure:
    """Why a response can't be used. A value, never raised."""

    kind: FailureKind
    message: str
    """For a person; never holds a key or a header."""
    retry_after: float | None = None
    """Seconds that the provider asked to wait."""
    status: int | None = None
    """The HTTP status, where there was one."""
    cut: bool = False
    """The answer was cut before anything was said. Asking again would give the same."""
    advice: str = ""
    """A sentence on what the user can do, where that is more than the kind says."""


ABORTED: Final = StreamFailure("network", "Operation aborted")
"""How a stream may end after an abort."""


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
    """Closes block `index`. What is known only now (a late name, a signature) is set here; None changes nothing."""

    index: int
    name: str | None = None
    signature: str | None = None
    redacted: bool = False


@dataclass(slots=True)
class Ping:
    """Nothing to show, but the stream is alive."""


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
    exactly one `StreamDone` or `StreamError`, and must stop soon after `signal` is aborted (nobody looks at how it
    ends then). The kernel copes with implementations that break these rules.
    """

    @property
    def id(self) -> str:
        """`provider:name`."""
        ...

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]: ...


async def close_stream(stream: AsyncIterator[StreamEvent]) -> None:
    """Closes a stream that is not read any further. Only a generator has anything to close."""
    if isinstance(stream, AsyncGenerator):
        await stream.aclose()
