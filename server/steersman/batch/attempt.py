"""One attempt at a task: copies the workspace, runs the agent in the copy, writes the patch and the result."""

import asyncio
import atexit
import errno
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from steersman import __version__
from steersman.agent.config import Budget
from steersman.batch.copying import copy_tree, remove_tree
from steersman.batch.errors import Unwritten, is_for_all
from steersman.batch.home import TaskHome
from steersman.batch.ignored import ignored
from steersman.batch.locking import holding
from steersman.batch.order import Changes, Data, Order, Status
from steersman.batch.patch import write_patch
from steersman.batch.preparing import finished, set_aside, take_base
from steersman.batch.trees import differences
from steersman.batch.writing import write_result
from steersman.models.errors import TapeError
from steersman.session.compose import build_services
from steersman.session.errors import LogError, SessionError
from steersman.session.export.writing import write_transcript
from steersman.session.home import Home
from steersman.session.manager import SessionManager
from steersman.session.run import Run
from steersman.session.services import Services
from steersman.session.settings import Settings
from steersman.session.starting import StartRequest
from steersman.session.wire import usage_data
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.roots import Roots


@dataclass(slots=True)
class Stopper:
    """Stops one attempt. It may be told to before the attempt has begun."""

    reason: str | None = None
    on_stop: Callable[[str], object] | None = None

    def stop(self, reason: str) -> None:
        """Asks the attempt to stop. The first reason stands."""
        if self.reason is None:
            self.reason = reason
            if self.on_stop is not None:
                self.on_stop(reason)

    @property
    def stopped(self) -> bool:
        return self.reason is not None


@dataclass(slots=True)
class _Outcome:
    status: Status
    message: str
    run: Run | None = None


async def attempt(
    order: Order, home: Home, settings: Settings, stopper: Stopper, on_state: Callable[[str], object]
) -> Data:
    """Does the task and returns its result, which is then also in the task's folder. If a result is there already,
    returns that one.

    Args:
        on_state: called with `running` and `ended`, at both ends of the time that the task's timeout limits.

    Raises:
        Unwritten: the result could not be written.
    """
    place = order.place
    try:
        place.root.mkdir(parents=True, exist_ok=True)
        async with holding(place.lock, lambda: stopper.stopped) as held:
            if not held:
                raise Unwritten("stopped before it began")
            if (done := await asyncio.to_thread(finished, place)) is not None:
                return done
            return await _Attempt(order, home, settings, stopper, on_state).make()
    except OSError as error:
        raise Unwritten(f"{error.filename or place.root}: {error.strerror or error}") from error


