"""One conversation: its log, its history, and at most one live run."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from steersman.agent.abort import AbortSignal
from steersman.agent.config import Budget
from steersman.agent.events import AgentEnd, Input
from steersman.agent.messages import UserMessage
from steersman.agent.model import Model, ThinkingLevel
from steersman.session.assembly import parts_of, tools_of
from steersman.session.checkpoints import History
from steersman.session.compaction import Compactor
from steersman.session.driver import RunDriver
from steersman.session.errors import LogError, Refused
from steersman.session.extended import SessionExtensions
from steersman.session.extension_session import Link
from steersman.session.fold import Fold
from steersman.session.journal import Journal
from steersman.session.kept import Kept
from steersman.session.message_queue import Driven, MessageQueue
from steersman.session.operation import Operation
from steersman.session.pointing import InstructionComment
from steersman.session.prompts import Composed
from steersman.session.revert import Reverter
from steersman.session.run import Run, RunState
from steersman.session.said import note_of_reverts
from steersman.session.services import Services
from steersman.session.settings import Mode
from steersman.session.store import Store
from steersman.session.tree import Branch
from steersman.session.waiting import ended_within
from steersman.session.window import length_of
from steersman.session.wire import Data
from steersman.workspace.roots import Roots

if TYPE_CHECKING:
    from steersman.models.routes import Route

log = logging.getLogger(__name__)


class Session:
    """Made by `OpenSessions`. All use is from one event loop."""

    def __init__(self, services: Services, roots: Roots, journal: Journal, kept: Kept | None = None) -> None:
        """`kept`: from when it was open before."""
        self.id = journal.session
        self.roots = roots
        self.live: Run | None = None
        self.operation: Operation | None = None
        """The last one; while it is under way there is no run."""
        self.closing = False
        """It is being closed or deleted: nothing more is begun in it."""
        self.model_spec = journal.picture.model
        """`PROVIDER:NAME` that was used last."""
        self.made: tuple[Route, Model] | None = None
        """The model that was made last, for as long as its route is the same: it has encoded this conversation."""
        self.thinking = journal.picture.thinking
        """The level that was asked for last; None: never one."""
        self.kept = kept or Kept(roots, services.now())
        self.kept.roots, self.kept.last_used = roots, services.now()
        self._services, self._journal = services, journal
        self.composing = asyncio.Lock()
        """Messages are composed one after the other, so that they keep their order."""
        self._driver: RunDriver | None = None
        self._parts = parts_of(services, roots, journal, self.kept.grants)
        link = Link(self._parts, self._driven)
        self.extensions = SessionExtensions(services.extensions, link)
        self._parts.tools = tools = tools_of(self._parts, self.extensions, self._live_run, self._set_state)
        self._parts.tools_length = length_of(tools)
        self.queue = MessageQueue(self._parts, self._driven)

    def _driven(self) -> Driven | None:
        if self.live is None or self._driver is None:
            return None
        return Driven(self.live, self._driver.queue_changed)

    def _live_run(self) -> str | None:
        return None if self.live is None else self.live.id

    def _set_state(self, state: RunState) -> None:
        if self._driver is not None:
            self._driver.set_state(state)

    @property
    def picture(self) -> Fold:
        """What the log says: history, usage, title."""
        return self._journal.picture

    @property
    def broken(self) -> bool:
        """The log could not be written: read-only until it is opened again."""
        return self._journal.broken

    @property
    def can_be_reopened(self) -> bool:
        """Whether nothing goes on in it, and all that it knows is in its log or in `kept`."""
        return not self.is_busy and self._journal.kept and not len(self._parts.strays)

    def begin(
        self,
        inputs: Sequence[Input],
        spec: str,
        model: Model,
        mode: Mode,
        budget: Budget,
        *,
        thinking: ThinkingLevel = "off",
    ) -> Run:
        """Makes a run, live from now on; it starts when it is released. `model` is what `spec` names.

        Raises:
            Refused: busy, readOnly, unknownSession (it has been closed).
        """
        self._refuse_unless_ready()
        run = Run(self._services.new_id("run"), self.id, tuple(inputs), budget, mode, spec, thinking)
        self.live, self.model_spec, self.thinking = run, spec, thinking
        self.kept.last_used = self._services.now()
        if inputs:  # another task: what an earlier one has left is the user's
            self._parts.marks.take()
        self._parts.inbox.reopen()
        self._driver = RunDriver(run, model, self._parts, self.extensions, lambda: self._ended(run))
        run.task = asyncio.create_task(self._driver.drive())
        return run

    def _ended(self, run: Run) -> None:
        if self.live is run:
            self.live = self._driver = None

    def refuse_if_live(self) -> None:
        """Raises:
        Refused: busy.
        """
        if self.live is not None:
            text = "A run is live in this session: steer it, queue a follow-up, or abort it."
            raise Refused("busy", text, session=self.id, run=self.live.id)
        if self.is_busy:
            text = "The session is being worked on: wait for the end of that, or abort it."
            raise Refused("busy", text, session=self.id)

    def _refuse_unless_ready(self) -> None:
        self.refuse_if_live()
        if self.closing:
            raise Refused("unknownSession", f"The session {self.id} has been closed.", session=self.id)
        if self.broken:
            raise Refused("readOnly", "The session's log could not be written; open the session again.")

    @property
    def is_busy(self) -> bool:
        """A run is live, or an operation is under way."""
        return self.live is not None or (self.operation is not None and not self.operation.done)

    def abort(self, reason: str | None = None) -> bool:
        """Asks the live run, or what else is under way, to stop. False if nothing is, or it has been asked before."""
        run = self.live
        if run is None and self.operation is not None:
            return self.operation.abort(reason)
        if run is None or self._driver is None or not run.controller.abort(reason):
            return False
        self._driver.aborting()
        return True

    def user_message(self, said: Composed) -> UserMessage:
        """The message that begins a run, with what the model has to know first."""
        note = note_of_reverts(self.picture.reverted)
        return self._parts.to_say(said if note is None else replace(said, attached=(*said.attached, note)))

    def works_on(self, comment: InstructionComment) -> bool:
        """Whether the live run works on a comment's instruction, or is going to."""
        if self.live is None:
            return False
        waiting = [item.message.id for item in (*self.live.inputs, *self.queue.items)]
        said = [self._parts.said[each] for each in waiting if each in self._parts.said]
        known = (*self._parts.marks.known, *(each for one in said for each in one.pointed.comments))
        return any(each.is_same(comment) for each in known)

    def configure(
        self,
        *,
        model: str | None = None,
        mode: Mode | None = None,
        thinking: ThinkingLevel | None = None,
    ) -> None:
        """Sets what the next runs of this session use.

        Raises:
            LogError: it could not be kept; nothing was set.
        """
        model, mode, thinking = model or self.model_spec, mode or self.kept.mode, thinking or self.thinking
        self._parts.record_config(model, mode, thinking or "off")
        self.model_spec, self.kept.mode, self.thinking = model, mode, thinking

    async def move_to(self, tip: str | None, store: Store) -> None:
        """Goes on from another node of the tree, or from its start. No file is changed.

        Raises:
            Refused: busy, readOnly, unsupported (a session that is not kept).
        """
        self.refuse_if_live()
        path = self.picture.tree.path(tip)
        branch: Branch | None = None
        if not self.picture.branch.reaches(path):
            if not self._journal.kept:
                raise Refused("unsupported", "This session is not kept; it can't go back that far.")
            branch = await store.branch(self.id, path)
            self.refuse_if_live()
        if self.picture.tip != tip:
            self._record("head", {"tip": tip})
            if branch is not None:
                self.picture.branch, self.picture.stale = branch, False
        self.model_spec = self.picture.model or self.model_spec
        self.thinking = self.picture.thinking or "off"

    def compact(self, instructions: str | None, model: Model) -> Run | None:
        """Replaces old messages, for the model, by a summary: before the next request of the live run, which is
        returned; without one now, by `model`. `compaction_end` tells the result.

        Raises:
            Refused: busy, readOnly, nothingToDo.
        """
        if self.live is not None and self._driver is not None:
            self._driver.compact(instructions or "")
            return self.live
        services = self._services
        window = services.settings.context_window or services.window(self.model_spec or "")
        compactor = Compactor(model, self._parts, 0, self.extensions.transform_context)
        self.operate("compacting", compactor.work_for_user(window, instructions))
        return None

    def operate(self, state: RunState, work: Callable[[AbortSignal], Awaitable[None]]) -> Operation:
        """Begins an operation. No run can begin before it has ended.

        Raises:
            Refused: busy, readOnly, unknownSession (it has been closed).
        """
        self._refuse_unless_ready()

        async def told(signal: AbortSignal) -> None:
            try:
                await work(signal)
            except LogError as error:
                self._journal.tell("notice", {"message": str(error)})
                raise

        self.operation = Operation(self._services.new_id("op"), state, told)
        return self.operation

    def reverter(self, history: History) -> Reverter:
        """What reverts changes of this session; `history`: what its log says of them."""
        return Reverter(self._parts, history)

    def rename(self, title: str) -> None:
        """Gives the session a title of the user's.

        Raises:
            Refused: readOnly.
        """
        self._record("session_renamed", {"title": title})

    def _record(self, kind: str, data: Data) -> None:
        try:
            self._journal.record(kind, data)
        except LogError as error:
            raise Refused("readOnly", str(error), session=self.id) from error

    async def close(self) -> None:
        """Ends what is live as interrupted, in bounded time, and releases the log."""
        self.closing = True
        self.kept.told = self.broken
        run, limits, clock = self.live, self._services.limits, self._services.clock
        if run is not None and run.task is not None:
            run.interrupted = True
            self.abort("the server is closing")
            run.release()
            if not await ended_within(run.task, limits.close, clock):
                self._services.kill_commands()
                if not await ended_within(run.task, limits.grace, clock):
                    self._cut_off(run, run.task)
        if self.operation is not None:
            await self.operation.close(clock, limits.close)
        await self.extensions.close()
        await self._parts.strays.close(clock, limits.close)
        await self._parts.sync_quietly()
        await self._journal.close()

    def _cut_off(self, run: Run, task: "asyncio.Task[None]") -> None:
        """Closes a run that doesn't end as after a crash. Nothing more of it is kept or told."""
        log.error("run %s did not stop and was cut off", run.id)
        run.end = AgentEnd("interrupted")
        self._ended(run)
        try:
            self._journal.mend()
        except LogError:
            log.exception("the log of %s could not be closed", self.id)
        self._journal.broken = True
        task.cancel()
