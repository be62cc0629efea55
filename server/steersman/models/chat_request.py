"""A history becomes the body of a Chat Completions request that follows the API's rules, whatever the history is.

The rules are those of "Create chat completion" in the API reference: every tool call is answered by exactly one tool
message right after it, ids are unique, arguments are JSON, nothing is empty. Encoded messages are kept: asking
again with a longer history costs the new messages only.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

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
    joined_text,
)
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.history import Group, Prefixes, groups, results_by_call
from steersman.models.wire_values import (
    IMAGE_LEFT_OUT,
    IMAGES_FOLLOW,
    NO_OUTPUT,
    NO_RESULT,
    NO_TEXT,
    encode,
    is_taken,
    unique_id,
    wire_arguments,
    wire_name,
)

_ID_LIMIT: Final = 40


@dataclass(frozen=True, slots=True)
class ChatQuirks:
    """Where compatible servers differ from each other in what they take."""

    replay_reasoning: bool = False
    """Send `reasoning_content` back with calls, as DeepSeek's thinking models require; others refuse the field."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    images: bool = True
    stream_usage: bool = True
    """Ask for usage in the stream; servers without `stream_options` may refuse it."""


@dataclass(frozen=True, slots=True)
class _Prefix:
    """The encoding of messages that no later message can change."""

    encoded: bytes = b""
    """The messages' JSON, each followed by a comma."""
    ids: tuple[str, ...] = ()


class ChatRequestBuilder:
    """Makes request bodies for one model, and keeps what it encoded of the last few conversations."""

    def __init__(self, model_id: str, name: str, quirks: ChatQuirks | None = None) -> None:
        self._model_id = model_id
        self._name = name
        self._quirks = quirks or ChatQuirks()
        self._prefixes: Prefixes[_Prefix] = Prefixes()

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
        known, kept = self._prefixes.longest(messages)
        prefix = kept or _Prefix()
        ids = dict.fromkeys(prefix.ids)
        parts = [prefix.encoded]
        settled, settled_parts, settled_ids = known, 1, len(ids)
        rest = messages[known:]
        results = results_by_call(rest)
        for group, is_settled in groups(rest):
            parts.append(self._group(group, results, ids))
            if is_settled:
                settled += 1 + len(group.results)
                settled_parts, settled_ids = len(parts), len(ids)
        if settled > known:
            longer = _Prefix(b"".join(parts[:settled_parts]), tuple(ids)[:settled_ids])
            self._prefixes.keep(messages[:settled], longer, instead_of=kept)
        return b"".join(parts)

    def _group(
        self, group: Group, results: dict[str, deque[ToolResultMessage]], ids: dict[str, None]
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
                pictures += [
                    block for block in result.content if isinstance(block, Image) and is_taken(block)
                ]
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
                # What another model thought is not told; a server that wants the field takes an empty one.
                own = message.content if message.model == self._model_id else ()
                encoded["reasoning_content"] = "".join(
                    block.text for block in own if isinstance(block, Thinking)
                )
        return encoded

    def _wire_id(self, call: ToolCall, message: AssistantMessage, ids: dict[str, None]) -> str:
        """The provider's own id where this model gave it, else ours; made unique in the request."""
        wanted = call.provider_id if message.model == self._model_id else None
        wire_id = unique_id(wanted, call.id, ids, _ID_LIMIT)
        ids[wire_id] = None
        return wire_id

    def _result(self, result: ToolResultMessage | None) -> str:
        if result is None:
            return NO_RESULT
        parts = [joined_text(result.content)]
        pictures = [block for block in result.content if isinstance(block, Image)]
        if pictures:
            follow = self._quirks.images and any(map(is_taken, pictures))
            parts.append(IMAGES_FOLLOW if follow else IMAGE_LEFT_OUT)
        return "\n".join(part for part in parts if part) or NO_OUTPUT


def _tool(spec: ToolSpec) -> dict[str, object]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def _user_content(message: UserMessage, *, images: bool) -> object:
    if not any(isinstance(block, Image) for block in message.content):
        return joined_text(message.content) or NO_TEXT
    parts: list[object] = []
    for block in message.content:
        if isinstance(block, Image):
            taken = images and is_taken(block)
            parts.append(_image(block) if taken else {"type": "text", "text": IMAGE_LEFT_OUT})
        elif block.text:
            parts.append({"type": "text", "text": block.text})
    return parts


def _image(image: Image) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime_type};base64,{image.data}"}}