class _Attempt:
    def __init__(
        self,
        order: Order,
        home: Home,
        settings: Settings,
        stopper: Stopper,
        on_state: Callable[[str], object],
    ) -> None:
        self._order, self._place, self._stopper, self._on_state = order, order.place, stopper, on_state
        self._home = TaskHome(home.root, order.place.root)
        self._settings = settings.with_flags(
            model=order.model,
            base_url=order.base_url,
            mode=order.mode,
            context_max_chars=order.context_chars,
        )
        self._base = Path(order.base)
        self._workspace = Path(order.workspace) if order.in_place else order.place.workspace
        self._started = time.time()
        self._number = 1
        self._timed_out = False

    async def make(self) -> Data:
        """Raises:
        OSError: the result could not be written, or the disk is full.
        """
        self._number = await asyncio.to_thread(set_aside, self._place) + 1
        try:
            taken = await asyncio.to_thread(self._copy)
        except OSError as error:
            if is_for_all(error):
                raise
            what = f"The workspace can't be copied: {error.filename}: {error.strerror}."
            return await asyncio.to_thread(self._write, _Outcome("error", what), None)
        clock = time.monotonic()
        outcome = await self._run()
        seconds = time.monotonic() - clock
        return await asyncio.to_thread(self._write, outcome, taken, seconds)

    def _copy(self) -> int:
        taken = take_base(self._order)
        if not self._order.in_place:
            copy_tree(self._base, self._workspace)
        return taken

    async def _run(self) -> _Outcome:
        if self._stopper.stopped:
            return _Outcome("aborted", "Stopped before it began.")
        try:
            services = build_services(
                self._home, self._settings, approver=None, trusts_all=self._order.trusted
            )
        except SessionError as error:
            return _Outcome("error", str(error))
        manager = SessionManager(services)
        try:
            return await self._driven(manager)
        except (SessionError, TapeError, WorkspaceError) as error:
            return _Outcome("error", str(error))
        finally:
            await manager.close()
            _let_go(services)

    async def _driven(self, manager: SessionManager) -> _Outcome:
        order = self._order
        budget = Budget(
            turns=order.turns or Budget().turns,
            seconds=order.seconds,
            tokens=order.tokens,
            cost=order.cost,
        )
        roots = Roots([self._workspace], readable=[self._home.outputs])
        run = await manager.start(
            StartRequest(order.prompt, roots, model=order.model, mode=order.mode, budget=budget)
        )
        self._on_state("running")
        run.release()
        self._stopper.on_stop = lambda reason: manager.abort(run.id, reason)
        if self._stopper.reason is not None:
            manager.abort(run.id, self._stopper.reason)
        loop = asyncio.get_running_loop()
        timer = (
            None if order.timeout is None else loop.call_later(order.timeout, self._on_timeout, manager, run)
        )
        try:
            await run.wait()
        finally:
            self._stopper.on_stop = None
            if timer is not None:
                timer.cancel()
            self._on_state("ended")
        return self._outcome(run)

    def _on_timeout(self, manager: SessionManager, run: Run) -> None:
        self._timed_out = True
        manager.abort(run.id, "timeout")

    def _outcome(self, run: Run) -> _Outcome:
        """Raises:
        OSError: the log could not be written, so nobody knows what the task would have come to.
        """
        end = run.end
        if end is None:
            return _Outcome("error", "The run failed; the log says how.", run)
        if end.error is not None and end.error.code == "logFailed":
            raise OSError(errno.EIO, "The session log could not be written", str(self._log(run)))
        message = run.facts.sentence(end)
        status: Status = "error"
        if end.stop_reason == "aborted":
            status = "timeout" if self._timed_out and not self._stopper.stopped else "aborted"
            if status == "timeout":
                message = f"Stopped after {self._order.timeout:g} s. {message}"
        elif end.stop_reason in ("max_turns", "budget"):
            status = "limit"
        elif end.stop_reason == "complete":
            status = "declined" if run.facts.denied or end.ended_by == "declines" else "complete"
        return _Outcome(status, message, run)

    def _write(self, outcome: _Outcome, taken: int | None, seconds: float = 0.0) -> Data:
        """Writes patch and transcript, then the result, then removes the copy. Returns the result."""
        changes = Changes()
        if taken is not None:
            try:
                changes = self._write_patch(taken)
            except OSError as error:
                if is_for_all(error):
                    raise
                what = f"The changes can't be read: {error.filename}: {error.strerror}. {outcome.message}"
                outcome = replace(outcome, status="error", message=what)
        if outcome.run is not None:
            log = self._log(outcome.run)
            self._place.log.symlink_to(log.relative_to(self._place.root))
            try:
                write_transcript(log, self._place.transcript, "markdown")
            except LogError as error:
                self._place.transcript.write_text(f"{error}\n", "utf-8")
        keeps = self._order.keep_workspace or self._order.in_place
        result = self._result(outcome, changes, seconds) | {
            "workspace": str(self._workspace) if keeps else None
        }
        write_result(self._place, result)
        if not keeps:
            remove_tree(self._place.workspace)
        return result

    def _log(self, run: Run) -> Path:
        return self._home.sessions / f"{run.session}.jsonl"

    def _write_patch(self, taken: int) -> Changes:
        found = differences(self._base, self._workspace, taken)
        left_out = set() if self._order.all_files else ignored(found, self._base, self._workspace)
        told = [each for each in found if each.path not in left_out]
        with self._place.patch.open("w", encoding="utf-8", newline="") as file:
            for piece in write_patch(self._base, self._workspace, told):
                file.write(piece)
        files: list[Data] = [{"path": _printable(each.path), "kind": each.kind} for each in told]
        return Changes(files, sorted(map(_printable, left_out)))

    def _result(self, outcome: _Outcome, changes: Changes, seconds: float) -> Data:
        run, order = outcome.run, self._order
        end = None if run is None else run.end
        denied = [] if run is None else [denial.data() for denial in run.facts.denied]
        return {
            "id": order.id,
            "status": outcome.status,
            "stopReason": None if end is None else end.stop_reason,
            "message": outcome.message,
            "text": "" if run is None else run.facts.text,
            "model": order.model,
            "mode": order.mode,
            "session": None if run is None else run.session,
            "turns": 0 if end is None else end.turns,
            "usage": None if end is None else usage_data(end.usage),
            "cost": None if end is None else end.usage.cost,
            "seconds": round(seconds, 3),
            "files": changes.files,
            "leftOut": {"count": len(changes.left_out), "paths": changes.left_out[:100]},
            "denied": denied,
            "attempt": self._number,
            "startedAt": round(self._started * 1000),
            "endedAt": round(time.time() * 1000),
            "task": order.digest,
            "version": __version__,
        }


def _printable(path: str) -> str:
    """The path as JSON can hold it: bytes that are not UTF-8 become U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _let_go(services: Services) -> None:
    """Releases what the services would hold until this process ends, which has more tasks to do."""
    services.kill_commands()
    atexit.unregister(services.kill_commands)
