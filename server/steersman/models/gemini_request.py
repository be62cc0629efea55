"""A history becomes the body of a Gemini request that follows the API's rules, whatever the history is.

The rules are those of "Generating content" in the API reference and of the guides "Function calling" and "Thought
signatures": turns alternate and the user has the first and the last word, the results of a turn's calls are in the
user turn right after it, as many and in their order, nothing is empty. Converted turns are kept: asking again with a
longer history costs the new messages only.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.messages import AssistantMessage, Image, LlmMessage, ToolResultMessage, UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.gemini_content import (
    answer_parts,
    image_part,
    result_part,
    taken_images,
    text_part,
    tool,
    user_parts,
)
from steersman.models.gemini_thinking import ThinkingStyle
from steersman.models.history import Group, Prefixes, groups, results_by_call
from steersman.models.wire_values import EARLIER, GO_ON, encode


@dataclass(slots=True)
class _Turn:
    """A content of the request, its parts encoded one by one: later parts are added to them."""

    role: Literal["user", "model"]
    parts: list[bytes] = field(default_factory=list)
    _encoded: bytes = b""

    def copy(self, parts: int) -> "_Turn":
        """The turn with its first `parts` only. Adding to the copy leaves this one as it is."""
        return _Turn(self.role, self.parts[:parts])

    def encoded(self) -> bytes:
        """Only of a turn to which nothing is added any more: it is kept."""
        if not self._encoded:
            self._encoded = b'{"role":"%s","parts":[%s]}' % (self.role.encode(), b",".join(self.parts))
        return self._encoded


@dataclass(frozen=True, slots=True)
class _Prefix:
    """What messages became that no later message can change, except that parts may follow in the last turn."""

    turns: tuple[_Turn, ...] = ()
    ids: tuple[str, ...] = ()


class GeminiRequestBuilder:
    """Makes request bodies for one model, and keeps what it converted of the last few conversations."""

    def __init__(self, model_id: str, name: str, *, images: bool = True) -> None:
        self._model_id = model_id
        self._images = images
        self._style = ThinkingStyle.of(name)
        self._prefixes: Prefixes[_Prefix] = Prefixes()

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a request; that it streams says the URL."""
        head: dict[str, object] = {}
        if request.system.strip():
            head["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            head["tools"] = [{"functionDeclarations": [tool(spec) for spec in request.tools]}]
        config = self._config(request)
        if config:
            head["generationConfig"] = config
        fields = encode(head)[1:-1]
        contents = b",".join(turn.encoded() for turn in self._turns(request.messages))
        return b"{" + (fields and fields + b",") + b'"contents":[' + contents + b"]}"

    def _config(self, request: ModelRequest) -> dict[str, object]:
        config: dict[str, object] = {}
        if request.max_output_tokens is not None:
            config["maxOutputTokens"] = request.max_output_tokens
        thinking = self._style.fields(request.thinking, request.max_output_tokens)
        if thinking:
            config["thinkingConfig"] = thinking
        return config

    def _turns(self, messages: Sequence[LlmMessage]) -> list[_Turn]:
        known, kept = self._prefixes.longest(messages)
        prefix = kept or _Prefix()
        turns = _open(prefix.turns)
        ids = dict.fromkeys(prefix.ids)
        settled, end, known_ids = known, (0, 0), len(ids)
        rest = messages[known:]
        results = results_by_call(rest)
        for group, is_settled in groups(rest):
            self._add(turns, group, results, ids)
            if is_settled:
                settled += 1 + len(group.results)
                end, known_ids = (len(turns), len(turns[-1].parts) if turns else 0), len(ids)
        if settled > known:
            longer = _Prefix(tuple(_open(turns[: end[0]], end[1])), tuple(ids)[:known_ids])
            self._prefixes.keep(messages[:settled], longer, instead_of=kept)
        if not turns or turns[-1].role == "model":
            turns.append(_Turn("user", [text_part(GO_ON)]))
        return turns

    def _add(
        self,
        turns: list[_Turn],
        group: Group,
        results: dict[str, deque[ToolResultMessage]],
        ids: dict[str, None],
    ) -> None:
        message = group.message
        if isinstance(message, UserMessage):
            if not turns or turns[-1].role == "model":
                turns.append(_Turn("user"))
            turns[-1].parts += user_parts(message, images=self._images)
            return
        wire_ids = self._wire_ids(message, ids)
        replays = message.model == self._model_id
        parts = answer_parts(message, wire_ids, replays=replays, signs=self._style.signs)
        if not parts:
            return
        if not turns or turns[-1].role == "model":
            turns.append(_Turn("user", [text_part(GO_ON if turns else EARLIER)]))
        turns.append(_Turn("model", parts))
        if wire_ids:
            turns.append(self._results(message, wire_ids, results))

    def _wire_ids(self, message: AssistantMessage, taken: dict[str, None]) -> list[str | None]:
        """The API's own ids of the answer's calls, if this model gave them; else none: order and name are enough."""
        calls = message.tool_calls
        ids = {call.provider_id: None for call in calls if call.provider_id}
        if message.model != self._model_id or len(ids) < len(calls) or ids.keys() & taken.keys():
            return [None] * len(calls)
        taken.update(ids)
        return list(ids)

    def _results(
        self,
        message: AssistantMessage,
        wire_ids: Sequence[str | None],
        results: dict[str, deque[ToolResultMessage]],
    ) -> _Turn:
        """The user turn that answers the calls: one result for each, in their order, then images that had no place."""
        turn = _Turn("user")
        inside = self._style.signs
        pictures: list[Image] = []
        for call, wire_id in zip(message.tool_calls, wire_ids, strict=True):
            waiting = results.get(call.id)
            result = waiting.popleft() if waiting else None
            turn.parts.append(result_part(call, wire_id, result, images=self._images, inside=inside))
            if result is not None and not inside:
                pictures += taken_images(result, images=self._images)
        turn.parts += [image_part(picture) for picture in pictures]
        return turn


def _open(turns: Sequence[_Turn], parts: int | None = None) -> list[_Turn]:
    """The turns, with a copy of the last one, or of its first `parts`, that may be added to."""
    if not turns:
        return []
    last = turns[-1]
    return [*turns[:-1], last.copy(len(last.parts) if parts is None else parts)]
