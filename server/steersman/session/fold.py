"""A session as its records tell it: the history that a model gets, what is still open, usage and settings.

Everything that is derived from a log is derived here. What a crash left open is closed by the records that `closers`
makes: written by whoever holds the lock, kept in memory by whoever only reads.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from steersman.agent.messages import NO_USAGE, AssistantMessage, Message, ToolCall, ToolResultMessage, Usage
from steersman.session.log import Record
from steersman.session.wire import Data, message_from, result_from, usage_data, usage_from

INTERRUPTED_RUNNING = (
    "Interrupted: the run was cut off while this was running. "
    "Its effects may be partial; look before you repeat it."
)
INTERRUPTED_BEFORE = "Not executed: the run was interrupted."
WITHDRAWN = "Not executed: the run was interrupted while the user was being asked, and nobody answered."


@dataclass(slots=True)
class _OpenCall:
    call: ToolCall
    started: bool = False
    running: bool = False
    asked: bool = False
    result: ToolResultMessage | None = None


@dataclass(slots=True)
class Fold:
    """Feed it the records of a log in order."""

    header: Data = field(default_factory=dict)
    """The data of the `session` record."""
    seq: int = 0
    tip: str | None = None
    """Id of the last node: a committed message or a `config`."""
    messages: list[Message] = field(default_factory=list)
    usage: Usage = NO_USAGE
    model: str | None = None
    mode: str | None = None
    title: str | None = None
    last_ts: float = 0.0
    last_stop: str | None = None
    """`stopReason` of the last run that ended."""
    run: str | None = None
    """The run that has not ended."""
    _turn: int | None = None
    _message: Data | None = None
    _calls: dict[str, _OpenCall] = field(default_factory=dict)
    _questions: dict[str, Data] = field(default_factory=dict)

    def feed(self, record: Record) -> None:
        """Takes the next record. Types that it doesn't know are counted and passed over."""
        self.seq = record["seq"]
        self.last_ts = record.get("ts", self.last_ts)
        data: Data = record.get("data", {})
        handler = _HANDLERS.get(record["type"])
        if handler is not None:
            handler(self, record, data)

    @property
    def interrupted(self) -> bool:
        """A run began and has not ended."""
        return self.run is not None

    def closers(self) -> list[tuple[str, Data]]:
        """Types and data of the records that close what is open, in order. Empty if nothing is."""
        if self.run is None:
            return []
        records: list[tuple[str, Data]] = []
        records += [
            ("approval_resolved", {"id": id_, "toolCallId": data.get("toolCallId"), "decision": "withdrawn"})
            for id_, data in self._questions.items()
        ]
        if self._message is not None:
            data = {"messageId": self._message["messageId"], "discarded": "interrupted", "partial": []}
            records.append(("message_end", data | {"usage": usage_data(NO_USAGE)}))
        for open_call in self._calls.values():
            records += _close_call(open_call)
        if self._turn is not None:
            ids = list(self._calls)
            records.append(("turn_end", {"turn": self._turn, "stopReason": "aborted", "toolCallIds": ids}))
        end: Data = {
            "stopReason": "interrupted",
            "message": "The run was interrupted. What had been done is kept; continue goes on from there.",
            "usage": usage_data(NO_USAGE),
            "cost": 0,
            "turns": self._turn or 0,
            "text": "",
            "files": [],
            "commands": [],
            "denied": [],
            "undelivered": [],
        }
        records.append(("agent_end", end))
        return records

    # One method for each type of record that changes the picture

    def _session(self, _: Record, data: Data) -> None:
        self.header = data

    def _config(self, record: Record, data: Data) -> None:
        self.model = data.get("model", self.model)
        self.mode = data.get("mode", self.mode)
        self.tip = data.get("id", self.tip)

    def _agent_start(self, record: Record, _: Data) -> None:
        self.run = record.get("run")

    def _turn_start(self, _: Record, data: Data) -> None:
        self._turn = data["turn"]
        self._calls = {}

    def _message_start(self, _: Record, data: Data) -> None:
        self._message = data

    def _message_end(self, _: Record, data: Data) -> None:
        self._message = None
        self.usage += usage_from(data.get("usage"))
        if "discarded" in data:
            return
        message = message_from(data)
        self.messages.append(message)
        self.tip = data["messageId"]
        if isinstance(message, AssistantMessage):
            self._calls = {call.id: _OpenCall(call) for call in message.tool_calls}
        elif self.title is None and message.role == "user":
            self.title = _title(data)

    def _execution_start(self, _: Record, data: Data) -> None:
        if call := self._calls.get(data["toolCallId"]):
            call.started = True

    def _execution_running(self, _: Record, data: Data) -> None:
        if call := self._calls.get(data["toolCallId"]):
            call.running = True

    def _execution_end(self, _: Record, data: Data) -> None:
        call = self._calls.get(data["toolCallId"])
        if call is None or call.result is not None:
            return
        call.result = result_from(data)
        results = [open_call.result for open_call in self._calls.values()]
        whole = [result for result in results if result is not None]
        if len(whole) == len(results):  # declared order, once the batch is complete
            self.messages.extend(whole)

    def _approval_requested(self, _: Record, data: Data) -> None:
        self._questions[data["id"]] = data
        if call := self._calls.get(data.get("toolCallId", "")):
            call.asked = True

    def _approval_resolved(self, _: Record, data: Data) -> None:
        question = self._questions.pop(data["id"], {})
        call = self._calls.get(question.get("toolCallId", ""))
        if call and data.get("decision") != "withdrawn":
            call.asked = False

    def _turn_end(self, _: Record, __: Data) -> None:
        self._turn = None
        self._calls = {}

    def _agent_end(self, _: Record, data: Data) -> None:
        self.run = self._turn = self._message = None
        self._calls, self._questions = {}, {}
        self.last_stop = data.get("stopReason")


