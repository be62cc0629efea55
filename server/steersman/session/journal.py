"""One session's event stream: durable events get the next `seq` and are in the log before anybody hears of them."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from steersman.session.errors import LogError
from steersman.session.jsonlines import encode
from steersman.session.log import SessionLog
from steersman.session.wire import Data

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Emitted:
    """One event as it leaves the session."""

    session: str
    type: str
    data: Data
    ts: int
    """Milliseconds since 1970, UTC."""
    seq: int | None = None
    """Its number in the log, from 1; None for what is not kept."""
    run: str | None = None
    turn: int | None = None

    @cached_property
    def line(self) -> bytes:
        """The whole event as JSON: the record of the log, the value of a progress notification."""
        envelope: Data = {} if self.seq is None else {"seq": self.seq}
        envelope["session"] = self.session
        if self.run is not None:
            envelope["run"] = self.run
        if self.turn is not None:
            envelope["turn"] = self.turn
        return encode(envelope | {"ts": self.ts, "type": self.type, "data": self.data})


Listener = Callable[[Emitted], None]


class EventBus:
    """Everybody who listens to a server's sessions."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every event, in order. Returns a function that ends it.

        It must not block. One that raises is logged; the others don't notice.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, event: Emitted) -> None:
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                log.exception("a listener raised on %s", event.type)


class Journal:
    """Writes and tells the events of one session. `log=None` keeps nothing: numbers only."""

    def __init__(
        self,
        session: str,
        session_log: SessionLog | None,
        bus: EventBus,
        now: Callable[[], float],
        seq: int = 0,
    ) -> None:
        """`now()` in seconds since 1970; `seq` is the number of the last record that exists."""
        self.session = session
        self.seq = seq
        self.run: str | None = None
        self.turn: int | None = None
        self.broken = False
        """A write has failed: the session is read-only until it is opened again."""
        self._log, self._bus, self._now = session_log, bus, now

    def record(self, kind: str, data: Data) -> Emitted:
        """Keeps an event, then tells it.

        Raises:
            LogError: it could not be kept; nobody was told.
        """
        if self.broken:
            raise LogError("The session log could not be written before; open the session again.")
        event = self._event(kind, data, self.seq + 1)
        if self._log is not None:
            try:
                self._log.append(event.line)
            except LogError:
                self.broken = True
                raise
        self.seq += 1
        self._bus.tell(event)
        return event

    def tell(self, kind: str, data: Data) -> None:
        """Tells an event that is not kept."""
        self._bus.tell(self._event(kind, data, None))

    async def sync(self) -> None:
        """Returns when all that was recorded is on the disk.

        Raises:
            LogError: the disk refused.
        """
        if self._log is not None:
            try:
                await self._log.sync()
            except LogError:
                self.broken = True
                raise

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def _event(self, kind: str, data: Data, seq: int | None) -> Emitted:
        return Emitted(self.session, kind, data, round(self._now() * 1000), seq, self.run, self.turn)
