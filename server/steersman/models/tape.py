"""A tape as a model: what it answers follows from the request alone, so tests, demos and bug reports repeat exactly.

The format is in `tape_format`. Nothing here knows HTTP, and no miss is ever answered by another model.
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
"""Events of a recorded turn that come without letting anything else run."""


class TapeModel:
    """Answers from a tape.

    On a tape that was written by hand, the conversation is the one whose `when` is in the last user message that
    matches any; the turn is the number of answers after that message. A recorded tape answers the requests that are
    the same as one that was recorded, whatever came before them; recordings of the same request (one that was
    retried) take turns. So the same request always gets the same answer, after a resume too. The one thing kept
    between requests is how often one has been asked that fails at first.

    Args:
        tape: a file's name may be followed by options: `FILE?loose`, `FILE?timed`, `FILE?loose&timed`.
        loose: of a recorded tape: the place in the conversation decides, not what is in it.
        timed: of a recorded tape: pieces come as slowly as they came then. Otherwise they come at once.
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
        """What was asked that the tape has no answer to, and how it differs."""
        self._failed: dict[int, int] = {}
        self._asked: dict[str, int] = {}
        self._fingerprints = Fingerprinter()

    @property
    def id(self) -> str:
        return f"tape:{self.tape.source}"

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """One turn as events. A miss is a `StreamError` of kind `bad_request`."""
        try:
            if self.tape.recorded:
                events = self._replayed(self._find_recorded(request), request, signal)
            else:
                found = find_turn(self.tape, request)
                check_expectation(self.tape, found, request)
                events = self._written(found.turn, request, signal)
        except TapeMiss as miss:
            self.misses.append(str(miss))
            yield StreamError(StreamFailure("bad_request", str(miss)))
            return
        async with aclosing(events):
            async for event in events:
                yield event

    async def _written(
        self, turn: TapeTurn, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[StreamEvent, None]:
        """A turn that was written by hand."""
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
        """A turn as it was recorded, with the request's workspace folders in the place of those of then."""
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
        # After the answer the count begins anew, for the next time the conversation is played.
        self._failed[turn.line] = told + 1 if told < turn.error.times else 0
        return told < turn.error.times

    async def _aborted(self, seconds: float, signal: AbortSignal) -> bool:
        """Waits, and tells whether the request was aborted before or meanwhile."""
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
    """`FILE?loose&timed` as the file and its options. A file that has such a name is itself.

    Raises:
        TapeError: no such option.
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
