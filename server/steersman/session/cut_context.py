"""Notices that a model's server has silently cut a conversation: it counts far fewer tokens than were sent.

Local servers do so (their context is some thousand tokens unless it was set), and the model forgets its task. Ollama
leaves out the oldest messages (ollama, server/prompt.go: chatPrompt), LM Studio the middle (its contextOverflowPolicy);
llama.cpp's server refuses such a request. Each counts what is left. This module knows only requests and counts.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import LlmMessage, Usage
from steersman.agent.model import Model, ModelRequest, StreamEvent

LARGE: Final = 40_000
"""Characters of conversation below which there is no warning: no server has so small a context."""
MOST_CHARACTERS_PER_TOKEN: Final = 5.0
"""Of text in any language, without rows of one character: tokens are estimated too low rather than too high."""
SUSPICIOUS: Final = 0.4
"""Part of that estimate below which the count can't be of the whole conversation."""
SMALLEST: Final = 256
"""Tokens: no server has a smaller context. A lower number was not counted, but made up."""
FEWEST_CHARACTERS_PER_TOKEN: Final = 2.0
"""Of text in any language: tokens are estimated too high rather than too low."""
WORTH_LOOKING: Final = 1.1
"""By what factor a conversation must have grown since it was examined to be examined again."""
_ROWS: Final = re.compile(r"(.)\1{3,}", re.DOTALL)
"""Blanks, lines of a table, padding: many characters make a token there."""


class CountedModel:
    """A model that remembers its last request, so that the server's count can be compared with it."""

    def __init__(self, model: Model, notice: Callable[[str], None]) -> None:
        """`notice` tells the user, once."""
        self._model, self._notice = model, notice
        self._sent: ModelRequest | None = None
        self._told = False
        self._counted = 0
        """Characters of the last conversation that was counted whole."""
        self._measured: tuple[int, LlmMessage | None, int] = (0, None, 0)
        """How many messages were measured last, the last of them, and their characters."""
        self._cleared = 0
        """Characters of the last conversation that was found to be of few tokens."""

    @property
    def id(self) -> str:
        return self._model.id

    def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        self._sent = request
        return self._model.stream(replace(request, on_wait=self._notice), signal)

    def check(self, usage: Usage) -> None:
        """Compares. `usage` is the count for the last request, cached tokens included; 0: nothing was counted."""
        request = self._sent
        if request is None or self._told or usage.input < SMALLEST:
            return
        length = self._length(request.messages)
        before, self._counted = self._counted, length
        if usage.input >= _least_tokens(length) or _is_of_the_new(usage.input, length - before):
            return
        self._counted = before
        if length < LARGE or length < self._cleared * WORTH_LOOKING:
            return
        self._cleared = length
        total = sum(len(_ROWS.sub(r"\1", text)) for message in request.messages for text in _texts(message))
        if total >= LARGE and usage.input < _least_tokens(total):
            self._told = True
            self._notice(
                f"{self.id} has counted {usage.input:,} tokens of a conversation of at least "
                f"{round(total / MOST_CHARACTERS_PER_TOKEN):,}: its server has probably cut off a part of it, and the "
                "model no longer knows it. Give the server a larger context (with Ollama num_ctx), or set "
                "context_window in config.toml to what it has: then old messages are summarised before they are lost."
            )

    def _length(self, messages: Sequence[LlmMessage]) -> int:
        """Their characters. If the conversation has only grown, only what is new is measured."""
        known, last, length = self._measured
        if known > len(messages) or (known and messages[known - 1] is not last):
            known, length = 0, 0
        length += sum(len(text) for message in messages[known:] for text in _texts(message))
        self._measured = len(messages), messages[-1] if messages else None, length
        return length


def _least_tokens(total: int) -> float:
    return total / MOST_CHARACTERS_PER_TOKEN * SUSPICIOUS


def _is_of_the_new(count: int, new: int) -> bool:
    """Whether `count` may be of the new characters alone: some servers leave out what they have kept since the last
    request, and don't say so."""
    most = new / FEWEST_CHARACTERS_PER_TOKEN + SMALLEST
    return _least_tokens(new) <= count <= most


def _texts(message: LlmMessage) -> list[str]:
    """Without images, which each provider counts as it likes, and thinking, which not every provider gets again."""
    found: list[str] = []
    for block in message.content:
        if block.type == "text":
            found.append(block.text)
        elif block.type == "toolCall":
            found.append(block.arguments)
    return found
