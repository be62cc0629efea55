"""Hands a run's events to its sink, and knows what is open, so that everything closes on every path."""

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
    """The sink could not keep an event. Its exception is the cause, and in the application log."""


class Recorder:
    """Stands between the loop and the sink: orders concurrent events, and knows whether the sink still works."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._order = (
            asyncio.Lock()
        )  # the tools of a batch end concurrently, the sink takes one event at a time
        self.broken = False
        """The sink has failed: nothing more is kept, and closing events are only told."""
        self.open_message: str | None = None
        self.open_turn: int | None = None

    async def emit(self, event: DurableEvent) -> None:
        """Has the sink keep and tell an event.

        Raises:
            SinkFailed: this event, or an earlier one, could not be kept.
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
        """Emits an event that has to be told, even if it can't be kept. Raises no exception of the sink's."""
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
        """Raises SinkFailed if nothing more is kept, so that nothing more is done."""
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
    """Whether this task is being cancelled, rather than the sink having raised a CancelledError of its own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
