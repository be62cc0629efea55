"""A history becomes the body of a Chat Completions request that follows the API's rules, whatever the history is.

The rules are those of "Create chat completion" in the API reference: every tool call is answered by exactly one tool
message right after it, ids are unique, arguments are JSON, nothing is empty. Encoded messages are kept: asking
again with a longer history costs the new messages only.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import orjson

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    LlmMessage,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    plain_text,
)
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.surrogates import whole

NO_RESULT: Final = "(no result: the call was not executed)"
NO_OUTPUT: Final = "(no output)"
NO_TEXT: Final = "(empty message)"
IMAGES_FOLLOW: Final = "(image: in the next message)"
IMAGE_LEFT_OUT: Final = "(an image was left out: this model takes text only)"

_ID_LIMIT: Final = 40
_NAME_LIMIT: Final = 64
_KEPT_PREFIXES: Final = 4


@dataclass(frozen=True, slots=True)
class ChatQuirks:
    """Where compatible servers differ from each other in what they take."""

    replay_reasoning: bool = False
    """Send `reasoning_content` back with calls, as DeepSeek's thinking models require; others refuse the field."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    images: bool = True
    stream_usage: bool = True
    """Ask for usage in the stream; servers without `stream_options` may refuse it."""


@dataclass(slots=True)
class _Prefix:
    """The encoding of messages that no later message can change."""

    messages: list[LlmMessage] = field(default_factory=list)
    encoded: bytes = b""
    """The messages' JSON, each followed by a comma."""
    ids: list[str] = field(default_factory=list)


class ChatRequestBuilder:
    """Makes request bodies for one model, and keeps what it encoded of the last few conversations."""

    def __init__(self, model_id: str, name: str, quirks: ChatQuirks | None = None) -> None:
        self._model_id = model_id
        self._name = name
        self._quirks = quirks or ChatQuirks()
        self._prefixes: list[_Prefix] = []

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a streaming request."""
        head: dict[str, object] = {"model": self._name, "stream": True}
        if self._quirks.stream_usage:
            head["stream_options"] = {"include_usage": True}
        if request.tools:
            head["tools"] = [_tool(spec) for spec in request.tools]
        if request.max_output_tokens is not None:
            head[self._quirks.max_tokens_field] = request.max_output_tokens
        if request.thinking != "off":
            head["reasoning_effort"] = request.thinking
        system = encode({"role": "system", "content": request.system}) + b"," if request.system else b""
        messages = (system + self._messages(request.messages)).removesuffix(b",")
        return encode(head)[:-1] + b',"messages":[' + messages + b"]}"

    def _messages(self, messages: Sequence[LlmMessage]) -> bytes:
        prefix = self._longest_prefix(messages)
        ids = dict.fromkeys(prefix.ids)
        parts = [prefix.encoded]
        settled, settled_parts, settled_ids = len(prefix.messages), 1, len(ids)
        rest = messages[settled:]
        results = _results_by_call(rest)
        all_settled = True
        for group, is_settled in _groups(rest):
            parts.append(self._group(group, results, ids))
            all_settled = all_settled and is_settled
            if all_settled:
                settled += 1 + len(group.results)
                settled_parts, settled_ids = len(parts), len(ids)
        if settled > len(prefix.messages):
            longer = _Prefix(
                list(messages[:settled]), b"".join(parts[:settled_parts]), list(ids)[:settled_ids]
            )
            self._prefixes = [longer, *(kept for kept in self._prefixes if kept is not prefix)][
                :_KEPT_PREFIXES
            ]
        return b"".join(parts)

    def _longest_prefix(self, messages: Sequence[LlmMessage]) -> _Prefix:
        best = _Prefix()
        for prefix in self._prefixes:
            length = len(prefix.messages)
            # Lists compare by identity before equality, so this is quick for a history that only grew.
            if len(best.messages) < length <= len(messages) and prefix.messages == list(messages[:length]):
                best = prefix
        return best

    def _group(
        self, group: "_Group", results: dict[str, deque[ToolResultMessage]], ids: dict[str, None]
    ) -> bytes:
        message = group.message
        if isinstance(message, UserMessage):
            return (
                encode({"role": "user", "content": _user_content(message, images=self._quirks.images)}) + b","
            )
        calls = [(call, self._wire_id(call, message, ids)) for call in message.tool_calls]
        parts = []
        assistant = self._assistant(message, calls)
        if assistant is not None:
            parts.append(encode(assistant))
        pictures: list[Image] = []
        for call, wire_id in calls:
            waiting = results.get(call.id)
            result = waiting.popleft() if waiting else None
            parts.append(encode({"role": "tool", "tool_call_id": wire_id, "content": self._result(result)}))
            if result is not None and self._quirks.images:
                pictures += [block for block in result.content if isinstance(block, Image)]
        if pictures:
            # Tool messages hold text only, so the pictures come right after the whole batch.
            parts.append(encode({"role": "user", "content": [_image(picture) for picture in pictures]}))
        return b"".join(part + b"," for part in parts)

    def _assistant(
        self, message: AssistantMessage, calls: list[tuple[ToolCall, str]]
    ) -> dict[str, object] | None:
        text = "".join(block.text for block in message.content if isinstance(block, Text | Refusal))
        if not text and not calls:
            return None
        encoded: dict[str, object] = {"role": "assistant", "content": text or None}
        if calls:
            encoded["tool_calls"] = [
                {
                    "id": wire_id,
                    "type": "function",
                    "function": {"name": wire_name(call.name), "arguments": wire_arguments(call.arguments)},
                }
                for call, wire_id in calls
            ]
            if self._quirks.replay_reasoning:
                encoded["reasoning_content"] = "".join(
                    block.text for block in message.content if isinstance(block, Thinking)
                )
        return encoded

    def _wire_id(self, call: ToolCall, message: AssistantMessage, ids: dict[str, None]) -> str:
        """The provider's own id where this model gave it, else ours; made unique in the request."""
        ours = re.sub(r"[^A-Za-z0-9_-]", "_", call.id)[-_ID_LIMIT:] or "call"
        wire_id = (call.provider_id if message.model == self._model_id else None) or ours
        if wire_id in ids:
            wire_id = ours
        base, count = wire_id[: _ID_LIMIT - 8], 1
        while wire_id in ids:
            count += 1
            wire_id = f"{base}_{count}"
        ids[wire_id] = None
        return wire_id

    def _result(self, result: ToolResultMessage | None) -> str:
        if result is None:
            return NO_RESULT
        parts = [plain_text(result.content)]
        if any(isinstance(block, Image) for block in result.content):
            parts.append(IMAGES_FOLLOW if self._quirks.images else IMAGE_LEFT_OUT)
        return "\n".join(part for part in parts if part) or NO_OUTPUT


