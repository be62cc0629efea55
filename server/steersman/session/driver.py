"""Drives one run from its release to its end: trust, policy, prompt and retry around the kernel's loop."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from steersman.agent.abort import AbortSignal
from steersman.agent.config import LoopConfig
from steersman.agent.events import AgentEnd, EndedBy, Input, RunError
from steersman.agent.hooks import GiveUp, Hooks, NextTurn, PendingCall, Retry, TurnSummary
from steersman.agent.loop import RunResult, run_loop
from steersman.agent.messages import Usage
from steersman.agent.model import Model, StreamFailure
from steersman.agent.tool import ToolResult
from steersman.session.asking import Asker
from steersman.session.compaction import Compactor
from steersman.session.context import system_prompt
from steersman.session.cut_context import CountedModel
from steersman.session.extended import SessionExtensions, changed
from steersman.session.extension_tools import names_with_effects
from steersman.session.facts import Denial
from steersman.session.fitting import Fitting, Window
from steersman.session.gate import Gate
from steersman.session.instructions import FolderInstructions
from steersman.session.parts import Parts
from steersman.session.policy import Policy
from steersman.session.run import Run, RunState
from steersman.session.sink import RunSink
from steersman.session.trust import Terms, TrustCheck, trust_question
from steersman.session.unmarking import Unmarking
from steersman.session.vetoes import Vetoes
from steersman.session.window import length_of, overhead_of
from steersman.session.wire import Data

log = logging.getLogger(__name__)


class RunDriver:
    def __init__(
        self,
        run: Run,
        model: Model,
        parts: Parts,
        extensions: SessionExtensions,
        on_end: Callable[[], None],
    ) -> None:
        """`on_end` is called in the same step as the end is told, before anybody hears of it."""
        self._run, self._parts, self._extensions = run, parts, extensions
        self._model = CountedModel(model, parts.notice)
        self._signal = run.controller.signal
        self._began = False
        self._fitting: Fitting | None = None
        self._wanted: str | None = None
        """See `Fitting.wanted`: from before there is one."""
        self._told = NextTurn()
        """What the model is told now."""
        services = parts.services
        denials: dict[str, Denial] = {}
        self._effects = names_with_effects(parts.tools)
        self._sink = RunSink(
            run,
            parts.journal,
            parts.changes,
            effects=self._effects,
            denials=denials,
            on_said=parts.committed,
            on_end=on_end,
            window=self._window,
        )
        self._asker = Asker(services.approvals, parts.journal, self._sink.set_state)
        self._gate = Gate(
            session=run.session,
            run=run.id,
            policy=Policy(run.mode, services.settings.allow_commands),
            session_grants=parts.grants,
            denials=denials,
            ask=self._asker.ask,
            new_id=services.new_id,
        )
        self._vetoes = Vetoes(extensions, self._gate, denials)
        self._unmarking = Unmarking(
            parts,
            leave=self._vetoes.before_tool_call,
            denials=denials,
            stop=lambda: self._stop("the user stopped the run"),
        )
        self._trust = TrustCheck(
            services.trust,
            trusts_all=services.trusts_all,
            trusts_none=services.trusts_none,
            ask=lambda question: self._asker.ask(question, self._signal),
            answer_alike=services.approvals.answer_alike,
            question=lambda folder: trust_question(services.new_id("apr"), run.session, run.id, folder),
            notice=parts.notice,
        )
        self._instructions = FolderInstructions(
            parts.workspace, lambda: parts.journal.picture.messages, self._trust.may_follow, parts.notice
        )

    async def drive(self) -> None:
        """Waits for the release, and runs. The end is told, whatever happens."""
        run, parts = self._run, self._parts
        await run.released.wait()
        try:
            run.result = await self._loop()
        except Exception as error:
            log.exception("run %s failed", run.id)
            run.error = error
        finally:
            undelivered = tuple(parts.inbox.hand_back(run.inputs)) if run.end is None else ()
            reason = RunError("internal", "Steersman failed unexpectedly; the log says how.")
            self._sink.fail(AgentEnd("error", error=reason, undelivered=undelivered))
            await parts.sync_quietly()

    def aborting(self) -> None:
        """The abort has been asked for."""
        if self._began:
            self._sink.set_state("aborting")
        else:
            self._run.state = "aborting"

    def _stop(self, reason: str) -> None:
        if self._run.controller.abort(reason):
            self.aborting()

    def set_state(self, state: RunState) -> None:
        """Tells what the run is doing."""
        self._sink.set_state(state)

    def queue_changed(self, removed: Sequence[str] = ()) -> None:
        """See `Parts.queue_changed`. Changes before the run has begun are told when it begins."""
        if self._began:
            self._parts.queue_changed(removed)

    async def _loop(self) -> RunResult:
        """From the first event to the last.

        Raises:
            LogError: before the loop began.
            Exception: see `run_loop`.
        """
        run, parts = self._run, self._parts
        self._sink.begin()
        self._began = True
        if parts.inbox.items:
            parts.queue_changed()
        terms = await self._terms()
        self._gate.policy = replace(self._gate.policy, mode=terms.mode)
        if not run.aborting:
            parts.record_config(run.model, terms.mode, run.thinking)
            self._tell_of_prompt()
        history = list(parts.journal.picture.messages)
        result = await run_loop(run.inputs, history, self._config(terms), self._sink, self._signal)
        if self._fitting is not None and self._fitting.wanted is not None:
            parts.notice("The run ended before its next request, so nothing was summarised. Ask again.")
        return result

    async def _terms(self) -> Terms:
        folders = [root.path for root in self._parts.roots.folders]
        return await self._trust.settle(folders, self._run.mode, self._signal)

    def _config(self, terms: Terms) -> LoopConfig:
        parts, services = self._parts, self._parts.services
        system = self._system(terms)
        self._extensions.link.begin(system)
        self._fitting = self._fit(overhead_of(system, parts.tools_length))
        self._fitting.wanted = self._wanted
        self._told = NextTurn(system=system, tools=parts.tools)
        extended = self._extensions.implements
        return LoopConfig(
            model=self._model,
            system=system,
            tools=parts.tools,
            thinking=self._run.thinking if services.thinks(self._run.model) else "off",
            hooks=Hooks(
                prepare_run=self._prepare_run if extended("prepare_run") else None,
                transform_context=self._fitting.transform,
                before_tool_call=self._vetoes.before_tool_call,
                after_tool_call=self._after_tool_call,
                transform_update=self._extensions.transform_update,
                prepare_next_turn=self._prepare_next_turn if extended("prepare_next_turn") else None,
                get_custom_messages=self._extensions.take_custom,
                should_stop_after_turn=self._after_turn,
                on_stream_failure=self._on_stream_failure,
                get_steering_messages=self._take_steering,
                get_follow_up_messages=self._take_follow_ups,
                get_own_usage=self._take_usage,
                hand_back=parts.inbox.hand_back,
                steering_mode=parts.inbox.steering_mode,
            ),
            budget=self._run.budget,
            limits=services.limits.kernel(),
            clock=services.clock,
            strays=parts.strays,
            new_id=services.new_id,
        )

    def _window(self) -> int | None:
        """Tokens that the model takes, where that is known."""
        services = self._parts.services
        return services.settings.context_window or services.window(self._run.model)

    def _fit(self, overhead: int) -> Fitting:
        parts, settings = self._parts, self._parts.services.settings
        see = self._extensions.transform_context
        window = Window(self._window(), settings.context_max_chars)
        return Fitting(
            window,
            Compactor(self._model, parts, overhead, see),
            parts,
            overhead,
            self._sink.set_state,
            see=see,
        )

    def compact(self, instructions: str) -> None:
        """Asks for a compaction before the next request."""
        if self._fitting is None:
            self._wanted = instructions
        else:
            self._fitting.wanted = instructions

    def _system(self, terms: Terms) -> str:
        parts, services = self._parts, self._parts.services
        folders = [root.path for root in parts.roots.folders]
        own = self._instructions.of_folder(services.home.root)
        theirs = self._instructions.of_folder(folders[0], within=folders[0]) if terms.trusted else None
        return system_prompt(
            folders,
            today=datetime.fromtimestamp(services.now()).date(),
            tools=[tool.name for tool in parts.tools],
            own=own.text if own else None,
            instructions=theirs.text if theirs else None,
        )

    def _tell_of_prompt(self) -> None:
        """Tells the user what they should know before the first request."""
        run, parts = self._run, self._parts
        route = parts.services.route(run.model)
        if route is not None and route.withheld is not None:
            parts.notice(route.withheld)
        for notice in (*self._extensions.take_problems(), *run.notices):
            parts.notice(notice)
        for item in run.inputs:
            parts.tell_if_blind(run.model, item.message.content)

    async def _prepare_run(self, inputs: Sequence[Input], signal: AbortSignal) -> NextTurn | None:
        return self._noted(await self._extensions.prepare_run(inputs, signal))

    async def _prepare_next_turn(self, turn: TurnSummary, signal: AbortSignal) -> NextTurn | None:
        return self._noted(await self._extensions.prepare_next_turn(turn, signal))

    def _noted(self, change: NextTurn | None) -> NextTurn | None:
        """Updates what depends on what the model is told."""
        if change is None or self._fitting is None:
            return change
        self._told = changed(self._told, change)
        self._effects |= names_with_effects(self._told.tools or ())
        self._fitting.overhead = overhead_of(self._told.system or "", length_of(self._told.tools or ()))
        self._fitting.replaced = self._told.context is not None
        return change

    async def _after_tool_call(
        self, pending: PendingCall, result: ToolResult, signal: AbortSignal
    ) -> ToolResult:
        """The result as the extensions leave it, with the instructions that hold where the tool has been."""
        left = await self._extensions.after_tool_call(pending, result, signal)
        return await self._instructions.after_tool_call(pending, left, signal) or left

    async def _after_turn(self, turn: TurnSummary) -> EndedBy | None:
        self._instructions.turn_over()
        self._model.check(turn.message.usage)
        self._parts.services.model_used(self._run.model)
        reason = await self._extensions.should_stop_after_turn(turn)
        ended_by = await self._gate.should_stop_after_turn(turn)
        if ended_by is None and (reason is not None or self._has_answered(turn)):
            await self._unmarking.finish(self._signal)
        if ended_by is None and reason is not None:
            self._parts.notice(f"Stopped by {reason}")
            return "hook"
        return ended_by

    def _has_answered(self, turn: TurnSummary) -> bool:
        """Whether all that was said so far has been answered."""
        message = turn.message
        steered = any(item.kind == "steer" for item in self._parts.inbox.items)
        return not (message.tool_calls or message.cut or steered)

    def _take_usage(self) -> Usage:
        """Of what is asked beside the run's own requests: summaries, and what extensions ask."""
        asked = self._extensions.link.take_usage()
        return asked if self._fitting is None else asked + self._fitting.take_usage()

    def _take_steering(self) -> Sequence[Input]:
        self._extensions.poll("steer")
        items = self._parts.inbox.take_steering()
        if items:
            self._parts.queue_changed()
        return items

    def _take_follow_ups(self) -> Sequence[Input]:
        if not any(item.kind == "followUp" for item in self._parts.inbox.items):
            self._extensions.poll("followUp")
        items = self._parts.inbox.take_follow_ups()
        if items:
            self._parts.queue_changed()
            self._gate.new_task()
            self._parts.marks.take()
        return items

    async def _on_stream_failure(
        self, failure: StreamFailure, attempt: int, signal: AbortSignal
    ) -> Retry | GiveUp:
        if failure.kind == "context_overflow" and self._fitting is not None:
            decision = await self._fitting.on_overflow(failure.message, signal)
        else:
            decision = self._parts.services.retry.decide(failure, attempt)
        if isinstance(decision, Retry):
            data: Data = {"attempt": attempt, "afterMs": round(decision.after * 1000), "kind": failure.kind}
            self._parts.journal.record("retry", data | {"message": failure.message})
            self._sink.set_state("retrying")
        return decision
