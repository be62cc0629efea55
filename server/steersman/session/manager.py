"""All sessions of one server: makes them, finds the one that is meant, and answers what can be asked of them.

Every public method raises `Refused` with a code when it can't be done; nothing is half done then.
"""

import asyncio
import logging
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from steersman import __version__
from steersman.agent.config import Budget
from steersman.agent.events import Input, InputKind
from steersman.agent.messages import AssistantMessage, CustomMessage
from steersman.session.approvals import Question
from steersman.session.errors import LogError, LogLocked, Refused
from steersman.session.fold import Fold, fold
from steersman.session.journal import Journal
from steersman.session.log import Record, SessionLog, read_records
from steersman.session.run import Run
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.session.settings import Mode
from steersman.session.wire import Data, input_data, usage_data
from steersman.workspace.roots import Roots

log = logging.getLogger(__name__)

MAX_PROMPT = 4 * 1024 * 1024
"""Characters of one message."""
MAX_EVENTS = 1000
"""Records in one answer to `events`."""
FORMAT = 1
"""Of the session log."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    prompt: str | None
    """None: go on from the tail of the session's history."""
    roots: Roots
    session: str | None = None
    model: str | None = None
    mode: Mode | None = None
    budget: Budget | None = None
    exclusive: bool = False
    """Refuse while any run is live in the same root: for users who would not see that two agents work."""


