"""The session logs of one home: made, opened for writing with what a crash left open closed, and read."""

import asyncio
import logging
import platform
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
from steersman.session.jsonlines import decode, encode
from steersman.session.log import ELSEWHERE, Record, read_records
from steersman.session.log_index import LogIndex
from steersman.session.log_lines import MALFORMED, damaged
from steersman.session.services import Services
from steersman.session.tree import Branch, Node, read_branch
from steersman.session.wire import Data, message_from
from steersman.workspace.roots import Roots
from steersman.workspace.temporary import remove_leftovers
from steersman.workspace.uris import path_of

log = logging.getLogger(__name__)
T = TypeVar("T")

FORMAT = 1
"""Of the session log."""
MAX_ID = 100
"""Characters of a session's id."""
MAX_EVENTS = 1000
"""Records in one answer to `events`."""
MAX_EVENTS_BYTES = 4 * 1024 * 1024
"""Of those records; one that is longer comes alone."""
_WRONG = "a record has not what its type has"
MAX_INDEXES = 32
"""Logs of which is remembered where their records are: those that were read last."""


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
        """The journal of an existing session, mended. `told`: the ends of what is open in it were told already.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written).
        """
        path = self._path(session)
        try:
            _require_format(path)
            session_log, tail = self._services.log_class.open(path)
        except LogLocked as error:
            raise Refused("locked", str(error), session=session) from error
        except LogError as error:
            raise Refused("readOnly", str(error), session=session) from error
        if tail.torn:
            log.warning("session %s: %d bytes of an unfinished record were cut off", session, tail.torn)
        try:
            index = self._index(session, path)
            picture = await asyncio.to_thread(lambda: read_picture(path, index))
            roots_of(picture)  # what its header says can be used
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
        count = min(limit or MAX_EVENTS, MAX_EVENTS)
        index = self._index(session, path)

        def read() -> tuple[list[Record], bool]:
            wanted, more = _page(index.records(after), count, run, upto)
            if run is not None and not wanted and not _has(index.records(0), run, upto):
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
        return await self._reading(session, lambda: read_branch(_records(log_path, index), path))

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
        """A session as its log stands, which is not locked for that. What is open in it stays open.

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
        return await self._reading(session, lambda: history_of(_records(path, index)))

    def log_of(self, session: str) -> Path:
        """Where the session's log is.

        Raises:
            Refused: unknownSession.
        """
        return self._path(session)

    async def fork(self, session: str, path: Sequence[Node]) -> str:
        """Copies a branch into a session of its own, which is closed and whole; its id.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read, or the copy can't be written).
        """
        services, source = self._services, self._path(session)
        made = services.new_id("ses")
        origin: Data = {"session": session, "node": path[-1].id if path else None}

        def copy() -> None:
            records = iter(read_records(source))
            header = next(records)
            now = round(services.now() * 1000)
            data = header["data"] | {"session": made, "created": now, "forkedFrom": origin}
            first = {"ts": now, "type": "session", "data": data}
            lines = (
                encode({"session": made, **record} | {"session": made})
                for record in forked(records, first, {node.id for node in path})
            )
            services.log_class.write_whole(services.log_path(made), lines)

        await self._reading(session, copy)
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
        if not _is_id(session) or not path.is_file():
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


def _malformed(session: str, error: Exception) -> str:
    return f"The log of {session} is damaged: {_WRONG} ({type(error).__name__}: {error})."


def _page(
    records: Iterable[tuple[Record, int]], count: int, run: str | None, upto: int | None
) -> tuple[list[Record], bool]:
    """The first of the records that are wanted, and whether there are more. A run's last record is its end."""
    wanted: list[Record] = []
    size = 0
    for record, length in records:
        if upto is not None and record["seq"] > upto:
            break
        if run is not None and record.get("run") != run:
            continue
        size += length
        if len(wanted) == count or (wanted and size > MAX_EVENTS_BYTES):
            return wanted, True
        wanted.append(record)
        if run is not None and record["type"] == "agent_end":
            break
    return wanted, False


def _has(records: Iterable[tuple[Record, int]], run: str, upto: int | None) -> bool:
    known = (record for record, _ in records if upto is None or record["seq"] <= upto)
    return any(record.get("run") == run for record in known)


def read_picture(path: Path, index: LogIndex | None = None) -> Fold:
    """The fold of a log, of which `index` then knows where its records are. What is open in it stays open.

    Raises:
        LogCorrupt: it is none, or one of a newer version.
        LogError: it can't be read.
    """
    picture = Fold()
    try:
        for record in _records(path, index):
            picture.feed(record)
            if picture.seq == 1:
                _refuse_other_format(path, picture.header)
        if picture.stale:
            picture.branch = read_branch(_records(path, index), picture.tree.path(picture.tip))
            picture.stale = False
        picture.closers()
    except MALFORMED as error:
        raise damaged(path, picture.seq, f"{_WRONG} ({type(error).__name__}: {error})") from error
    return picture


def _require_format(path: Path) -> None:
    """Looks at the first record only. Of a log that this version can't read no byte may be changed: what it would take
    for a torn end may be none.

    Raises:
        LogCorrupt: it is of another format.
        LogError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
        record = decode(line) if line.endswith(b"\n") else None
    except OSError as error:
        raise LogError(f"The session log can't be opened: {path}: {error.strerror}") from error
    except ValueError:
        return  # cut off, or damaged: whoever reads it finds out
    if isinstance(record, dict):
        _refuse_other_format(path, record.get("data") if record.get("type") == "session" else None)


def _refuse_other_format(path: Path, header: object) -> None:
    if isinstance(header, dict) and header.get("format") == FORMAT:
        return
    made_by = header.get("version") if isinstance(header, dict) else None
    raise LogCorrupt(
        f"{path} was written by {made_by or 'another program'} in a format that this version doesn't read. Nothing was "
        "changed; open it with the version that wrote it, or a newer one."
    )


def _remove_leftovers(uris: Iterable[str]) -> None:
    """Of changes that a crash has interrupted."""
    for folder in {path_of(uri).parent for uri in uris}:
        remove_leftovers(folder)


def _records(path: Path, index: LogIndex | None) -> Iterator[Record]:
    return read_records(path) if index is None else (record for record, _ in index.records(0))


def roots_of(picture: Fold) -> Roots:
    """The folders that the session was made in, those that are still there."""
    paths = [path_of(uri) for uri in picture.header.get("roots", [])]
    return Roots([path for path in paths if path.is_dir()])


def _is_id(session: str) -> bool:
    """Ids are names of files: nothing that leads elsewhere, or that no file can have."""
    return len(session) <= MAX_ID and session.replace("_", "").isalnum() and session.isascii()
