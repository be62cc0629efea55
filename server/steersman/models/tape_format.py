"""Reads and checks tapes: files with conversations of a model, written by hand or recorded. This is their format.

A tape is JSON Lines (UTF-8). Blank lines, and lines that begin with `#`, are skipped. The first line is the header:

    {"tape": 1, "name": "fix the tests"}

Each further line is a turn, or begins a conversation. A conversation is selected by its prompt: a user message that
contains the text of `when`, or all texts if it is a list. Turns before the first `when` answer what no `when` matches.

    {"when": "the tests fail"}
    {"text": "I'll run them.", "toolCalls": [{"name": "bash", "arguments": {"command": "pytest"}}]}
    {"expect": {"toolResults": "1 failed"}, "text": "The test is right, the code is not."}

A turn is the model's answer to one request. All fields are optional, but the turn must not be empty:

    text, thinking, refusal   strings. The answer's blocks are in the order thinking, text, refusal, toolCalls
    toolCalls                 [{"name": …, "arguments": {…} or "argumentsText": "…" (sent as it is), "id": "…"}]
    stopReason                stop · tool_calls · length · content_filter · refusal. By default tool_calls if there are
                              calls, else stop
    usage                     {"input", "output", "cacheRead", "cacheWrite", "reasoning", "cost"}; never zero by default
    expect                    what the request must contain; otherwise the turn fails and says how the request differs:
                              {"user": in the last user message, "toolResults": in the results after the last
                              answer, "system": in the system prompt, "messages": how many, "tools": names offered}.
                              Texts are a string or a list of strings, all of which must be contained
    error                     {"kind": a failure kind, "message", "retryAfter": seconds, "status", "after": text that
                              is streamed first, "times": n}. With `times` the first n requests of the turn fail, then
                              the answer comes. Without it every request fails, and the turn has no answer
    hang                      true: after the answer nothing more comes until the request is aborted
    chunk                     characters in each delta; without it each block is one delta
    delayMs, deltaDelayMs     milliseconds before the turn, and before each delta

A recorded tape has `"recorded": true` in its header, and is written by `steersman run --record` (see `recording`).
Each of its turns has the request and the answer; there is no `when`. It answers the requests that it has recorded, in
any order. It contains what the model was told: the texts of files that were read, and the outputs of commands. An
incomplete last line, as a killed recorder leaves it, is ignored. The fields of a recorded turn:

    request       {"digest": of all that follows, "system": digest of the system prompt, "tools": names offered,
                  "keep": how many messages are the same as in the turn before, "messages": the ones after them}.
                  A message is {"role": user · assistant · tool, "text", "name": of a result's tool, "toolCalls":
                  [{"name", "arguments" or "argumentsText"}]}. All of it is normalised: paths of the machine, dates,
                  ids, durations and keys are replaced by `<workspace>`, `<home>`, `<temp>`, `<date>`, …
    model         the model that was recorded, `provider:name`
    blocks        [{"kind": text · thinking · refusal · toolCall, "name", "id": the provider's, "endName": a name that
                  came late, "signature", "redacted"}], in the order of the answer
    stream        the events, each with the milliseconds since the one before: [ms, block, text] is a delta, [ms, block]
                  the start of a block and, the second time, its end, [ms] a ping. The last [ms] is the end. A call's
                  text is its arguments as the model wrote them
    folders       the placeholders of the workspace folders in those texts; a replay puts its own folders there
    stopReason    of a complete answer; `answeredBy` is the model that the provider named
    error         instead: {"kind", "message", "retryAfter", "status", "cut": true if asking again is no use}
    aborted       true, instead: the stream was aborted. A replay waits there until it is aborted too
    usage         as recorded; zero if the provider sent none
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from steersman.models.errors import UNUSABLE_PATH, TapeError, reason_of
from steersman.models.surrogates import whole
from steersman.models.tape_entry import Entry
from steersman.models.tape_lines import read_turn
from steersman.models.tape_request import Said
from steersman.models.tape_turn import RecordedTurn
from steersman.models.tape_written import Conversation, read_conversation, read_written_turn

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Tape:
    source: str
    """Its name in messages: the file's name without folders."""
    name: str
    conversations: tuple[Conversation, ...]
    recorded: tuple[RecordedTurn, ...] = ()
    """The turns of a recorded tape. It has no conversations."""


def load_tape(path: str | Path) -> Tape:
    """Reads a tape.

    Raises:
        TapeError: it can't be read, or a line breaks the format.
    """
    named = whole(str(path))
    try:
        file = Path(path).expanduser()
        text = _decoded(file.read_bytes())
    except UnicodeDecodeError as error:
        raise TapeError(f"Can't read the tape {named}: not UTF-8 at byte {error.start}.") from None
    except UNUSABLE_PATH as error:
        raise TapeError(f"Can't read the tape {named}: {reason_of(error)}.") from None
    return parse_tape(text, file.name)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            raise
        return data[: error.start].decode("utf-8-sig")  # a recorder was killed in the middle of a character


def parse_tape(text: str, source: str) -> Tape:
    """The tape in `text`. `source` is its name in messages.

    Raises:
        TapeError: a line breaks the format.
    """
    # Not splitlines(): strings may contain U+2028 and the like.
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise TapeError(f'{source} is empty: a tape begins with the line {{"tape": {VERSION}}}.')
    first = Entry.parse(source, *lines[0])
    name, is_recorded = _header(first, source)
    if is_recorded:
        complete = lines[1:] if text.endswith("\n") else _without_torn_line(lines[1:])
        return Tape(source, name, (), _recorded_turns(source, complete))
    entries = [first, *(Entry.parse(source, number, line) for number, line in lines[1:])]
    conversations = [Conversation(entries[0].line)]
    for entry in entries[1:]:
        if entry.has("when"):
            conversations.append(read_conversation(entry))
        else:
            conversations[-1].turns.append(read_written_turn(entry))
    used = tuple(conversation for conversation in conversations if conversation.turns)
    empty = next((each for each in conversations if each.when and not each.turns), None)
    if empty is not None:
        raise TapeError(f"{source}, line {empty.line}: no turns follow this `when`.")
    if not used:
        raise TapeError(f"{source} has no turns: write one line for each answer of the model.")
    return Tape(source, name, used)


def _recorded_turns(source: str, lines: list[tuple[int, str]]) -> tuple[RecordedTurn, ...]:
    turns: list[RecordedTurn] = []
    before: tuple[Said, ...] = ()
    for number, line in lines:
        turn = read_turn(Entry.parse(source, number, line), len(turns) + 1, before)
        before = turn.fingerprint.messages
        turns.append(turn)
    if not turns:
        raise TapeError(f"{source} has no turns: its recorder ended before the model had answered.")
    return tuple(turns)


def _without_torn_line(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines without the last one, if the recorder didn't finish it. `lines[-1]` has no line end."""
    try:
        complete = not lines or isinstance(json.loads(lines[-1][1]), dict)
    except (ValueError, RecursionError):
        complete = False
    return lines if complete else lines[:-1]


def _header(entry: Entry, source: str) -> tuple[str, bool]:
    """The tape's name, and whether it was recorded."""
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
    recorded = entry.take("recorded", bool, False, "true or false")
    entry.end("tape, name, description, recorded")
    return name or source, recorded
