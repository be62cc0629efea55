"""A tape as a model: its answer depends on the request alone, so tests, demos and bug reports are reproducible.

`tape_format` describes the format. There is no HTTP here, and a miss is never answered by another model.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.model import (
    ABORTED,
    BlockDelta,
    BlockStart,
    ModelRequest,
    StreamError,
    StreamEvent,
    StreamFailure,
)
from steersman.models.errors import UNUSABLE_PATH, TapeError
from steersman.models.tape_format import Tape, load_tape
from steersman.models.tape_match import difference, nearest, same_place, same_request
from steersman.models.tape_normal import folders_of
from steersman.models.tape_request import Fingerprint, Fingerprinter
from steersman.models.tape_script import (
    TapeMiss,
    answer_events,
    check_expectation,
    failing_events,
    find_turn,
    has_blocks,
    last_event,
)
from steersman.models.tape_turn import RecordedTurn
from steersman.models.tape_written import TapeTurn

Sleep = Callable[[float], Awaitable[None]]

_TOGETHER: Final = 64
"""How many events of a recorded turn are given before other tasks may run."""
_MISS_ADVICE: Final = (
    "A tape answers only the requests that it was made for: use its prompts, or another tape."
)
"""The kind's own advice is about servers."""


class TapeModel:
    """Answers from a tape.

    On a tape that was written by hand, the last user message that matches the `when` of a conversation selects it, and
    the number of answers after that message selects the turn. A recorded tape answers requests that are equal to a
    recorded one, whatever came before. If several recordings have the same request (it was retried), they take turns.
    So the same request gets the same answer, even after a resume. Between requests only two things are kept: how often
    a turn that fails at first has failed, and how often a recorded request has been made.

    Args:
        tape: a tape, or its file. A file's name may be followed by options: `FILE?loose`, `FILE?timed`,
            `FILE?loose&timed`.
        loose: a recorded tape is matched by the place in the conversation, not by its content.
        timed: a recorded tape is replayed with its original delays; otherwise at once.
        sleep: waits for the tape's delays, in seconds.

    Raises:
        TapeError: the file can't be read, or breaks the format.
    """

    def __init__(
        self,
        tape: Tape | str | Path,
        *,
        loose: bool = False,
        timed: bool = False,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        options: set[str] = set()
        if isinstance(tape, str):
            tape, options = split_options(tape)
        self.tape = tape if isinstance(tape, Tape) else load_tape(tape)
        self._loose = loose or "loose" in options
        self._timed = timed or "timed" in options
        self._sleep = sleep
        self.misses: list[str] = []
        """One text for each request without an answer on the tape, saying how it differs."""
        self._failed: dict[int, int] = {}
        self._asked: dict[str, int] = {}
        self._fingerprints = Fingerprinter()

    @property
    def id(self) -> str:
        return f"tape:{self.tape.source}"

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One turn as events. A miss is a `StreamError` of the kind `bad_request`."""
        try:
            if self.tape.recorded:
                events = self._replayed(self._find_recorded(request), request, signal)
            else:
                found = find_turn(self.tape, request)
                check_expectation(self.tape, found, request)
                events = self._written(found.turn, request, signal)
        except TapeMiss as miss:
            self.misses.append(str(miss))
            yield StreamError(StreamFailure("bad_request", str(miss), advice=_MISS_ADVICE))
            return
        async with aclosing(events):
            async for event in events:
                yield event

    async def _written(
        self, turn: TapeTurn, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[StreamEvent, None]:
        """The events of a turn that was written by hand."""
        failing = self._is_failing(turn)
        for event in failing_events(turn) if failing else answer_events(turn):
            pause = turn.delta_delay if isinstance(event, BlockDelta) else 0.0
            if isinstance(event, BlockStart) and event.index == 0:
                pause = turn.delay
            if await self._aborted(pause, signal):
                yield StreamError(ABORTED)
                return
            yield event
        if turn.hang and not failing:
            await signal.wait()
        if await self._aborted(0.0 if has_blocks(turn, failing=failing) else turn.delay, signal):
            yield StreamError(ABORTED)
            return
        yield last_event(turn, request, failing=failing)

    def _find_recorded(self, request: ModelRequest) -> RecordedTurn:
        turns = self.tape.recorded
        asked = self._fingerprints.take(request)
        found = same_place(turns, asked) if self._loose else same_request(turns, asked)
        if not found:
            raise TapeMiss(_not_recorded(self.tape, asked, loose=self._loose))
        digest = found[0].fingerprint.digest
        number = self._asked.get(digest, 0)
        self._asked[digest] = number + 1
        return found[number % len(found)]

    async def _replayed(
        self, turn: RecordedTurn, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[StreamEvent, None]:
        """The events of a recorded turn, with the request's workspace folders instead of the recorded ones."""
        turn = turn.in_folders(folders_of(request.system))
        for number, (wait, event) in enumerate(turn.events(), 1):
            if not number % _TOGETHER:
                await asyncio.sleep(0)
            if await self._aborted(wait if self._timed else 0.0, signal):
                yield StreamError(ABORTED)
                return
            yield event
        if turn.end is None:
            await signal.wait()
        if await self._aborted(turn.wait if self._timed else 0.0, signal):
            yield StreamError(ABORTED, turn.usage)
            return
        if turn.end is not None:
            yield turn.end

    def _is_failing(self, turn: TapeTurn) -> bool:
        if turn.error is None:
            return False
        if turn.error.times is None:
            return True
        told = self._failed.get(turn.line, 0)
        # After the answer the count starts again, for the next time that the conversation is played.
        self._failed[turn.line] = told + 1 if told < turn.error.times else 0
        return told < turn.error.times

    async def _aborted(self, seconds: float, signal: AbortSignal) -> bool:
        """Waits for `seconds`, or until the abort. Returns whether the request is aborted."""
        if signal.aborted or seconds <= 0:
            return signal.aborted
        waits = [asyncio.ensure_future(self._sleep(seconds)), asyncio.ensure_future(signal.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return signal.aborted


def split_options(file: str) -> tuple[Path, set[str]]:
    """Splits `FILE?loose&timed` into the file and its options. If there is a file of the whole name, it is that one.

    Raises:
        TapeError: there is no such option.
    """
    name, mark, words = file.rpartition("?")
    if not mark or _exists(file):
        return Path(file), set()
    options = set(words.split("&"))
    unknown = sorted(options - {"loose", "timed"})
    if unknown:
        raise TapeError(
            f"tape:{file}: unknown option {unknown[0]!r}; there are ?loose, ?timed, ?loose&timed."
        )
    return Path(name), options


def _exists(file: str) -> bool:
    try:
        return Path(file).expanduser().exists()
    except UNUSABLE_PATH:
        return False


def _not_recorded(tape: Tape, asked: Fingerprint, *, loose: bool) -> str:
    near = nearest(tape.recorded, asked)
    what = f"The nearest is turn {near.number} (line {near.line}): {difference(near.fingerprint, asked)}."
    if loose:
        return f"{tape.source} has no recording for this place of the conversation. {what}"
    return (
        f"{tape.source} has no recording of this request. {what} Record the run anew, or replay by place alone: "
        f"tape:{tape.source}?loose"
    )
