"""Transcripts for the user to read: Markdown that is kept up to date with its session until this server ends.

A transcript is a virtual document if the client supports these; else a private, read-only file, which is replaced as a
whole so that an editor reloads it. An answer appears when it is complete.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from steersman.agent.clock import Clock
from steersman.lsp.background import Background
from steersman.lsp.calls import after_response
from steersman.lsp.client import Client
from steersman.lsp.diffs import remove_file
from steersman.lsp.errors import ClientGone
from steersman.lsp.messages import MessageType, tell
from steersman.lsp.rpc import RpcServer
from steersman.lsp.showing import Viewer
from steersman.lsp.virtual_documents import VirtualDocuments, uri_of
from steersman.session.errors import Refused, SessionError
from steersman.session.journal import Emitted
from steersman.session.jsonlines import decode
from steersman.workspace.atomic import write_pieces
from steersman.workspace.locks import LockTable
from steersman.workspace.waiting import outlast

if TYPE_CHECKING:
    from steersman.session.export.live import LiveTranscript

log = logging.getLogger(__name__)

FOLDER: Final = "transcripts"
"""The folder of the virtual ones."""
INTERVAL: Final = 1.0
"""Seconds between two changes of a transcript, at least."""
MAX_KEPT: Final = 16
"""Transcripts that are kept up to date, at most. Beyond that, the one asked for longest ago is no longer updated."""


@dataclass(eq=False)
class _Kept:
    session: str
    log: Path
    uri: str
    target: Path | None
    """The file; None for a virtual document."""
    text: str = ""
    live: "LiveTranscript | None" = None
    failed: str | None = None
    """Why it could not be written, for a person."""
    told: list[Emitted] = field(default_factory=list)
    """Events since it was last written."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    made: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    def fail(self, why: str) -> None:
        """Notes that it could not be written. Next time it is made from the whole log."""
        self.live, self.failed = None, why


