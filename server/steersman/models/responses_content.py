"""Encodes the input items and tools of a Responses request, one by one. `responses_request` puts them in order.

The shapes are those of "Create a model response" in the API reference: its items "Input message", "Output message",
"Function tool call" and "Function tool call output". Output messages have every field that the reference requires:
OpenAI doesn't insist on an id and a status, but some compatible servers do.
"""

from collections.abc import Collection, Sequence

from steersman.agent.messages import Image, Text, ToolCall, ToolResultMessage, UserMessage
from steersman.agent.model import ToolSpec
from steersman.models.wire_values import (
    NO_RESULT,
    NO_TEXT,
    encode,
    result_text,
    shown_parts,
    taken_images,
    wire_arguments,
    wire_name,
)


def user_item(message: UserMessage, image_types: Collection[str]) -> bytes:
    """What a user said; never empty."""
    return _user(_content(message.content, image_types) or [_text(NO_TEXT)])


def pictures_item(pictures: Sequence[Image]) -> bytes:
    """Images of results, for servers whose results may only hold text."""
    return _user([_image(picture) for picture in pictures])


def nothing_item() -> bytes:
    """The input of a request that has none, since there must be some."""
    return _user([_text(NO_TEXT)])


def answer_item(wire_id: str, text: str) -> bytes:
    """A text of the model."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return encode(
        {
            "type": "message",
            "id": wire_id,
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    )


def call_item(call: ToolCall, wire_id: str) -> bytes:
    """A call. It has no item id, since the server would check an id that it knows against the items around it."""
    return encode(
        {
            "type": "function_call",
            "call_id": wire_id,
            "name": wire_name(call.name),
            "arguments": wire_arguments(call.arguments),
        }
    )


def output_item(
    wire_id: str, result: ToolResultMessage | None, image_types: Collection[str], *, pictures_follow: bool
) -> bytes:
    """The result of one call; None: it is missing.

    Args:
        pictures_follow: images are sent after the batch, not in the result.
    """
    output: object = NO_RESULT
    if result is not None:
        pictures = taken_images(result.content, image_types)
        inside = pictures and not pictures_follow
        output = _content(result.content, image_types) if inside else result_text(result.content, image_types)
    return encode({"type": "function_call_output", "call_id": wire_id, "output": output})


def tool(spec: ToolSpec) -> dict[str, object]:
    """A function tool. It says that it isn't strict, since by default the API refuses optional properties."""
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": False,
    }


def _content(content: Sequence[Text | Image], image_types: Collection[str]) -> list[dict[str, object]]:
    parts = shown_parts(content, image_types)
    return [_image(part) if isinstance(part, Image) else _text(part) for part in parts]


def _user(content: list[dict[str, object]]) -> bytes:
    return encode({"type": "message", "role": "user", "content": content})


def _text(text: str) -> dict[str, object]:
    return {"type": "input_text", "text": text}


def _image(image: Image) -> dict[str, object]:
    url = f"data:{image.mime_type};base64,{image.data}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}
