"""Prints every event of a run as it arrives: when, its type, what it says. Also measures times for the demo."""

import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from steersman.cli.demo.client import Json
from steersman.cli.demo.record import said_in
from steersman.cli.demo.screen import Screen
from steersman.session.facts import describe

_INDENT = 32
_SHOWN = ("text", "thinking", "refusal")
_STYLES = {
    "approval_requested": "yellow",
    "edit_applied": "green",
    "agent_start": "cyan",
    "agent_end": "cyan",
    "notice": "yellow",
}


class Transcript:
    """Prints the events of one run. Times are in seconds since `begin`."""

    def __init__(self, screen: Screen, workspace: Path) -> None:
        self._screen, self._workspace = screen, workspace
        self._began = time.monotonic()
        self._titles: dict[str, str] = {}
        self._updates = 0
        self._streamed: str | None = None
        self._held: list[Json] = []
        """Progress that came in the middle of a text or a question."""
        self.asking = False
        """A question is open: nothing may be printed over what the user types."""
        self._edited: set[str] = set()
        self.at: dict[str, float] = {}
        """When something was first seen: `message_update`, …"""
        self.decisions: list[str] = []
        self.edits: list[tuple[str, str]] = []
        """Each edit that was applied: the path, and whether it went `via` the editor or the disk."""
        self._answered: float | None = None
        self.approval_to_applied: list[float] = []

    def begin(self) -> None:
        """The run is being started now."""
        self._began = time.monotonic()

    def answered(self) -> None:
        """The user has answered a question now."""
        self._answered = time.monotonic()

    def on_progress(self, value: Json) -> None:
        if self._screen.streaming or self.asking:
            self._held.append(value)
            return
        words = value.get("title") or value.get("message") or ""
        self._row("· progress", f"{value['kind']}: {words}", label_style="dim magenta")

    def on_event(self, event: Json) -> None:
        kind, data = event["type"], event["data"]
        self.at.setdefault(kind, self._now())
        if kind == "message_update":
            self._update(data)
            return
        describe_event = getattr(self, f"_on_{kind}", None)
        text: str = describe_event(data) if describe_event else ""
        self._row(kind, text, label_style=_STYLES.get(kind, "dim"))
        held, self._held = self._held, []
        for value in held:
            self.on_progress(value)
        if kind == "tool_execution_end" and data["toolCallId"] not in self._edited:
            content = "".join(block.get("text", "") for block in data["content"])
            self._screen.detail(content, head=3, tail=3)

    def saved(self, path: Path) -> None:
        """The editor has saved a file."""
        self._row("· editor", f"saved {self._name(path)}", label_style="dim magenta")

    # One method for each type of event that says more than its name.

    def _on_turn_start(self, data: Json) -> str:
        return str(data["turn"])

    def _on_message_start(self, data: Json) -> str:
        self._updates, self._streamed = 0, None
        return str(data["role"])

    def _on_message_end(self, data: Json) -> str:
        if "discarded" in data:
            return f"discarded: {data['discarded']}"
        if data["role"] != "assistant":
            return said_in(data)
        calls = sum(block["type"] == "toolCall" for block in data["content"])
        tokens = data["usage"]["output"]
        return f"{calls} call{'' if calls == 1 else 's'} · {self._updates} updates · {tokens} tokens"

    def _on_tool_execution_start(self, data: Json) -> str:
        self._titles[data["toolCallId"]] = describe(data["name"], data["args"])
        return self._titles[data["toolCallId"]]

    def _on_tool_execution_running(self, data: Json) -> str:
        return self._titles.get(data["toolCallId"], "")

    def _on_tool_execution_update(self, data: Json) -> str:
        lines = data["text"].strip().splitlines()
        return lines[-1] if lines else ""

    def _on_tool_execution_end(self, data: Json) -> str:
        title = self._titles.get(data["toolCallId"], data["name"])
        return f"{title} · {data['outcome']} · {data['durationMs']} ms"

    def _on_approval_requested(self, data: Json) -> str:
        return str(data["title"])

    def _on_approval_resolved(self, data: Json) -> str:
        self.decisions.append(data["decision"])
        return f"{data['decision']} (by {data['by']})"

    def _on_edit_applied(self, data: Json) -> str:
        name = self._name(Path(unquote(urlsplit(data["uri"]).path)))
        self._edited.add(data["toolCallId"])  # its result repeats the diff that was asked about
        via = "through the editor" if data["via"] == "editor" else "on the disk"
        self.edits.append((name, via))
        if self._answered is not None:
            self.approval_to_applied.append(time.monotonic() - self._answered)
            self._answered = None
        return f"{name} (+{data['added']} −{data['removed']}) {via}"

    def _on_checkpoint(self, data: Json) -> str:
        return "the file as it was before is kept"

    def _on_state(self, data: Json) -> str:
        return str(data["state"])

    def _on_queue_update(self, data: Json) -> str:
        return f"{len(data['items'])} queued"

    def _on_config(self, data: Json) -> str:
        return f"{data['model']} · mode {data['mode']}"

    def _on_session(self, data: Json) -> str:
        return str(data["session"])

    def _on_retry(self, data: Json) -> str:
        return str(data["message"])

    def _on_notice(self, data: Json) -> str:
        return str(data["message"])

    def _on_turn_end(self, data: Json) -> str:
        return str(data["stopReason"])

    def _on_agent_end(self, data: Json) -> str:
        return f"{data['stopReason']}: {data['message']}"

    def _update(self, data: Json) -> None:
        """Streams text into its row. Deltas of arguments are only counted: the start event has all of them."""
        self._updates += 1
        if data["kind"] not in _SHOWN:
            return
        if self._streamed not in (None, data["kind"]):
            self._screen.end_stream()
        self._streamed = data["kind"]
        self._screen.stream(self._label("message_update"), data["text"], indent=_INDENT)

    def _row(self, kind: str, text: str, *, label_style: str) -> None:
        self._screen.row(self._label(kind), text, indent=_INDENT, label_style=label_style)

    def _label(self, kind: str) -> str:
        return f"{self._now():6.2f}  {kind}"

    def _name(self, path: Path) -> str:
        return (
            path.relative_to(self._workspace).as_posix()
            if path.is_relative_to(self._workspace)
            else str(path)
        )

    def _now(self) -> float:
        return time.monotonic() - self._began
