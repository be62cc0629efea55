"""Shows a run on a terminal, in a pipe or as JSON, and asks questions on a terminal."""

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.text import Text as RichText

from steersman.cli.output import Output
from steersman.cli.terminal import Wrapper, colour_diff, read_line, safe
from steersman.session.approvals import Answer, Question
from steersman.session.facts import describe, usage_text
from steersman.session.journal import Emitted
from steersman.session.retry import sentence
from steersman.session.run import Run
from steersman.tools.ask_user import Reply, UserQuestion
from steersman.workspace.roots import printable

_PIECES = ("message_update", "tool_execution_update")
_PREVIEW = 4
"""Most lines of a result on a card. A failed call shows three times as many, from the end."""


class JsonFace:
    """One event per line, as it is in the log. A reader that is far behind gets no pieces of what comes whole later."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def on_event(self, event: Emitted) -> None:
        if event.type in _PIECES and self._output.is_far_behind:
            return
        self._output.write(event.line + b"\n")

    def finish(self, run: Run) -> None:
        """Does nothing: `agent_end` has been printed."""


class TerminalFace:
    """The answer as it streams, a card for each tool call."""

    def __init__(self, console: Console | None = None) -> None:
        self._out = console or Console(highlight=False)
        self._wrapper = Wrapper(self._out.width)
        self._kind: str | None = None
        self._calls: dict[str, str] = {}
        self._headed: str | None = None
        """The call whose title was printed last: its result needs no title."""
        self._seen: set[str] = set()
        """Calls whose diff was shown with a question, and is not shown again."""

    def on_event(self, event: Emitted) -> None:
        data = event.data
        match event.type:
            case "message_update":
                self._stream(data)
            case "message_end":
                self._end_line()
                if data.get("role") == "custom":
                    self._print(f"◆ {data['kind']}\n{_custom_text(data)}", "magenta", wrap=True)
                if data.get("discarded") == "retried" and data["partial"]:
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
                wait = f"Trying again in {data['afterMs'] / 1000:.1f} s."
                self._print(f"  {sentence(data['message'])} {wait}", "yellow", wrap=True)
            case "notice":
                self._print(f"! {data['message']}", "yellow", wrap=True)

    def finish(self, run: Run) -> None:
        """Prints how the run ended, and what would have allowed declined calls."""
        self._end_line()
        tell_end(run, lambda text: self._print(text, "bold", wrap=True))

    def _stream(self, data: dict[str, Any]) -> None:
        if data["kind"] not in ("text", "thinking", "refusal"):
            return
        if self._kind != data["kind"]:
            self._end_line()
            self._kind = data["kind"]
        style = "dim italic" if data["kind"] == "thinking" else ""
        self._write(self._wrapper.feed(safe(data["text"])), style)

    def _end_line(self) -> None:
        if self._kind is not None:
            self._write(self._wrapper.end(), "")
            self._show(RichText())
            self._kind = None

    def _write(self, text: str, style: str) -> None:
        self._show(RichText(text, style=style), end="", soft_wrap=True)

    def _card(self, data: dict[str, Any]) -> None:
        title = self._calls.pop(data["toolCallId"], data["name"])
        text = "".join(block.get("text", "") for block in data["content"] if "attached" not in block)
        lines = safe(text).rstrip("\n").splitlines()
        if data["isError"]:
            self._print(f"✗ {title} · {data['outcome']}", "red")
            shown = lines[-3 * _PREVIEW :]
        else:
            if self._headed != data["toolCallId"]:
                self._print(f"✓ {title}", "cyan")
            if data["toolCallId"] in self._seen:
                lines = lines[:1]
            elif "@@" in text and data["name"] in ("edit", "write"):
                lines = [line for line in lines if not line.startswith(("--- ", "+++ ", "@@ "))]
            shown = lines[: 3 * _PREVIEW if "@@" in text else _PREVIEW]
        self._headed = None
        self._seen.discard(data["toolCallId"])
        left_out = f"  … {len(lines) - len(shown)} more lines"
        if data["isError"] and len(lines) > len(shown):
            self._print(left_out, "dim")
        for line in shown:
            self._print(f"  {line}", "dim")
        if not data["isError"] and len(lines) > len(shown):
            self._print(left_out, "dim")

    def _print(self, text: str, style: str, *, wrap: bool = False) -> None:
        self._show(RichText(safe(text), style=style), soft_wrap=not wrap)

    def _show(self, text: RichText, *, end: str = "\n", soft_wrap: bool = False) -> None:
        with contextlib.suppress(OSError):  # the terminal has gone, and has sent SIGHUP
            self._out.print(text, end=end, soft_wrap=soft_wrap)


class PipeFace:
    """Prints only the assistant's messages on standard output, and everything else on standard error."""

    def __init__(self, output: Output, told: Output) -> None:
        self._output, self._told = output, told
        self._calls: dict[str, str] = {}

    def on_event(self, event: Emitted) -> None:
        data = event.data
        match event.type:
            case "message_end" if data.get("role") == "assistant" and "discarded" not in data:
                said = [block["text"] for block in data["content"] if block["type"] in ("text", "refusal")]
                if text := "".join(said):
                    self._output.write(text.encode(errors="replace") + b"\n")
            case "message_end" if data.get("role") == "custom":
                self._tell(f"{data['kind']}: {_custom_text(data)}")
            case "tool_execution_start":
                self._calls[data["toolCallId"]] = describe(data["name"], data["args"])
            case "tool_execution_end":
                title = self._calls.pop(data["toolCallId"], data["name"])
                self._tell(f"{title}: {data['outcome']}{_reason(data)}")
            case "retry" | "notice":
                self._tell(data["message"])

    def finish(self, run: Run) -> None:
        """Prints how the run ended."""
        tell_end(run, self._tell)

    def _tell(self, text: str) -> None:
        self._told.say(safe(text))


