"""The event stream: every session's events on one progress token, complete and in order, however slow the client is.

While there is room, events are sent as they happen. A session whose event finds no room falls behind: only its position
in the log is kept, and when there is room again it is caught up from there. Decides nothing about runs.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from steersman.lsp.rpc import RpcServer
from steersman.lsp.wire import encode
from steersman.session.cursor import LogCursor
from steersman.session.errors import LogError
from steersman.session.journal import Emitted

log = logging.getLogger(__name__)

PAGE = 256 * 1024
"""Bytes of records that are read from a log in one go."""
MAX_PLACES = 1_000
"""Sessions whose place is kept, unless more are behind."""

_UPDATES = ("message_update", "tool_execution_update")
"""Events that may be dropped, since a later event contains what they say."""


@dataclass(slots=True)
class _Place:
    """How far the client has got in one session."""

    session: str
    sent: int | None = None
    """The number of the last record that was sent; None before the first one."""
    told: int = 0
    """The number of the last record that the session has announced. Later ones in the log must not be sent yet."""
    cursor: LogCursor | None = None
    unkept: list[tuple[int, Emitted]] = field(default_factory=list)
    """Durable events that the log could not take, each with the number of the record before it. Usually there are
    none."""
    state: Emitted | None = None
    """The latest state, if it was not sent."""

    @property
    def goal(self) -> int:
        """The number of the record up to which the log has to be sent next."""
        return self.unkept[0][0] if self.unkept else self.told


class EventStream:
    """The client gets each session's records without gaps and without repetitions. `on_event` never waits.

    While a session is behind, its updates are dropped and only its latest state is kept. If a log can't be read, there
    is a gap in the numbers, which tells the client to ask for the events.
    """

    def __init__(
        self,
        server: RpcServer,
        token: str | int,
        log_path: Callable[[str], Path],
        *,
        max_places: int = MAX_PLACES,
    ) -> None:
        """`log_path(session)`: the path of a session's log."""
        self._server, self._log_path, self._max_places = server, log_path, max_places
        self._head = b'{"token":%b,"value":' % encode(token)
        self._places: dict[str, _Place] = {}
        self._behind: dict[str, _Place] = {}
        self._room = asyncio.Event()
        self._catching_up: asyncio.Task[None] | None = None
        self._closed = False
        server.on_drained(self._room.set)

    def on_event(self, event: Emitted) -> None:
        place = self._places.get(event.session) or self._new_place(event.session)
        if event.seq is not None:
            if place.sent is None:
                place.sent = event.seq - 1
            place.told = event.seq
        sent = place.session not in self._behind and self._send_now(place, event)
        if not sent and event.type not in _UPDATES:
            self._remember(place, event)
            self._fall_behind(place)

    async def close(self) -> None:
        """Stops catching up. The client can read the rest from the log."""
        self._closed = True
        if self._catching_up is not None:
            self._catching_up.cancel()
            await asyncio.wait({self._catching_up})

    def _new_place(self, session: str) -> _Place:
        """Forgets the oldest session that is not behind: its next event says again where it stands."""
        if len(self._places) >= self._max_places:
            idle = next((each for each in self._places if each not in self._behind), None)
            if idle is not None:
                del self._places[idle]
        place = self._places[session] = _Place(session)
        return place

    def _send_now(self, place: _Place, event: Emitted) -> bool:
        if event.seq is None:
            return self._send(event.line)
        if place.sent != event.seq - 1 or not self._send(event.line):
            return False
        place.sent = event.seq
        return True

    def _remember(self, place: _Place, event: Emitted) -> None:
        """Keeps what the log won't have of an event."""
        if event.type == "state":
            place.state = event
        elif event.seq is None:
            place.unkept.append((place.told, event))
        if event.type == "agent_end":
            place.state = None  # the state of a run that is over

    def _fall_behind(self, place: _Place) -> None:
        if self._closed:
            return
        self._behind[place.session] = place
        if self._catching_up is None or self._catching_up.done():
            self._catching_up = asyncio.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        """Sends what is missing, one page of each session in turn, until no session is behind."""
        while self._behind:
            session, place = next(iter(self._behind.items()))
            del self._behind[session]
            self._behind[session] = place  # goes to the end of the row
            self._room.clear()
            if not await self._advance(place):
                await self._room.wait()

    async def _advance(self, place: _Place) -> bool:
        """Sends the next part of what a session lacks. False if there was no room."""
        if place.sent is not None and place.sent < place.goal:
            return await self._send_page(place, place.sent, place.goal)
        if place.unkept:
            if not self._send(place.unkept[0][1].line):
                return False
            del place.unkept[0]
        elif place.state is not None:
            if not self._send(place.state.line):
                return False
            place.state = None
        else:
            del self._behind[place.session]
        return True

    async def _send_page(self, place: _Place, sent: int, goal: int) -> bool:
        cursor = place.cursor or LogCursor(self._log_path(place.session), sent)
        cursor.move_to(sent)
        try:
            lines = await asyncio.to_thread(cursor.page, goal, PAGE)
        except LogError as error:
            log.warning("%s", error)
            lines = []
        if not lines:
            log.warning("session %s: records %d to %d can't be sent", place.session, sent + 1, goal)
            place.sent, place.cursor = goal, None
            return True
        place.cursor = cursor
        for line in lines:
            if not self._send(line):
                return False
            cursor.pass_over(line)
            place.sent = cursor.seq
        return True

    def _send(self, line: bytes) -> bool:
        return self._server.send_raw_notification("$/progress", b"%b%b}" % (self._head, line), droppable=True)
