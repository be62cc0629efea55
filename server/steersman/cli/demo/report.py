"""Prints a scene in a few lines: what was said and done, who refused, what the model was told, which files changed."""

from steersman.cli.demo.client import Json
from steersman.cli.demo.record import Record, said_in, text_of, title_of
from steersman.cli.demo.screen import Screen

_INDENT = 14
_RESULT_LINES = 4


def report(screen: Screen, record: Record) -> bool:
    """Prints the report. Returns whether everything was as the scene says."""
    screen.heading(record.scene.name)
    screen.line(record.scene.description, "italic")
    titles: dict[str, str] = {}
    for event in record.events:
        _tell(screen, event, titles)
    for refusal in record.refusals():
        _row(screen, "refused", refusal.call, "yellow")
        _row(screen, "by", refusal.who, "yellow")
        _row(screen, "model told", _told(refusal.request, len(record.requests)), "yellow")
    for note in record.notes:
        _row(screen, "seen", note, "yellow")
    _row(screen, "on disk", _changes(record), "yellow")
    problems = record.check()
    for problem in problems:
        _row(screen, "✗ wrong", problem, "bold red")
    if not problems:
        _row(screen, "✓", "as described", "green")
    return not problems


def _tell(screen: Screen, event: Json, titles: dict[str, str]) -> None:
    """`titles`: the calls that were told, by id."""
    data = event["data"]
    match event["type"]:
        case "message_end" if "discarded" in data:
            _row(screen, "model", f"(discarded: {data['discarded']})")
        case "message_end":
            who = {"user": "you", "assistant": "model"}.get(data["role"], data.get("kind", ""))
            who = f"by {data['source']}" if "source" in data else who
            if text := said_in(data).strip():
                _row(screen, who, text)
        case "said":
            _row(screen, "you", f"[steersman.{data['command']}] {data['text']}".rstrip())
        case "tool_execution_start":
            titles[data["toolCallId"]] = title_of(data)
            _row(screen, "call", titles[data["toolCallId"]])
        case "approval_requested":
            _row(screen, "asked", data["title"])
        case "approval_resolved":
            _row(screen, "answered", f"{data['decision']} (by {data['by']})")
        case "tool_execution_end":
            _row(screen, data["outcome"], titles[data["toolCallId"]])
            screen.detail(text_of(data), head=_RESULT_LINES - 1, tail=1)
        case "compaction_end" if "summary" in data:
            said = f"{data['replaced']} messages, about {data['tokensBefore']:,} tokens, became {data['tokensAfter']:,}"
            _row(screen, "summarised", said)
        case "revert_start":
            _row(screen, "you", f"[steersman.revert] {data['title']}")
        case "agent_end":
            _row(screen, "end", f"{data['stopReason']}: {data['message']}")


def _told(request: int | None, requests: int) -> str:
    if request is None:
        return f"nothing: it was not asked again after request {requests}"
    return f"request {request} has the result above, word for word"


def _changes(record: Record) -> str:
    changed = record.before.changed(record.after)
    if changed:
        return f"changed: {', '.join(changed)}"
    files = len(record.before.files)
    return f"nothing changed ({files} files, SHA-256 {record.before.digest[:12]} before and after)"


def _row(screen: Screen, label: str, text: str, label_style: str = "dim") -> None:
    screen.row(f"  {label}", text, indent=_INDENT, label_style=label_style)
