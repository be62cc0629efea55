"""Counts what extensions ask models themselves: it costs the user the same, so it belongs to the run and its budget.

What a run's own model uses is counted by the kernel. An extension may have made that model, perhaps out of one that it
could also ask by itself, so each request is counted where it was begun.
"""

from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Final

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Usage
from steersman.agent.model import Model, ModelRequest, StreamDone, StreamError, StreamEvent, close_stream

_OF_THE_RUN: Final = ContextVar("of_the_run", default=False)
"""Whether what is asked now is a part of a run's own request."""


class AskedModel:
    """A model that an extension has: tells what each request has used, unless it is a part of one of the run's."""

    def __init__(self, model: Model, spent: Callable[[str, Usage], None]) -> None:
        """`spent` gets the model's name and the usage."""
        self._model, self._spent = model, spent

    @property
    def id(self) -> str:
        return self._model.id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """See `agent.model.Model`."""
        stream = self._model.stream(request, signal)
        try:
            async for event in stream:
                if isinstance(event, StreamDone | StreamError) and not _OF_THE_RUN.get():
                    self._spent(self.id, event.usage)
                yield event
        finally:
            await close_stream(stream)


class RunsModel:
    """A model that an extension gives to the run."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def id(self) -> str:
        return self._model.id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """See `agent.model.Model`."""
        _OF_THE_RUN.set(True)  # for the task that reads this stream, which reads nothing else
        stream = self._model.stream(request, signal)
        try:
            async for event in stream:
                yield event
        finally:
            await close_stream(stream)
