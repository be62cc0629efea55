"""The exports that are under way: each reads a log in a thread, and an event tells its end.

The session need not be open here, and may be open elsewhere: its log is only read.
"""

import asyncio
import logging
import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from steersman.agent.abort import AbortSignal
from steersman.session.errors import Refused, SessionError
from steersman.session.export.entries import Format
from steersman.session.home import Home
from steersman.session.journal import Emitted
from steersman.session.listing import summarize
from steersman.session.looking import is_folder
from steersman.session.operation import Operation
from steersman.session.services import Services
from steersman.session.store import Store
from steersman.session.wire import Data

log = logging.getLogger(__name__)

_SUFFIXES: dict[Format, str] = {"markdown": ".md", "html": ".html"}
_MAX_NAME = 60
"""Characters of a title that a file's name has."""


@dataclass(frozen=True, slots=True)
class Export:
    """One export that has ended."""

    session: str
    operation: str
    path: Path
    format: Format
    chosen: bool
    """Whether the user has named the path."""
    failed: str | None
    """Why there is no file, for a person."""

    def data(self) -> Data:
        """As `export_end` tells it."""
        data: Data = {"operation": self.operation, "path": str(self.path)}
        return data if self.failed is None else data | {"failed": self.failed}


class Exports:
    def __init__(self, services: Services, store: Store) -> None:
        self._services, self._store = services, store
        self._open: dict[str, Operation] = {}
        self._taken: set[Path] = set()
        """Files that are being written."""
        self._closed = False

    async def begin(
        self,
        session: str,
        format: Format,
        path: Path | None = None,
        *,
        all_branches: bool = False,
        overwrite: bool = False,
        on_end: Callable[[Export], None] = lambda _: None,
    ) -> Data:
        """Begins an export, to a file in the home or to the absolute `path`. The event `export_end` says what came of
        it; `on_end` is told the same.

        Raises:
            Refused: unknownSession, exists (there is a file, and it may not be overwritten), readOnly (nothing can
                be written there), shuttingDown.
        """
        source = self._store.log_of(session)
        summary = await asyncio.to_thread(summarize, source) if path is None else None
        if self._closed:
            raise Refused("shuttingDown", "The server is shutting down.")
        if path is not None:
            target = self._named(session, path, overwrite=overwrite)
        else:
            title = None if summary is None else summary.title
            target = in_home(self._services.home, session, title, format, taken=self._taken)
        name = self._services.new_id("op")

        def write(stopped: Callable[[], bool]) -> None:
            # A server that exports nothing need not load this.
            from steersman.session.export.writing import write_transcript  # noqa: PLC0415

            how = {"all_branches": all_branches, "replace": overwrite, "private": path is None}
            write_transcript(source, target, format, **how, stopped=stopped)

        async def work(signal: AbortSignal) -> None:
            failed: str | None = "It failed; the log of Steersman says how."
            try:
                failed = await _failure(write, signal)
            finally:
                self._taken.discard(target)
                self._tell(Export(session, name, target, format, path is not None, failed), on_end)

        self._taken.add(target)
        operation = self._open[name] = Operation(name, "tool", work)
        operation.task.add_done_callback(lambda _: self._open.pop(name, None))
        return {"session": session, "operation": name, "path": str(target)}

    def abort(self, reason: str | None = None) -> bool:
        """Asks all of them to stop; no file is left of them. False if there is none."""
        return sum(operation.abort(reason) for operation in self._open.values()) > 0

    async def settled(self) -> None:
        """Returns when those that are under way have ended."""
        if self._open:
            await asyncio.wait({operation.task for operation in self._open.values()})

    async def close(self) -> None:
        """Ends them, in bounded time. No other is begun."""
        self._closed = True
        services = self._services
        await asyncio.gather(
            *(each.close(services.clock, services.limits.close) for each in list(self._open.values()))
        )

    def _tell(self, export: Export, on_end: Callable[[Export], None]) -> None:
        now = round(self._services.now() * 1000)
        self._services.bus.tell(Emitted(export.session, "export_end", export.data(), now))
        on_end(export)

    def _named(self, session: str, path: Path, *, overwrite: bool) -> Path:
        """The path that the user has chosen, if a file can be written there."""
        if not path.is_absolute():
            raise Refused("readOnly", f"The path is not absolute: {path}.", session=session)
        if is_folder(path) or not is_folder(path.parent):
            what = "is a folder" if is_folder(path) else "is in a folder that does not exist"
            raise Refused("readOnly", f"{path} {what}: name a file.", session=session)
        if path in self._taken or (not overwrite and os.path.lexists(path)):
            text = f"{path} exists. Name another file, or say that it is to be overwritten."
            raise Refused("exists", text, session=session, path=str(path))
        return path


def in_home(
    home: Home, session: str, title: str | None, format: Format, *, taken: Collection[Path] = ()
) -> Path:
    """A free path in the home's folder for exports, which is made if need be. Its name is that of `file_stem`.

    Raises:
        Refused: readOnly, the folder can't be made.
    """
    folder = home.exports
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        text = f"{folder} can't be made: {error.strerror}. Name a file to export to."
        raise Refused("readOnly", text, session=session) from error
    stem = file_stem(session, title)
    names = (f"{stem}{'' if number == 1 else f'-{number}'}{_SUFFIXES[format]}" for number in count(1))
    return next(path for name in names if (path := folder / name) not in taken and not os.path.lexists(path))


def file_stem(session: str, title: str | None) -> str:
    """A name for a file, without suffix: words of the title, and the id of the session."""
    words = re.sub(r"[^\w]+", "-", title or "").strip("-_").lower()[:_MAX_NAME].strip("-_")
    name = f"{words}-{session}" if words else session
    return name if len(os.fsencode(name.encode("utf-8", "replace").decode())) < 200 else session


async def _failure(write: Callable[[Callable[[], bool]], None], signal: AbortSignal) -> str | None:
    """Writes in a thread. Returns why there is no file; None if there is one."""
    try:
        await asyncio.to_thread(write, lambda: signal.aborted)
    except OSError as error:
        return f"{error.filename or 'The file'} could not be written: {error.strerror}."
    except SessionError as error:
        return str(error)
    return None
