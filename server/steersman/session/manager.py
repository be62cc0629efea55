"""All sessions of one server: their runs, what is said to them, how they stand and how they are configured.

Every public method raises `Refused` with a code when it can't be done; nothing is half done then.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from steersman import __version__
from steersman.agent.events import InputKind
from steersman.agent.inbox import QueueKind
from steersman.agent.model import ThinkingLevel
from steersman.session.errors import LogError, Refused
from steersman.session.exports import Exports
from steersman.session.finding import Finder
from steersman.session.library import Library
from steersman.session.message_queue import Queued
from steersman.session.open_sessions import OpenSessions
from steersman.session.pointing import InstructionComment, Pointed
from steersman.session.prompts import Composed, Prompts
from steersman.session.reverts import Reverts
from steersman.session.run import Run
from steersman.session.said import check_text
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.session.settings import Mode
from steersman.session.starting import Defaults, StartRequest, Starts
from steersman.session.status import question_data, session_data
from steersman.session.store import Store
from steersman.session.wire import Data
from steersman.workspace.roots import Roots


class SessionManager:
    def __init__(self, services: Services) -> None:
        self.services = services
        self._store = Store(services)
        self._sessions = OpenSessions(services, self._store)
        self.prompts = Prompts(services)
        self.reverts = Reverts(self._store, self._sessions)
        self.library = Library(services, self._store, self._sessions)
        self.exports = Exports(services, self._store)
        self._defaults = Defaults(services.settings)
        self._starts = Starts(services, self._sessions, self.prompts, self._defaults)
        self.find = Finder(services, self._sessions, self._starts.begun)

    @property
    def has_begun(self) -> bool:
        """Whether any run has begun, or is about to."""
        return self._starts.has_begun

    # Runs

    async def start(self, request: StartRequest) -> Run:
        """Begins a run; the caller releases it. What can be refused at once is, before the first await.

        Raises:
            Refused: shuttingDown, emptyPrompt, tooLarge, busy, unknownSession, unknownModel, noCredentials, locked,
                readOnly, and what `Prompts.compose` refuses.
        """
        return await self._starts.start(request)

    def add(self, kind: InputKind, text: str, run: str | None = None) -> Queued:
        """Steers, or queues a follow-up for, a live run: the one that is named, else the only one.

        Raises:
            Refused: notRunning, aborting, ambiguous, unknownRun, emptyPrompt, tooLarge; `data.text` has the text.
        """
        check_text(text)
        try:
            session = self.find.session_of(run)
        except Refused as refusal:
            refusal.data["text"] = text
            raise
        return session.queue.add(kind, Composed(text))

    async def say(
        self, kind: QueueKind, text: str, run: str | None = None, pointed: Pointed | None = None
    ) -> Queued:
        """`add`, with what the text mentions and what the user points at. Messages of one session keep their order.
        While no run is live, it waits for those that are about to begin: whoever has just started one means it.

        Raises:
            Refused: see `add` and `Prompts.compose`; `data.text` has the text.
        """
        check_text(text)
        try:
            if run is None and not self.find.live():
                await self._starts.settled()
            session = self.find.session_of(run)
            live = session.live
            async with session.composing:
                said = await self.prompts.compose(
                    text, session.roots, pointed, history=session.picture.messages, live=True
                )
                if session.live is not live:
                    raise Refused("notRunning", "The run has just ended.", session=session.id)
                return session.queue.add(kind, said)
        except Refused as refusal:
            refusal.data.setdefault("text", text)
            raise

    async def edit_queued(self, session: Session, item_id: str, text: str) -> None:
        """Gives an item of the queue another text. What came with the old text stays.

        Raises:
            Refused: unknownItem, notRunning, and what `Prompts.compose` refuses.
        """
        async with session.composing:
            said = await self.prompts.compose(
                text,
                session.roots,
                session.queue.pointed_with(item_id),
                history=session.picture.messages,
                live=True,
            )
            session.queue.edit(item_id, said)

    def abort(self, run: str | None = None, reason: str | None = None) -> bool:
        """Asks a run to stop. False if it has ended or been asked before: aborting twice is harmless.

        Raises:
            Refused: ambiguous, unknownRun.
        """
        try:
            return self.find.session_of(run).abort(reason)
        except Refused as refusal:
            if refusal.code == "notRunning":
                return run is None and any(
                    [self._sessions.abort_operations(reason), self.exports.abort(reason)]
                )
            raise

    async def stop(self, run: str | None = None, reason: str | None = None) -> bool:
        """`abort`, without an id also of a run that is about to begin: it waits for that.

        Raises:
            Refused: see `abort`.
        """
        aborted = self.abort(run, reason)
        if aborted or run is not None or self.find.live():
            return aborted
        await self._starts.settled()
        return self.abort(run, reason)

    def log_of(self, session_id: str) -> Path:
        """Where the log of a kept session is.

        Raises:
            Refused: unknownSession.
        """
        return self._store.log_of(session_id)

    def refuse_if_worked_on(self, comments: Sequence[InstructionComment]) -> None:
        """Raises:
        Refused: busy, a live run works on one of them already, or will.
        """
        for session in self._sessions.live():
            if session.live is not None and any(session.works_on(each) for each in comments):
                text = "This comment is being worked on already."
                raise Refused("busy", text, session=session.id, run=session.live.id)

    # Sessions

    async def resume(self, session_id: str, roots: Roots | None = None) -> Session:
        """The session, opened from its log if it isn't open here, or if its log could not be written. What a crash
        left open is closed in it.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written), shuttingDown.
        """
        return await self._sessions.open(session_id, roots)

    # What can be asked

    def status(self) -> Data:
        """Sessions that are open here, their runs, the pending questions, the defaults."""
        return {
            "version": __version__,
            **self._defaults.data(),
            "sessions": [session_data(session) for session in self._sessions.all()],
            "approvals": [question_data(question) for question in self.services.approvals.list()],
        }

    async def events(self, session_id: str, *, run: str | None, after: int, limit: int | None) -> Data:
        """The durable events after number `after`, oldest first, and the message that is being streamed.

        Raises:
            Refused: unknownSession, unknownRun, readOnly (the log can't be read).
        """
        session = self._sessions.get(session_id)
        upto = streaming = None
        if session is not None and not session.broken:
            # As of now: what is said while the log is being read is told by events.
            upto = session.picture.seq
            live = session.live
            if live is not None and live.streaming is not None and run in (None, live.id):
                streaming = live.streaming.data()
        events, more = await self._store.events(session_id, run=run, after=after, limit=limit, upto=upto)
        return {"events": events, "more": more, "streaming": None if more else streaming}

    async def configure(
        self,
        *,
        session: str | None = None,
        model: str | None = None,
        mode: Mode | None = None,
        thinking: ThinkingLevel | None = None,
    ) -> Data:
        """Sets model, mode and thinking of one session, or of those that this server will make.

        Raises:
            Refused: unknownSession, unknownModel, noCredentials, readOnly, locked, shuttingDown.
        """
        if model is not None:
            self.services.make_model(model)
        if session is None:
            self._defaults.set(model, mode, thinking)
            return self._defaults.data()
        self._sessions.refuse_unless_known(session)
        with self._sessions.wanted(session):
            configured = self._sessions.get(session) or await self.resume(session)
            try:
                configured.configure(model=model, mode=mode, thinking=thinking)
            except LogError as error:
                raise Refused("readOnly", str(error), session=session) from error
        defaults = self._defaults.data()
        return defaults | {
            "model": configured.model_spec or defaults["model"],
            "mode": configured.kept.mode or defaults["mode"],
            "thinking": configured.thinking or defaults["thinking"],
        }

    async def compact(self, session_id: str | None, roots: Roots, instructions: str | None = None) -> Data:
        """Has old messages of a session summarised: of the one that is named, else of the only live one, else of the
        one that was used last in this root. Its events tell what came of it.

        Raises:
            Refused: busy, nothingToDo, ambiguous, unknownSession, unknownModel, noCredentials, locked, readOnly,
                shuttingDown.
        """
        async with self.using(session_id, lambda: roots) as session:
            spec = session.model_spec or self._defaults.model or ""
            await self.services.prepare_model(spec)
            run = session.compact(instructions, self.services.make_model(spec))
        if run is not None:
            return {"session": session.id, "run": run.id}
        assert session.operation is not None
        return {"session": session.id, "operation": session.operation.id}

    @asynccontextmanager
    async def using(self, session_id: str | None, roots: Callable[[], Roots]) -> AsyncIterator[Session]:
        """A session that stays open meanwhile: the one that is named, else the only live one, else the one that was
        used last in this root.

        Raises:
            Refused: ambiguous, unknownSession, locked, readOnly, shuttingDown.
        """
        if session_id is None:
            live = self._sessions.live()
            session_id = self.find.session_of(None).id if live else await self.find.to_continue(roots())
        with self._sessions.wanted(session_id):
            yield await self.resume(session_id)

    async def operated(self, session_id: str) -> None:
        """Returns when the operation of a session (a compaction, a revert) has ended."""
        session = self._sessions.get(session_id)
        if session is not None and session.operation is not None:
            await asyncio.wait({session.operation.task})

    async def close(self) -> None:
        """Ends live runs as interrupted and releases every log. Nothing new is begun from now on."""
        self._sessions.closing = True  # while the exports end, too
        await self.exports.close()
        await self._sessions.close()
        await self.services.close_models()
