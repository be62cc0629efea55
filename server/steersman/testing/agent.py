"""An agent in a temporary workspace. A test drives it: one run after the other, in one session."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from steersman.extensions import Extension
from steersman.models.errors import TapeError
from steersman.models.tape import TapeModel
from steersman.session.approvals import Answer, Question
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.run import Run
from steersman.session.services import Services
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.testing.background import BackgroundLoop
from steersman.testing.errors import RunMismatch, ScriptError
from steersman.testing.folder import Folder
from steersman.testing.going import Going
from steersman.testing.logged import logged_errors
from steersman.testing.model import SPEC, Heard, ScriptModel
from steersman.testing.plan import Plan, RunOptions
from steersman.testing.result import Result
from steersman.testing.script_file import load_script
from steersman.testing.setting import services_for
from steersman.testing.trees import Tree
from steersman.testing.turns import ModelScript, ScriptFile, TapeFile
from steersman.workspace.roots import Roots


class Agent:
    """Made by the fixture `steersman_agent`."""

    def __init__(self, base: Path, here: Path) -> None:
        """
        Args:
            base: an empty folder for the workspace and for what Steersman keeps.
            here: the folder of the test; names of files are relative to it.
        """
        self.workspace = Folder(base / "workspace", here)
        self.results: list[Result] = []
        """Of all runs so far, including those that were not as planned."""
        self._home, self._here = Home((base / "home").resolve()), here
        self._settings = Settings(model=SPEC)
        self._extensions: dict[str, type[Extension]] = {}
        self._services: Services | None = None
        self._manager: SessionManager | None = None
        self._session: str | None = None
        self._going: Going | None = None
        self._loop = BackgroundLoop()

    @property
    def home(self) -> Path:
        """This agent's STEERSMAN_HOME: logs of sessions, pre-images, outputs."""
        return self._home.root

    def configure(
        self,
        *,
        deny: Sequence[str] = (),
        protect: Sequence[str] = (),
        allow_commands: Sequence[str] = (),
        extensions: Mapping[str, type[Extension]] | None = None,
    ) -> None:
        """Sets what the user's `config.toml` would. `extensions` by name; they need not be installed.

        Raises:
            ScriptError: a run has begun already.
        """
        if self._manager is not None:
            raise ScriptError("configure comes before the first run.")
        self._settings = Settings(
            model=SPEC, deny=tuple(deny), protect=tuple(protect), allow_commands=tuple(allow_commands)
        )
        self._extensions = dict(extensions or {})

    def new_session(self) -> None:
        """The next run begins a session of its own."""
        self._session = None

    def run(self, prompt: str | None, model: ModelScript, **options: Unpack[RunOptions]) -> Result:
        """One run from its prompt to its end, in the session of the run before.

        Exactly what is planned must happen: otherwise the run is aborted, and the test fails.

        Args:
            prompt: what the user says. None goes on without a prompt.
            model: what the model answers, one item for each request; or `script(…)`, or `tape(…)`.
            options: see `RunOptions`.

        Raises:
            RunMismatch: something else happened than what is planned.
            ScriptError: what is planned can't be used.
            Refused: the run can't begin.
        """
        __tracebackhide__ = True
        try:
            return self._loop.run(self._do(Plan(prompt=prompt, model=model, **options)))
        except (RunMismatch, ScriptError) as error:
            raise error.with_traceback(None)  # noqa: B904 - the traceback inside Steersman says nothing about the test

    async def run_async(
        self, prompt: str | None, model: ModelScript, **options: Unpack[RunOptions]
    ) -> Result:
        """Like `run`, for a caller with an event loop of its own."""
        __tracebackhide__ = True
        try:
            work = self._do(Plan(prompt=prompt, model=model, **options))
            return await asyncio.wrap_future(self._loop.submit(work))
        except (RunMismatch, ScriptError) as error:
            raise error.with_traceback(None)  # noqa: B904 - see `run`

    def close(self) -> None:
        """Ends a run that goes on, and releases the log. The files stay."""
        if self._manager is not None:
            self._loop.run(self._manager.close())
        if self._services is not None:
            self._services.kill_commands()
        self._manager = self._services = None
        self._loop.close()

    async def _do(self, plan: Plan) -> Result:
        """Raises: see `run`."""
        if self._going is not None:
            raise ScriptError("A run of this agent still goes on. An agent has one run at a time.")
        manager, services = self._open()
        going = Going(plan, Heard(self._model(plan.model)), manager)
        services.trusts_all = plan.trusted
        before = self.workspace.tree
        stop_listening = services.bus.listen(going.on_event)
        self._going = going
        try:
            run = await manager.start(self._request(plan))
            going.run, self._session = run.id, run.session
            with logged_errors() as logged:
                run.release()
                problems = await _ended(run, plan.timeout)
        finally:
            self._going = None
            stop_listening()
        result = self._result(plan, going, before, services.log_path(run.session))
        self.results.append(result)
        if going.watcher.raised is not None:
            raise going.watcher.raised
        if problems := [*problems, *going.problems]:
            raise RunMismatch([*_cause(result, problems, logged), *problems])
        return result

    def _request(self, plan: Plan) -> StartRequest:
        roots = Roots([self.workspace.path], readable=[self._home.outputs])
        return StartRequest(plan.prompt, roots, self._session, model=SPEC, mode=plan.mode, budget=plan.budget)

    def _result(self, plan: Plan, going: Going, before: Tree, log: Path) -> Result:
        return Result(
            session=log.stem,
            prompt=plan.prompt,
            events=going.events,
            requests=going.model.requests,
            asked=going.user.asked,
            before=before,
            tree=self.workspace.tree,
            workspace=self.workspace.path,
            log=log,
        )

    def _model(self, model: ModelScript) -> ScriptModel | TapeModel:
        """Raises:
        ScriptError: it is not a script or tape, or can't be read.
        """
        if isinstance(model, TapeFile):
            try:
                return TapeModel(self._here / model.path, loose=model.loose)
            except TapeError as error:
                raise ScriptError(str(error)) from None
        if isinstance(model, ScriptFile):
            return ScriptModel(load_script(self._here / model.path), model.path)
        if isinstance(model, str) or not isinstance(model, Sequence):
            raise ScriptError(f"model={model!r}: give a list of turns, script('FILE.yaml') or tape('FILE').")
        return ScriptModel(model, "the script")

    def _open(self) -> tuple[SessionManager, Services]:
        if self._manager is None or self._services is None:
            self._services = services_for(
                self._home,
                self._settings,
                approver=_Approver(self._current),
                model=lambda: self._current().model,
                commands=lambda: self._current().commands,
                extensions=self._extensions,
            )
            self._manager = SessionManager(self._services)
        return self._manager, self._services

    def _current(self) -> Going:
        assert self._going is not None
        return self._going


class _Approver:
    """Passes questions to the user of the current run."""

    def __init__(self, going: Callable[[], Going]) -> None:
        self._going = going

    async def ask(self, question: Question) -> Answer | None:
        """See `session.approvals.Approver`."""
        return await self._going().user.ask(question)


def _cause(result: Result, problems: Sequence[str], logged: Sequence[str]) -> list[str]:
    """The error that the run has ended with, unless that is what the problems say: they are what came of it."""
    if result.stop_reason != "error":
        return []
    said: str = result.end["error"]["message"]
    if any(said in problem or problem in said for problem in problems):
        return []
    return [f"The run failed: {said}", *(f"Logged: {each}" for each in logged)]


async def _ended(run: Run, timeout: float) -> list[str]:
    """Waits for the end of the run. Returns the problem if it doesn't come in time."""
    assert run.task is not None
    try:
        done, _ = await asyncio.wait({run.task}, timeout=timeout)
    except asyncio.CancelledError:
        run.controller.abort("the test was interrupted")
        await run.wait()
        raise
    if done:
        return []
    run.controller.abort("the test's time is over")
    await run.wait()
    return [f"The run had not ended after {timeout:g} seconds, and was aborted."]
