"""Turns any history into the body of a Responses request that follows the API's rules.

The rules are those of "Create a model response" in the API reference and of the guides "Function calling", "Reasoning
models" and "Images and vision": every call is answered by exactly one output, ids are unique, a reasoning item stands
right before what it led to, nothing is blank. The server stores nothing, so each request holds the whole conversation.
"""

from dataclasses import dataclass
from typing import Final, Literal

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Thinking,
    ToolCall,
    UserMessage,
)
from steersman.agent.model import ModelRequest
from steersman.models.history import Conversations, Items, Results
from steersman.models.responses_content import (
    answer_item,
    call_item,
    nothing_item,
    output_item,
    pictures_item,
    tool,
    user_item,
)
from steersman.models.responses_reasoning import always_reasons, reasoning_item
from steersman.models.wire_values import IMAGE_TYPES, encode, new_id, taken_images, wire_id

SMALLEST_LIMIT: Final = 16
"""The API refuses a smaller `max_output_tokens`."""
_ID_LIMIT: Final = 64


@dataclass(frozen=True, slots=True)
class ResponsesQuirks:
    """What compatible servers take or refuse."""

    images: bool = True
    images_in_results: bool = True
    """Results may hold images. Otherwise images follow in a user message, as for llama.cpp's server."""
    summaries: bool = True
    """Ask for summaries of the reasoning. OpenAI refuses that to organizations that are not verified."""
    encrypted_reasoning: Literal["auto", "always", "never"] = "auto"
    """Whether to ask for encrypted reasoning. Models that don't reason refuse that, so `auto` asks only if a thinking
    level is set, or if the model is known to reason without one."""


class ResponsesRequestBuilder:
    """Makes request bodies for one model, and keeps what it has encoded of the last few conversations."""

    def __init__(self, model_id: str, name: str, quirks: ResponsesQuirks | None = None) -> None:
        self._model_id = model_id
        self._name = name
        self._quirks = quirks or ResponsesQuirks()
        self._image_types = IMAGE_TYPES if self._quirks.images else ()
        self._conversations = Conversations(Items, self._say, self._answer)

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a streaming request."""
        head: dict[str, object] = {"model": self._name, "stream": True, "store": False}
        if request.system.strip():
            head["instructions"] = request.system
        if request.tools:
            head["tools"] = [tool(spec) for spec in request.tools]
        if request.max_output_tokens is not None:
            head["max_output_tokens"] = max(SMALLEST_LIMIT, request.max_output_tokens)
        if request.thinking != "off":
            summary = {"summary": "auto"} if self._quirks.summaries else {}
            head["reasoning"] = {"effort": request.thinking, **summary}
        if self._asks_for_reasoning(request):
            head["include"] = ["reasoning.encrypted_content"]
        items = self._conversations.draft(request.messages).encoded() or nothing_item()
        return b"".join((encode(head)[:-1], b',"input":[', items, b"]}"))

    def _asks_for_reasoning(self, request: ModelRequest) -> bool:
        asks = self._quirks.encrypted_reasoning
        return asks == "always" or (
            asks == "auto" and (request.thinking != "off" or always_reasons(self._name))
        )

    def _say(self, items: Items, message: UserMessage) -> None:
        items.add(user_item(message, self._image_types))

    def _answer(self, items: Items, message: AssistantMessage, results: Results) -> None:
        own = message.model == self._model_id
        wire_ids = [wire_id(call, items.ids, _ID_LIMIT, own=own) for call in message.tool_calls]
        items.add(*self._answer_items(message, wire_ids, items.ids))
        follow = not self._quirks.images_in_results
        pictures: list[Image] = []
        for call_id, result in zip(wire_ids, results, strict=True):
            items.add(output_item(call_id, result, self._image_types, pictures_follow=follow))
            if result is not None and follow:
                pictures += taken_images(result.content, self._image_types)
        if pictures:
            items.add(pictures_item(pictures))

    def _answer_items(self, message: AssistantMessage, wire_ids: list[str], taken: set[str]) -> list[bytes]:
        """The items of an answer. Reasoning is only sent to the model that made it, together with what it led to."""
        items: list[bytes] = []
        reasoning: list[bytes] = []
        own = message.model == self._model_id
        calls = iter(wire_ids)
        for block in message.content:
            if isinstance(block, Thinking):
                item = reasoning_item(block) if own else None
                reasoning += [encode(item)] if item is not None else []
            elif isinstance(block, ToolCall):
                items += [*reasoning, call_item(block, next(calls))]
                reasoning = []
            elif block.text.strip():
                items += [*reasoning, answer_item(_message_id(taken), block.text)]
                reasoning = []
        return items


def _message_id(taken: set[str]) -> str:
    """An id for a text of the model. Only its prefix matters to the server, which has not stored it."""
    return new_id(None, f"msg_{len(taken)}", taken, _ID_LIMIT)