class SessionManager:
    def __init__(self, services: Services) -> None:
        self.services = services
        self.closing = False
        self._sessions: dict[str, Session] = {}
        self._starting: dict[Path | None, int] = {}
        """Starts that are on their way, by root: a second one is refused, not raced."""
        self._opening: set[str] = set()
        self._model: str | None = None
        self._mode: Mode | None = None

    # Runs

    async def start(self, request: StartRequest) -> Run:
        """Begins a run; the caller releases it. What can be refused at once is, before the first await.

        Raises:
            Refused: shuttingDown, emptyPrompt, tooLarge, busy, unknownSession, unknownModel, noCredentials, locked.
        """
        self._refuse_when_closing()
        if request.prompt is not None:
            self._check_text(request.prompt)
        root = request.roots.primary.path if request.roots.primary else None
        if request.exclusive and (self._starting.get(root) or self._live_in(root)):
            raise Refused("busy", "A run is live in this folder: steer it, queue a follow-up, or abort it.")
        if request.session in self._opening:
            raise Refused("busy", "A run is being started in this session.", session=request.session)
        if request.session in self._sessions:
            self._sessions[request.session].refuse_if_live()
        self._starting[root] = self._starting.get(root, 0) + 1
        if request.session is not None:
            self._opening.add(request.session)
        try:
            session = await self._session(request)
            return self._begin(session, request)
        finally:
            self._starting[root] -= 1
            if request.session is not None:
                self._opening.discard(request.session)

    def _begin(self, session: Session, request: StartRequest) -> Run:
        settings = self.services.settings
        spec = request.model or session.model_spec or self._model or settings.model
        model = self.services.make_model(spec or "")
        mode = request.mode or session.mode or self._mode or settings.mode
        prompt = request.prompt if request.prompt is not None else _continuation(session)
        inputs = [] if prompt is None else [Input("prompt", session.user_message(prompt))]
        budget = request.budget or (Budget(turns=settings.max_turns) if settings.max_turns else Budget())
        return session.begin(inputs, model, mode, budget)

    def add(self, kind: InputKind, text: str, run: str | None = None) -> Run:
        """Steers, or queues a follow-up for, a live run: the one that is named, else the only one.

        Raises:
            Refused: notRunning, aborting, ambiguous, unknownRun, emptyPrompt, tooLarge; `data.text` has the text.
        """
        self._check_text(text)
        session = self.session_of(run, text=text)
        live = session.live
        session.add(kind, text)
        if live is None:  # add has refused then
            raise Refused("notRunning", "No run is live.", text=text)
        return live

    def abort(self, run: str | None = None, reason: str | None = None) -> bool:
        """Asks a run to stop. False if it has ended or been asked before: aborting twice is harmless.

        Raises:
            Refused: ambiguous, unknownRun.
        """
        if run is None and not self._live():
            return False
        try:
            return self.session_of(run).abort(reason)
        except Refused as refusal:
            if refusal.code == "notRunning":
                return False
            raise

    def session_of(self, run: str | None, *, text: str | None = None) -> Session:
        """The session of a live run.

        Raises:
            Refused: notRunning, ambiguous, unknownRun.
        """
        extra: dict[str, Any] = {} if text is None else {"text": text}
        live = self._live()
        if run is None:
            if len(live) == 1:
                return live[0]
            if not live:
                raise Refused("notRunning", "No run is live. Start one.", **extra)
            ids = [session.live.id for session in live if session.live]
            raise Refused("ambiguous", "Several runs are live; name one.", runs=ids, **extra)
        for session in live:
            if session.live and session.live.id == run:
                return session
        if run.startswith("run_"):
            raise Refused("notRunning", f"The run {run} is not live.", run=run, **extra)
        raise Refused("unknownRun", f"There is no run {run}.", run=run, **extra)

    def most_recent(self, roots: Roots) -> Session | None:
        """The session that was used last in this root, of those that are open here."""
        mine = [session for session in self._sessions.values() if _same_root(session.roots, roots)]
        return max(mine, key=lambda session: session.last_used, default=None)

    # Sessions

    async def _session(self, request: StartRequest) -> Session:
        if request.session is None:
            return self._create(request.roots)
        if request.session in self._sessions:
            return self._sessions[request.session]
        return await self.resume(request.session, request.roots)

    def _create(self, roots: Roots) -> Session:
        services = self.services
        session_id = services.new_id("ses")
        try:
            session_log = SessionLog.create(services.log_path(session_id)) if services.keep_logs else None
            journal = Journal(session_id, session_log, services.bus, services.now)
            picture = Fold()
            session = self._add(session_id, roots, journal, picture)
            journal.record("session", self._header(session_id, roots))
        except LogError as error:
            self._sessions.pop(session_id, None)
            raise Refused("readOnly", str(error)) from error
        return session

    async def resume(self, session_id: str, roots: Roots | None = None) -> Session:
        """Opens a session from its log, and closes in it what a crash left open.

        Raises:
            Refused: unknownSession, locked, readOnly (the log can't be read or written).
        """
        self._refuse_when_closing()
        if session_id in self._sessions:
            return self._sessions[session_id]
        services = self.services
        path = services.log_path(session_id)
        if not _is_id(session_id) or not path.is_file():
            raise Refused("unknownSession", f"There is no session {session_id}.", session=session_id)
        try:
            session_log, tail = SessionLog.open(path)
        except LogLocked as error:
            raise Refused("locked", str(error), session=session_id) from error
        except LogError as error:
            raise Refused("readOnly", str(error), session=session_id) from error
        try:
            picture = await asyncio.to_thread(fold, read_records(path))
            journal = Journal(session_id, session_log, services.bus, services.now, picture.seq)
            mend(journal, picture)
        except LogError as error:
            session_log.close()
            raise Refused("readOnly", str(error), session=session_id) from error
        if tail.torn:
            log.warning("session %s: %d bytes of an unfinished record were cut off", session_id, tail.torn)
        where = roots if roots is not None and roots.folders else _roots_of(picture)
        return self._add(session_id, where, journal, picture)

    def _add(self, session_id: str, roots: Roots, journal: Journal, picture: Fold) -> Session:
        session = Session(session_id, self.services, roots, journal, picture)
        self._sessions[session_id] = session
        return session

    def _header(self, session_id: str, roots: Roots) -> Data:
        return {
            "format": FORMAT,
            "session": session_id,
            "version": __version__,
            "created": round(self.services.now() * 1000),
            "roots": [root.given.as_uri() for root in roots.folders],
            "platform": platform.system(),
        }

    # What can be asked

    def status(self) -> Data:
        """Sessions that are open here, their runs, the pending questions, the defaults."""
        settings = self.services.settings
        return {
            "version": __version__,
            "model": self._model or settings.model,
            "mode": self._mode or settings.mode,
            "sessions": [_session_data(session) for session in self._sessions.values()],
            "approvals": [_question_data(question) for question in self.services.approvals.list()],
        }

    async def events(self, session_id: str, *, run: str | None, after: int, limit: int | None) -> Data:
        """The durable events after number `after`, oldest first, and the message that is being streamed.

        Raises:
            Refused: unknownSession, readOnly (the log can't be read).
        """
        path = self.services.log_path(session_id)
        if not _is_id(session_id) or not path.is_file():
            raise Refused("unknownSession", f"There is no session {session_id}.", session=session_id)
        session = self._sessions.get(session_id)
        streaming = session.streaming.data() if session and session.streaming else None
        count = min(limit or MAX_EVENTS, MAX_EVENTS)

        def read() -> list[Record]:
            wanted = (
                record
                for record in read_records(path)
                if record["seq"] > after and (run is None or record.get("run") == run)
            )
            return list(islice(wanted, count + 1))

        try:
            records = await asyncio.to_thread(read)
        except LogError as error:
            raise Refused("readOnly", str(error), session=session_id) from error
        more = len(records) > count
        return {"events": records[:count], "more": more, "streaming": None if more else streaming}

    def configure(self, *, session: str | None, model: str | None, mode: Mode | None) -> Data:
        """Sets model and mode: of one session, or of all new runs of this server.

        Raises:
            Refused: unknownSession, unknownModel, noCredentials, readOnly.
        """
        if model is not None:
            self.services.make_model(model)
        if session is None:
            self._model, self._mode = model or self._model, mode or self._mode
        elif session in self._sessions:
            try:
                self._sessions[session].configure(model=model, mode=mode)
            except LogError as error:
                raise Refused("readOnly", str(error), session=session) from error
        else:
            raise Refused("unknownSession", f"The session {session} is not open here.", session=session)
        settings = self.services.settings
        return {"model": self._model or settings.model, "mode": self._mode or settings.mode}

    async def close(self) -> None:
        """Ends live runs as interrupted and releases every log. Nothing new is begun from now on."""
        self.closing = True
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    # Inside

    def _live(self) -> Sequence[Session]:
        return [session for session in self._sessions.values() if session.live is not None]

    def _live_in(self, root: Path | None) -> bool:
        return any((s.roots.primary.path if s.roots.primary else None) == root for s in self._live())

    def _refuse_when_closing(self) -> None:
        if self.closing:
            raise Refused("shuttingDown", "The server is shutting down.")

    def _check_text(self, text: str) -> None:
        if not text.strip():
            raise Refused("emptyPrompt", "The message is empty.")
        if len(text) > MAX_PROMPT:
            raise Refused(
                "tooLarge", f"The message is longer than {MAX_PROMPT} characters; name files instead."
            )


