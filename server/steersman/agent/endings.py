"""How calls end that were not, or not completely, executed: the outcome, and the text for the model."""

from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.messages import Outcome, ToolCall, ToolResultMessage
from steersman.agent.tool import ToolResult, text_result

FAILED = "Tool execution failed."
NOT_EXECUTED = "Not executed after an earlier failure."
INTERRUPTED = "Interrupted while running: its result is lost and its effects may be partial."
ABORTED_BEFORE = "Aborted before execution."
ABORTED = "Operation aborted."
TRUNCATED = (
    "Not executed: the response was cut off, so the arguments of this call may be incomplete. "
    "Send the call again, complete; split large content over several smaller calls."
)
KEPT_CHANGING = "Not done: the file kept changing while the change was being approved. Read it again first."


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ends that is not executed, or not any further."""

    outcome: Outcome
    text: str
    failure: Exception | None = None
    """Raised to the caller once this call is closed."""

    def result(self, call: ToolCall) -> ToolResultMessage:
        return result_message(call, self.outcome, text_result(self.text))


NOT_BEGUN = Ending("aborted", ABORTED_BEFORE)


def result_message(call: ToolCall, outcome: Outcome, result: ToolResult) -> ToolResultMessage:
    return ToolResultMessage(call.id, call.name, result.content, outcome, result.details)


def still_running(seconds: float) -> Ending:
    """The end of a call whose tool has ignored the abort for so many seconds."""
    text = f"{ABORTED} The tool did not stop within {seconds:g} s and was still running when the run ended: "
    return Ending("aborted", text + "its effects may be partial.")


def unknown_tool(name: str, known: Sequence[str]) -> Ending:
    if not known:
        text = f"Unknown tool: {name}. There are no tools in this run; answer in text."
        return Ending("unknownTool", text)
    folded = {tool.lower().replace("-", "_"): tool for tool in known}
    from difflib import get_close_matches  # noqa: PLC0415 - only where a name was wrong

    close = get_close_matches(name.lower().replace("-", "_"), folded, n=1)
    hint = f" Did you mean {folded[close[0]]}?" if close else ""
    return Ending("unknownTool", f"Unknown tool: {name}.{hint} Available: {', '.join(known)}.")
