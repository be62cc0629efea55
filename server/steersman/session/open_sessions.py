"""The sessions that one server has open. Each is opened once; of the idle ones, those used longest ago are closed.

An open session holds a descriptor, the lock of its log and its whole history, so only a few stay open without a run.
What the server remembers of a session besides its log (`Kept`) outlives the closing, but only for the last thousand
sessions: a server may run for weeks.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from steersman.session.errors import Refused
from steersman.session.journal import Journal
from steersman.session.kept import Kept
from steersman.session.log_picture import roots_of
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.session.store import Store
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)

MAX_IDLE = 16
"""Sessions without a run that stay open."""
MAX_KNOWN = 1000
"""Sessions, open or closed, of which something is remembered besides their logs."""
_NOT_CLOSED = "the session %s could not be closed"


class OpenSessions:
    def __init__(self, services: Services, store: Store) -> None:
        self._services, self._store = services, store
        self._open: dict[str, Session] = {}
        self._opening: dict[str, asyncio.Task[Session]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._kept: dict[str, Kept] = {}
        """Of the sessions that are open, and of those that were open here last."""
        self._roots: dict[Roots, Roots] = {}
        """The roots of those sessions: sessions in the same folders share one object."""
        self._wanted: list[str] = []
        self.closing = False
        """The server is going down: no session is opened or made any more."""

    def all(self) -> Sequence[Session]:
        return list(self._open.values())

    def live(self) -> Sequence[Session]:
        """Those with a run."""
        return [session for session in self._open.values() if session.live is not None]

    def abort_operations(self, reason: str | None = None) -> bool:
        """Asks the operations that are under way to stop. False if there are none."""
        aborted = [session.abort(reason) for session in self._open.values() if session.live is None]
        return any(aborted)

    def get(self, session_id: str) -> Session | None:
        """The session, if it is open now."""
        return self._open.get(session_id)

    def knows(self, session_id: str) -> bool:
        """Whether the session is open, or was one of the last that were."""
        return session_id in self._kept

    def most_recent(self, roots: Roots) -> str | None:
        """The id of the session that was used last in this root, of those that this server knows."""
        mine = [
            (kept.last_used, id) for id, kept in self._kept.items() if folder(kept.roots) == folder(roots)
        ]
        return max(mine, key=lambda item: item[0], default=(0.0, None))[1]

    @contextmanager
    def wanted(self, session_id: str | None) -> Iterator[None]:
        """Keeps the session from being closed as idle: it is about to be used."""
        names = [] if session_id is None else [session_id]
        self._wanted += names
        try:
            yield
        finally:
            for name in names:
                self._wanted.remove(name)

    def create(self, roots: Roots) -> Session:
        """A new session.

        Raises:
            Refused: readOnly, shuttingDown.
        """
        self.refuse_when_closing()
        return self._add(self._store.create(roots), roots)

    async def open(self, session_id: str, roots: Roots | None = None) -> Session:
        """The session, opened from its log if it isn't open, or if its log could not be written. What a crash left
        open is closed in it.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written), shuttingDown.
        """
        while True:
            self.refuse_when_closing()
            known = self._open.get(session_id)
            if known is not None and (known.live is not None or not known.broken):
                return known
            opening = self._opening.get(session_id)
            if opening is None:
                opening = asyncio.create_task(self._open_log(session_id, roots))
                self._opening[session_id] = opening
                opening.add_done_callback(lambda _: self._opening.pop(session_id, None))
            await asyncio.shield(opening)  # somebody else who waited for it may have deleted it by now

    async def _open_log(self, session_id: str, roots: Roots | None) -> Session:
        broken = self._open.get(session_id)
        if broken is not None:
            await broken.close()
        elif (closing := self._closing.get(session_id)) is not None:
            await asyncio.wait({closing})  # until the lock is free
            if (kept_open := self._open.get(session_id)) is not None:  # it could not be deleted
                return kept_open
        kept = self._kept.get(session_id)
        told = kept is not None and kept.told
        journal = await self._store.open(session_id, roots or Roots([]), told=told)
        try:
            if kept is not None:
                where = kept.roots
            else:
                where = roots if roots is not None and roots.folders else roots_of(journal.picture)
            return self._add(journal, where)
        except BaseException:
            await journal.close()  # nobody else would give the lock back
            raise

    def _add(self, journal: Journal, roots: Roots) -> Session:
        roots = self._roots.setdefault(roots, roots)
        session = Session(self._services, roots, journal, self._kept.get(journal.session))
        self._open[session.id], self._kept[session.id] = session, session.kept
        return session

    def close_unused(self) -> None:
        """Begins to close the idle sessions that were used longest ago, if there are too many."""
        idle = [session for session in self._open.values() if session.can_be_reopened]
        idle.sort(key=lambda session: session.kept.last_used)
        for session in idle[: max(0, len(idle) - MAX_IDLE)]:
            if session.id in self._wanted:
                continue
            del self._open[session.id]
            closing = asyncio.create_task(session.close())
            self._closing[session.id] = closing
            closing.add_done_callback(partial(self._closed, session.id))

    def _closed(self, session_id: str, done: "asyncio.Task[None]") -> None:
        self._closing.pop(session_id, None)
        self._forget()
        if not done.cancelled() and (error := done.exception()) is not None:
            log.error(_NOT_CLOSED, session_id, exc_info=error)

    def _forget(self) -> None:
        """Forgets the closed sessions that were used longest ago, if too many are remembered, and some more, so that
        this happens rarely. Those for which the user has decided something (a mode, a grant) go last: a forgotten
        session is in the default mode and asks again.
        """
        if (excess := len(self._kept) - MAX_KNOWN) <= 0:
            return
        used = {*self._open, *self._opening, *self._closing, *self._wanted}
        closed = [(kept.decided, kept.last_used, id) for id, kept in self._kept.items() if id not in used]
        for _, _, id in sorted(closed)[: excess + MAX_KNOWN // 10]:
            del self._kept[id]
        self._roots = {kept.roots: kept.roots for kept in self._kept.values()}

    async def delete(self, session: Session, on_delete: Callable[[str], Awaitable[None]]) -> None:
        """Deletes an open session that has no run, and then calls `on_delete` with its id. Both are done even if the
        caller is cancelled meanwhile.

        Raises:
            Refused: readOnly.
        """
        session.closing = True  # a run that is about to begin in it must not
        # Whoever wants it from now on waits for what comes of this.
        del self._open[session.id], self._kept[session.id]
        deleting = asyncio.create_task(self._delete(session, on_delete))
        self._closing[session.id] = deleting
        deleting.add_done_callback(lambda _: self._closing.pop(session.id, None))
        await asyncio.shield(deleting)

    async def _delete(self, session: Session, on_delete: Callable[[str], Awaitable[None]]) -> None:
        path = self._services.log_path(session.id)
        try:
            await asyncio.to_thread(path.unlink)  # while the lock is held
        except OSError as error:
            session.closing = False
            self._open[session.id], self._kept[session.id] = session, session.kept
            text = f"The session can't be deleted: {path}: {error.strerror}."
            raise Refused("readOnly", text, session=session.id) from error
        await session.close()
        await on_delete(session.id)

    async def close(self) -> None:
        """Ends live runs as interrupted and releases every log. A session that fails to close is logged. Set `closing`
        before."""
        await asyncio.gather(*self._opening.values(), *self._closing.values(), return_exceptions=True)
        sessions = self.all()
        closed = await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)
        for session, error in zip(sessions, closed, strict=True):
            if error is not None:
                log.error(_NOT_CLOSED, session.id, exc_info=error)

    def refuse_when_closing(self) -> None:
        """Raises:
        Refused: shuttingDown.
        """
        if self.closing:
            raise Refused("shuttingDown", "The server is shutting down.")

    def refuse_unless_known(self, session_id: str) -> None:
        """Raises:
        Refused: unknownSession.
        """
        if not self.knows(session_id):
            text = f"The session {session_id} is not open here."
            raise Refused("unknownSession", text, session=session_id)


def folder(roots: Roots) -> Path | None:
    """The folder where the relative paths of a session start."""
    return roots.primary.path if roots.primary is not None else None
