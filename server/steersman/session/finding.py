"""Finds the run or session that somebody means who names none, or names one by its id."""

import asyncio
from collections.abc import Sequence

from steersman.session.errors import Refused
from steersman.session.last_runs import LastRuns
from steersman.session.listing import most_recent_log
from steersman.session.open_sessions import OpenSessions, folder
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.workspace.roots import Roots


class Finder:
    """One server's."""

    def __init__(self, services: Services, sessions: OpenSessions, begun: LastRuns) -> None:
        """`begun`: the last runs, those that have ended included."""
        self._services, self._sessions, self._begun = services, sessions, begun

    def session_of(self, run: str | None) -> Session:
        """The session of the live run with this id; without an id, of the only live run.

        Raises:
            Refused: notRunning, ambiguous, unknownRun.
        """
        live = {session.live.id: session for session in self._sessions.live() if session.live is not None}
        if run is None:
            if not live:
                raise Refused("notRunning", "No run is live. Start one.")
            if len(live) > 1:
                raise Refused("ambiguous", "Several runs are live; name one.", runs=list(live))
            return next(iter(live.values()))
        if run in live:
            return live[run]
        if run in self._begun:
            raise Refused("notRunning", f"The run {run} has ended.", run=run)
        raise Refused("unknownRun", f"There is no run {run} here.", run=run)

    def live(self) -> Sequence[Session]:
        """The sessions with a live run, in the order in which they were opened."""
        return self._sessions.live()

    def last_used(self) -> Session | None:
        """Of the open sessions, the one used last."""
        return max(self._sessions.all(), key=lambda session: session.kept.last_used, default=None)

    def most_recent(self, roots: Roots) -> str | None:
        """Of the sessions in this root that this server knows, the id of the one used last."""
        return self._sessions.most_recent(roots)

    async def to_continue(self, roots: Roots) -> str:
        """The id of the session used last in this root: of those that this server knows, else of all.

        Raises:
            Refused: unknownSession, there is none.
        """
        known = self.most_recent(roots)
        if known is not None:
            return known
        kept = await asyncio.to_thread(most_recent_log, self._services.home.sessions, folder(roots))
        if kept is None:
            raise Refused("unknownSession", "There is no session to continue: start one.")
        return kept
