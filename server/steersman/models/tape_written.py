"""The turns of a tape that was written by hand, and their conversations. `tape_format` says what the fields mean."""

import json
from dataclasses import dataclass, field
from typing import get_args

from steersman.agent.messages import ModelStop, Usage
from steersman.models.tape_entry import Entry
from steersman.models.tape_fields import TapeFailure, read_failure, read_usage


@dataclass(frozen=True, slots=True)
class TapeCall:
    name: str
    arguments: str
    """JSON text as the model writes it. It need not be valid."""
    id: str


@dataclass(frozen=True, slots=True)
class Expect:
    user: tuple[str, ...] = ()
    tool_results: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    messages: int | None = None


@dataclass(frozen=True, slots=True)
class TapeTurn:
    line: int
    text: str = ""
    thinking: str = ""
    refusal: str = ""
    tool_calls: tuple[TapeCall, ...] = ()
    stop_reason: ModelStop = "stop"
    usage: Usage | None = None
    expect: Expect = Expect()
    error: TapeFailure | None = None
    hang: bool = False
    chunk: int | None = None
    delay: float = 0.0
    """Seconds."""
    delta_delay: float = 0.0


@dataclass(slots=True)
class Conversation:
    line: int
    when: tuple[str, ...] = ()
    """Empty for the turns that answer when no other conversation matches."""
    turns: list[TapeTurn] = field(default_factory=list)

    def matches(self, text: str) -> bool:
        return all(part in text for part in self.when)


def read_conversation(entry: Entry) -> Conversation:
    """The beginning of a conversation, without its turns.

    Raises:
        TapeError: it breaks the format.
    """
    when = entry.strings("when")
    if not when or not all(when):
        raise entry.wrong("when", "a text, or a list of texts, none of them empty", list(when))
    entry.end("when")
    return Conversation(entry.line, when)


def read_written_turn(entry: Entry) -> TapeTurn:
    """A turn that was written by hand.

    Raises:
        TapeError: it breaks the format.
    """
    calls = tuple(_call(entry, value, number) for number, value in enumerate(entry.list("toolCalls")))
    turn = TapeTurn(
        line=entry.line,
        text=entry.string("text"),
        thinking=entry.string("thinking"),
        refusal=entry.string("refusal"),
        tool_calls=calls,
        stop_reason=_stop_reason(entry, calls),
        usage=read_usage(entry),
        expect=_expect(entry),
        error=read_failure(entry),
        hang=entry.take("hang", bool, False, "true or false"),
        chunk=entry.count("chunk", least=1),
        delay=(entry.number("delayMs") or 0.0) / 1000,
        delta_delay=(entry.number("deltaDelayMs") or 0.0) / 1000,
    )
    entry.end(
        "text, thinking, refusal, toolCalls, stopReason, usage, expect, error, hang, chunk, delayMs, deltaDelayMs, when"
    )
    answers = bool(turn.text or turn.thinking or turn.refusal or turn.tool_calls or turn.hang)
    always_fails = turn.error is not None and turn.error.times is None
    if always_fails and answers:
        raise entry.bad("a turn with `error` has no answer, unless the error has `times`")
    if not always_fails and not answers:
        raise entry.bad("the turn says nothing: give it `text`, `toolCalls`, `hang` or `error`")
    return turn


def _call(entry: Entry, value: object, number: int) -> TapeCall:
    call = entry.inner(f"toolCalls[{number}]", value)
    name = call.string("name")
    if not name:
        raise call.wrong("name", "the name of a tool", name)
    if call.has("arguments") and call.has("argumentsText"):
        raise call.wrong("argumentsText", "absent if there are `arguments`", call.raw("argumentsText"))
    if call.has("argumentsText"):
        arguments = call.string("argumentsText")
    else:
        arguments = json.dumps(call.take("arguments", dict, {}, "an object"), ensure_ascii=False)
    call_id = call.string("id") or f"call_{entry.line}_{number}"
    call.end("name, arguments, argumentsText, id")
    return TapeCall(name, arguments, call_id)


def _stop_reason(entry: Entry, calls: tuple[TapeCall, ...]) -> ModelStop:
    words: tuple[ModelStop, ...] = get_args(ModelStop)
    return entry.word("stopReason", words, "tool_calls" if calls else "stop")


def _expect(entry: Entry) -> Expect:
    value = entry.raw("expect")
    if value is None:
        return Expect()
    fields = entry.inner("expect", value)
    expect = Expect(
        user=fields.strings("user"),
        tool_results=fields.strings("toolResults"),
        system=fields.strings("system"),
        tools=fields.strings("tools"),
        messages=fields.count("messages"),
    )
    fields.end("user, toolResults, system, tools, messages")
    return expect
