"""Encodes the parts and tools of a Gemini request, one by one. `gemini_request` puts them in order.

The shapes are those of "Content", "Part" and "Tool" in the API reference.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

import orjson

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    joined_text,
)
from steersman.agent.model import ToolSpec
from steersman.models.wire_values import (
    IMAGE_LEFT_OUT,
    IMAGES_FOLLOW,
    NO_OUTPUT,
    NO_RESULT,
    NO_TEXT,
    encode,
    shown_parts,
    taken_images,
    wire_arguments,
    wire_name,
)

FOREIGN_SIGNATURE: Final = "skip_thought_signature_validator"
"""In place of the signature of a call that another model made, since a call without one is refused: guide "Thought
signatures", the FAQ on a history of a different model."""
IMAGE_INSIDE: Final = "(image: attached to this result)"
IMAGE_TYPES: Final = ("image/jpeg", "image/png", "image/webp")
"""MIME types of images that the API takes, of those that may occur: guides "Image understanding" and "Function calling"
(multimodal function responses)."""

_NAME_LIMIT: Final = 64
_SAY_NOTHING: Final = ("type", "title", "description", "$schema")
"""Keywords of a schema that describe no parameter."""


def function_name(name: str) -> str:
    """A function name that the API takes. It has to begin with a letter or an underscore."""
    name = wire_name(name)
    return name if re.match(r"[A-Za-z_]", name) else f"_{name}"[:_NAME_LIMIT]


def text_part(text: str) -> bytes:
    return encode({"text": text})


def image_part(image: Image) -> bytes:
    return encode(_inline(image))


def user_parts(message: UserMessage, image_types: Collection[str]) -> list[bytes]:
    """The parts of what a user said; at least one."""
    shown = shown_parts(message.content, image_types)
    parts = [image_part(part) if isinstance(part, Image) else text_part(part) for part in shown]
    return parts or [text_part(NO_TEXT)]


def answer_parts(
    message: AssistantMessage, wire_ids: Sequence[str | None], *, replays: bool, signs: bool
) -> list[bytes]:
    """The parts of a model's answer; none if it has neither text nor calls.

    Args:
        wire_ids: the ids of its calls; None for a call that is sent without one.
        replays: send thoughts and signatures back, each signature on the part that it came with.
        signs: the first call needs a signature.
    """
    parts: list[dict[str, object]] = []
    ids = iter(wire_ids)
    says, follows_text = False, False
    for block in message.content:
        if isinstance(block, Thinking):
            if replays and block.signature and not block.redacted:
                _add_signed(parts, block, block.signature, follows_text=follows_text)
            follows_text = False
        elif isinstance(block, ToolCall):
            parts.append(_call(block, next(ids), block.signature if replays else None))
            says, follows_text = True, False
        else:
            follows_text = bool(block.text.strip())
            says = says or follows_text
            if follows_text:
                parts.append({"text": block.text})
    first = next((part for part in parts if "functionCall" in part), None)
    if signs and first is not None:
        # Only the last turn is checked, but doing it in all of them keeps the beginning of requests the same.
        first.setdefault("thoughtSignature", FOREIGN_SIGNATURE)
    return [encode(part) for part in parts] if says else []


def _add_signed(
    parts: list[dict[str, object]], block: Thinking, signature: str, *, follows_text: bool
) -> None:
    """Thinking without text holds the signature of the text right before it, or of a part that came empty."""
    if block.text:
        parts.append({"text": block.text, "thought": True, "thoughtSignature": signature})
    elif follows_text:
        parts[-1]["thoughtSignature"] = signature
    else:
        parts.append({"text": "", "thoughtSignature": signature})


def _call(call: ToolCall, wire_id: str | None, signature: str | None) -> dict[str, object]:
    """A call, with its arguments as the model wrote them: requests then begin with the same bytes every time."""
    function: dict[str, object] = {"id": wire_id} if wire_id is not None else {}
    function["name"] = function_name(call.name)
    function["args"] = orjson.Fragment(wire_arguments(call.arguments).encode())
    part: dict[str, object] = {"functionCall": function}
    return {**part, "thoughtSignature": signature} if signature else part


def result_part(
    call: ToolCall,
    wire_id: str | None,
    result: ToolResultMessage | None,
    image_types: Collection[str],
    *,
    inside: bool,
) -> bytes:
    """The result of one call; None: it is missing.

    Args:
        inside: images are part of the result (since Gemini 3); otherwise they follow it.
    """
    response: dict[str, object] = {"id": wire_id} if wire_id is not None else {}
    response["name"] = function_name(call.name)
    if result is None:
        return encode({"functionResponse": {**response, "response": {"error": NO_RESULT}}})
    pictures = taken_images(result.content, image_types)
    text = joined_text(result.content)
    said = [text] if text.strip() else []
    if pictures and not inside:
        said.append(IMAGES_FOLLOW)
    elif len(pictures) < sum(isinstance(block, Image) for block in result.content):
        said.append(IMAGE_LEFT_OUT)
    text = "\n".join(said) or (IMAGE_INSIDE if pictures else NO_OUTPUT)
    response["response"] = {"error" if result.is_error else "output": text}
    if pictures and inside:
        response["parts"] = [_inline(picture) for picture in pictures]
    return encode({"functionResponse": response})


def _inline(image: Image) -> dict[str, object]:
    return {"inlineData": {"mimeType": image.mime_type, "data": image.data}}


def tool(spec: ToolSpec) -> dict[str, object]:
    """A function declaration. If there are no parameters the field is left out, as the reference demands."""
    declaration: dict[str, object] = {"name": spec.name, "description": spec.description}
    if any(value for keyword, value in spec.parameters.items() if keyword not in _SAY_NOTHING):
        declaration["parametersJsonSchema"] = {"type": "object", **spec.parameters}
    return declaration
