"""What a user does with kept sessions besides running them: list, resume, go back, fork, rename, delete.

Every public method raises `Refused` with a code when it can't be done; nothing is half done then.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from steersman.session.errors import Refused
from steersman.session.fold import Fold
from steersman.session.listing import MAX_LOGS, SessionSummary, list_sessions
from steersman.session.open_sessions import OpenSessions
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.session.status import resting, session_data
from steersman.session.store import Store
from steersman.session.tree import Node
from steersman.session.wire import Data, typed_text, usage_data

MAX_TITLE = 200
"""Characters of a title that the user gives."""


async def _nothing_else(_: str) -> None:
    return


class Library:
    def __init__(self, services: Services, store: Store, sessions: OpenSessions) -> None:
        self._services, self._store, self._sessions = services, store, sessions

    async def list(
        self, folder: Path | None = None, *, query: str = "", limit: int = 100
    ) -> Sequence[SessionSummary]:
        """The sessions used last, newest first: of one folder or of all, with every word of `query` in their titles."""
        logs = self._services.home.sessions
        wanted = limit if not query else MAX_LOGS
        found = await asyncio.to_thread(lambda: list_sessions(logs, folder, limit=wanted))
        known = [self._as_it_is(summary) for summary in found]
        words = query.casefold().split()
        matching = [each for each in known if all(word in (each.title or "").casefold() for word in words)]
        return matching[:limit]

    def _as_it_is(self, summary: SessionSummary) -> SessionSummary:
        """Of a session that is open here, its state now rather than what its log says, or said when it was read."""
        session = self._sessions.get(summary.id)
        if session is None:
            return summary
        picture = session.picture
        return replace(
            summary,
            title=picture.title,
            model=session.model_spec,
            usage=usage_data(picture.usage),
            state="live" if session.live is not None else resting(session),
            locked=False,
        )

    async def resume(self, session_id: str, node: str | None = None) -> Data:
        """Opens a session; with `node` it goes on from there.

        Raises:
            Refused: unknownSession, unknownMessage, busy, locked, readOnly, shuttingDown.
        """
        with self._sessions.wanted(session_id):
            session = await self._sessions.open(session_id)
            if node is not None:
                _node(session.id, session.picture, node)
                await session.move_to(node, self._store)
            session.kept.last_used = self._services.now()
        return _resumed(session)

    async def go_back(self, session_id: str, message: str) -> Data:
        """The session goes on from before a message of the user; the message's text comes back. No file is changed.

        Raises:
            Refused: unknownSession, unknownMessage, busy, locked, readOnly, shuttingDown.
        """
        with self._sessions.wanted(session_id):
            session = await self._sessions.open(session_id)
            node = _node(session.id, session.picture, message, of_user=True)
            session.refuse_if_live()
            text = await self._text(session_id, node)
            await session.move_to(node.parent, self._store)
        return _resumed(session) | {"text": text}

    async def fork(self, session_id: str, message: str | None = None) -> Data:
        """A new session with a copy of the branch: up to a message of the user, whose text comes back, or whole.

        Raises:
            Refused: unknownSession, unknownMessage, busy (a run is live here, and no message says up to where),
                readOnly, shuttingDown.
        """
        with self._sessions.wanted(session_id):
            picture = await self._picture(session_id, whole=message is None)
            text = None
            tip = picture.tip
            if message is not None:
                node = _node(session_id, picture, message, of_user=True)
                text, tip = await self._text(session_id, node), node.parent
            made = await self._store.fork(session_id, picture.tree.path(tip))
        answer: Data = {"session": made, "forkedFrom": session_id}
        return answer if text is None else answer | {"text": text}

    async def rename(self, session_id: str, title: str) -> Data:
        """Raises:
        Refused: unknownSession, badTitle, locked, readOnly, shuttingDown.
        """
        title = " ".join(title.split())
        if not 0 < len(title) <= MAX_TITLE:
            raise Refused("badTitle", f"A title has 1 to {MAX_TITLE} characters.", session=session_id)
        with self._sessions.wanted(session_id):
            (await self._sessions.open(session_id)).rename(title)
        return {"session": session_id, "title": title}

    async def delete(
        self, session_id: str, on_delete: Callable[[str], Awaitable[None]] = _nothing_else
    ) -> Data:
        """Deletes the log for good, and what `on_delete(session)` knows of besides. What the session did to files
        stays.

        Raises:
            Refused: unknownSession, busy, locked, readOnly, shuttingDown.
        """
        with self._sessions.wanted(session_id):
            session = await self._sessions.open(session_id)  # nobody else has it then
            session.refuse_if_live()
            await self._sessions.delete(session, on_delete)
        return {"session": session_id}

    async def _picture(self, session_id: str, *, whole: bool) -> Fold:
        """The state of the session. If another process works in it, its log is read."""
        try:
            session = await self._sessions.open(session_id)
        except Refused as refusal:
            if refusal.code != "locked":
                raise
            return await self._store.picture(session_id)
        if whole:
            session.refuse_if_live()
        return session.picture

    async def _text(self, session_id: str, node: Node) -> str:
        message = await self._store.message(session_id, node)
        return typed_text(message)


def _node(session_id: str, picture: Fold, node_id: str, *, of_user: bool = False) -> Node:
    node = picture.tree.nodes.get(node_id)
    if node is None or (of_user and node.kind != "user"):
        what = "message of the user" if of_user else "message"
        text = f"There is no {what} {node_id} in this session."
        raise Refused("unknownMessage", text, session=session_id, id=node_id)
    return node


def _resumed(session: Session) -> Data:
    picture = session.picture
    return {
        **session_data(session),
        "tip": picture.tip,
        "seq": picture.seq,
        "roots": [root.given.as_uri() for root in session.roots.folders],
    }
