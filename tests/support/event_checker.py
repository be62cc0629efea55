"""What must hold of every run's events: the one checker of closed event sequences.

It reads events in the form of the wire, `{"type": …, "data": {…}}`; the kernel's own are put into that form first, so
that the same rules hold on both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steersman.agent.events import (
    AgentEnd,
    MessageDiscarded,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
    TurnStart,
)

ROLES_WITHOUT_UPDATES = ("user", "custom")
PRODUCT_EVENTS = frozenset(
    (
        "state",
        "queue_update",
        "approval_requested",
        "approval_resolved",
        "edit_start",
        "edit_applied",
        "checkpoint",
        "retry",
        "compaction_start",
        "compaction_end",
        "extension_request",
        "notice",
    )
)
"""Told beside the kernel's by a session; nothing here depends on them."""


class Violation(AssertionError):
    """A rule is broken. The text shows the events, with a mark at the one that broke it."""


def check(
    events: Sequence[object],
    *,
    history: Sequence[object] | None = None,
    result: object | None = None,
    whole: bool = True,
) -> None:
    """Checks the events of one run, first to last.

    `history`: the messages that the run added; `result`: the run's `RunResult`; `whole`: no update was dropped, as on
    the wire some may be.

    Raises:
        Violation: a rule is broken.
    """
    seen = [as_wire(event) for event in events]
    state = _State(whole)
    for at, event in enumerate(seen):
        try:
            state.take(event["type"], event.get("data") or {})
        except _Broken as broken:
            raise Violation(f"{broken}\n{render(seen, at)}") from None
    if not state.ended:
        raise Violation(f"the run has no agent_end\n{render(seen)}")
    if result is not None:
        if result.end != events[-1]:
            raise Violation(f"the result says {result.end}, the last event {events[-1]}")
        history = result.messages if history is None else history
    if history is not None:
        told = state.conversation
        kept = [_key(message) for message in history]
        if told != kept:
            raise Violation(f"history is not what was told\n  told {told}\n  kept {kept}\n{render(seen)}")
        check_conversation(history)


def check_conversation(messages: Sequence[Any]) -> None:
    """Each call of an answer has one result, right after it, in declared order; no result is without its call."""
    expected: list[str] = []
    for message in messages:
        if message.role == "tool":
            if not expected or expected[0] != message.tool_call_id:
                raise Violation(f"the result of {message.tool_call_id} is out of place: expected {expected}")
            del expected[0]
            continue
        if expected:
            raise Violation(f"the calls {expected} have no result before {message.role} {message.id}")
        if message.role == "assistant":
            expected = [call.id for call in message.tool_calls]
    if expected:
        raise Violation(f"the calls {expected} have no result")


def as_wire(event: Any) -> Mapping[str, Any]:
    """A kernel event in the form of the wire, as far as the rules need it; a mapping is taken as it is."""
    if isinstance(event, Mapping):
        return event
    return {"type": event.type, "data": _data(event)}


def _data(event: Any) -> dict[str, Any]:
    match event:
        case TurnStart():
            return {"turn": event.turn}
        case MessageStart():
            return {"messageId": event.message_id, "role": event.role}
        case MessageUpdate():
            return {
                "messageId": event.message_id,
                "index": event.index,
                "offset": event.offset,
                "text": event.text,
            }
        case MessageEnd():
            message = event.message
            blocks = [
                {"type": block.type, "id": getattr(block, "id", None), "text": _block_text(block)}
                for block in message.content
            ]
            return {"messageId": message.id, "role": message.role, "content": blocks}
        case MessageDiscarded():
            return {"messageId": event.message_id, "discarded": event.reason}
        case ToolExecutionStart():
            return {"toolCallId": event.call.id, "name": event.call.name}
        case ToolExecutionRunning():
            return {"toolCallId": event.call_id}
        case ToolExecutionUpdate():
            return {"toolCallId": event.call_id, "offset": event.offset, "text": event.text}
        case ToolExecutionEnd():
            result = event.result
            return {
                "toolCallId": result.tool_call_id,
                "outcome": result.outcome,
                "isError": result.is_error,
                "durationMs": event.duration * 1000,
            }
        case TurnEnd():
            return {
                "turn": event.turn,
                "stopReason": event.stop_reason,
                "toolCallIds": list(event.tool_call_ids),
            }
        case AgentEnd():
            error = event.error and {"code": event.error.code}
            return {"stopReason": event.stop_reason, "error": error}
        case _:
            return {}


def _block_text(block: Any) -> str:
    return getattr(block, "arguments", None) or getattr(block, "text", "")


def render(events: Sequence[Mapping[str, Any]], mark: int | None = None) -> str:
    """One event a line, for people."""
    lines = []
    for at, event in enumerate(events):
        data = {key: value for key, value in (event.get("data") or {}).items() if value not in (None, [], "")}
        lines.append(f"{'→' if at == mark else ' '} {at:3} {event['type']:22} {data}")
    return "\n".join(lines)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _key(message: Any) -> tuple[str, str]:
    return (message.role, message.tool_call_id if message.role == "tool" else message.id)


class _Broken(Exception):
    pass


def _need(condition: object, rule: str) -> None:
    if not condition:
        raise _Broken(rule)


@dataclass
class _Call:
    id: str
    stage: str = "committed"  # committed → started → running → ended
    length: int = 0


