"""Records of a session with a given text in every place of a log that holds a text."""

from itertools import count
from typing import Any

from steersman.session.jsonlines import encode
from steersman.session.log_lines import Record

USAGE = {"input": 1000, "output": 20, "cacheRead": 0, "cacheWrite": 0, "reasoning": 0, "cost": None}


class Told:
    """Makes records in order, each message after the one before."""

    def __init__(self, *, folder: str = "file:///ws", session: str = "ses_told") -> None:
        self.records: list[Record] = []
        self._session, self._ids = session, count(1)
        self.tip: str | None = None
        header = {"format": 1, "session": session, "version": "0", "created": 0, "roots": [folder]}
        self.add("session", {**header, "platform": "Linux"})

    def add(self, kind: str, data: dict[str, Any], **where: Any) -> None:
        seq = len(self.records) + 1
        record = {"seq": seq, "session": self._session, **where, "ts": seq * 1000, "type": kind, "data": data}
        self.records.append(record)

    def run(self, number: int = 1) -> None:
        self.add("agent_start", {"model": "m", "mode": "ask", "inputs": []}, run=f"run_{number}")

    def said(self, role: str, *blocks: dict[str, Any], **more: Any) -> str:
        name = f"msg_{next(self._ids)}"
        data = {"messageId": name, "role": role, "content": list(blocks), "parent": self.tip, **more}
        if role == "assistant":
            data |= {"model": "m", "stopReason": "stop", "usage": USAGE}
        self.add("message_end", data, run="run_1")
        self.tip = name
        return name

    def called(self, name: str, args: dict[str, Any], result: str, *, text: str = "", **end: Any) -> None:
        """An answer with one call, and its result."""
        call = f"call_{next(self._ids)}"
        self.said("assistant", said(text), {"type": "toolCall", "id": call, "name": name, "arguments": "{}"})
        self.add("tool_execution_start", {"toolCallId": call, "name": name, "args": args}, run="run_1")
        data = {"toolCallId": call, "name": name, "outcome": "ok", "isError": False, "durationMs": 5}
        self.add("tool_execution_end", data | {"content": [said(result)]} | end, run="run_1")

    def ended(self, **more: Any) -> None:
        data = {"stopReason": "complete", "usage": USAGE, "cost": None, "turns": 1, "undelivered": []}
        told = {"text": "", "message": "Done.", "files": [], "commands": [], "denied": []}
        self.add("agent_end", data | told | more, run="run_1")

    @property
    def lines(self) -> bytes:
        return b"".join(encode(record) + b"\n" for record in self.records)


def said(text: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {"type": kind, "text": text, **more}


def told_everywhere(text: str) -> Told:
    """The text in every place that takes any text."""
    told = Told()
    told.run()
    told.add("config", {"id": "cfg_1", "parent": None, "model": text, "mode": "ask"}, run="run_1")
    told.tip = "cfg_1"
    told.said("user", said(text), said(text, attached=text))
    told.said("custom", said(text), kind=text)
    told.said("assistant", said(text, "thinking"), said("Fine."))
    told.called(text, {text: text, "path": text}, text)
    call = {"toolCallId": "call_x", "kind": "edit", "title": text, "reason": text, "decisions": []}
    told.said("assistant", {"type": "toolCall", "id": "call_x", "name": text, "arguments": text})
    change = {"diff": f"--- a\n+++ b\n@@ -1 +1 @@\n+{text}"}
    told.add("approval_requested", call | {"id": "apr_1", "changes": [change]}, run="run_1")
    answer = {"id": "apr_1", "toolCallId": "call_x", "decision": "decline", "by": "user", "feedback": text}
    told.add("approval_resolved", answer, run="run_1")
    discarded = {"messageId": "msg_d", "discarded": "retried", "partial": [said(text)], "usage": USAGE}
    told.add("message_end", discarded | {"failure": {"kind": "server", "message": text}}, run="run_1")
    told.add("retry", {"attempt": 1, "afterMs": 1, "kind": "server", "message": text}, run="run_1")
    told.add("notice", {"message": text}, run="run_1")
    told.ended(
        message=text,
        files=[{"uri": f"file:///ws/{text}", "added": 1, "removed": 0}],
        undelivered=[{"kind": "steer", "text": text}],
    )
    told.add("revert_start", {"id": "rev_1", "checkpoint": "msg_1", "title": text})
    told.add("revert_end", {"id": "rev_1", "files": [{"uri": text, "outcome": "restored"}]})
    told.add("session_renamed", {"title": text})
    return told