@dataclass(slots=True)
class _Group:
    """A user message, or an assistant message with the results that directly follow it."""

    message: UserMessage | AssistantMessage
    results: list[ToolResultMessage] = field(default_factory=list)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.message.tool_calls if isinstance(self.message, AssistantMessage) else ()


def _groups(messages: Sequence[LlmMessage]) -> Iterator[tuple[_Group, bool]]:
    """The groups of a history, each with whether it is settled: its results are all there, next to their calls.

    Results without a call before them belong to no group: they are left out of the request, or found by their call.
    """
    group: _Group | None = None
    stray = False
    for message in messages:
        if not isinstance(message, ToolResultMessage):
            if group is not None:
                yield group, _is_settled(group) and not stray
            group = _Group(message)
        elif group is not None:
            group.results.append(message)
        else:
            stray = True
    if group is not None:
        yield group, _is_settled(group) and not stray


def _is_settled(group: _Group) -> bool:
    return [call.id for call in group.calls] == [result.tool_call_id for result in group.results]


def _results_by_call(messages: Sequence[LlmMessage]) -> dict[str, deque[ToolResultMessage]]:
    results: dict[str, deque[ToolResultMessage]] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.tool_call_id, deque()).append(message)
    return results


def wire_arguments(arguments: str) -> str:
    """Arguments that parse: as the model wrote them if they are a JSON object, else `{}`."""
    try:
        return arguments if isinstance(orjson.loads(arguments), dict) else "{}"
    except (orjson.JSONDecodeError, RecursionError):
        return "{}"


def wire_name(name: str) -> str:
    """A function name that the API takes, also for a tool that a model made up."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_NAME_LIMIT] or "unknown"


def encode(value: object) -> bytes:
    """JSON bytes. Text that is no valid Unicode is put right rather than refused."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        return orjson.dumps(_mended(value))


def _tool(spec: ToolSpec) -> dict[str, object]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def _user_content(message: UserMessage, *, images: bool) -> object:
    if not any(isinstance(block, Image) for block in message.content):
        return plain_text(message.content) or NO_TEXT
    parts: list[object] = []
    for block in message.content:
        if isinstance(block, Image):
            parts.append(_image(block) if images else {"type": "text", "text": IMAGE_LEFT_OUT})
        elif block.text:
            parts.append({"type": "text", "text": block.text})
    return parts


def _image(image: Image) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime_type};base64,{image.data}"}}


def _plain(value: object) -> object:
    """Mappings and sequences that are no dict or list, for orjson."""
    if hasattr(value, "items"):
        return dict(value.items())
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(type(value).__name__)


def _mended(value: object) -> object:
    if isinstance(value, str):
        return whole(value)
    if hasattr(value, "items"):
        return {whole(str(key)): _mended(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_mended(item) for item in value]
    return value