class Transcripts:
    """One connection's. Listens to the events of all sessions."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        virtual: VirtualDocuments,
        viewer: Viewer,
        clock: Clock,
        *,
        folder: Path,
        log_of: Callable[[str], Path],
    ) -> None:
        """`log_of(session)` raises Refused (unknownSession)."""
        self._server, self._client, self._virtual, self._viewer = server, client, virtual, viewer
        self._clock, self._folder, self._log_of = clock, folder, log_of
        self._kept: dict[str, _Kept] = {}
        self._making = LockTable()
        """By file: one that is no longer updated may still be written when its session's next one is made."""
        self._showing, self._dropping = Background(), Background()
        virtual.serve(FOLDER, self._text)

    def open(self, session: str) -> str:
        """Shows the transcript of a session after the current request is answered. Returns its URI.

        Raises:
            Refused: unknownSession.
        """
        kept = self._keep(session)
        after_response(lambda: self._showing.begin(self._show(kept)))
        return kept.uri

    def on_event(self, event: Emitted) -> None:
        kept = self._kept.get(event.session)
        if kept is not None and event.seq is not None:
            kept.told.append(event)
            kept.changed.set()

    async def forget(self, session: str) -> None:
        """Deletes the transcript of a deleted session."""
        kept = self._kept.pop(session, None)
        if kept is not None:
            await self._drop(kept)
        path = self._file_of(session)
        async with self._making.hold(path):
            remove_file(path)

    async def close(self) -> None:
        await self._showing.close()
        await self._dropping.close(cancel=False)
        await asyncio.gather(*map(self._drop, self._kept.values()), return_exceptions=True)

    async def _drop(self, kept: _Kept) -> None:
        """Stops updating a transcript."""
        if not kept.made.is_set():
            kept.failed = "It is no longer updated."
            kept.made.set()
        if kept.task is not None:
            kept.task.cancel()
            await asyncio.gather(kept.task, return_exceptions=True)

    # Making it

    def _keep(self, session: str) -> _Kept:
        kept = self._kept.pop(session, None)
        if kept is None:
            source = self._log_of(session)
            path = self._file_of(session)
            if self._virtual.supported:
                kept = _Kept(session, source, uri_of(f"{FOLDER}/{session}.md"), None)
            else:
                kept = _Kept(session, source, path.as_uri(), path)
            kept.task = asyncio.create_task(self._go_on(kept))
        self._kept[session] = kept  # the last
        while len(self._kept) > MAX_KEPT:
            self._dropping.begin(self._drop(self._kept.pop(next(iter(self._kept)))))
        return kept

    def _is_kept(self, kept: _Kept) -> bool:
        """Whether it may still be written: its session may have been deleted."""
        return self._kept.get(kept.session) is kept

    def _file_of(self, session: str) -> Path:
        return Path(os.path.realpath(self._folder)) / f"{session}.md"

    async def _go_on(self, kept: _Kept) -> None:
        kept.changed.set()
        while True:
            await kept.changed.wait()
            await self._catch_up(kept)
            await self._clock.sleep(INTERVAL)

    async def _catch_up(self, kept: _Kept) -> None:
        """Writes all events up to now."""
        async with self._making.hold(self._file_of(kept.session)):
            if not self._is_kept(kept):
                return
            kept.changed.clear()
            if kept.made.is_set() and not kept.told and kept.failed is None:
                return
            events, kept.told = kept.told, []
            await self._make(kept, events)
            kept.made.set()

    async def _make(self, kept: _Kept, events: list[Emitted]) -> None:
        """Call it with the lock, which is held until the thread is done: a thread can't be stopped."""
        work = asyncio.ensure_future(asyncio.to_thread(_written, kept, events))
        try:
            await outlast(work)
            work.result()
            kept.failed = None
        except (OSError, SessionError) as error:
            log.warning("the transcript of %s could not be made: %s", kept.session, error)
            kept.fail(str(error))
        except Exception:  # a request may be waiting for the text
            log.exception("the transcript of %s could not be made", kept.session)
            kept.fail("the server's log says why.")
        if kept.target is None and kept.made.is_set():
            self._virtual.changed(kept.uri)

    async def _text(self, name: str) -> str | None:
        """The text of a virtual transcript, even of one that an earlier server has shown: the editor may restore it."""
        try:
            kept = self._keep(name.removesuffix(".md"))
        except Refused:
            return None
        await kept.made.wait()
        return kept.text if kept.failed is None else f"The transcript could not be made: {kept.failed}\n"

    # Showing it

    async def _show(self, kept: _Kept) -> None:
        await self._catch_up(kept)
        await kept.made.wait()
        if self._has_failed(kept):
            return
        try:
            shown = await self._viewer.show(kept.uri)
        except ClientGone:
            return
        if shown == "yes" or (shown == "unclear" and kept.target is None):
            return
        if kept.target is None:
            path = self._file_of(kept.session)
            async with self._making.hold(path):
                if not self._is_kept(kept):
                    return
                kept.target = path
                await self._make(kept, [])
            if self._has_failed(kept):
                return
        tell(self._server, MessageType.INFO, f"The transcript is in {kept.target}")

    def _has_failed(self, kept: _Kept) -> bool:
        if kept.failed is not None:
            tell(self._server, MessageType.ERROR, f"The transcript could not be made: {kept.failed}")
        return kept.failed is not None


def _written(kept: _Kept, events: list[Emitted]) -> None:
    """Writes the transcript. Blocking."""
    from steersman.session.export.live import LiveTranscript  # noqa: PLC0415 - most servers show none

    if kept.live is None:
        live = LiveTranscript(kept.log)
        live.read()
        kept.live = live
    kept.live.feed(decode(event.line) for event in events)
    kept.text = kept.live.text()
    if kept.target is not None:
        kept.target.parent.mkdir(parents=True, exist_ok=True)
        kept.target.parent.chmod(0o700)
        write_pieces(kept.target, [kept.text.encode("utf-8", "replace")], replace=True, mode=0o400)
