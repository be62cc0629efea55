"""Tells a run's events to its sink, and knows what is open, so that everything closes on every path."""

import asyncio
import logging

from steersman.agent.events import (
    AgentEvent,
    DurableEvent,
    MessageDiscarded,
    MessageEnd,
    MessageStart,
    PassingEvent,
    Sink,
    TurnEnd,
    TurnStart,
)

log = logging.getLogger(__name__)


class SinkFailed(Exception):
    """The sink could not keep an event. What it said is the cause, and in the application log."""


class Recorder:
    """Between the loop and the sink: orders concurrent emissions and remembers whether the sink still works."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._order = (
            asyncio.Lock()
        )  # tools of one batch end concurrently; the sink takes one event at a time
        self.broken = False
        """The sink has failed once: nothing more is kept, what closes is only told."""
        self.open_message: str | None = None
        self.open_turn: int | None = None

    async def emit(self, event: DurableEvent) -> None:
        """Keeps and tells.

        Raises:
            SinkFailed: it could not be kept, or an earlier one could not.
        """
        async with self._order:
            if self.broken:
                raise SinkFailed
            try:
                await self._sink.record(event)
            except Exception as error:
                self.broken = True
                log.exception("the sink failed on %s", event.type)
                raise SinkFailed from error
            self._track(event)

    async def close(self, event: DurableEvent) -> None:
        """Emits an event that closes something. If it can't be kept it is still told. Never raises."""
        try:
            await self.emit(event)
        except SinkFailed:
            self._track(event)
            self.tell(event)

    def tell(self, event: PassingEvent | AgentEvent) -> None:
        self._sink.tell(event)

    def _track(self, event: DurableEvent) -> None:
        if isinstance(event, MessageStart):
            self.open_message = event.message_id
        elif isinstance(event, MessageEnd | MessageDiscarded):
            self.open_message = None
        elif isinstance(event, TurnStart):
            self.open_turn = event.turn
        elif isinstance(event, TurnEnd):
            self.open_turn = None
