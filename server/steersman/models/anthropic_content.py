"""Encodes the content blocks and tools of a Messages request, one by one. `anthropic_request` puts them in order.

The shapes are those of "Create a Message" in the API reference.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import orjson

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    LlmMessage,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.wire_values import (
    NO_RESULT,
    NO_TEXT,
    encode,
    result_text,
    shown_parts,
    wire_arguments,
    wire_name,
)

MARK: Final = {"type": "ephemeral"}
"""The provider may keep the request up to here in its prompt cache."""


def marked(block: bytes) -> bytes:
    """An encoded block with a cache mark."""
    return block[:-1] + b',"cache_control":' + encode(MARK) + b"}"


def result_block(wire_id: str, result: ToolResultMessage | None, image_types: Collection[str]) -> bytes:
    """The result of one call; None: it is missing."""
    block: dict[str, object] = {"type": "tool_result", "tool_use_id": wire_id}
    if result is None:
        return encode({**block, "content": NO_RESULT, "is_error": True})
    if result.is_error:
        # An error's content may only be text.
        return encode({**block, "content": result_text(result.content, image_types), "is_error": True})
    if not any(isinstance(part, Image) for part in result.content):
        return encode({**block, "content": result_text(result.content, image_types)})
    content = b",".join(_content(result.content, image_types))
    return encode(block)[:-1] + b',"content":[' + content + b"]}"


def is_result(block: bytes) -> bool:
    """Whether an encoded block is the result of a call."""
    return block.startswith(b'{"type":"tool_result"')


def user_blocks(message: UserMessage, image_types: Collection[str]) -> list[bytes]:
    """The blocks of what a user said; at least one."""
    return _content(message.content, image_types) or [text_block(NO_TEXT)]


def _content(content: Sequence[Text | Image], image_types: Collection[str]) -> list[bytes]:
    parts = shown_parts(content, image_types)
    return [image_block(part) if isinstance(part, Image) else text_block(part) for part in parts]


def image_block(image: Image) -> bytes:
    source = {"type": "base64", "media_type": image.mime_type, "data": image.data}
    return encode({"type": "image", "source": source})


def text_block(text: str) -> bytes:
    return encode({"type": "text", "text": text})


def thinking_block(block: Thinking) -> bytes:
    """Thinking as the model sent it, with its signature."""
    if block.redacted:
        return encode({"type": "redacted_thinking", "data": block.signature})
    return encode({"type": "thinking", "thinking": block.text, "signature": block.signature})


def is_thinking(block: bytes) -> bool:
    """Whether an encoded block is thinking."""
    return block.startswith((b'{"type":"thinking"', b'{"type":"redacted_thinking"'))


def call_block(call: ToolCall, wire_id: str) -> bytes:
    """A call, with its arguments as the model wrote them: requests then begin with the same bytes every time."""
    arguments = orjson.Fragment(wire_arguments(call.arguments).encode())
    return encode({"type": "tool_use", "id": wire_id, "name": wire_name(call.name), "input": arguments})


def tool_fields(request: ModelRequest) -> dict[str, object]:
    """The request's fields for tools, with a cache mark on the last tool."""
    if request.tools:
        tools = [_tool(spec) for spec in request.tools]
        tools[-1]["cache_control"] = MARK
        return {"tools": tools}
    # The API refuses a history with calls but no tools, so the tools that it names are there, but may not be called.
    names = dict.fromkeys(wire_name(call.name) for call in _calls(request.messages))
    if not names:
        return {}
    stubs = [{"name": name, "input_schema": {"type": "object"}} for name in names]
    return {"tools": stubs, "tool_choice": {"type": "none"}}


def _tool(spec: ToolSpec) -> dict[str, object]:
    tool: dict[str, object] = {"name": spec.name, "description": spec.description}
    return {**tool, "input_schema": {"type": "object", **spec.parameters}}


def _calls(messages: Iterable[LlmMessage]) -> Iterable[ToolCall]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.tool_calls
