"""The conversation: immutable messages and their content blocks. A history is a list of messages.

Nothing here knows a provider's wire format; that is the business of models/.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf
from typing import ClassVar, Literal, TypeAlias

from steersman.agent.json_depth import MOST_LEVELS, is_too_deep

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Json]

ModelStop = Literal["stop", "tool_calls", "length", "content_filter", "refusal"]
"""Why a model stopped, in our words. `length` also covers a context window that was filled by the answer."""

CUT: frozenset[ModelStop] = frozenset({"length", "content_filter", "refusal"})
"""Reasons of an answer that ended before the model was done with it."""

Outcome = Literal[
    "ok", "failed", "unknownTool", "badArguments", "denied", "truncated", "aborted", "notExecuted"
]
"""What became of a tool call. Everything but `ok` is an error result."""


@dataclass(frozen=True, slots=True)
class Text:
    type: ClassVar[Literal["text"]] = "text"
    text: str
    attached: str | None = None
    """What this text is, such as `src/app.py#L3-L9`, if it was attached to a message or result. Models get it like any
    other text."""


@dataclass(frozen=True, slots=True)
class Image:
    type: ClassVar[Literal["image"]] = "image"
    data: str
    """The image's bytes, base64."""
    mime_type: str


@dataclass(frozen=True, slots=True)
class Thinking:
    type: ClassVar[Literal["thinking"]] = "thinking"
    text: str
    signature: str | None = None
    """An opaque token that some providers want back with the text."""
    redacted: bool = False
    """The provider hid the text; only the signature carries it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a model says instead of an answer that it refuses to give."""

    type: ClassVar[Literal["refusal"]] = "refusal"
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    type: ClassVar[Literal["toolCall"]] = "toolCall"
    id: str
    """Ours, unique in the session."""
    name: str
    arguments: str
    """As the model wrote them: JSON text, which may be cut or malformed. See `parse_arguments`."""
    provider_id: str | None = None
    """The provider's id of the call, if it sent one. Only used to send the call back."""
    signature: str | None = None
    """An opaque token that some providers want back with the call."""


UserContent = Text | Image
AssistantContent = Text | Thinking | Refusal | ToolCall
ResultContent = Text | Image


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model request. `input` includes what was read from or written to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    """Part of `output`."""
    cost: float | None = None
    """US dollars; None where the price is not known."""

    @property
    def total(self) -> int:
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
            self._cost_with(other),
        )

    def _cost_with(self, other: "Usage") -> float | None:
        """The sum, known only if both costs are. A request without any tokens doesn't count."""
        parts = [usage.cost for usage in (self, other) if usage.total or usage.cost is not None]
        known = [cost for cost in parts if cost is not None]
        return sum(known) if known and len(known) == len(parts) else None


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class UserMessage:
    role: ClassVar[Literal["user"]] = "user"
    id: str
    content: tuple[UserContent, ...]
    source: str | None = None
    """The name of what wrote it in the user's place; None: the user did."""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    role: ClassVar[Literal["assistant"]] = "assistant"
    id: str
    content: tuple[AssistantContent, ...]
    model: str
    """`provider:name` of the model that answered."""
    stop_reason: ModelStop
    usage: Usage = NO_USAGE

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(block for block in self.content if isinstance(block, ToolCall))

    @property
    def text(self) -> str:
        return plain_text(self.content)

    @property
    def said(self) -> str:
        """The text, or the refusal in its place."""
        return self.text or "".join(block.text for block in self.content if isinstance(block, Refusal))

    @property
    def cut(self) -> bool:
        """The answer ended before the model was done with it: calls in it may be incomplete."""
        return self.stop_reason in CUT


@dataclass(frozen=True, slots=True)
class ToolResultMessage:
    """The one result of one committed tool call."""

    role: ClassVar[Literal["tool"]] = "tool"
    tool_call_id: str
    tool_name: str
    content: tuple[ResultContent, ...]
    outcome: Outcome = "ok"
    details: JsonObject | None = None
    """For hooks and faces; no model ever sees it."""

    @property
    def is_error(self) -> bool:
        return self.outcome != "ok"

    @property
    def text(self) -> str:
        return plain_text(self.content)


@dataclass(frozen=True, slots=True)
class CustomMessage:
    """Stored and shown, but not part of the dialogue: `convert_to_llm` decides what a model sees of it."""

    role: ClassVar[Literal["custom"]] = "custom"
    id: str
    kind: str
    """What it is, in its maker's words: `plan`, `note`, …"""
    content: tuple[UserContent, ...]


Message = UserMessage | AssistantMessage | ToolResultMessage | CustomMessage
LlmMessage = UserMessage | AssistantMessage | ToolResultMessage
"""What may be sent to a model."""


class MalformedArguments(ValueError):
    """A call's arguments are not a JSON object. The text says what is wrong, for the model."""


def parse_arguments(call: ToolCall) -> dict[str, Json]:
    """The arguments of `call` as an object. The empty string is `{}`, since calls of a cut response are never executed.

    Raises:
        MalformedArguments: they are not valid JSON, or not an object.
    """
    raw = call.arguments.strip()
    if not raw:
        return {}
    try:
        value = json.loads(raw, parse_constant=_refuse_constant, parse_float=_finite)
        if "\\u" in raw:
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise MalformedArguments(f"not valid JSON: {error.msg} at character {error.pos}") from None
    except UnicodeEncodeError:
        raise MalformedArguments("not valid Unicode: half of a surrogate pair in a string") from None
    except (ValueError, RecursionError) as error:
        raise MalformedArguments(f"not usable JSON: {error}") from None
    if raw.count("[") + raw.count("{") > MOST_LEVELS and is_too_deep(value):
        raise MalformedArguments(f"nested in more than {MOST_LEVELS} levels")
    if not isinstance(value, dict):
        raise MalformedArguments(f"expected a JSON object, got {_json_kind(value)}")
    return value


def plain_text(content: Iterable[object]) -> str:
    """The text blocks of `content`, joined with nothing between them."""
    return "".join(block.text for block in content if isinstance(block, Text))


def joined_text(content: Iterable[object]) -> str:
    """The non-empty text blocks of `content`, joined with empty lines, for APIs that take one string."""
    return "\n\n".join(block.text for block in content if isinstance(block, Text) and block.text)


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if isinf(value):
        raise ValueError(f"{digits:.40} is too large a number")
    return value


def _json_kind(value: object) -> str:
    kinds: dict[type, str] = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")
