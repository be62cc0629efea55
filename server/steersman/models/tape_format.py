"""The file format of tapes: recorded model conversations, written by hand or by a program. Reading and checking only.

A tape is JSON Lines (UTF-8). Blank lines, and lines that begin with `#`, are skipped. The first line is the header:

    {"tape": 1, "name": "fix the tests"}

Each further line is a turn, or begins a conversation. A conversation is chosen by its prompt: the user message that
contains the `when` text (or all of a list of texts). Turns before the first `when` answer what no `when` matches.

    {"when": "the tests fail"}
    {"text": "I'll run them.", "toolCalls": [{"name": "bash", "arguments": {"command": "pytest"}}]}
    {"expect": {"toolResults": "1 failed"}, "text": "The test is right, the code is not."}

A turn is what the model answers to one request. All fields are optional, but a turn says something:

    text, thinking, refusal   strings. The answer's blocks are in the order thinking, text, refusal, toolCalls
    toolCalls                 [{"name": …, "arguments": {…} or "argumentsText": "…" (sent as it is), "id": "…"}]
    stopReason                stop · tool_calls · length · content_filter · refusal; tool_calls if there are calls
    usage                     {"input", "output", "cacheRead", "cacheWrite", "reasoning", "cost"}; never zero by default
    expect                    what the request must hold, else the turn fails, and says how the request differs:
                              {"user": in the last user message, "toolResults": in the results after the last
                              answer, "system": in the system prompt, "messages": how many, "tools": names offered}.
                              Texts are a string or a list of strings, all of which must be contained
    error                     {"kind": a failure kind, "message", "retryAfter": seconds, "status", "after": text that
                              is streamed first, "times": n}. With `times` the first n requests of the turn fail, then
                              the answer comes; without, every request fails, and the turn has no answer
    hang                      true: after the answer nothing more comes until the request is aborted
    chunk                     characters in a delta; without it each block is one delta
    delayMs, deltaDelayMs     milliseconds before the turn, and before each delta
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, get_args

from steersman.agent.messages import ModelStop, Usage
from steersman.agent.model import FailureKind
from steersman.models.errors import TapeError
from steersman.models.tape_entry import Entry

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class TapeCall:
    name: str
    arguments: str
    """JSON text, as the model is to write it; it need not be valid."""
    id: str


@dataclass(frozen=True, slots=True)
class TapeFailure:
    kind: FailureKind
    message: str
    retry_after: float | None = None
    status: int | None = None
    after: str = ""
    times: int | None = None


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
    """Empty for the turns that answer what no other conversation matches."""
    turns: list[TapeTurn] = field(default_factory=list)

    def matches(self, text: str) -> bool:
        return all(part in text for part in self.when)


@dataclass(frozen=True, slots=True)
class Tape:
    source: str
    """What messages call it: the file's name without folders."""
    name: str
    conversations: tuple[Conversation, ...]


