"""The sink of one run's events: adds what only the product knows, and records each before anybody hears of it."""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from steersman.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    DurableEvent,
    MessageDiscarded,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    RunError,
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)
from steersman.agent.messages import ToolResultMessage, UserMessage
from steersman.session.changes import ChangeRecords
from steersman.session.errors import LogError
from steersman.session.facts import Denial, describe
from steersman.session.journal import Journal
from steersman.session.run import Run, RunState, StreamingMessage
from steersman.session.wire import Data, event_data, input_data

log = logging.getLogger(__name__)


class RunSink:
    """Implements `agent.events.Sink`. The run is told from `begin` to its end, whatever happens between them."""

    def __init__(
        self,
        run: Run,
        journal: Journal,
        changes: ChangeRecords,
        *,
        effects: Collection[str],
        denials: Mapping[str, Denial],
        on_said: Callable[[UserMessage], None],
        on_end: Callable[[], None],
        window: Callable[[], int | None],
    ) -> None:
        """`effects`: names of the tools that change things; `denials`: why calls were not done, by their ids.
        `on_said` is called with each user message that has joined the conversation, `on_end` in the same step as the
        end is told, before anybody hears of it. `window()`: the tokens that the model takes, as far as is known by
        then."""
        self._run, self._journal, self._changes = run, journal, changes
        self._effects, self._denials, self._on_end = effects, denials, on_end
        self._on_said, self._window = on_said, window
        self._calls: dict[str, ToolExecutionStart] = {}
        self._began = False

    def begin(self) -> None:
        """Tells the start.

        Raises:
            LogError: it could not be kept.
        """
        run = self._run
        self._journal.record("agent_start", self._start_data(), run=run.id)
        self._began = True
        opened = self._journal.picture.run
        if opened is not None:
            run.facts = opened.facts

    def fail(self, end: AgentEnd) -> None:
        """Tells the end of a run that failed outside the loop; nothing, if its end has been told."""
        if self._run.end is not None:
            return
        if not self._began:
            self._journal.tell("agent_start", self._start_data(), run=self._run.id)
        try:
            self._record_end(end)
        except LogError:
            error = RunError("logFailed", "The session log could not be written; nothing more is done.")
            self.tell(replace(end, stop_reason="error", error=error))

    async def record(self, event: DurableEvent) -> None:
        """See `agent.events.Sink`.

        Raises:
            LogError: it could not be kept or, where that matters, not be made durable.
        """
        if isinstance(event, AgentStart):
            return  # `begin` has told it
        if isinstance(event, AgentEnd):
            self._record_end(event)
            return
        turn = event.turn if isinstance(event, TurnStart) else None
        # An aborted turn ends its run, and is made durable with it: who aborts need not wait for the disk.
        ends_turn = isinstance(event, TurnEnd) and event.stop_reason != "aborted"
        if ends_turn or self._has_effects(event):
            # A crash after this must find it in the log.
            await self._journal.record_durably(event.type, self._data(event))
        else:
            self._journal.record(event.type, self._data(event), turn=turn)
        self._note(event)

    def tell(self, event: AgentEvent) -> None:
        """See `agent.events.Sink`."""
        if self._run.end is not None:
            return
        if isinstance(event, MessageUpdate):
            if self._run.streaming is not None:
                self._run.streaming.add(event)
        elif isinstance(event, AgentEnd):
            self._journal.broken = True  # the log lacks this run's end: it is mended when it is opened again
            self._ended(event)
            self._journal.tell(event.type, self._end_data(event), run=self._run.id)
            return
        self._journal.tell(event.type, self._data(event), run=self._run.id)

    def set_state(self, state: RunState) -> None:
        """Tells a new state. Only the end of the run leaves `aborting`."""
        run = self._run
        if run.end is not None or run.state in (state, "aborting"):
            return
        run.state = state
        self._journal.tell("state", {"state": state}, run=run.id)

    # Inside

    def _data(self, event: AgentEvent) -> Data:
        data = event_data(event)
        if isinstance(event, MessageEnd):
            data["parent"] = self._journal.picture.tip
        elif isinstance(event, ToolExecutionEnd):
            denial = self._denials.get(event.result.tool_call_id)
            if denial is None and event.result.outcome == "denied":
                denial = self._denied_by_rule(event.result)
            if denial is not None:
                data["denial"] = denial.mark()
        return data

    def _denied_by_rule(self, result: ToolResultMessage) -> Denial:
        """The tools enforce deny rules themselves; nobody was asked."""
        started = self._calls.get(result.tool_call_id)
        title = describe(result.tool_name, (started.arguments if started else None) or {})
        return Denial(result.tool_call_id, result.tool_name, title, result.text, "rule")

    def _note(self, event: DurableEvent) -> None:
        """What follows from an event that is in the log now."""
        run = self._run
        if isinstance(event, MessageStart):
            if event.role == "assistant":
                run.streaming = StreamingMessage(event.message_id)
                self.set_state("streaming")
        elif isinstance(event, MessageEnd | MessageDiscarded):
            run.streaming = None
            if isinstance(event, MessageEnd) and isinstance(event.message, UserMessage):
                self._changes.begin()
                self._on_said(event.message)
        elif isinstance(event, ToolExecutionStart):
            self._calls[event.call.id] = event
        elif isinstance(event, ToolExecutionRunning):
            self.set_state("tool")
            if self._has_effects(event):
                self._changes.call_begins(event.call_id)
        elif isinstance(event, ToolExecutionEnd):
            self._calls.pop(event.result.tool_call_id, None)
            self._changes.call_ended(event.result.tool_call_id)

    def _has_effects(self, event: DurableEvent) -> bool:
        """Whether work that changes things begins with it."""
        return (
            isinstance(event, ToolExecutionRunning) and self._calls[event.call_id].call.name in self._effects
        )

    def _start_data(self) -> Data:
        run = self._run
        inputs = [input_data(item) for item in run.inputs]
        return {"model": run.model, "mode": run.mode, "inputs": inputs, **self._window_data()}

    def _window_data(self) -> Data:
        window = self._window()
        return {} if window is None else {"contextWindow": window}

    def _record_end(self, event: AgentEnd) -> None:
        if self._run.interrupted and event.stop_reason == "aborted":
            event = replace(event, stop_reason="interrupted")
        if self._journal.broken:
            raise LogError("The session log could not be written before.")
        data = self._end_data(event)
        self._ended(event)
        try:
            self._journal.record(event.type, data)
        except LogError:
            self._run.end = None  # it is told as another end
            raise

    def _end_data(self, event: AgentEnd) -> Data:
        if event.error is not None and event.error.code == "logFailed" and self._journal.failure is not None:
            event = replace(event, error=replace(event.error, message=self._journal.failure))
        totals: Data = {"session": self._journal.picture.totals()}
        return {**event_data(event), **self._run.facts.data(event), **self._window_data(), **totals}

    def _ended(self, event: AgentEnd) -> None:
        run = self._run
        run.end, run.state, run.streaming = event, "idle", None
        self._changes.call_ended()
        self._on_end()
