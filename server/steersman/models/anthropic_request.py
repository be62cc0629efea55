"""A history becomes the body of a Messages request that follows the API's rules, whatever the history is.

The rules are those of "Create a Message" in the API reference and of the guides "Handle tool calls", "Extended
thinking" and "Prompt caching": turns alternate and the user has the last word, the results of a turn's calls open the
user turn right after it, ids are unique, nothing is blank. Converted turns are kept: asking again with a longer
history costs the new messages only.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    LlmMessage,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import ModelRequest
from steersman.models.anthropic_content import (
    MARK,
    call_block,
    image_block,
    marked,
    result_block,
    taken_images,
    text_block,
    thinking_block,
    tool_fields,
    user_blocks,
)
from steersman.models.anthropic_thinking import ThinkingStyle
from steersman.models.history import Group, Prefixes, groups, results_by_call
from steersman.models.wire_values import EARLIER, GO_ON, encode, unique_id

DEFAULT_MAX_TOKENS: Final = 32_000
"""The API wants a limit, and refuses one above the model's own. This is the lowest one of the models since Claude 4
(Opus 4 and 4.1), and enough for a long file and the thinking before it."""

_MARKED_TURNS: Final = 2
_ID: Final = re.compile(r"[A-Za-z0-9_-]+")
_ID_LIMIT: Final = 64


@dataclass(slots=True)
class _Turn:
    """A message of the request, its content blocks encoded one by one: marks and later blocks are added to them."""

    role: Literal["user", "assistant"]
    blocks: list[bytes] = field(default_factory=list)
    results: int = 0
    """How many of the blocks are results; they come first."""
    thinks: bool = False
    """The first block is thinking."""
    _plain: bytes = b""

    def copy(self, blocks: int) -> "_Turn":
        """The turn with its first `blocks` only. Adding to the copy leaves this one as it is."""
        return _Turn(self.role, self.blocks[:blocks], self.results, self.thinks)

    def encoded(self) -> bytes:
        """Without a mark. Only of a turn to which nothing is added any more: it is kept."""
        if not self._plain:
            self._plain = self._message(self.blocks)
        return self._plain

    def encoded_with_mark(self) -> bytes:
        """With a cache mark on the last block."""
        *before, last = self.blocks
        return self._message([*before, marked(last)])

    def _message(self, blocks: list[bytes]) -> bytes:
        return b'{"role":"%s","content":[%s]}' % (self.role.encode(), b",".join(blocks))


@dataclass(frozen=True, slots=True)
class _Prefix:
    """What messages became that no later message can change, except that blocks may follow in the last turn."""

    turns: tuple[_Turn, ...] = ()
    ids: tuple[str, ...] = ()


class AnthropicRequestBuilder:
    """Makes request bodies for one model, and keeps what it converted of the last few conversations."""

    def __init__(self, model_id: str, name: str, *, images: bool = True) -> None:
        self._model_id = model_id
        self._name = name
        self._images = images
        self._style = ThinkingStyle.of(name)
        self._prefixes: dict[bool, Prefixes[_Prefix]] = {True: Prefixes(), False: Prefixes()}
        """With thinking and without."""

    def body(self, request: ModelRequest) -> bytes:
        """The JSON body of a streaming request."""
        max_tokens = request.max_output_tokens or DEFAULT_MAX_TOKENS
        thinking = self._style.fields(request.thinking, max_tokens)
        replays = bool(thinking) or self._style.on_by_default
        turns = self._turns(request.messages, replays=replays)
        if thinking and not self._style.adaptive and not _begins_with_thinking(turns):
            # Its calls were made without thinking, or by another model: it starts to think with the next prompt.
            thinking, turns = {}, self._turns(request.messages, replays=False)
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

    def _turns(self, messages: Sequence[LlmMessage], *, replays: bool) -> list[_Turn]:
        known, kept = self._prefixes[replays].longest(messages)
        prefix = kept or _Prefix()
        turns = _open(prefix.turns)
        ids = dict.fromkeys(prefix.ids)
        settled, end, known_ids = known, (0, 0), len(ids)
        rest = messages[known:]
        results = results_by_call(rest)
        for group, is_settled in groups(rest):
            self._add(turns, group, results, ids, replays=replays)
            if is_settled:
                settled += 1 + len(group.results)
                end, known_ids = (len(turns), len(turns[-1].blocks) if turns else 0), len(ids)
        if settled > known:
            longer = _Prefix(tuple(_open(turns[: end[0]], end[1])), tuple(ids)[:known_ids])
            self._prefixes[replays].keep(messages[:settled], longer, instead_of=kept)
        if not turns or turns[-1].role == "assistant":
            turns.append(_Turn("user", [text_block(GO_ON)]))
        return turns

    def _add(
        self,
        turns: list[_Turn],
        group: Group,
        results: dict[str, deque[ToolResultMessage]],
        ids: dict[str, None],
        *,
        replays: bool,
    ) -> None:
        message = group.message
        if isinstance(message, UserMessage):
            if not turns or turns[-1].role == "assistant":
                turns.append(_Turn("user"))
            turns[-1].blocks += user_blocks(message, images=self._images)
            return
        wire_ids = [self._wire_id(call, message, ids) for call in message.tool_calls]
        turn = _answer(message, wire_ids, replays=replays and message.model == self._model_id)
        if not turn.blocks:
            return
        if not turns or turns[-1].role == "assistant":
            turns.append(_Turn("user", [text_block(GO_ON if turns else EARLIER)]))
        turns.append(turn)
        if wire_ids:
            turns.append(_results(message, wire_ids, results, images=self._images))

    def _wire_id(self, call: ToolCall, message: AssistantMessage, ids: dict[str, None]) -> str:
        """The provider's own id where this model gave it, else ours; made unique in the request."""
        theirs = call.provider_id if message.model == self._model_id else None
        wanted = theirs if theirs and _ID.fullmatch(theirs) else None
        wire_id = unique_id(wanted, call.id, ids, _ID_LIMIT)
        ids[wire_id] = None
        return wire_id