_HANDLERS = {
    "session": Fold._session,
    "config": Fold._config,
    "agent_start": Fold._agent_start,
    "turn_start": Fold._turn_start,
    "message_start": Fold._message_start,
    "message_end": Fold._message_end,
    "tool_execution_start": Fold._execution_start,
    "tool_execution_running": Fold._execution_running,
    "tool_execution_end": Fold._execution_end,
    "approval_requested": Fold._approval_requested,
    "approval_resolved": Fold._approval_resolved,
    "turn_end": Fold._turn_end,
    "agent_end": Fold._agent_end,
}


def fold(records: Iterable[Record]) -> Fold:
    """The picture that `records` give."""
    picture = Fold()
    for record in records:
        picture.feed(record)
    return picture


def _close_call(open_call: _OpenCall) -> list[tuple[str, Data]]:
    if open_call.result is not None:
        return []
    call = open_call.call
    records: list[tuple[str, Data]] = []
    if not open_call.started:
        records.append(
            (
                "tool_execution_start",
                {"toolCallId": call.id, "name": call.name, "args": {}, "argsText": call.arguments},
            )
        )
    text = INTERRUPTED_BEFORE
    if open_call.asked:
        text = WITHDRAWN
    if open_call.running:
        text = INTERRUPTED_RUNNING
    end: dict[str, Any] = {
        "toolCallId": call.id,
        "name": call.name,
        "outcome": "aborted" if open_call.running else "notExecuted",
        "isError": True,
        "content": [{"type": "text", "text": text}],
        "durationMs": 0,
    }
    records.append(("tool_execution_end", end))
    return records


def _title(data: Data) -> str:
    """The first line of the first prompt, as a list would show it."""
    text = " ".join(block["text"] for block in data["content"] if block["type"] == "text").strip()
    first = text.splitlines()[0] if text else ""
    return first if len(first) <= 80 else first[:79] + "…"
