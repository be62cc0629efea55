"""What a run looks like on a terminal, in a pipe and as JSON; and how a question is asked on a terminal."""

import sys
from typing import Any

from rich.console import Console
from rich.text import Text as RichText

from steersman.cli.terminal import Output, colour_diff, read_line, safe
from steersman.session.approvals import Answer, Question
from steersman.session.facts import describe
from steersman.session.gate import denied_settings
from steersman.session.journal import Emitted
from steersman.session.run import Run

_PREVIEW = 4
"""Lines of a result that a card shows; of a failed call three times as many, from its end."""


class JsonFace:
    """One event per line, as it is in the log."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def on_event(self, event: Emitted) -> None:
        self._output.write(event.line + b"\n")

    def finish(self, run: Run) -> None:
        """Nothing: `agent_end` has been printed."""


class TerminalFace:
    """The answer as it streams, a card for each tool call."""

    def __init__(self, console: Console | None = None) -> None:
        self._out = console or Console(highlight=False)
        self._kind: str | None = None
        self._calls: dict[str, str] = {}
        self._headed: str | None = None
        """The call whose title was printed last: its result needs no other."""
        self._seen: set[str] = set()
        """Calls whose diff was shown with a question: it isn't shown again."""

    def on_event(self, event: Emitted) -> None:
        data = event.data
        match event.type:
            case "message_update":
                self._stream(data)
            case "message_end":
                self._end_line()
                if data.get("discarded") == "retried":
                    self._print("  (that answer was discarded; asking again)", "dim")
            case "tool_execution_start":
                self._calls[data["toolCallId"]] = describe(data["name"], data["args"])
            case "tool_execution_running":
                self._headed = data["toolCallId"]
                self._print(f"● {self._calls[data['toolCallId']]}", "cyan")
            case "approval_requested" if data["changes"]:
                self._seen.add(data["toolCallId"])
            case "tool_execution_end":
                self._card(data)
            case "retry":
                self._print(f"  {data['message']} Trying again in {data['afterMs'] / 1000:.1f} s.", "yellow")
            case "notice":
                self._print(f"! {data['message']}", "yellow")

    def finish(self, run: Run) -> None:
        """One line on how it ended, and what would have allowed what was declined."""
        self._end_line()
        _tell_end(run, lambda text: self._print(text, "bold"))

    def _stream(self, data: dict[str, Any]) -> None:
        if data["kind"] not in ("text", "thinking", "refusal"):
            return
        if self._kind != data["kind"]:
            self._end_line()
            self._kind = data["kind"]
        style = "dim italic" if data["kind"] == "thinking" else ""
        self._out.print(RichText(safe(data["text"]), style=style), end="", soft_wrap=True)

    def _end_line(self) -> None:
        if self._kind is not None:
            self._out.print()
            self._kind = None

    def _card(self, data: dict[str, Any]) -> None:
        title = self._calls.pop(data["toolCallId"], data["name"])
        text = "".join(block.get("text", "") for block in data["content"])
        lines = safe(text).rstrip("\n").splitlines()
        if data["isError"]:
            self._print(f"✗ {title} · {data['outcome']}", "red")
            shown = lines[-3 * _PREVIEW :]
        else:
            if self._headed != data["toolCallId"]:
                self._print(f"✓ {title}", "cyan")
            if data["toolCallId"] in self._seen:
                lines = lines[:1]
            shown = lines[:_PREVIEW]
        self._headed = None
        self._seen.discard(data["toolCallId"])
        left_out = f"  … {len(lines) - len(shown)} more lines"
        if data["isError"] and len(lines) > len(shown):
            self._print(left_out, "dim")
        for line in shown:
            self._print(f"  {line}", "dim")
        if not data["isError"] and len(lines) > len(shown):
            self._print(left_out, "dim")

    def _print(self, text: str, style: str) -> None:
        self._out.print(RichText(safe(text), style=style), soft_wrap=True)


class PipeFace:
    """Standard output has only what the assistant said and meant to say; everything else goes to standard error."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._calls: dict[str, str] = {}

    def on_event(self, event: Emitted) -> None:
        data = event.data
        match event.type:
            case "message_end" if data.get("role") == "assistant" and "discarded" not in data:
                text = "".join(block["text"] for block in data["content"] if block["type"] == "text")
                if text:
                    self._output.write(text.encode(errors="replace") + b"\n")
            case "tool_execution_start":
                self._calls[data["toolCallId"]] = describe(data["name"], data["args"])
            case "tool_execution_end":
                title = self._calls.pop(data["toolCallId"], data["name"])
                self._tell(f"{title}: {data['outcome']}")
            case "retry" | "notice":
                self._tell(data["message"])

    def finish(self, run: Run) -> None:
        """How it ended."""
        _tell_end(run, self._tell)

    def _tell(self, text: str) -> None:
        print(safe(text), file=sys.stderr, flush=True)


class TerminalApprover:
    """Asks the person at the terminal. Implements `session.approvals.Approver`."""

    async def ask(self, question: Question) -> Answer | None:
        print(f"\n{safe(question.title)}\n{safe(question.reason)}", file=sys.stderr)
        for view in question.changes:
            print(colour_diff(view.diff) or safe(f"{view.kind} {view.display}"), file=sys.stderr)
        if question.command is not None:
            print(f"$ {safe(question.command)}", file=sys.stderr)
        grantable = "acceptForRun" in question.decisions
        choices = (
            "[a]ccept"
            + (", accept all in this [r]un" if grantable else "")
            + ", [d]ecline, [s]top, or say what you want: "
        )
        line = await read_line(choices)
        if line is None:
            return None
        match line.strip().lower():
            case "a" | "accept" | "y" | "yes":
                return Answer("accept")
            case "r" if grantable:
                return Answer("acceptForRun")
            case "s" | "stop" if "cancel" in question.decisions:
                return Answer("cancel")
            case "" | "d" | "decline" | "n" | "no":
                return Answer("decline")
        return Answer("decline", feedback=line.strip())


def _tell_end(run: Run, tell: Any) -> None:
    if run.end is None:
        tell("The run failed; see the log.")
        return
    tell(run.facts.sentence(run.end))
    for setting in denied_settings(run.facts.denied):
        tell(f"What would have allowed a declined call: {setting}.")
