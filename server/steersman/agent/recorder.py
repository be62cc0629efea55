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
            except BaseException as error:
                self.broken = True  # after a cancellation too: nobody knows what was kept
                log.exception("the sink failed on %s", event.type)
                if isinstance(error, Exception) or not _is_cancelled():
                    raise SinkFailed from error
                raise
            self._track(event)

    async def close(self, event: DurableEvent) -> None:
        """Emits an event that has to be told: if it can't be kept, it is told all the same. Never raises."""
        try:
            await self.emit(event)
        except (SinkFailed, asyncio.CancelledError):
            self.broken = True
            self._track(event)
            self.tell(event)

    def tell(self, event: PassingEvent | AgentEvent) -> None:
        try:
            self._sink.tell(event)
        except Exception:
            log.exception("the sink raised on being told %s", event.type)

    def check(self) -> None:
        """
        Raises:
            SinkFailed: nothing more is kept, so nothing more may be done.
        """
        if self.broken:
            raise SinkFailed

    def _track(self, event: DurableEvent) -> None:
        if isinstance(event, MessageStart):
            self.open_message = event.message_id
        elif isinstance(event, MessageEnd | MessageDiscarded):
            self.open_message = None
        elif isinstance(event, TurnStart):
            self.open_turn = event.turn
        elif isinstance(event, TurnEnd):
            self.open_turn = None


def _is_cancelled() -> bool:
    """This task is being cancelled, as against a CancelledError that the sink raised by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