def load_tape(path: str | Path) -> Tape:
    """Reads a tape.

    Raises:
        TapeError: it can't be read, or a line breaks the format.
    """
    path = Path(path).expanduser()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise TapeError(f"Can't read the tape {path}: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise TapeError(f"Can't read the tape {path}: not UTF-8 at byte {error.start}.") from None
    return parse_tape(text, path.name)


def parse_tape(text: str, source: str) -> Tape:
    """The tape that `text` holds. `source` is its name in messages.

    Raises:
        TapeError: a line breaks the format.
    """
    # Not splitlines(): U+2028 and its kind may stand in a string.
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    entries = [
        Entry.parse(source, number, line) for number, line in lines if line and not line.startswith("#")
    ]
    if not entries:
        raise TapeError(f'{source} is empty: a tape begins with the line {{"tape": {VERSION}}}.')
    name = _header(entries[0], source)
    conversations = [Conversation(entries[0].line)]
    for entry in entries[1:]:
        if entry.has("when"):
            conversations.append(_conversation(entry))
        else:
            conversations[-1].turns.append(_turn(entry))
    used = tuple(conversation for conversation in conversations if conversation.turns)
    empty = next((each for each in conversations if each.when and not each.turns), None)
    if empty is not None:
        raise TapeError(f"{source}, line {empty.line}: no turns follow this `when`.")
    if not used:
        raise TapeError(f"{source} has no turns: write one line for each answer of the model.")
    return Tape(source, name, used)


def _header(entry: Entry, source: str) -> str:
    version = entry.raw("tape")
    if version != VERSION or isinstance(version, bool):
        raise TapeError(
            f'{source}, line {entry.line}: a tape begins with {{"tape": {VERSION}}}; '
            + (
                f"this reader knows no version {version!r}."
                if version is not None
                else "there is no such header."
            )
        )
    name = entry.string("name")
    entry.string("description")
    entry.end("tape, name, description")
    return name or source


def _conversation(entry: Entry) -> Conversation:
    when = entry.strings("when")
    if not when or not all(when):
        raise entry.wrong("when", "a text, or a list of texts, none of them empty", list(when))
    entry.end("when")
    return Conversation(entry.line, when)


def _turn(entry: Entry) -> TapeTurn:
    calls = tuple(_call(entry, value, number) for number, value in enumerate(entry.list("toolCalls")))
    turn = TapeTurn(
        line=entry.line,
        text=entry.string("text"),
        thinking=entry.string("thinking"),
        refusal=entry.string("refusal"),
        tool_calls=calls,
        stop_reason=_stop_reason(entry, calls),
        usage=_usage(entry),
        expect=_expect(entry),
        error=_failure(entry),
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
        raise TapeError(f"{entry.where}: a turn with `error` has no answer, unless the error has `times`.")
    if not always_fails and not answers:
        raise TapeError(
            f"{entry.where}: the turn says nothing: give it `text`, `toolCalls`, `hang` or `error`."
        )
    return turn


def _call(entry: Entry, value: object, number: int) -> TapeCall:
    call = entry.inner(f"toolCalls[{number}]", value)
    name = call.string("name")
    if not name:
        raise call.wrong("name", "the name of a tool", name)
    if call.has("arguments") and call.has("argumentsText"):
        raise call.wrong("argumentsText", "absent where there are `arguments`", call.raw("argumentsText"))
    if call.has("argumentsText"):
        arguments = call.string("argumentsText")
    else:
        arguments = json.dumps(call.take("arguments", dict, {}, "an object"), ensure_ascii=False)
    call_id = call.string("id") or f"call_{entry.line}_{number}"
    call.end("name, arguments, argumentsText, id")
    return TapeCall(name, arguments, call_id)


def _stop_reason(entry: Entry, calls: tuple[TapeCall, ...]) -> ModelStop:
    words: tuple[ModelStop, ...] = get_args(ModelStop)
    chosen = entry.word("stopReason", words, "tool_calls" if calls else "stop")
    return next(word for word in words if word == chosen)


def _usage(entry: Entry) -> Usage | None:
    value = entry.raw("usage")
    if value is None:
        return None
    fields = entry.inner("usage", value)
    usage = Usage(
        input=fields.count("input") or 0,
        output=fields.count("output") or 0,
        cache_read=fields.count("cacheRead") or 0,
        cache_write=fields.count("cacheWrite") or 0,
        reasoning=fields.count("reasoning") or 0,
        cost=fields.number("cost") or 0.0,
    )
    fields.end("input, output, cacheRead, cacheWrite, reasoning, cost")
    return usage


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


def _failure(entry: Entry) -> TapeFailure | None:
    value = entry.raw("error")
    if value is None:
        return None
    fields = entry.inner("error", value)
    kinds: tuple[FailureKind, ...] = get_args(FailureKind)
    chosen = fields.word("kind", kinds, "")
    kind = next(word for word in kinds if word == chosen)
    failure = TapeFailure(
        kind=kind,
        message=fields.string("message") or f"a {kind} failure of the tape",
        retry_after=fields.number("retryAfter"),
        status=fields.count("status", least=300),
        after=fields.string("after"),
        times=fields.count("times", least=1),
    )
    fields.end("kind, message, retryAfter, status, after, times")
    return failure
