"""Checks what hooks of extensions answer: what is wrong is found here, where it is known whose it is."""

from typing import TypeVar, get_args

from steersman.agent.hooks import NextTurn
from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Image,
    Message,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import Model, ThinkingLevel

T = TypeVar("T")

_MESSAGES = (UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)
_BLOCKS = (Text, Image, Thinking, Refusal, ToolCall)


def expect(answer: T, *kinds: type) -> T:
    """Raises TypeError: the answer is of none of these types."""
    if not isinstance(answer, kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"expected {names}, got {type(answer).__name__}")
    return answer


def expect_messages(answer: object) -> list[Message]:
    """Raises TypeError: it is no list of messages, or one of them has no list of blocks."""
    messages: list[Message] = list(expect(answer, list, tuple))  # type: ignore[call-overload]  # what it is now
    for message in messages:
        expect(message, *_MESSAGES)
        for block in expect(message.content, list, tuple):
            expect(block, *_BLOCKS)
            if isinstance(block, Text):
                expect(block.text, str)
    return messages


def expect_change(answer: NextTurn | None) -> NextTurn | None:
    """Raises TypeError: it is no change of a turn, or changes something to what it can't be. The tools themselves are
    not looked at."""
    change = expect(answer, NextTurn, type(None))
    if change is None:
        return None
    if change.model is not None:
        _expect_model(change.model)
    levels = get_args(ThinkingLevel)
    if change.thinking is not None and change.thinking not in levels:
        raise TypeError(f"expected {' or '.join(levels)}, got {change.thinking!r}")
    expect(change.tools, list, tuple, type(None))
    expect(change.system, str, type(None))
    if change.context is not None:
        expect_messages(change.context)
    return change


def _expect_model(model: Model) -> None:
    name: object = getattr(model, "id", None)
    if not isinstance(name, str) or not callable(getattr(model, "stream", None)):
        raise TypeError(f"expected a model, got {type(model).__name__}")
