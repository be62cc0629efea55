"""Turns any history into the body of a Chat Completions request that follows the API's rules.

The rules are those of "Create chat completion" in the API reference: every tool call is answered by exactly one tool
message right after it, ids are unique, arguments are JSON, nothing is empty.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    UserMessage,
    joined_text,
)
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.history import Conversations, Items, Results
from steersman.models.wire_values import (
    IMAGE_LEFT_OUT,
    IMAGE_TYPES,
    NO_RESULT,
    NO_TEXT,
    encode,
    is_taken,
    new_id,
    result_text,
    taken_images,
    wire_arguments,
    wire_name,
)

_ID_LIMIT: Final = 40


@dataclass(frozen=True, slots=True)
class ChatQuirks:
    """What compatible servers take or refuse."""

    replay_reasoning: bool = False
    """Send `reasoning_content` back with calls. DeepSeek's thinking models require it, others refuse it."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    images: bool = True
    stream_usage: bool = True
    """Ask for usage in the stream. Servers that don't know `stream_options` may refuse it."""


class ChatRequestBuilder:
    """Makes request bodies for one model, and keeps what it has encoded of the last few conversations."""

    def __init__(self, model_id: str, name: str, quirks: ChatQuirks | None = None) -> None:
        self._model_id = model_id
        self._name = name
        self._quirks = quirks or ChatQuirks()
        self._image_types = IMAGE_TYPES if self._quirks.images else ()
        self._conversations = Conversations(Items, self._say, self._answer)

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
        system = encode({"role": "system", "content": request.system}) if request.system else b""
        messages = self._conversations.draft(request.messages).encoded()
        between = b"," if system and messages else b""
        return b"".join((encode(head)[:-1], b',"messages":[', system, between, messages, b"]}"))

    def _say(self, items: Items, message: UserMessage) -> None:
        items.add(encode({"role": "user", "content": _user_content(message, self._image_types)}))

    def _answer(self, items: Items, message: AssistantMessage, results: Results) -> None:
        calls = [(call, self._wire_id(call, message, items.ids)) for call in message.tool_calls]
        assistant = self._assistant(message, calls)
        if assistant is not None:
            items.add(encode(assistant))
        pictures: list[Image] = []
        for (_, wire_id), result in zip(calls, results, strict=True):
            content = NO_RESULT if result is None else result_text(result.content, self._image_types)
            items.add(encode({"role": "tool", "tool_call_id": wire_id, "content": content}))
            pictures += taken_images(result.content, self._image_types) if result is not None else ()
        if pictures:
            # Tool messages may only hold text, so images come right after the whole batch.
            items.add(encode({"role": "user", "content": [_image(picture) for picture in pictures]}))

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
                # Another model's thinking is not sent. A server that requires the field accepts an empty one.
                own = message.content if message.model == self._model_id else ()
                encoded["reasoning_content"] = "".join(
                    block.text for block in own if isinstance(block, Thinking)
                )
        return encoded

    def _wire_id(self, call: ToolCall, message: AssistantMessage, taken: set[str]) -> str:
        """The provider's own id if this model gave it, else ours; unique in the request."""
        theirs = call.provider_id if message.model == self._model_id else None
        return new_id(theirs, call.id, taken, _ID_LIMIT)


def _tool(spec: ToolSpec) -> dict[str, object]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def _user_content(message: UserMessage, image_types: Collection[str]) -> object:
    if not any(isinstance(block, Image) for block in message.content):
        return joined_text(message.content) or NO_TEXT
    parts: list[object] = []
    for block in message.content:
        if isinstance(block, Image):
            taken = is_taken(block, image_types)
            parts.append(_image(block) if taken else {"type": "text", "text": IMAGE_LEFT_OUT})
        elif block.text:
            parts.append({"type": "text", "text": block.text})
    return parts


def _image(image: Image) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": f"data:{image.mime_type};base64,{image.data}"}}
