"""What an answer costs, by the price of its model."""

from collections.abc import AsyncIterator
from dataclasses import replace

from steersman.agent.abort import AbortSignal
from steersman.agent.messages import Usage
from steersman.agent.model import (
    Model,
    ModelRequest,
    StreamDone,
    StreamError,
    StreamEvent,
    close_stream,
)
from steersman.models.provider import Price

FREE = Price(0.0, 0.0, 0.0, 0.0)
"""The price of programs on one's own machine."""
_MILLION = 1_000_000


class PricedModel:
    """A model whose answers say what they cost, including those that failed."""

    def __init__(self, model: Model, price: Price) -> None:
        self._model, self._price = model, price

    @property
    def id(self) -> str:
        return self._model.id

    async def stream(self, request: ModelRequest, signal: AbortSignal) -> AsyncIterator[StreamEvent]:
        """The model's own stream, with the cost in its usage."""
        events = self._model.stream(request, signal)
        try:
            async for event in events:
                if isinstance(event, StreamDone | StreamError):
                    yield replace(event, usage=priced(event.usage, self._price))
                else:
                    yield event
        finally:
            await close_stream(events)


def priced(usage: Usage, price: Price | None) -> Usage:
    """The usage with its cost, if the provider hasn't told it and the price of every token in it is known."""
    if usage.cost is not None or price is None or not usage.total:
        return usage
    return replace(usage, cost=_cost(usage, price))


def _cost(usage: Usage, price: Price) -> float | None:
    """US dollars; None if not known. Reading the cache never costs more than the input, so that price will do for it.
    Writing may cost more, so it needs a price of its own."""
    parts = (
        (max(0, usage.input - usage.cache_read - usage.cache_write), price.input),
        (usage.cache_read, price.input if price.cache_read is None else price.cache_read),
        (usage.cache_write, price.cache_write),
        (usage.output, price.output),
    )
    costs = [None if each is None else tokens * each / _MILLION for tokens, each in parts if tokens]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
