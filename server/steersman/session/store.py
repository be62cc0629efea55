"""The session logs of one home: makes them, opens them for writing, closes what a crash left open, and reads them."""

import asyncio
import logging
import platform
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from steersman import __version__
from steersman.agent.messages import UserMessage
from steersman.session.checkpoints import History, history_of
from steersman.session.errors import LogCorrupt, LogError, LogLocked, Refused
from steersman.session.fold import Fold
from steersman.session.fork import forked
from steersman.session.journal import Journal
from steersman.session.jsonlines import encode
from steersman.session.log import ELSEWHERE
from steersman.session.log_index import LogIndex
from steersman.session.log_lines import MALFORMED, Record
from steersman.session.log_pages import has_run, page_of
from steersman.session.log_picture import (
    FORMAT,
    MISFIT,
    read_picture,
    records_of,
    require_format,
    roots_of,
)
from steersman.session.log_reading import read_records
from steersman.session.looking import is_file
from steersman.session.services import Services
from steersman.session.tree import Branch, Node, read_branch
from steersman.session.wire import Data, message_from
from steersman.workspace.roots import Roots
from steersman.workspace.temporary import remove_leftovers
from steersman.workspace.uris import path_of
from steersman.workspace.waiting import outlast

log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_ID = 100
"""Characters of a session's id."""
MAX_INDEXES = 32
"""Logs whose records' places are remembered: the ones read last."""


