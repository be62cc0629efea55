"""The session logs of one home: made, opened for writing with what a crash left open closed, and read."""

import asyncio
import logging
import platform
from itertools import islice
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steersman import __version__
from steersman.session.errors import LogCorrupt, LogError, LogLocked, Refused
from steersman.session.fold import Fold, fold
from steersman.session.journal import Journal
from steersman.session.log import Record, read_records, read_sized
from steersman.session.services import Services
from steersman.session.wire import Data
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)

FORMAT = 1
"""Of the session log."""
MAX_EVENTS = 1000
"""Records in one answer to `events`."""
MAX_EVENTS_BYTES = 4 * 1024 * 1024
"""Of those records; one that is longer comes alone."""


class Store:
    def __init__(self, services: Services) -> None:
        self._services = services

    def create(self, roots: Roots) -> Journal:
        """A new session's journal, with its first record.

        Raises:
            Refused: readOnly.
        """
        services = self._services
        session = services.new_id("ses")
        try:
            session_log = (
                services.log_class.create(services.log_path(session)) if services.keep_logs else None
            )
            journal = Journal(session, session_log, services.bus, services.now)
            journal.record("session", self._header(session, roots))
        except LogError as error:
            raise Refused("readOnly", str(error)) from error
        return journal

    async def open(self, session: str, roots: Roots) -> Journal:
        """The journal of an existing session, mended.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written).
        """
        path = self._path(session)
        try:
            session_log, tail = self._services.log_class.open(path)
        except LogLocked as error:
            raise Refused("locked", str(error), session=session) from error
        except LogError as error:
            raise Refused("readOnly", str(error), session=session) from error
        if tail.torn:
            log.warning("session %s: %d bytes of an unfinished record were cut off", session, tail.torn)
        try:
            picture = await asyncio.to_thread(read_picture, path)
            journal = Journal(session, session_log, self._services.bus, self._services.now, picture)
            if picture.seq == 0:  # it was cut off in its first record
                journal.record("session", self._header(session, roots))
            journal.mend()
            await journal.sync()
        except LogError as error:
            await session_log.close()
            raise Refused("readOnly", str(error), session=session) from error
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

        def read() -> tuple[list[Record], bool]:
            known = run is None
            wanted: list[Record] = []
            size = 0
            for record, length in islice(read_sized(path), upto):
                if run is not None and record.get("run") != run:
                    continue
                known = True
                if record["seq"] > after:
                    size += length
                    if len(wanted) == count or (wanted and size > MAX_EVENTS_BYTES):
                        return wanted, True
                    wanted.append(record)
            if not known:
                raise Refused(
                    "unknownRun", f"There is no run {run} in this session.", session=session, run=run
                )
            return wanted, False

        try:
            return await asyncio.to_thread(read)
        except LogError as error:
            raise Refused("readOnly", str(error), session=session) from error

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


def read_picture(path: Path) -> Fold:
    """The fold of a log. What is open in it stays open.

    Raises:
        LogCorrupt: it is none, or one of a newer version.
        LogError: it can't be read.
    """
    picture = fold(read_records(path))
    if picture.seq and picture.header.get("format") != FORMAT:
        made_by = picture.header.get("version", "another program")
        raise LogCorrupt(f"{path} was written by {made_by} in a format that this version doesn't read.")
    return picture


def roots_of(picture: Fold) -> Roots:
    """The folders that the session was made in, those that are still there."""
    paths = [Path(unquote(urlsplit(uri).path)) for uri in picture.header.get("roots", [])]
    return Roots([path for path in paths if path.is_dir()])


def _is_id(session: str) -> bool:
    """Ids are names of files: nothing that leads elsewhere."""
    return session.replace("_", "").isalnum() and session.isascii()
