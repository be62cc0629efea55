"""A run that has not ended, as its records tell it: what is open, what it did, and how it is closed after a crash."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from steersman.agent.events import AgentEnd, Input, InputKind
from steersman.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Text,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from steersman.session.facts import Denial, RunFacts
from steersman.session.wire import (
    Data,
    event_data,
    result_data,
    result_from,
    typed_text,
    usage_data,
    usage_from,
)
from steersman.tools.bash import BashTool

INTERRUPTED_RUNNING = (
    "Interrupted: the run was cut off while this was running. "
    "Its effects may be partial; look before you repeat it."
)
INTERRUPTED_BEFORE = "Not executed: the run was interrupted."
WITHDRAWN = "Not executed: the run was interrupted while the user was being asked, and nobody answered."

Closer = tuple[str, Data]
"""Type and data of a record."""


@dataclass(slots=True)
class _OpenCall:
    call: ToolCall
    arguments: Data = field(default_factory=dict)
    started: bool = False
    running: bool = False
    asked: bool = False
    result: ToolResultMessage | None = None


@dataclass(slots=True)
class OpenRun:
    id: str
    facts: RunFacts = field(default_factory=RunFacts)
    turn: int | None = None
    """The turn that is open."""
    turns: int = 0
    usage: Usage = NO_USAGE
    """Of all its responses, discarded ones, summaries and requests of extensions included."""
    last_call: ToolCall | None = None
    _message: str | None = None
    """Id of the message that is open."""
    _calls: dict[str, _OpenCall] = field(default_factory=dict)
    """Of the open turn's answer, in declared order."""
    _questions: dict[str, Data] = field(default_factory=dict)
    _queued: list[Data] = field(default_factory=list)
    _taken: list[Data] = field(default_factory=list)
    """Input that has left the queue, and is in no message yet."""

    def begin(self, inputs: Sequence[Data]) -> None:
        self._taken = list(inputs)

    def queue_changed(self, items: Sequence[Data], removed: Sequence[str] = ()) -> None:
        """`removed`: ids of what the user has taken out. Whatever else is gone is on its way to the model."""
        left = {item["id"] for item in items} | set(removed)
        self._taken += [item for item in self._queued if item["id"] not in left]
        self._queued = list(items)

    def begin_turn(self, turn: int) -> None:
        self.turn = self.turns = turn
        self._calls = {}

    def end_turn(self) -> None:
        self.turn = None
        self._calls = {}

    def begin_message(self, message_id: str) -> None:
        self._message = message_id

    def discard_message(self, data: Data) -> None:
        self._message = None
        self.usage += usage_from(data.get("usage"))

    def commit(self, message: object) -> None:
        """A message is in history."""
        self._message = None
        if isinstance(message, AssistantMessage):
            self.usage += message.usage
            self._calls = {call.id: _OpenCall(call) for call in message.tool_calls}
            self.last_call = message.tool_calls[-1] if message.tool_calls else self.last_call
            self.facts.text = message.said or self.facts.text
        elif isinstance(message, UserMessage):
            text = typed_text(message)
            delivered = next((item for item in self._taken if item["text"] == text), None)
            if delivered is not None:
                self._taken.remove(delivered)

    def start_call(self, data: Data) -> None:
        if call := self._calls.get(data["toolCallId"]):
            call.started, call.arguments = True, data.get("args", {})

    def run_call(self, call_id: str) -> None:
        if call := self._calls.get(call_id):
            call.running = True
            command = call.arguments.get("command")
            if call.call.name == BashTool.name and isinstance(command, str):
                self.facts.commands.append(command)

    def end_call(self, data: Data) -> list[ToolResultMessage]:
        """Returns the results of the whole batch, in declared order, once it is complete."""
        call = self._calls.get(data["toolCallId"])
        if call is None:
            return []
        call.result = result_from(data)
        if mark := data.get("denial"):
            self.facts.denied.append(Denial.of(call.call.id, call.call.name, mark))
        results = [each.result for each in self._calls.values() if each.result is not None]
        return results if len(results) == len(self._calls) else []

    def ask(self, data: Data) -> None:
        self._questions[data["id"]] = data
        if call := self._calls.get(data.get("toolCallId", "")):
            call.asked = True

    def resolve(self, data: Data) -> None:
        question = self._questions.pop(data["id"], {})
        call = self._calls.get(question.get("toolCallId", ""))
        if call and data.get("decision") != "withdrawn":
            call.asked = False

    # What closes it

    def closers(self) -> list[tuple[int | None, Closer]]:
        """The records that end the run as interrupted, each with the turn that it belongs to."""
        turn = self.turn
        records: list[Closer] = [
            (
                "approval_resolved",
                {
                    "id": question_id,
                    "toolCallId": data.get("toolCallId", ""),
                    "decision": "withdrawn",
                    "by": "withdrawn",
                },
            )
            for question_id, data in self._questions.items()
        ]
        if self._message is not None:
            data: Data = {"messageId": self._message, "discarded": "interrupted", "partial": []}
            records.append(("message_end", data | {"usage": usage_data(NO_USAGE)}))
        for call in self._calls.values():
            records += _close_call(call)
        if turn is not None:
            ids = list(self._calls)
            records.append(("turn_end", {"turn": turn, "stopReason": "aborted", "toolCallIds": ids}))
        return [*((turn, record) for record in records), (None, self._end())]

    def _end(self) -> Closer:
        end = AgentEnd(
            "interrupted",
            last_call=self.last_call,
            undelivered=tuple(_input(item) for item in (*self._taken, *self._queued)),
            usage=self.usage,
            turns=self.turns,
        )
        return end.type, {**event_data(end), **self.facts.data(end)}


def _close_call(open_call: _OpenCall) -> list[Closer]:
    if open_call.result is not None:
        return []
    call = open_call.call
    records: list[Closer] = []
    if not open_call.started:
        args = {"toolCallId": call.id, "name": call.name, "args": {}, "argsText": call.arguments}
        records.append(("tool_execution_start", args))
    text = WITHDRAWN if open_call.asked else INTERRUPTED_BEFORE
    if open_call.running:
        text = INTERRUPTED_RUNNING
    result = ToolResultMessage(
        call.id, call.name, (Text(text),), "aborted" if open_call.running else "notExecuted"
    )
    records.append(("tool_execution_end", {**result_data(result), "durationMs": 0}))
    return records


def _input(item: Data) -> Input:
    kind: InputKind = item["kind"]
    return Input(kind, UserMessage("", (Text(item["text"]),), item.get("source")))
