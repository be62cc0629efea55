"""The loop: turns of one model response and its tool calls, until nothing is left to do.

Control flow goes by content, not by stop reason. What isn't committed doesn't exist: a message enters history when the
sink has taken its end, and only then do its tools run. Features are tools, models, hooks or consumers of events; never
one more branch here.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.batch import Batch
from steersman.agent.config import LoopConfig
from steersman.agent.dispatch import ToolRaised
from steersman.agent.events import (
    AgentEnd,
    AgentStart,
    Input,
    Limit,
    RunError,
    RunStop,
    Sink,
    TurnEnd,
    TurnStart,
    TurnStop,
    call_ids,
)
from steersman.agent.exchange import Exchange
from steersman.agent.hooks import NextTurn, TurnSummary
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from steersman.agent.model import StreamFailure
from steersman.agent.recorder import SinkFailed
from steersman.agent.run_state import Aborted, HookFailed, RunState

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended."""

    messages: tuple[Message, ...]
    """Those that it added to the history."""
    end: AgentEnd

    @property
    def stop_reason(self) -> RunStop:
        return self.end.stop_reason


async def run_loop(
    inputs: Sequence[Input],
    history: list[Message],
    config: LoopConfig,
    sink: Sink,
    signal: AbortSignal,
) -> RunResult:
    """Runs from `inputs`, or from the last message of `history` if there are none, until nothing is left to do.

    `history` grows as messages are committed. Whatever happens, every event is closed and `AgentEnd` is told once.
    Cancelling the caller's task aborts the run, with its full grace; a second time, or during an abort, it cuts the
    grace short.

    Raises:
        Exception: what a tool in raise mode, or an approval hook, has raised. Everything is closed first.
        asyncio.CancelledError: the task was cancelled. Everything is closed as aborted first.
    """
    controller = AbortController()
    withdraw = controller.follow(signal)
    state = RunState(inputs, history, config, sink, controller.signal)
    run = asyncio.create_task(_Run(state, resumes=not inputs).drive())
    cancelled: asyncio.CancelledError | None = None
    try:
        while not run.done():
            try:
                await asyncio.wait((run,))
            except asyncio.CancelledError as error:
                if not controller.abort("the task of the run was cancelled"):
                    run.cancel()
                cancelled = error
    finally:
        withdraw()
    if cancelled is not None:
        await asyncio.gather(run, return_exceptions=True)
        raise cancelled
    return run.result()