def mend(journal: Journal, picture: Fold) -> None:
    """Closes what a crash left open, in the log and in the picture.

    Raises:
        LogError: it can't be written.
    """
    if not picture.interrupted:
        return
    journal.run = picture.run
    for kind, data in picture.closers():
        event = journal.record(kind, data)
        picture.feed({"seq": event.seq, "run": event.run, "ts": event.ts, "type": kind, "data": data})
    journal.run = None


def _continuation(session: Session) -> str | None:
    """What to say to go on without a prompt; None: nothing, the model has yet to answer.

    Raises:
        Refused: emptyPrompt, since the last answer was complete.
    """
    tail = next((m for m in reversed(session.messages) if not isinstance(m, CustomMessage)), None)
    if isinstance(tail, AssistantMessage) and tail.cut:
        return "Your last answer was cut off. Go on exactly where it ended."
    if tail is None or isinstance(tail, AssistantMessage):
        raise Refused("emptyPrompt", "There is nothing to continue: start with a prompt.", session=session.id)
    return None


def _session_data(session: Session) -> Data:
    data: Data = {
        "session": session.id,
        "title": session.title,
        "model": session.model_spec,
        "usage": usage_data(session.usage),
        "state": session.live.state if session.live else _resting(session),
        "queue": [input_data(item) for item in session.queue],
    }
    if session.live is not None:
        data["run"] = session.live.id
    return data


def _resting(session: Session) -> str:
    return "interrupted" if session.last_stop == "interrupted" else "idle"


def _question_data(question: Question) -> Data:
    return {**question.data(), "session": question.session, "run": question.run}


def _same_root(one: Roots, other: Roots) -> bool:
    first, second = one.primary, other.primary
    return (first.path if first else None) == (second.path if second else None)


def _roots_of(picture: Fold) -> Roots:
    """The folders that the session was made in, those that are still there."""
    paths = [Path(unquote(urlsplit(uri).path)) for uri in picture.header.get("roots", [])]
    return Roots([path for path in paths if path.is_dir()])


def _is_id(session_id: str) -> bool:
    """Ids are names of files: nothing that leads elsewhere."""
    return session_id.replace("_", "").isalnum() and session_id.isascii()
