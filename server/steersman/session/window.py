"""How much of a conversation fits into a model's window: its self-contained units, their sizes, what may be left out.

Works on messages alone. Nothing here changes what is stored.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steersman.agent.hooks import HookError
from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Message,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.tool import Tool

CHARACTERS_PER_TOKEN = 3.2
"""Of code and English; low, so that an estimate is rather too high."""
IMAGE_TOKENS = 1600
"""What a large image counts for with most providers."""
MESSAGE_TOKENS = 8
"""Of a message, besides its text."""


def characters(message: Message) -> int:
    """Of the texts that a model gets. Custom messages count as nothing, an image as the characters of its tokens."""
    if message.role == "custom":
        return 0
    total = 0
    for block in message.content:
        match block:
            case Text(text=text) | Refusal(text=text) | Thinking(text=text):
                total += len(text)
            case ToolCall():
                total += len(block.name) + len(block.arguments)
            case Image():
                total += round(IMAGE_TOKENS * CHARACTERS_PER_TOKEN)
    return total


def tokens(message: Message) -> int:
    """An estimate."""
    return round(characters(message) / CHARACTERS_PER_TOKEN) + MESSAGE_TOKENS


def length_of(tools: Sequence[Tool]) -> int:
    """Characters of what a model is told of the tools."""
    return sum(len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters)) for tool in tools)


def overhead_of(system: str, tools_length: int) -> int:
    """Tokens of what every request begins with: an estimate."""
    return round((len(system) + tools_length) / CHARACTERS_PER_TOKEN)


def tokens_of(messages: Sequence[Message]) -> int:
    """An estimate."""
    return sum(map(tokens, messages))


@dataclass(frozen=True, slots=True)
class Unit:
    """What is never separated: an answer with the results of its calls, or one message of a user or an extension."""

    start: int
    """Index of its first message."""
    end: int
    """After its last."""

    def of(self, messages: Sequence[Message]) -> Sequence[Message]:
        return messages[self.start : self.end]


def units_of(messages: Sequence[Message]) -> list[Unit]:
    """The conversation in units, in order. Results belong to the answer before them."""
    starts = [index for index, message in enumerate(messages) if message.role != "tool" or index == 0]
    ends = [*starts[1:], len(messages)] if starts else []
    return [Unit(start, end) for start, end in zip(starts, ends, strict=True)]


def estimate(
    messages: Sequence[Message], overhead: int, counts: Callable[[AssistantMessage], bool] = lambda _: True
) -> int:
    """Tokens of a request with these messages: what the provider counted for the last answer, and what came since.

    `overhead`: tokens of the system prompt and the tools, for a conversation that nobody has counted yet;
    `counts(answer)`: whether what was counted for that answer was this conversation.
    """
    total = 0
    for message in reversed(messages):
        if isinstance(message, AssistantMessage) and message.usage.input and counts(message):
            return total + message.usage.total
        total += tokens(message)
    return total + overhead


def estimate_anew(messages: Sequence[Message], overhead: int) -> int:
    """Tokens of a request that no provider has counted: after a compaction, or for another model."""
    return overhead + tokens_of(messages)


class DoesNotFit(HookError):
    """Not even the smallest request fits, and nothing of it may be shortened."""

    def __init__(self, needed: int, limit: int) -> None:
        super().__init__(
            "context_overflow",
            f"The context budget of {limit:,} characters is too small for the last message and what belongs to it "
            f"({needed:,} characters). Set a larger one (--context-chars, context_max_chars), or none.",
        )


def within_characters(messages: Sequence[Message], limit: int) -> Sequence[Message]:
    """The newest units that fit into `limit` characters, and always the last message of the user. Nothing is shortened.

    Raises:
        DoesNotFit: that message and the last unit are too long.
        ValueError: `limit` is below 1.
    """
    if limit < 1:
        raise ValueError("a context budget has at least 1 character")
    units = units_of(messages)
    sizes = [sum(map(characters, unit.of(messages))) for unit in units]
    if sum(sizes) <= limit:
        return messages
    users = [i for i, unit in enumerate(units) if isinstance(messages[unit.start], UserMessage)]
    kept = {users[-1]} if users else set()
    kept.add(max((i for i, size in enumerate(sizes) if size), default=len(units) - 1))
    left = limit - sum(sizes[i] for i in kept)
    if left < 0:
        raise DoesNotFit(limit - left, limit)
    for i in range(len(units) - 1, -1, -1):
        if i in kept:
            continue
        if sizes[i] > left:
            break
        left -= sizes[i]
        kept.add(i)
    first = min(kept)
    while first not in users and users and first < users[-1]:  # a conversation begins with a user
        kept.discard(first)
        first = min(kept)
    return [message for i in sorted(kept) for message in units[i].of(messages)]


SHORTENED = (
    "\n[… {left:,} characters left out here to fit the model's window; read the part that you need again …]\n"
)
_NOTE = len(SHORTENED) + 10
LEAST = 400
"""Characters that an item is never shortened below."""


def shortened(messages: Sequence[Message], limit: int, overhead: int) -> Sequence[Message]:
    """The messages with their longest texts cut in the middle until an estimate of at most `limit` tokens is reached,
    as far as it can be. Only what tools found and users wrote is cut.
    """
    excess = estimate_anew(messages, overhead) - limit
    if excess <= 0:
        return messages
    texts = [block for message in messages if message.role in ("user", "tool") for block in message.content]
    lengths = sorted((len(block.text) for block in texts if isinstance(block, Text)), reverse=True)
    rounding = len(messages)  # each message's estimate is rounded
    most = _longest_allowed(lengths, round((excess + rounding) * CHARACTERS_PER_TOKEN))
    return [cut_to(message, most) for message in messages]


def _longest_allowed(lengths: Sequence[int], excess: int) -> int:
    """The length to which all longer ones are cut so that `excess` characters fall away; at least `LEAST`."""
    saved = 0
    for count, length in enumerate(lengths, 1):
        following = lengths[count] if count < len(lengths) else 0
        step = (length - following) * count
        if saved + step >= excess:
            return max(LEAST, length - -(-(excess - saved) // count) - _NOTE)
        saved += step
    return LEAST


def cut_to(message: Message, most: int) -> Message:
    """A message of a user or tool, with each text cut to `most` characters and a note; any other message as it is."""
    if not isinstance(message, UserMessage | ToolResultMessage):
        return message
    if not any(isinstance(block, Text) and len(block.text) > most + _NOTE for block in message.content):
        return message
    content = tuple(
        replace(block, text=_middle_out(block.text, most)) if isinstance(block, Text) else block
        for block in message.content
    )
    return replace(message, content=content)


def _middle_out(text: str, most: int) -> str:
    """The head and the tail: of a file its beginning, of an output its end, of a message what it asks for."""
    if len(text) <= most + _NOTE:  # with the note it would be no shorter
        return text
    head = most * 2 // 3
    tail = most - head
    return text[:head] + SHORTENED.format(left=len(text) - most) + text[len(text) - tail :]