class _Run:
    def __init__(self, state: RunState, *, resumes: bool) -> None:
        self._state = state
        self._exchange = Exchange(state)
        self._resumes = resumes
        self._first = len(state.history)
        self._began = state.config.clock.monotonic()
        self._turn = 0
        self._last: AssistantMessage | None = None
        self._last_call: ToolCall | None = None
        self._summary: TurnSummary | None = None
        self._batch: Batch | None = None

    async def drive(self) -> RunResult:
        raised: BaseException | None = None
        try:
            await self._state.recorder.close(AgentStart())
            end = await self._tasks()
        except Aborted:
            end = AgentEnd("aborted")
        except SinkFailed:
            end = _LOG_FAILED
        except HookFailed as failed:
            end = _hook_failed(failed)
        except ToolRaised as failure:
            if self._state.signal.aborted:  # what a tool raises then is part of the abort
                end = AgentEnd("aborted")
            else:
                end = _error("toolFailed", "A tool failed unexpectedly; the log says how.")
                raised = failure.original
        except asyncio.CancelledError as cancelled:
            end, raised = AgentEnd("aborted"), cancelled
        except BaseException as error:
            log.exception("the loop failed")
            end = _error("internal", "Steersman failed unexpectedly; the log says how.")
            raised = None if isinstance(error, Exception) else error
        end = await self._close(end)
        if raised is not None:
            raise raised
        return RunResult(tuple(self._state.history[self._first :]), end)

    async def _tasks(self) -> AgentEnd:
        """The prompt, then one follow-up after the other. Turns are counted anew for each."""
        state = self._state
        state.recorder.check()
        if hook := state.hooks.prepare_run:
            self._apply(await state.wait("prepare_run", hook, tuple(state.pending), state.signal))
        state.poll_steering()
        while True:
            if end := await self._turns():
                return end
            state.check_abort()
            state.take_follow_ups()
            if not state.pending:
                return AgentEnd("complete", ended_by="terminate" if self._terminated else None)

    async def _turns(self) -> AgentEnd | None:
        """Turns until no call and no input is left. Returns how the run ends; None: go on with the follow-ups."""
        state = self._state
        used = 0
        while state.pending or self._must_answer or self._resumes:
            state.check_abort()
            state.count_own_usage()
            if limit := self._exceeded(used):
                return AgentEnd("max_turns" if limit == "turns" else "budget", limit=limit)
            await self._prepare_next_turn()
            used += 1
            if end := await self._one_turn():
                return end
            state.poll_steering()
        return None

    async def _one_turn(self) -> AgentEnd | None:
        """Inject, ask, commit, dispatch. Returns how the run ends, or None."""
        state = self._state
        self._resumes = False
        self._batch = self._summary = None
        await state.recorder.emit(TurnStart(self._turn + 1))
        self._turn += 1
        await state.inject()
        message = await self._exchange.respond()
        if isinstance(message, StreamFailure):
            return _error(message.kind, message.message)
        self._last = message
        if message.tool_calls:
            self._last_call = message.tool_calls[-1]
        results = await self._dispatch(message)
        self._summary = TurnSummary(self._turn, message, tuple(results), state.history)
        if hook := state.hooks.should_stop_after_turn:
            ended_by = await state.wait("should_stop_after_turn", hook, self._summary)
            if ended_by is not None:
                return AgentEnd("complete", ended_by=ended_by)
        return None

    async def _dispatch(self, message: AssistantMessage) -> list[ToolResultMessage]:
        """Runs the calls of a committed message, and ends its turn."""
        state = self._state
        self._batch = batch = Batch(message, state.config, state.recorder, state.signal)
        try:
            await batch.run()
        finally:
            try:
                await batch.close()
            finally:
                state.append(*batch.results)
        aborted = state.signal.aborted or batch.stopped
        stop: TurnStop = "aborted" if aborted and message.tool_calls else message.stop_reason
        await state.recorder.emit(TurnEnd(self._turn, stop, call_ids(message.tool_calls)))
        if batch.stopped:
            raise Aborted
        state.check_abort()
        return batch.results

    async def _prepare_next_turn(self) -> None:
        state, hook = self._state, self._state.hooks.prepare_next_turn
        if hook is None or self._summary is None:
            return
        self._apply(await state.wait("prepare_next_turn", hook, self._summary, state.signal))
        state.poll_steering()

    def _apply(self, change: NextTurn | None) -> None:
        if change is None:
            return
        state, config = self._state, self._state.config
        config.model = change.model or config.model
        config.thinking = change.thinking or config.thinking
        config.tools = config.tools if change.tools is None else change.tools
        config.system = config.system if change.system is None else change.system
        if change.context is not None:
            state.replace_context(change.context)

    @property
    def _must_answer(self) -> bool:
        """The last turn had calls, and the model has yet to see their results."""
        return self._batch is not None and bool(self._batch.calls) and not self._batch.terminate

    @property
    def _terminated(self) -> bool:
        return self._batch is not None and self._batch.terminate

    def _exceeded(self, turns: int) -> Limit | None:
        budget, usage = self._state.config.budget, self._state.usage
        seconds = self._state.config.clock.monotonic() - self._began
        # A cost that is not known can't be kept below a ceiling, so it counts as above every one.
        unpriced = bool(usage.total) and usage.cost is None
        spent: tuple[tuple[Limit, float, float | None], ...] = (
            ("turns", turns, budget.turns),
            ("seconds", seconds, budget.seconds),
            ("tokens", usage.total, budget.tokens),
            ("cost", inf if unpriced else usage.cost or 0.0, budget.cost),
        )
        return next((name for name, used, most in spent if most is not None and used >= most), None)

    async def _close(self, end: AgentEnd) -> AgentEnd:
        """Closes what is open, and tells the end."""
        state, recorder = self._state, self._state.recorder
        aborted = end.stop_reason == "aborted"
        await self._exchange.discard("aborted" if aborted else "failed")
        if recorder.open_turn is not None:
            ids = call_ids(self._batch.calls) if self._batch else ()
            await recorder.close(TurnEnd(recorder.open_turn, "aborted" if aborted else "error", ids))
        try:
            state.count_own_usage()
            await state.keep_custom()
        except HookFailed as failed:
            end = _hook_failed(failed)
        except (SinkFailed, asyncio.CancelledError):  # the end can't be kept either, so it says what happened
            await self._exchange.discard("failed")
        try:
            undelivered = state.hand_back()
        except HookFailed as failed:
            undelivered, end = tuple(state.pending), _hook_failed(failed)
        last = self._last
        truncated = last is not None and last.cut and not last.tool_calls

        def told(end: AgentEnd) -> AgentEnd:
            return replace(
                end,
                truncated=truncated and end.stop_reason == "complete",
                last_call=self._last_call,
                undelivered=undelivered,
                usage=state.usage,
                turns=self._turn,
            )

        end = told(end)
        try:
            await recorder.emit(end)
        except (SinkFailed, asyncio.CancelledError):
            end = told(_LOG_FAILED)
            recorder.tell(end)
        return end


def _error(code: str, message: str) -> AgentEnd:
    return AgentEnd("error", error=RunError(code, message))


def _hook_failed(failed: HookFailed) -> AgentEnd:
    if failed.expected is not None:
        return _error(failed.expected.code, str(failed.expected))
    return _error("hookFailed", "An extension failed; the log says which and how.")


_LOG_FAILED = _error("logFailed", "The session log could not be written; nothing more is done.")
