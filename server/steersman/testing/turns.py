"""The answers of a scripted model, as tests write them. A turn is one of a hand-written tape."""

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
"""One answer of the model: a text, a turn, or a function that makes one of these from the request."""


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
        arguments: instead of keywords, for names that can't be keywords (`call("move", {"from": …, "to": …})`). A
            text is sent as it is, so it can be malformed.

    Raises:
        ScriptError: no name, both kinds of arguments, or a value that JSON can't hold.
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
        raise ScriptError(f"call({name!r}): JSON can't hold the arguments: {error}.") from None
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
        usage: tokens and US dollars: input, output, cache_read, cache_write, reasoning, cost. By default, tokens are
            computed from the conversation.
        chunk: characters per delta. By default, each block is one delta.
        hang: after this, nothing more comes until the run is aborted.

    Raises:
        ScriptError: the turn says nothing, or a value can't be used.
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
    """A request that fails. If it is tried again, the next turn answers.

    Args:
        kind: decides whether it is tried again.
        after: text that comes before the failure.
        retry_after: seconds that the provider asks to wait. A test never waits; more than a minute means no retry.

    Raises:
        ScriptError: there is no such kind.
    """
    if kind not in get_args(FailureKind):
        raise ScriptError(f"failure({kind!r}): the kind is one of {', '.join(get_args(FailureKind))}.")
    message = message or f"a failure of kind {kind}, made by the test"
    return Turn(line=0, error=TapeFailure(kind, message, retry_after, status, after))


def script(path: str) -> ScriptFile:
    """The turns of a YAML file, relative to the folder of the test: a list of texts and of mappings with the fields of
    a tape's turn (text, thinking, refusal, toolCalls, stopReason, usage, expect, error, hang, chunk)."""
    return ScriptFile(str(path))


def tape(path: str, *, loose: bool = False) -> TapeFile:
    """A tape from `steersman run --record`, or written by hand; relative to the folder of the test.

    Args:
        loose: only the place in the conversation decides which answer comes, not the content of the request.
    """
    return TapeFile(str(path), loose)


def placed(written: str | Turn, number: int) -> Turn:
    """The turn with what follows from its place in the script: a line, and ids of its calls.

    Args:
        number: from 1.

    Raises:
        ScriptError: it is not a turn.
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
