"""Tapes written by hand: finds the turn that answers a request, checks what it expects, and makes its events."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from steersman.agent.messages import AssistantMessage, ToolResultMessage, Usage, UserMessage, plain_text
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    ModelRequest,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamFailure,
)
from steersman.models.tape_format import Tape
from steersman.models.tape_written import Conversation, TapeTurn

_SHOWN: Final = 300
"""Most characters of a request's text that are shown."""


class TapeMiss(Exception):
    """The tape has no answer to this request. The text says what it has instead, and the difference."""


@dataclass(frozen=True, slots=True)
class Found:
    """The turn on the tape that answers a request."""

    conversation: Conversation
    number: int
    """The turn's index in its conversation, from 0."""

    @property
    def turn(self) -> TapeTurn:
        return self.conversation.turns[self.number]


def find_turn(tape: Tape, request: ModelRequest) -> Found:
    """The turn that answers `request`.

    Raises:
        TapeMiss: no conversation matches, or its turns are used up.
    """
    answers = 0
    default = next((each for each in tape.conversations if not each.when), None)
    prompts = []
    chosen = None
    for message in reversed(request.messages):
        if isinstance(message, AssistantMessage):
            answers += 1
        elif isinstance(message, UserMessage):
            prompts.append(plain_text(message.content))
            matching = (each for each in tape.conversations if each.when and each.matches(prompts[-1]))
            chosen = next(matching, None)
            if chosen is not None:
                break
    chosen = chosen or default
    if chosen is None:
        raise TapeMiss(_no_conversation(tape, prompts[-1] if prompts else ""))
    if answers >= len(chosen.turns):
        raise TapeMiss(
            f"{_where(tape, chosen)} is at its end: it has {len(chosen.turns)} turns, and this request asks for turn "
            f"{answers + 1}."
        )
    return Found(chosen, answers)


def check_expectation(tape: Tape, found: Found, request: ModelRequest) -> None:
    """Compares the request with the turn's `expect`.

    Raises:
        TapeMiss: it differs. The text says which turn, what was expected, and what came.
    """
    expect = found.turn.expect
    where = f"{_where(tape, found.conversation)}, turn {found.number + 1} (line {found.turn.line})"
    texts = (
        ("the last user message", expect.user, _last_user_text(request)),
        ("the last tool results", expect.tool_results, "\n".join(_last_results(request))),
        ("the system prompt", expect.system, request.system),
    )
    for what, parts, text in texts:
        missing = next((part for part in parts if part not in text), None)
        if missing is not None:
            raise TapeMiss(f"{where} expects {what} to contain {missing!r}, but it is {_shown(text)}.")
    offered = [tool.name for tool in request.tools]
    missing = next((name for name in expect.tools if name not in offered), None)
    if missing is not None:
        raise TapeMiss(
            f"{where} expects the tool {missing!r}, but there are: {', '.join(offered) or 'none'}."
        )
    if expect.messages is not None and expect.messages != len(request.messages):
        raise TapeMiss(f"{where} expects {expect.messages} messages, but there are {len(request.messages)}.")


def answer_events(turn: TapeTurn) -> Iterator[StreamEvent]:
    """The events of the answer, except for its end."""
    texts: tuple[tuple[BlockKind, str], ...] = (
        ("thinking", turn.thinking),
        ("text", turn.text),
        ("refusal", turn.refusal),
    )
    index = 0
    for kind, text in texts:
        if text:
            yield BlockStart(index, kind)
            yield from _deltas(index, text, turn.chunk)
            yield BlockEnd(index)
            index += 1
    for call in turn.tool_calls:
        yield BlockStart(index, "toolCall", call.name, call.id)
        yield from _deltas(index, call.arguments, turn.chunk)
        yield BlockEnd(index)
        index += 1


def failing_events(turn: TapeTurn) -> Iterator[StreamEvent]:
    """The events before a failure."""
    if turn.error is not None and turn.error.after:
        yield BlockStart(0, "text")
        yield from _deltas(0, turn.error.after, turn.chunk)


def _deltas(index: int, text: str, chunk: int | None) -> Iterator[BlockDelta]:
    size = chunk or max(1, len(text))
    for start in range(0, len(text), size):
        yield BlockDelta(index, text[start : start + size])


def has_blocks(turn: TapeTurn, *, failing: bool) -> bool:
    return next(failing_events(turn) if failing else answer_events(turn), None) is not None


def last_event(turn: TapeTurn, request: ModelRequest, *, failing: bool) -> StreamEvent:
    """The last event of the answer, or of the failing one."""
    usage = turn.usage or _default_usage(turn, request)
    if failing and turn.error is not None:
        error = turn.error
        return StreamError(StreamFailure(error.kind, error.message, error.retry_after, error.status), usage)
    return StreamDone(turn.stop_reason, usage)


def _default_usage(turn: TapeTurn, request: ModelRequest) -> Usage:
    """Never zero, and the same on every machine: input is counted in messages, since texts may contain paths."""
    said = len(turn.text) + len(turn.thinking) + sum(len(call.arguments) for call in turn.tool_calls)
    return Usage(
        input=100 + 50 * len(request.messages), output=1 + said // 4, reasoning=len(turn.thinking) // 4
    )


def _last_user_text(request: ModelRequest) -> str:
    users = [message for message in request.messages if isinstance(message, UserMessage)]
    return plain_text(users[-1].content) if users else ""


def _last_results(request: ModelRequest) -> list[str]:
    """The texts of the tool results after the last answer."""
    results: list[str] = []
    for message in reversed(request.messages):
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolResultMessage):
            results.append(message.text)
    return results[::-1]


def _where(tape: Tape, conversation: Conversation) -> str:
    return f"{tape.source}{f' ({_when(conversation)})' if conversation.when else ''}"


def _when(conversation: Conversation) -> str:
    return "when " + " and ".join(map(repr, conversation.when))


def _no_conversation(tape: Tape, prompt: str) -> str:
    known = [_when(conversation) for conversation in tape.conversations]
    texts = {part.lower(): conversation for conversation in tape.conversations for part in conversation.when}
    near = difflib.get_close_matches(prompt.lower(), texts, n=1, cutoff=0.3)
    nearest = f" The nearest is {_when(texts[near[0]])} (line {texts[near[0]].line})." if near else ""
    return f"{tape.source} has no conversation for {_shown(prompt)}. It has: {'; '.join(known)}.{nearest}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
