"""Turns any history into the body of a Gemini request that follows the API's rules.

The rules are those of "Generating content" in the API reference and of the guides "Function calling" and "Thought
signatures": turns alternate, the user has the first and the last word, the user turn after calls has exactly one result
for each of them, in their order, and nothing is empty.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from steersman.agent.messages import AssistantMessage, Image, ToolCall, UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.gemini_content import (
    IMAGE_TYPES,
    answer_parts,
    image_part,
    result_part,
    text_part,
    tool,
    user_parts,
)
from steersman.models.gemini_thinking import ThinkingStyle
from steersman.models.history import Conversations, Results
from steersman.models.turns import TurnForm, Turns
from steersman.models.wire_values import encode, taken_images

_FORM: Final = TurnForm(
    user=b'{"role":"user","parts":[%s]}', model=b'{"role":"model","parts":[%s]}', text=text_part
)


class GeminiRequestBuilder:
    """Makes request bodies for one model, and keeps what it has converted of the last few conversations."""

    def __init__(self, model_id: str, name: str, *, images: bool = True) -> None:
        self._model_id = model_id
        self._image_types = IMAGE_TYPES if images else ()
        self._style = ThinkingStyle.of(name)
        self._conversations = Conversations(partial(Turns, _FORM), self._say, self._answer)

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a request. Whether it streams is up to the URL."""
        head: dict[str, object] = {}
        if request.system.strip():
            head["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            head["tools"] = [{"functionDeclarations": [tool(spec) for spec in request.tools]}]
        config = self._config(request)
        if config:
            head["generationConfig"] = config
        fields = encode(head)[1:-1]
        turns = self._conversations.draft(request.messages).whole()
        contents = b",".join([turn.encoded(_FORM) for turn in turns])
        return b"{" + (fields and fields + b",") + b'"contents":[' + contents + b"]}"

    def _config(self, request: ModelRequest) -> dict[str, object]:
        config: dict[str, object] = {}
        if request.max_output_tokens is not None:
            config["maxOutputTokens"] = request.max_output_tokens
        thinking = self._style.fields(request.thinking, request.max_output_tokens)
        if thinking:
            config["thinkingConfig"] = thinking
        return config

    def _say(self, turns: Turns, message: UserMessage) -> None:
        turns.say(user_parts(message, self._image_types))

    def _answer(self, turns: Turns, message: AssistantMessage, results: Results) -> None:
        wire_ids = self._wire_ids(message, turns.ids)
        replays = message.model == self._model_id
        parts = answer_parts(message, wire_ids, replays=replays, signs=self._style.signs)
        turns.answer(parts, self._results(message.tool_calls, wire_ids, results))

    def _wire_ids(self, message: AssistantMessage, taken: set[str]) -> list[str | None]:
        """The API's own ids of the answer's calls, if this model gave them. Otherwise none: order and name suffice."""
        calls = message.tool_calls
        ids = dict.fromkeys(call.provider_id for call in calls if call.provider_id)
        if message.model != self._model_id or len(ids) < len(calls) or ids.keys() & taken:
            return [None] * len(calls)
        taken.update(ids)
        return list(ids)

    def _results(
        self, calls: Sequence[ToolCall], wire_ids: Sequence[str | None], results: Results
    ) -> list[bytes]:
        """One result for each call, in the order of the calls, then the images that can't be in a result."""
        inside = self._style.signs
        parts: list[bytes] = []
        pictures: list[Image] = []
        for call, wire_id, result in zip(calls, wire_ids, results, strict=True):
            parts.append(result_part(call, wire_id, result, self._image_types, inside=inside))
            if result is not None and not inside:
                pictures += taken_images(result.content, self._image_types)
        return parts + [image_part(picture) for picture in pictures]