def told(question: Question) -> str:
    """Everything that a yes would allow, safe for a terminal. Lines of a command are marked: none can pass for ours."""
    lines = [safe(question.title), safe(question.reason)]
    lines += [colour_diff(view.diff) or safe(f"{view.kind} {view.display}") for view in question.changes]
    if question.command is not None:
        first, *more = map(printable, question.command.split("\n"))
        lines += [f"$ {first}", *(f"> {line}" for line in more)]
    if question.tool is not None:
        arguments = json.dumps(question.tool.arguments, ensure_ascii=False, indent=2)
        lines += map(printable, arguments.split("\n"))
    return "\n".join(lines)


class TerminalApprover:
    """Asks the person at the terminal. Implements `session.approvals.Approver`."""

    async def ask(self, question: Question) -> Answer | None:
        print(f"\n{told(question)}", file=sys.stderr)
        grantable = "acceptForRun" in question.decisions
        more = ", accept all in this [r]un" if grantable else ""
        choices = f"[a]ccept{more}, [d]ecline (Enter), [s]top, or say what you want instead: "
        while True:
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
                case word if len(word) > 1:
                    return Answer("decline", feedback=line.strip())
            # Any other single letter is a slip, not an instruction: ask again.


class TerminalUser:
    """Asks the person at the terminal for a line of text. Implements `tools.ask_user.User`."""

    async def ask(self, question: UserQuestion) -> Reply:
        # Each line is marked, so that none can be taken for one of our own.
        text = safe(question.text).replace("\n", "\n> ")
        print(f"\nThe model asks:\n> {text}", file=sys.stderr)
        numbered = {str(number): option for number, option in enumerate(question.options, start=1)}
        for number, option in numbered.items():
            print(f"  {number}. {printable(option)}", file=sys.stderr)
        line = await read_line(f"Your answer{', or a number' if numbered else ''} (Enter: none): ")
        if line is None:
            return Reply("nobody")
        said = line.strip()
        return Reply("answered", numbered.get(said, line)) if said else Reply("closed")


def tell_end(run: Run, tell: Callable[[str], None]) -> None:
    """Tells a person how a run ended: what it did, what would have allowed declined calls, how much it used."""
    if run.end is None:
        tell("The run failed; the log says how.")
        return
    tell(run.facts.sentence(run.end))
    for denial in run.facts.denied:
        if denial.setting is not None:
            tell(f"{denial.title}: {denial.reason}")  # the reason says what would have allowed it
    if took := usage_text(run.end.usage):
        tell(f"{took}.")


def _custom_text(data: dict[str, Any]) -> str:
    """The text of a custom message."""
    return "".join(block.get("text", "") for block in data["content"])


def _reason(data: dict[str, Any]) -> str:
    """Why a call failed: the first line of its result, or of a command the last one."""
    if data["outcome"] in ("ok", "denied"):
        return ""
    lines = "".join(block.get("text", "") for block in data["content"]).strip().splitlines()
    return f": {lines[-1] if data['name'] == 'bash' else lines[0]}" if lines else ""
