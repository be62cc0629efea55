"""How a run begins: where, with which model and mode, and what is refused before anything is made."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.config import Budget
from steersman.agent.events import Input
from steersman.agent.messages import Message
from steersman.agent.model import Model, ThinkingLevel
from steersman.session.errors import Refused
from steersman.session.last_runs import LastRuns
from steersman.session.open_sessions import OpenSessions, folder
from steersman.session.pointing import Pointed
from steersman.session.prompts import Composed, Prompts
from steersman.session.run import Run
from steersman.session.said import check_text, words_to_go_on
from steersman.session.services import Services
from steersman.session.session import Session
from steersman.session.settings import Mode, Settings, stricter
from steersman.session.wire import Data
from steersman.workspace.roots import Roots


@dataclass(frozen=True, slots=True)
class StartRequest:
    prompt: str | None
    """None: go on from the tail of the session's history."""
    roots: Roots
    session: str | None = None
    model: str | None = None
    mode: Mode | None = None
    thinking: ThinkingLevel | None = None
    budget: Budget | None = None
    pointed: Pointed | None = None
    """What the user points at, besides the prompt."""
    exclusive: bool = False
    """Refuse while any run is live in the same root: for users who would not see that two agents work."""


@dataclass(slots=True)
class Defaults:
    """The model, mode and thinking where neither a request nor its session says anything."""

    settings: Settings
    _model: str | None = None
    _mode: Mode | None = None
    _thinking: ThinkingLevel | None = None

    @property
    def model(self) -> str | None:
        return self._model or self.settings.model

    @property
    def mode(self) -> Mode:
        return self._mode or self.settings.mode

    @property
    def thinking(self) -> ThinkingLevel:
        return self._thinking or self.settings.thinking

    def set(self, model: str | None, mode: Mode | None, thinking: ThinkingLevel | None) -> None:
        """For the life of this server; None leaves it."""
        self._model, self._mode = model or self._model, mode or self._mode
        self._thinking = thinking or self._thinking

    def data(self) -> Data:
        return {"model": self.model, "mode": self.mode, "thinking": self.thinking}


class Starts:
    """Begins the runs of one server."""

    def __init__(
        self, services: Services, sessions: OpenSessions, prompts: Prompts, defaults: Defaults
    ) -> None:
        self.begun = LastRuns()
        self._services, self._sessions, self._prompts = services, sessions, prompts
        self._defaults = defaults
        self._on_their_way: list[StartRequest] = []
        """A second one in the same place is refused, not raced."""
        self._settled = asyncio.Event()
        """None is on its way."""
        self._settled.set()

    @property
    def has_begun(self) -> bool:
        """Whether any run has begun, or is about to."""
        return bool(self.begun or self._on_their_way)

    async def settled(self) -> None:
        """Returns when every run that was about to begin has begun, or been refused."""
        await self._settled.wait()

    async def start(self, request: StartRequest) -> Run:
        """See `SessionManager.start`."""
        self._sessions.refuse_when_closing()
        if request.prompt is not None:
            check_text(request.prompt)
        self._refuse_when_busy(request)
        self._on_their_way.append(request)
        self._settled.clear()
        try:
            with self._sessions.wanted(request.session):
                session, said = await self._session(request)
                self._sessions.refuse_when_closing()
                return self._begin(session, request, said)
        finally:
            self._on_their_way.remove(request)
            if not self._on_their_way:
                self._settled.set()
            self._sessions.close_unused()

    def _refuse_when_busy(self, request: StartRequest) -> None:
        root = folder(request.roots)
        places = [folder(each.roots) for each in self._on_their_way]
        places += [folder(session.roots) for session in self._sessions.live()]
        if request.exclusive and root in places:
            raise Refused("busy", "A run is live in this folder: steer it, queue a follow-up, or abort it.")
        if request.session is None:
            return
        if any(each.session == request.session for each in self._on_their_way):
            raise Refused("busy", "A run is being started in this session.", session=request.session)
        if (session := self._sessions.get(request.session)) is not None:
            session.refuse_if_live()

    async def _session(self, request: StartRequest) -> tuple[Session, Composed | None]:
        """The session to begin a run in, and what is said there. A new one is made when nothing is left to refuse."""
        if request.session is not None:
            session = await self._sessions.open(request.session, request.roots)
            while True:
                tip = session.picture.tip
                said = await self._composed(request, session.roots, session.picture.messages)
                await self._services.prepare_model(self._spec_for(request, said, session))
                if session.picture.tip == tip:
                    return session, said
                # It goes on from another message by now: what was left out may not have been told there.
        if request.prompt is None:
            raise Refused("emptyPrompt", "There is nothing to continue: start with a prompt.")
        if not self._spec_for(request, None, None):
            await self._services.prepare_model("")  # refuses, and says what there is
        self._model_for(request, None)
        said = await self._composed(request, request.roots)
        if said is not None and said.model:
            self._model_for(request, said)
        await self._services.prepare_model(self._spec_for(request, said, None))
        return self._sessions.create(request.roots), said

    async def _composed(
        self, request: StartRequest, roots: Roots, history: Sequence[Message] = ()
    ) -> Composed | None:
        if request.prompt is None:
            return None
        return await self._prompts.compose(request.prompt, roots, request.pointed, history=history)

    def _begin(self, session: Session, request: StartRequest, said: Composed | None) -> Run:
        if said is None and (words := words_to_go_on(session.id, session.picture.messages)) is not None:
            said = Composed(words)
        spec, model = self._model_for(request, said, session)
        mode = request.mode or (said and said.mode) or session.kept.mode or self._defaults.mode
        if said is not None and said.at_most is not None:
            mode = stricter(mode, said.at_most)
        inputs = [] if said is None else [Input("prompt", session.user_message(said))]
        budget = request.budget or self._services.settings.budget
        thinking = request.thinking or session.thinking or self._defaults.thinking
        run = session.begin(inputs, spec, model, mode, budget, thinking=thinking)
        run.notices = () if said is None else said.notices
        self.begun.add(run.id)
        return run

    def _model_for(
        self, request: StartRequest, said: Composed | None, session: Session | None = None
    ) -> tuple[str, Model]:
        spec = self._spec_for(request, said, session)
        route = self._services.route(spec)
        if session is None or route is None:
            return spec, self._services.make_model(spec)
        if session.made is None or session.made[0] != route:
            session.made = route, self._services.make_model(spec)
        return spec, session.made[1]

    def _spec_for(self, request: StartRequest, said: Composed | None, session: Session | None) -> str:
        kept = session.model_spec if session is not None else None
        return request.model or (said and said.model) or kept or self._defaults.model or ""
