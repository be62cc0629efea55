"""Turns any history into the body of a Messages request that follows the API's rules.

The rules are those of "Create a Message" in the API reference and of the guides "Handle tool calls", "Extended
thinking" and "Prompt caching": turns alternate and the user has the last word, the results of a turn's calls open the
user turn right after it, ids are unique, nothing is blank.
"""

from functools import partial
from typing import Final

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Thinking,
    ToolCall,
    UserMessage,
)
from steersman.agent.model import ModelRequest
from steersman.models.anthropic_content import (
    MARK,
    call_block,
    image_block,
    is_result,
    is_thinking,
    marked,
    result_block,
    text_block,
    thinking_block,
    tool_fields,
    user_blocks,
)
from steersman.models.anthropic_thinking import ThinkingStyle
from steersman.models.history import Conversations, Results
from steersman.models.turns import Turn, TurnForm, Turns
from steersman.models.wire_values import IMAGE_TYPES, encode, taken_images, wire_id

DEFAULT_MAX_TOKENS: Final = 32_000
"""The API requires a limit, and refuses one above the model's own. This is the lowest of all models since Claude 4
(that of Opus 4 and 4.1), and enough for a long file and the thinking before it."""

_MARKED_TURNS: Final = 2
_ID_LIMIT: Final = 64


_FORM: Final = TurnForm(
    user=b'{"role":"user","content":[%s]}',
    model=b'{"role":"assistant","content":[%s]}',
    text=text_block,
)


class AnthropicRequestBuilder:
    """Makes request bodies for one model, and keeps what it has converted of the last few conversations."""

    def __init__(self, model_id: str, name: str, *, images: bool = True) -> None:
        self._model_id = model_id
        self._name = name
        self._image_types = IMAGE_TYPES if images else ()
        self._style = ThinkingStyle.of(name)
        self._conversations = {
            replays: Conversations(partial(Turns, _FORM), self._say, partial(self._answer, replays=replays))
            for replays in (True, False)
        }
        """With thinking and without."""

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a streaming request."""
        max_tokens = request.max_output_tokens or DEFAULT_MAX_TOKENS
        thinking = self._style.fields(request.thinking, max_tokens)
        replays = bool(thinking) or self._style.on_by_default
        turns = self._conversations[replays].draft(request.messages).whole()
        if thinking and not self._style.adaptive and not _begins_with_thinking(turns):
            # Its calls were made without thinking, or by another model: it can only start to think at the next prompt.
            thinking, turns = {}, self._conversations[False].draft(request.messages).whole()
        head = {
            "model": self._name,
            "max_tokens": max_tokens,
            "stream": True,
            **thinking,
            **tool_fields(request),
        }
        if request.system.strip():
            head["system"] = [{"type": "text", "text": request.system, "cache_control": MARK}]
        messages = _with_marks(turns)
        messages[0] = encode(head)[:-1] + b',"messages":[' + messages[0]
        messages[-1] += b"]}"
        return b",".join(messages)

    def _say(self, turns: Turns, message: UserMessage) -> None:
        turns.say(user_blocks(message, self._image_types))

    def _answer(self, turns: Turns, message: AssistantMessage, results: Results, *, replays: bool) -> None:
        own = message.model == self._model_id
        wire_ids = [wire_id(call, turns.ids, _ID_LIMIT, own=own) for call in message.tool_calls]
        blocks = _answer_blocks(message, wire_ids, replays=replays and own)
        turns.answer(blocks, self._results(wire_ids, results))

    def _results(self, wire_ids: list[str], results: Results) -> list[bytes]:
        """One result for each call, in the order of the calls, then the images of errors."""
        blocks: list[bytes] = []
        pictures: list[Image] = []
        for call_id, result in zip(wire_ids, results, strict=True):
            blocks.append(result_block(call_id, result, self._image_types))
            if result is not None and result.is_error:
                pictures += taken_images(result.content, self._image_types)
        return blocks + [image_block(picture) for picture in pictures]


def _with_marks(turns: list[Turn]) -> list[bytes]:
    """The turns, with a mark where the last request ended and one at the end, for the next request."""
    # Turns alternate, and the last one is the user's.
    begin = max(0, len(turns) - 2 * _MARKED_TURNS + 1)
    tail = [_with_mark(turn) if turn.role == "user" else turn.encoded(_FORM) for turn in turns[begin:]]
    return [turn.encoded(_FORM) for turn in turns[:begin]] + tail


def _with_mark(turn: Turn) -> bytes:
    """The turn with a cache mark on its last block."""
    *before, last = turn.blocks
    return _FORM.written(turn.role, [*before, marked(last)])


def _begins_with_thinking(turns: list[Turn]) -> bool:
    """Whether a model with a budget may think: if calls were just answered, it must have been thinking before them.

    For the model a turn goes on through calls and their results, so its first answer decides.
    """
    place = len(turns) - 1
    if not is_result(turns[place].blocks[0]):
        return True
    while place >= 3 and all(map(is_result, turns[place - 2].blocks)):
        place -= 2
    return is_thinking(turns[place - 1].blocks[0])


def _answer_blocks(message: AssistantMessage, wire_ids: list[str], *, replays: bool) -> list[bytes]:
    blocks: list[bytes] = []
    ids = iter(wire_ids)
    for block in message.content:
        if isinstance(block, Thinking):
            if replays and block.signature:
                blocks.append(thinking_block(block))
        elif isinstance(block, ToolCall):
            blocks.append(call_block(block, next(ids)))
        elif block.text.strip():
            blocks.append(text_block(block.text))
    while blocks and is_thinking(blocks[-1]):
        # The answer was cut while the model was thinking. The last block must not be thinking.
        blocks.pop()
    return blocks