@dataclass
class _State:
    whole: bool
    began: bool = False
    ended: bool = False
    turn: int | None = None
    turns: int = 0
    message: tuple[str, str] | None = None
    lengths: dict[int, int] = field(default_factory=dict)
    calls: dict[str, _Call] = field(default_factory=dict)
    """Of the turn's committed answer, in declared order."""
    answered: bool = False
    ids: set[str] = field(default_factory=set)
    conversation: list[tuple[str, str]] = field(default_factory=list)

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        _need(not self.ended, "nothing comes after agent_end")
        if kind in PRODUCT_EVENTS:
            return
        _need(self.began or kind == "agent_start", "a run begins with agent_start")
        handler = getattr(self, kind, None)
        _need(handler, f"unknown event {kind}")
        handler(data)

    def agent_start(self, data: Mapping[str, Any]) -> None:
        _need(not self.began, "one agent_start")
        self.began = True

    def agent_end(self, data: Mapping[str, Any]) -> None:
        _need(self.turn is None, "turn_end comes before agent_end")
        _need(self.message is None, "message_end comes before agent_end")
        failed = data["stopReason"] == "error"
        _need(bool(data.get("error")) == failed, "an error has a code, nothing else has")
        self.ended = True

    def turn_start(self, data: Mapping[str, Any]) -> None:
        _need(self.turn is None, "the turn before has ended")
        _need(data["turn"] == self.turns + 1, "turns are numbered from 1 without a gap")
        self.turn = self.turns = data["turn"]
        self.calls, self.answered = {}, False

    def turn_end(self, data: Mapping[str, Any]) -> None:
        _need(self.turn == data["turn"], "a turn ends once, after its start")
        _need(self.message is None, "message_end comes before turn_end")
        left = [call.id for call in self.calls.values() if call.stage != "ended"]
        _need(not left, f"the calls {left} have no result at the end of their turn")
        declared = list(self.calls)
        _need(
            list(data.get("toolCallIds") or []) == declared, f"turn_end names {declared}, in declared order"
        )
        self.conversation += [("tool", call) for call in declared]
        self.turn = None

    def message_start(self, data: Mapping[str, Any]) -> None:
        between = self.turn is None and data["role"] == "custom"
        _need(self.turn is not None or between, "a message belongs to a turn, unless it is a custom one")
        _need(self.message is None, "one message is open at a time")
        _need(between or not self.answered, "a turn has one committed answer, and nothing said after it")
        self._new_id(data["messageId"])
        self.message, self.lengths = (data["messageId"], data["role"]), {}

    def message_update(self, data: Mapping[str, Any]) -> None:
        _need(self.message and self.message[0] == data["messageId"], "an update is of the open message")
        _need(self.message[1] not in ROLES_WITHOUT_UPDATES, "only answers have updates")
        length = self.lengths.get(data["index"], 0)
        self._follows(data["offset"], length)
        self.lengths[data["index"]] = data["offset"] + utf16(data["text"])

    def message_end(self, data: Mapping[str, Any]) -> None:
        _need(self.message and self.message[0] == data["messageId"], "a message ends once, after its start")
        (message_id, role), self.message = self.message, None
        if data.get("discarded"):
            return
        _need(data.get("role", role) == role, "a message keeps its role")
        self.conversation.append((role, message_id))
        if role != "assistant":
            return
        self.answered = True
        content = data.get("content") or []
        _need(content, "an empty answer is not committed")
        texts = [block.get("arguments", block.get("text")) for block in content]
        if self.whole and self.lengths and all(isinstance(text, str) for text in texts):
            told = sorted(self.lengths.values())
            kept = sorted(utf16(text) for text in texts if text)
            _need(told == kept, f"the updates hold the whole text: {told} of {kept}")
        for block in content:
            if block["type"] == "toolCall":
                self._new_id(block["id"])
                self.calls[block["id"]] = _Call(block["id"])

    def tool_execution_start(self, data: Mapping[str, Any]) -> None:
        self._step(data, {"committed"}, "started")

    def tool_execution_running(self, data: Mapping[str, Any]) -> None:
        self._step(data, {"started"}, "running")

    def tool_execution_update(self, data: Mapping[str, Any]) -> None:
        call = self._step(data, {"running"}, "running")
        self._follows(data["offset"], call.length)
        call.length = data["offset"] + utf16(data["text"])

    def tool_execution_end(self, data: Mapping[str, Any]) -> None:
        call = self.calls.get(data["toolCallId"])
        ran = call is not None and call.stage == "running"
        self._step(data, {"started", "running"}, "ended")
        outcome = data["outcome"]
        _need(data["isError"] == (outcome != "ok"), "every outcome but ok is an error")
        _need(outcome != "ok" or ran, "what succeeded has run")
        never = ("unknownTool", "badArguments", "truncated", "notExecuted")
        _need(not ran or outcome not in never, f"a call that ran is not {outcome}")

    def _step(self, data: Mapping[str, Any], stages: set[str], then: str) -> _Call:
        call = self.calls.get(data["toolCallId"])
        if call is None:
            raise _Broken("no execution without a committed call of this turn")
        _need(call.stage in stages, f"the call {call.id} is {call.stage}")
        _need(self.message is None, "nothing is said while tools run")
        call.stage = then
        return call

    def _follows(self, offset: int, length: int) -> None:
        _need(offset == length or (offset > length and not self.whole), f"offsets: expected {length}")

    def _new_id(self, made: str) -> None:
        _need(made not in self.ids, f"the id {made} is used twice")
        self.ids.add(made)
