"""The loop: turns of one model response and its tool calls, until nothing is left to do.

Control flow goes by content, not by stop reason. What isn't committed doesn't exist: a message enters history when the
sink has taken its end, and only then do its tools run. Features are tools, models, hooks or consumers of events; never
one more branch here.
"""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from steersman.agent.abort import AbortSignal
from steersman.agent.config import LoopConfig
from steersman.agent.dispatch import Batch, ToolRaised
from steersman.agent.events import (
    AgentEnd,
    AgentStart,
    DiscardReason,
    Input,
    Limit,
    MessageDiscarded,
    MessageEnd,
    MessageStart,
    RunError,
    RunStop,
    Sink,
    TurnEnd,
    TurnStart,
    TurnStop,
    call_ids,
)
from steersman.agent.hooks import GiveUp, Retry, TurnSummary, without_custom
from steersman.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Message,
    ModelStop,
    ToolCall,
    Usage,
)
from steersman.agent.model import ModelRequest, StreamFailure, ToolSpec
from steersman.agent.recorder import Recorder, SinkFailed
from steersman.agent.response import Response
from steersman.agent.tasks import pause, supervise

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to."""

    messages: tuple[Message, ...]
    """What it added to the history."""
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
    """Runs from `inputs` (or, if there are none, from the tail of `history`) to the end.

    `history` grows as messages are committed. Whatever happens, every event is closed and `AgentEnd` is told once.

    Raises:
        Exception: the original one of a tool in raise mode or of an approval hook, after everything is closed.
        asyncio.CancelledError: the task was cancelled; everything is closed as aborted first.
    """
    return await _Run(inputs, history, config, sink, signal).drive()


class _HookFailed(Exception):
    """A hook raised; the application log has it."""


class _Aborted(Exception):
    """An abort was seen where nothing can be returned."""


class _Run:
    def __init__(
        self,
        inputs: Sequence[Input],
        history: list[Message],
        config: LoopConfig,
        sink: Sink,
        signal: AbortSignal,
    ) -> None:
        self._history, self._signal = history, signal
        self._config = replace(config)  # `prepare_next_turn` changes this run's, not the caller's
        self._hooks = config.hooks
        self._recorder = Recorder(sink)
        self._pending: list[Input] = list(inputs)
        self._resumes = not inputs
        self._first = len(history)
        self._view: list[Message] | None = None
        self._turn = 0
        self._usage: Usage = NO_USAGE
        self._last: AssistantMessage | None = None
        self._last_call: ToolCall | None = None
        self._summary: TurnSummary | None = None
        self._response: Response | None = None
        self._steered = False
        """A steering message has joined the request that is being made."""
        self._batch: Batch | None = None
        self._began = config.clock.monotonic()

    async def drive(self) -> RunResult:
        raised: BaseException | None = None
        try:
            await self._recorder.emit(AgentStart())
            end = await self._tasks()
        except _Aborted:
            end = AgentEnd("aborted")
        except SinkFailed:
            end = _error("logFailed", "The session log could not be written; nothing more is done.")
        except _HookFailed:
            end = _error("hookFailed", "An extension failed; the log says which and how.")
        except ToolRaised as failure:
            end, raised = (
                _error("toolFailed", "A tool failed unexpectedly; the log says how."),
                failure.original,
            )
        except asyncio.CancelledError as cancelled:
            end, raised = AgentEnd("aborted"), cancelled
        except Exception:
            log.exception("the loop failed")
            end = _error("internal", "Steersman failed unexpectedly; the log says how.")
        end = await self._close(end)
        if raised is not None:
            raise raised
        return RunResult(tuple(self._history[self._first :]), end)

    async def _tasks(self) -> AgentEnd:
        """The prompt, then one follow-up after the other: each with turns counted anew."""
        self._poll_steering()
        while True:
            end = await self._turns()
            if end is not None:
                return end
            if self._signal.aborted:
                raise _Aborted
            take = self._hooks.get_follow_up_messages
            self._pending = list(take()) if take else []
            if not self._pending:
                return AgentEnd("complete", ended_by="terminate" if self._terminated else None)

    async def _turns(self) -> AgentEnd | None:
        """Turns until there is nothing to answer and nothing to say. None: go on to the follow-ups."""
        used = 0
        while self._pending or self._must_answer or self._resumes:
            if self._signal.aborted:
                raise _Aborted
            if limit := self._exceeded(used):
                return AgentEnd("max_turns" if limit == "turns" else "budget", limit=limit)
            await self._prepare_next_turn()
            used += 1
            if end := await self._one_turn():
                return end
            if self._signal.aborted:
                raise _Aborted
            self._poll_steering()
        return None

    async def _one_turn(self) -> AgentEnd | None:
        """Inject, ask, commit, dispatch. A reason for the run to end, or None."""
        self._turn += 1
        self._resumes = False
        self._batch = self._summary = None
        await self._recorder.emit(TurnStart(self._turn))
        await self._inject()
        message = await self._respond()
        if isinstance(message, StreamFailure):
            return _error(message.kind, message.message)
        self._batch = Batch(message, self._config.tools, self._config, self._recorder, self._signal)
        try:
            await self._batch.run()
        finally:
            await self._batch.close()
            self._append(*self._batch.results)
        aborted = self._signal.aborted or self._batch.stopped
        stop: TurnStop = "aborted" if aborted and message.tool_calls else message.stop_reason
        await self._recorder.emit(TurnEnd(self._turn, stop, call_ids(message.tool_calls)))
        if aborted:
            raise _Aborted
        self._summary = TurnSummary(self._turn, message, tuple(self._batch.results), self._history)
        if should_stop := self._hooks.should_stop_after_turn:
            ended_by = await self._hook(should_stop(self._summary), "should_stop_after_turn")
            if ended_by is not None:
                return AgentEnd("complete", ended_by=ended_by)
        return None

    # What goes into a request

    def _poll_steering(self) -> None:
        if take := self._hooks.get_steering_messages:
            self._pending.extend(take())

    async def _inject(self) -> None:
        """Pending input becomes history. It stays pending until it is committed."""
        while self._pending:
            if self._signal.aborted:
                raise _Aborted
            item = self._pending[0]
            await self._recorder.emit(MessageStart(item.message.id, item.message.role))
            await self._recorder.emit(MessageEnd(item.message))
            del self._pending[0]
            self._append(item.message)
            self._steered = self._steered or item.kind == "steer"

    async def _prepare_next_turn(self) -> None:
        hook = self._hooks.prepare_next_turn
        if hook is None or self._summary is None:
            return
        change = await self._hook(hook(self._summary, self._signal), "prepare_next_turn")
        if change is not None:
            config = self._config
            config.model = change.model or config.model
            config.thinking = change.thinking or config.thinking
            config.tools = config.tools if change.tools is None else change.tools
            config.system = config.system if change.system is None else change.system
            self._view = self._view if change.context is None else list(change.context)
        if not self._pending:
            self._poll_steering()

    async def _request(self) -> ModelRequest:
        """The conversation as the model is to see it. Steering that came while it was made joins it."""
        while True:
            messages: Sequence[Message] = self._history if self._view is None else self._view
            if transform := self._hooks.transform_context:
                messages = await self._hook(transform(messages, self._signal), "transform_context")
            if self._signal.aborted:
                raise _Aborted
            if not self._steered:
                self._poll_steering()
            if not self._pending:
                break
            await self._inject()
        convert = self._hooks.convert_to_llm or without_custom
        try:
            converted = convert(messages)
        except Exception as error:
            log.exception("convert_to_llm raised")
            raise _HookFailed from error
        config = self._config
        specs = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in config.tools]
        return ModelRequest(config.system, converted, specs, config.thinking, config.max_output_tokens)

    # The model's answer

    async def _respond(self) -> AssistantMessage | StreamFailure:
        """Asks until there is an answer that can be committed, or a failure that ends the run."""
        attempt = 0
        while True:
            attempt += 1
            response = await self._ask()
            if response.stop_reason is not None and not self._signal.aborted:
                return await self._commit(response, response.stop_reason)
            failure = response.failure or StreamFailure("protocol", "The model's answer can't be used.")
            decision = await self._on_failure(failure, attempt)
            if self._signal.aborted:
                await self._discard("aborted")
                raise _Aborted
            if isinstance(decision, GiveUp):
                failure = replace(failure, message=decision.message or failure.message)
                await self._discard("failed", failure)
                return failure
            await self._discard("retried", failure)
            await pause(decision.after, signal=self._signal, clock=self._config.clock)

    async def _ask(self) -> Response:
        """One request, and what came of it."""
        config = self._config
        request = await self._request()
        response = Response(config.new_id("msg"), self._recorder, lambda: config.new_id("call"))
        await self._recorder.emit(MessageStart(response.message_id, "assistant", config.model.id))
        self._response = response
        if not self._signal.aborted:
            await response.read(
                config.model,
                request,
                signal=self._signal,
                clock=config.clock,
                strays=config.strays,
                stall=config.limits.stall,
                grace=config.limits.grace,
            )
        self._usage += response.usage
        self._steered = False
        return response

    async def _on_failure(self, failure: StreamFailure, attempt: int) -> Retry | GiveUp:
        hook = self._hooks.on_stream_failure
        if hook is None or self._signal.aborted or attempt >= self._config.limits.attempts:
            return GiveUp()
        return await self._hook(hook(failure, attempt, self._signal), "on_stream_failure")

    async def _commit(self, response: Response, stop_reason: ModelStop) -> AssistantMessage:
        model = self._config.model.id
        message = AssistantMessage(response.message_id, response.content, model, stop_reason, response.usage)
        await self._recorder.emit(MessageEnd(message))
        self._response = None
        self._append(message)
        self._last = message
        if message.tool_calls:
            self._last_call = message.tool_calls[-1]
        return message

    async def _discard(self, reason: DiscardReason, failure: StreamFailure | None = None) -> None:
        """The message that is open was not committed."""
        response, self._response = self._response, None
        if message_id := self._recorder.open_message:
            partial, usage = (response.content, response.usage) if response else ((), NO_USAGE)
            await self._recorder.close(MessageDiscarded(message_id, reason, partial, usage, failure))

    # Shared

    def _append(self, *messages: Message) -> None:
        self._history.extend(messages)
        if self._view is not None:
            self._view.extend(messages)

    @property
    def _must_answer(self) -> bool:
        """The last turn had calls, and the model has yet to see their results."""
        return self._batch is not None and bool(self._batch.results) and not self._batch.terminate

    @property
    def _terminated(self) -> bool:
        return self._batch is not None and self._batch.terminate

    def _exceeded(self, turns: int) -> Limit | None:
        budget = self._config.budget
        spent: dict[Limit, tuple[float, float | None]] = {
            "turns": (turns, budget.turns),
            "seconds": (self._config.clock.monotonic() - self._began, budget.seconds),
            "tokens": (self._usage.total, budget.tokens),
            "cost": (self._usage.cost, budget.cost),
        }
        return next((name for name, (used, most) in spent.items() if most is not None and used >= most), None)

    async def _hook(self, work: Awaitable[T], what: str) -> T:
        """Runs a hook; an abort stops it."""
        config = self._config
        try:
            return await supervise(
                work,
                what=what,
                signal=self._signal,
                clock=config.clock,
                strays=config.strays,
                patience=config.limits.grace,
                grace=config.limits.grace,
            )
        except Exception as error:
            if self._signal.aborted:
                raise _Aborted from error
            log.exception("the hook %s raised", what)
            raise _HookFailed from error

    async def _close(self, end: AgentEnd) -> AgentEnd:
        """Closes what is open, and tells the end."""
        aborted = end.stop_reason == "aborted"
        await self._discard("aborted" if aborted else "failed")
        if self._recorder.open_turn is not None:
            ids = call_ids(self._batch.calls) if self._batch else ()
            await self._recorder.close(TurnEnd(self._turn, "aborted" if aborted else "error", ids))
        last = self._last
        hand_back = self._hooks.hand_back or tuple
        end = replace(
            end,
            truncated=end.stop_reason == "complete" and last is not None and last.cut and not last.tool_calls,
            last_call=self._last_call,
            undelivered=tuple(hand_back(self._pending)),
            usage=self._usage,
            turns=self._turn,
        )
        await self._recorder.close(end)
        return end


def _error(code: str, message: str) -> AgentEnd:
    return AgentEnd("error", error=RunError(code, message))