def _open(turns: Sequence[_Turn], blocks: int | None = None) -> list[_Turn]:
    """The turns, with a copy of the last one, or of its first `blocks`, that may be added to."""
    if not turns:
        return []
    last = turns[-1]
    return [*turns[:-1], last.copy(len(last.blocks) if blocks is None else blocks)]


def _with_marks(turns: list[_Turn]) -> list[bytes]:
    """The turns, with marks on the last user turns: one where the last request ended, and one for the next."""
    # Turns alternate, and the last one is the user's.
    begin = max(0, len(turns) - 2 * _MARKED_TURNS + 1)
    tail = [turn.encoded_with_mark() if turn.role == "user" else turn.encoded() for turn in turns[begin:]]
    return [turn.encoded() for turn in turns[:begin]] + tail


def _begins_with_thinking(turns: list[_Turn]) -> bool:
    """Whether the model may think on with a budget: the calls that were just answered came after thinking.

    A turn of the model goes on through its calls and their results, so its first answer counts.
    """
    place = len(turns) - 1
    if not turns[place].results:
        return True
    while place >= 3 and turns[place - 2].results == len(turns[place - 2].blocks):
        place -= 2
    return turns[place - 1].thinks


def _answer(message: AssistantMessage, wire_ids: list[str], *, replays: bool) -> _Turn:
    blocks: list[tuple[bool, bytes]] = []
    ids = iter(wire_ids)
    for block in message.content:
        if isinstance(block, Thinking):
            if replays and block.signature:
                blocks.append((True, thinking_block(block)))
        elif isinstance(block, ToolCall):
            blocks.append((False, call_block(block, next(ids))))
        elif block.text.strip():
            blocks.append((False, text_block(block.text)))
    while blocks and blocks[-1][0]:
        # An answer that was cut while the model thought: the last block must not be thinking.
        blocks.pop()
    return _Turn("assistant", [encoded for _, encoded in blocks], thinks=bool(blocks) and blocks[0][0])


def _results(
    message: AssistantMessage,
    wire_ids: list[str],
    results: dict[str, deque[ToolResultMessage]],
    *,
    images: bool,
) -> _Turn:
    """The user turn that answers the calls: one result for each, in their order, then pictures that errors hold."""
    turn = _Turn("user", results=len(wire_ids))
    pictures: list[Image] = []
    for call, wire_id in zip(message.tool_calls, wire_ids, strict=True):
        waiting = results.get(call.id)
        result = waiting.popleft() if waiting else None
        turn.blocks.append(result_block(wire_id, result, images=images))
        if result is not None and result.is_error:
            pictures += taken_images(result.content, images=images)
    turn.blocks += [image_block(picture) for picture in pictures]
    return turn
