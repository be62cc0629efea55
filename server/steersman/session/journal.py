"""One session's event stream: durable events get the next `seq` and are in the log before anybody hears of them.

What the session knows of itself is the fold of what was recorded, so memory holds nothing that the log lacks.
"""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from steersman.session.errors import LogError
from steersman.session.fold import Fold
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

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    def tell(self, event: Emitted) -> None:
        for listener in tuple(self._listeners):
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
        picture: Fold | None = None,
    ) -> None:
        """`now()` in seconds since 1970; `picture` is the fold of the records that exist."""
        self.session = session
        self.picture = picture or Fold()
        """The fold of all that was recorded."""
        self.broken = False
        """A write has failed: the session is read-only until it is opened again."""
        self.failure: str | None = None
        """Which, and what to do; for a person."""
        self._log, self._bus, self._now = session_log, bus, now
        self._syncing = 0
        """Events that are being synced."""
        self._held: deque[Emitted] = deque()
        """Those events and all later ones, which must not overtake them."""
        self._unsynced = False
        """A sync has failed: what the log holds may not be on the disk."""

    @property
    def kept(self) -> bool:
        """Whether there is a log."""
        return self._log is not None

    def record(self, kind: str, data: Data, *, run: str | None = None, turn: int | None = None) -> None:
        """Keeps an event, then tells it. Run and turn are those that are open, unless they are given.

        Raises:
            LogError: it could not be kept; nobody was told.
        """
        self._send(self._keep(kind, data, run=run, turn=turn))

    def _keep(self, kind: str, data: Data, *, run: str | None, turn: int | None) -> Emitted:
        if self.broken:
            raise LogError("The session log could not be written before; open the session again.")
        event = self._event(kind, data, self.picture.seq + 1, run, turn)
        try:
            line = event.line
            if self._log is not None:
                self._log.append(line)
        except LogError as error:
            self.broken, self.failure = True, str(error)
            raise
        except (TypeError, ValueError) as error:
            self.broken = True
            raise LogError(f"An event of type {kind} can't be written as JSON.") from error
        self.picture.feed({"seq": event.seq, "run": event.run, "ts": event.ts, "type": kind, "data": data})
        return event

    async def record_durably(self, kind: str, data: Data) -> None:
        """Keeps an event, syncs it to the disk, then tells it. Later events are told after it.

        Raises:
            LogError: it could not be kept or synced; nobody was told.
        """
        event = self._keep(kind, data, run=None, turn=None)
        self._syncing += 1
        self._held.append(event)
        try:
            await self.sync()
        except LogError:
            self._held.remove(event)
            raise
        finally:
            self._syncing -= 1
            if not self._syncing:
                self._tell_held()

    def _tell_held(self) -> None:
        """After a failed sync later events are told without their numbers: the end of a run among them is awaited."""
        while self._held:
            event = self._held.popleft()
            self._bus.tell(replace(event, seq=None) if self._unsynced else event)

    def tell(self, kind: str, data: Data, *, run: str | None = None) -> None:
        """Tells an event that is not kept."""
        self._send(self._event(kind, data, None, run, None))

    def _send(self, event: Emitted) -> None:
        if self._syncing:
            self._held.append(event)
        else:
            self._bus.tell(event)

    async def record_end(self, kind: str, data: Data, failed: Data) -> None:
        """Keeps the end of something that is no run, and tells it when it is on the disk. If it can't be kept, `failed`
        is told instead, without a number, so that nobody waits for the end for ever.

        Raises:
            LogError: it could not be kept.
        """
        try:
            await self.record_durably(kind, data)
        except LogError:
            self.tell(kind, failed)
            raise

    def mend(self, *, tell: bool = True) -> None:
        """Closes what is open, as after a crash. Without `tell` the ends are only recorded: they were told before.

        Raises:
            LogError: it can't be written.
        """
        for closer in self.picture.closers():
            event = self._keep(closer["type"], closer["data"], run=closer.get("run"), turn=closer.get("turn"))
            if tell:
                self._send(event)

    async def sync(self) -> None:
        """Returns when all that was recorded is on the disk.

        Raises:
            LogError: the disk refused.
        """
        if self._log is not None:
            try:
                await self._log.sync()
            except LogError as error:
                self.broken, self.failure, self._unsynced = True, str(error), True
                raise

    async def close(self) -> None:
        """Releases the log. What is recorded afterwards fails."""
        self.broken = True
        if self._log is not None:
            await self._log.close()

    def _event(self, kind: str, data: Data, seq: int | None, run: str | None, turn: int | None) -> Emitted:
        open_run = self.picture.run
        if open_run is not None and run is None:
            run = open_run.id
        if open_run is not None and turn is None and kind != "agent_end":
            turn = open_run.turn
        return Emitted(self.session, kind, data, round(self._now() * 1000), seq, run, turn)
