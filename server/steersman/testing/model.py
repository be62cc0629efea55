"""The model of a test: gives the answers of its script and keeps the requests. It uses no network."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.model import (
    ABORTED,
    Model,
    ModelRequest,
    StreamError,
    StreamEvent,
    StreamFailure,
    close_stream,
)
from steersman.models.tape import TapeModel
from steersman.models.tape_format import Tape
from steersman.models.tape_script import (
    Found,
    TapeMiss,
    answer_events,
    check_expectation,
    failing_events,
    last_event,
)
from steersman.models.tape_written import Conversation, TapeTurn
from steersman.testing.errors import ScriptError
from steersman.testing.requests import Request, plain_request
from steersman.testing.turns import Written, placed

SPEC: Final = "script:test"
"""The model's name in the log of a test."""


class ScriptModel:
    """Answers the nth request with the nth turn."""

    id = SPEC

    def __init__(self, turns: Sequence[Written], source: str) -> None:
        """`source` is what messages call the script.

        Raises:
            ScriptError: something in it is not a turn.
        """
        for number, each in enumerate(turns, 1):
            if not callable(each):
                placed(each, number)
        self.problems: list[str] = []
        self._turns, self._source = turns, source
        self._asked = 0

    def left(self) -> list[str]:
        """What was wrong once the run is over, unused turns included."""
        left = len(self._turns) - self._asked
        if left <= 0:
            return self.problems
        which = f"turn {len(self._turns)}" if left == 1 else f"turns {self._asked + 1} to {len(self._turns)}"
        said = f"the model was asked {_times(self._asked)}, and {self._source} has {len(self._turns)} turns"
        return [*self.problems, f"Nobody asked for {which}: {said}."]

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """See `agent.model.Model`."""
        self._asked += 1
        try:
            turn = self._turn(request)
        except (ScriptError, TapeMiss) as error:
            self.problems.append(str(error))
            yield StreamError(StreamFailure("bad_request", str(error)))
            return
        async with aclosing(self._events(turn, request, signal)) as events:
            async for event in events:
                yield event

    def _turn(self, request: ModelRequest) -> TapeTurn:
        """Raises:
        ScriptError: there is no turn left, or the function that should make it raised.
        TapeMiss: the request is not what the turn expects.
        """
        number = self._asked
        if number > len(self._turns):
            raise ScriptError(
                f"The model was asked a request that {self._source} has no turn for, number {number}: "
                f"{_last(plain_request(request))}"
            )
        written = self._turns[number - 1]
        if callable(written):
            try:
                written = written(plain_request(request))
            except Exception as error:
                raise ScriptError(f"{self._source}, turn {number}: it raised {error!r}.") from error
        turn = placed(written, number)
        conversation = Conversation(0, (), [turn])
        tape = Tape(self._source, self._source, (conversation,))
        check_expectation(tape, Found(conversation, 0), request)
        return turn

    async def _events(
        self, turn: TapeTurn, request: ModelRequest, signal: AbortSignal
    ) -> AsyncGenerator[StreamEvent, None]:
        failing = turn.error is not None
        for event in failing_events(turn) if failing else answer_events(turn):
            yield event
            await asyncio.sleep(0)  # so that what the test does at this event is done before the next one
            if signal.aborted:
                yield StreamError(ABORTED)
                return
        if turn.hang:
            await signal.wait()
            yield StreamError(ABORTED)
            return
        yield last_event(turn, request, failing=failing)


class Heard:
    """Passes on the answers of a model, and keeps the requests to it."""

    def __init__(self, model: ScriptModel | TapeModel) -> None:
        self.requests: list[Request] = []
        self._model: Model = model
        self._left = model.left if isinstance(model, ScriptModel) else lambda: model.misses

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def problems(self) -> list[str]:
        """Requests without an answer, answers without a request."""
        return self._left()

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """See `agent.model.Model`."""
        self.requests.append(plain_request(request))
        stream = self._model.stream(request, signal)
        try:
            async for event in stream:
                yield event
        finally:
            await close_stream(stream)


def _last(request: Request) -> str:
    """What a request ends with, in a few words."""
    if not request.messages:
        return "an empty conversation."
    message = request.messages[-1]
    who = {"user": "the user said", "tool": f"{message.get('name')} returned"}.get(message["role"], "it said")
    text = message["text"].strip()
    return f"{who} {text if len(text) <= 200 else text[:200] + '…'!r}."


def _times(number: int) -> str:
    return {0: "nothing", 1: "once", 2: "twice"}.get(number, f"{number} times")
