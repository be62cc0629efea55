"""A model that says what the test wrote down, and keeps what it was asked."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import ModelStop, Usage
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockStart,
    FailureKind,
    ModelRequest,
    StreamDone,
    StreamError,
    StreamEvent,
    StreamFailure,
)

Step = StreamEvent | BaseException | Callable[[AbortSignal], Awaitable[object]]
"""What a response does next: an event, something that it raises, or something that it waits for."""
Stream = Callable[[ModelRequest, AbortSignal], AsyncIterator[StreamEvent]]


@dataclass(frozen=True, slots=True)
class call:
    """A tool call in an answer. `arguments` that are text are sent as they are."""

    name: str
    arguments: object = field(default_factory=dict)
    provider_id: str | None = None

    @property
    def raw(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


def answer(
    text: str = "",
    *calls: call,
    thinking: str = "",
    stop: ModelStop = "stop",
    usage: Usage | None = None,
    piece: int = 3,
) -> list[Step]:
    """A whole response, in deltas of `piece` characters."""
    steps: list[Step] = []
    for kind, content in (("thinking", thinking), ("text", text)):
        if content:
            steps += _block(len(starts(steps)), kind, content, piece)
    for each in calls:
        steps += _block(len(starts(steps)), "toolCall", each.raw, piece, each)
    return [*steps, StreamDone(stop, usage or Usage(input=10, output=5, cost=0.01))]


def failure(
    kind: FailureKind = "network", message: str = "the connection broke", *, after: str = ""
) -> list[Step]:
    """A response that fails, after some text."""
    steps = _block(0, "text", after, 3) if after else []
    return [*steps, StreamError(StreamFailure(kind, message), Usage(input=10))]


def starts(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, BlockStart)]


def _block(index: int, kind, content: str, piece: int, tool: call | None = None) -> list[Step]:
    start = BlockStart(index, kind, tool.name if tool else "", tool.provider_id if tool else None)
    deltas = [BlockDelta(index, content[at : at + piece]) for at in range(0, len(content), piece)]
    return [start, *deltas, BlockEnd(index)]


class Unscripted(Exception):
    """The model was asked more often than the test expected."""


class ScriptedModel:
    def __init__(self, *responses: Sequence[Step] | Stream, name: str = "scripted") -> None:
        self.id = f"test:{name}"
        self.responses = list(responses)
        self.requests: list[ModelRequest] = []
        self.fallback: Sequence[Step] | None = None
        """What it says when the script is over; None: that is an error."""
        self.closed = 0
        """Streams whose end was reached or which were closed."""

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        response: Sequence[Step] | Stream | None = self.fallback
        if len(self.requests) <= len(self.responses):
            response = self.responses[len(self.requests) - 1]
        if response is None:
            raise Unscripted(f"request {len(self.requests)} of {len(self.responses)}")
        try:
            if callable(response):
                stream = response(request, signal)
                try:
                    async for event in stream:
                        yield event
                finally:
                    if isinstance(stream, AsyncGenerator):
                        await stream.aclose()
                return
            for step in response:
                if isinstance(step, BaseException):
                    raise step
                if callable(step):
                    await step(signal)
                else:
                    yield step
        finally:
            self.closed += 1
