"""What a scripted model answers, as a test writes it down. A turn is a turn of a tape that was written by hand."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

from steersman.agent.messages import ModelStop, Usage
from steersman.agent.model import FailureKind
from steersman.models.tape_fields import TapeFailure
from steersman.models.tape_written import TapeCall, TapeTurn
from steersman.testing.errors import ScriptError
from steersman.testing.requests import Request

Turn: TypeAlias = TapeTurn
Call: TypeAlias = TapeCall
Written: TypeAlias = "str | Turn | Callable[[Request], str | Turn]"
"""One answer of the model: its text, a turn, or a function that makes one of what the model was asked."""


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A YAML file of turns. See `script`."""

    path: str


@dataclass(frozen=True, slots=True)
class TapeFile:
    """A tape. See `tape`."""

    path: str
    loose: bool = False


ModelScript: TypeAlias = Sequence[Written] | ScriptFile | TapeFile


def call(name: str, arguments: Mapping[str, Any] | str | None = None, /, **more: Any) -> Call:
    """A tool call in a turn: `call("read", path="src/app.py")`.

    Args:
        arguments: instead of keywords, for names that are none (`call("move", {"from": …, "to": …})`); text is sent as
            it is, so that it can be malformed.

    Raises:
        ScriptError: no name, both kinds of arguments, or something that is no JSON.
    """
    if not name:
        raise ScriptError("call(''): the first argument is the name of a tool.")
    if isinstance(arguments, str):
        if more:
            raise ScriptError(f"call({name!r}): arguments as text, or as keywords, not both.")
        return Call(name, arguments, "")
    try:
        text = json.dumps({**(arguments or {}), **more}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ScriptError(f"call({name!r}): the arguments are no JSON: {error}.") from None
    return Call(name, text, "")


def turn(
    *said: str | Call,
    thinking: str = "",
    refusal: str = "",
    stop: ModelStop | None = None,
    usage: Mapping[str, float] | None = None,
    chunk: int | None = None,
    hang: bool = False,
) -> Turn:
    """One answer: texts, which are joined, and tool calls.

    Args:
        stop: why the model stops; `tool_calls` if there are calls, else `stop`.
        usage: tokens and US dollars: input, output, cache_read, cache_write, reasoning, cost. Without it some that
            follow from the conversation.
        chunk: characters of one delta; without it each block is one.
        hang: after what it says nothing more comes, until the run is aborted.

    Raises:
        ScriptError: it says nothing, or not in this way.
    """
    for each in said:
        if not isinstance(each, str | Call):
            raise ScriptError(f"turn(…): {each!r} is neither a text nor a call(…).")
    calls = tuple(each for each in said if isinstance(each, Call))
    text = "".join(each for each in said if isinstance(each, str))
    if not (text or thinking or refusal or calls or hang):
        raise ScriptError("turn() says nothing: give it a text, a call(…), thinking, refusal or hang=True.")
    if stop is not None and stop not in get_args(ModelStop):
        raise ScriptError(f"turn(stop={stop!r}): it is one of {', '.join(get_args(ModelStop))}.")
    if chunk is not None and chunk < 1:
        raise ScriptError(f"turn(chunk={chunk!r}): a number of characters, at least 1.")
    return Turn(
        line=0,
        text=text,
        thinking=thinking,
        refusal=refusal,
        tool_calls=calls,
        stop_reason=stop or ("tool_calls" if calls else "stop"),
        usage=None if usage is None else _usage(usage),
        hang=hang,
        chunk=chunk,
    )


def failure(
    kind: FailureKind = "network",
    message: str = "",
    *,
    after: str = "",
    retry_after: float | None = None,
    status: int | None = None,
) -> Turn:
    """A request that fails. If it is tried again, the next turn answers that.

    Args:
        kind: decides whether it is tried again.
        after: text that comes before.
        retry_after: seconds that the provider asks to wait. A test never waits; beyond a minute it is a no.

    Raises:
        ScriptError: no such kind.
    """
    if kind not in get_args(FailureKind):
        raise ScriptError(f"failure({kind!r}): the kind is one of {', '.join(get_args(FailureKind))}.")
    message = message or f"a failure of kind {kind}, made by the test"
    return Turn(line=0, error=TapeFailure(kind, message, retry_after, status, after))


def script(path: str) -> ScriptFile:
    """The turns of a YAML file, named from the folder of the test: a list of texts and of mappings with the fields of
    a tape's turn (text, thinking, refusal, toolCalls, stopReason, usage, expect, error, hang, chunk)."""
    return ScriptFile(str(path))


def tape(path: str, *, loose: bool = False) -> TapeFile:
    """A tape that `steersman run --record` has made, or that was written by hand; named from the folder of the test.

    Args:
        loose: the place in the conversation decides which answer comes, not what is in it.
    """
    return TapeFile(str(path), loose)


def placed(written: str | Turn, number: int) -> Turn:
    """The turn with what only its place in the script tells: a line, ids of its calls.

    Args:
        number: from 1.

    Raises:
        ScriptError: it is none.
    """
    if isinstance(written, str):
        written = turn(written)
    if not isinstance(written, Turn):
        raise ScriptError(f"turn {number}: {written!r} is neither a text nor a turn(…) nor a failure(…).")
    calls = tuple(
        replace(each, id=each.id or f"given_{number}_{at}") for at, each in enumerate(written.tool_calls, 1)
    )
    return replace(written, line=written.line or number, tool_calls=calls)


def _usage(usage: Mapping[str, float]) -> Usage:
    try:
        return Usage(**usage)  # type: ignore[arg-type]  # checked below
    except TypeError:
        known = "input, output, cache_read, cache_write, reasoning, cost"
        raise ScriptError(f"turn(usage={dict(usage)!r}): it has {known}.") from None