class Store:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._indexes: dict[str, LogIndex] = {}

    def create(self, roots: Roots) -> Journal:
        """A new session's journal, with its first record.

        Raises:
            Refused: readOnly.
        """
        services = self._services
        session = services.new_id("ses")
        path = services.log_path(session)
        try:
            session_log = services.log_class.create(path) if services.keep_logs else None
        except LogError as error:
            raise Refused("readOnly", str(error)) from error
        journal = Journal(session, session_log, services.bus, services.now)
        try:
            journal.record("session", self._header(session, roots))
        except LogError as error:
            if session_log is not None:
                session_log.discard()
            raise Refused("readOnly", f"{error} {ELSEWHERE}") from error
        return journal

    async def open(self, session: str, roots: Roots, *, told: bool = False) -> Journal:
        """The journal of an existing session, mended. `told`: users have been told the ends of what is open in it.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written).
        """
        path = self._path(session)
        try:
            require_format(path)
            session_log, tail = self._services.log_class.open(path)
        except LogLocked as error:
            raise Refused("locked", str(error), session=session) from error
        except LogError as error:
            raise Refused("readOnly", str(error), session=session) from error
        try:
            index = self._index(session, path)
            picture = await asyncio.to_thread(lambda: read_picture(path, index))
            roots_of(picture)  # what its header says can be used
            await asyncio.to_thread(session_log.cut_off, tail)
            if tail.torn:
                log.warning("session %s: %d bytes of an unfinished record were cut off", session, tail.torn)
            journal = Journal(session, session_log, self._services.bus, self._services.now, picture)
            if picture.seq == 0:  # it was cut off in its first record
                journal.record("session", self._header(session, roots))
            await asyncio.to_thread(_remove_leftovers, picture.changing)
            journal.mend(tell=not told)
            await journal.sync()
        except LogError as error:
            await session_log.close()
            raise Refused("readOnly", str(error), session=session) from error
        except MALFORMED as error:
            await session_log.close()
            raise Refused("readOnly", _malformed(session, error), session=session) from error
        except BaseException:
            await session_log.close()
            raise
        return journal

    async def events(
        self, session: str, *, run: str | None, after: int, limit: int | None, upto: int | None
    ) -> tuple[list[Record], bool]:
        """The records after number `after`, up to number `upto`, and whether there are more than fit.

        Raises:
            Refused: unknownSession, unknownRun, readOnly (the log can't be read).
        """
        path = self._path(session)
        index = self._index(session, path)

        def read() -> tuple[list[Record], bool]:
            wanted, more = page_of(index.records(after), limit, run, upto)
            if run is not None and not wanted and not has_run(index.records(0), run, upto):
                raise Refused(
                    "unknownRun", f"There is no run {run} in this session.", session=session, run=run
                )
            return wanted, more

        return await self._reading(session, read)

    async def branch(self, session: str, path: Sequence[Node]) -> Branch:
        """What a model would be told at the end of a path of the session's tree.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        log_path = self._path(session)
        index = self._index(session, log_path)
        return await self._reading(session, lambda: read_branch(records_of(log_path, index), path))

    async def message(self, session: str, node: Node) -> UserMessage:
        """The user message of a node.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        index = self._index(session, self._path(session))

        def read() -> UserMessage:
            for record, _ in index.records(node.seq - 1):
                message = message_from(record["data"])
                if isinstance(message, UserMessage):
                    return message
                break
            raise LogCorrupt(f"Record {node.seq} of {session} is no message of the user.")

        return await self._reading(session, read)

    async def picture(self, session: str) -> Fold:
        """The picture of a session, read from its log without the lock. What is open in it stays open.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        path = self._path(session)
        return await self._reading(session, lambda: read_picture(path))

    async def history(self, session: str) -> History:
        """What was changed since each message of the user.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        path = self._path(session)
        index = self._index(session, path)
        return await self._reading(session, lambda: history_of(records_of(path, index)))

    def log_of(self, session: str) -> Path:
        """Where the session's log is.

        Raises:
            Refused: unknownSession.
        """
        return self._path(session)

    async def fork(self, session: str, path: Sequence[Node]) -> str:
        """Copies a branch into a session of its own, which is closed and whole; its id. If the call is cancelled,
        there is none: nobody would know of it.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read, or the copy can't be written).
        """
        services, source = self._services, self._path(session)
        made = services.new_id("ses")
        origin: Data = {"session": session, "node": path[-1].id if path else None}
        target, stopped = services.log_path(made), threading.Event()

        def copy() -> None:
            records = iter(read_records(source))
            header = next(records, None)
            if header is None:
                raise LogCorrupt(f"The session log is empty: {source}.")
            now = round(services.now() * 1000)
            data = header["data"] | {"session": made, "created": now, "forkedFrom": origin}
            first = {"ts": now, "type": "session", "data": data}
            lines = (
                encode({"session": made, **record} | {"session": made})
                for record in forked(records, first, {node.id for node in path})
            )
            services.log_class.write_whole(target, _until(stopped, lines))

        copying = asyncio.ensure_future(self._reading(session, copy))
        try:
            await outlast(copying, on_cancel=stopped.set)
        except asyncio.CancelledError:
            target.unlink(missing_ok=True)
            raise
        copying.result()
        return made

    async def _reading(self, session: str, read: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(read)
        except LogError as error:
            raise Refused("readOnly", str(error), session=session) from error
        except MALFORMED as error:
            raise Refused("readOnly", _malformed(session, error), session=session) from error

    def _index(self, session: str, path: Path) -> LogIndex:
        index = self._indexes.pop(session, None) or LogIndex(path, self._services.log_class.reader)
        self._indexes[session] = index  # the last in the row: it was used last
        if len(self._indexes) > MAX_INDEXES:
            del self._indexes[next(iter(self._indexes))]
        return index

    def _path(self, session: str) -> Path:
        """Raises:
        Refused: unknownSession.
        """
        path = self._services.log_path(session)
        if not _is_id(session) or not is_file(path):
            raise Refused("unknownSession", f"There is no session {session}.", session=session)
        return path

    def _header(self, session: str, roots: Roots) -> Data:
        return {
            "format": FORMAT,
            "session": session,
            "version": __version__,
            "created": round(self._services.now() * 1000),
            "roots": [root.given.as_uri() for root in roots.folders],
            "platform": platform.system(),
        }


class _Stopped(Exception):
    """Nobody wants what is being written any more."""


def _until(stopped: threading.Event, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines; raises `_Stopped` if it is set before their end."""
    for line in lines:
        if stopped.is_set():
            raise _Stopped
        yield line


def _malformed(session: str, error: Exception) -> str:
    return f"The log of {session} is damaged: {MISFIT} ({type(error).__name__}: {error})."


def _remove_leftovers(uris: Iterable[str]) -> None:
    """Of changes that a crash has interrupted."""
    for folder in {path_of(uri).parent for uri in uris}:
        remove_leftovers(folder)


def _is_id(session: str) -> bool:
    """Ids are names of files: nothing that leads elsewhere, or that no file can have."""
    return len(session) <= MAX_ID and session.replace("_", "").isalnum() and session.isascii()
