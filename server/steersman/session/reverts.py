"""Reverts for a user: the checkpoints of a session, what going back to one would do, and doing it.

Every public method raises `Refused` with a code when it can't be done; nothing is half done then.
"""

import asyncio
from collections.abc import Collection, Mapping

from steersman.agent.abort import AbortSignal
from steersman.session.checkpoints import Checkpoint, History
from steersman.session.errors import Refused
from steersman.session.open_sessions import OpenSessions
from steersman.session.revert import Choice, Item
from steersman.session.session import Session
from steersman.session.store import Store
from steersman.session.wire import Data
from steersman.workspace.touched import written_within
from steersman.workspace.uris import path_of

CLOCK_SLACK = 2.0
"""Seconds before and after a command in which a write may be the command's: file systems round times."""


class Reverts:
    def __init__(self, store: Store, sessions: OpenSessions) -> None:
        self._store, self._sessions = store, sessions

    async def checkpoints(self, session_id: str) -> Data:
        """Every message of the user and every revert, oldest first, with the files that were changed after it.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        history = await self._store.history(session_id)
        return {"session": session_id, "checkpoints": [each.data() for each in history.checkpoints]}

    async def preview(self, session_id: str, since: str, files: Collection[str] | None = None) -> Data:
        """What a revert would do. `since` is a checkpoint, or a run.

        Raises:
            Refused: unknownSession, unknownCheckpoint, locked, readOnly, shuttingDown.
        """
        with self._sessions.wanted(session_id):
            session, history, checkpoint = await self._look(session_id, since)
            items = await session.reverter(history).plan(checkpoint, files)
        return {
            "session": session_id,
            "checkpoint": checkpoint.id,
            "files": [item.data() for item in items],
            **await self._of_commands(session, history, checkpoint),
        }

    async def revert(
        self,
        session_id: str,
        since: str,
        files: Collection[str] | None = None,
        choices: Mapping[str, Choice] | None = None,
    ) -> Data:
        """Begins a revert; `revert_end` tells what became of each file.

        Raises:
            Refused: unknownSession, unknownCheckpoint, busy, conflict (a file was changed since, and no choice says
                what to do), nothingToDo, locked, readOnly, shuttingDown.
        """
        choices = choices or {}
        with self._sessions.wanted(session_id):
            session, history, checkpoint = await self._look(session_id, since)
            session.refuse_if_live()
            reverter = session.reverter(history)
            items = await reverter.plan(checkpoint, files)
            session.refuse_if_live()
            _refuse_open_conflicts(session, items, choices)

            async def work(signal: AbortSignal) -> None:
                await reverter.carry_out(checkpoint, items, choices, signal)

            operation = session.operate("tool", work)
        return {"session": session_id, "operation": operation.id}

    async def _look(self, session_id: str, since: str) -> tuple[Session, History, Checkpoint]:
        session = await self._sessions.open(session_id)
        history = await self._store.history(session_id)
        checkpoint = history.find(since)
        if checkpoint is None:
            text = f"There is no checkpoint {since} in this session."
            raise Refused("unknownCheckpoint", text, session=session_id, id=since)
        return session, history, checkpoint

    async def _of_commands(self, session: Session, history: History, since: Checkpoint) -> Data:
        """The commands since then, and the files last written while one of them ran: those are not reverted."""
        commands = [command for command in history.commands if command.seq > since.seq]
        spans = [
            (command.began / 1000 - CLOCK_SLACK, command.ended / 1000 + CLOCK_SLACK) for command in commands
        ]
        ours = {path_of(uri) for uri in history.left}
        roots = [root.path for root in session.roots.folders]
        written = await asyncio.to_thread(
            lambda: [path for root in roots for path in written_within(root, spans, without=ours)]
        )
        return {
            "commands": [command.command for command in commands],
            "notRevertible": [path.as_uri() for path in written],
        }


def _refuse_open_conflicts(session: Session, items: list[Item], choices: Mapping[str, Choice]) -> None:
    undecided = [item for item in items if item.state == "conflict" and item.uri not in choices]
    if undecided:
        files: list[Data] = [{"uri": item.uri, "reason": item.reason} for item in undecided]
        number = "1 file was" if len(undecided) == 1 else f"{len(undecided)} files were"
        text = f"{number} changed by somebody else since: say for each what to do."
        raise Refused("conflict", text, session=session.id, files=files)
    if not any(item.state in ("ready", "conflict") for item in items):
        raise Refused("nothingToDo", "There is nothing to take back.", session=session.id)
