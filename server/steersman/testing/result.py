"""What happened in a run, for tests to look at."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steersman.testing.asked import Asked
from steersman.testing.moments import Event
from steersman.testing.requests import Request
from steersman.testing.transcript import transcript_of
from steersman.testing.trees import Tree, changes, diff_of


@dataclass(frozen=True, slots=True)
class Answered:
    """True or false, with the reason, which a failed `assert` shows."""

    holds: bool
    why: str

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<{self.holds}: {self.why}>"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call of the run and its one result."""

    name: str
    arguments: dict[str, Any]
    """As the tool used them."""
    outcome: str
    """`ok`, `failed`, `unknownTool`, `badArguments`, `denied`, `truncated`, `aborted` or `notExecuted`."""
    text: str
    """What the model was told."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """One run, from its prompt to its end."""

    session: str
    prompt: str | None
    events: list[Event]
    """All events in their order, in the form of the protocol. Durations are 0."""
    requests: list[Request]
    """All requests to the model."""
    asked: list[Asked]
    """The questions and their answers."""
    before: Tree
    """The workspace's files when the run began."""
    tree: Tree
    """The workspace's files when the run had ended."""
    workspace: Path
    log: Path
    """The session's log."""

    def __repr__(self) -> str:
        return (
            f"<Result: {self.stop_reason}, {len(self.requests)} requests, {len(self.changed)} files changed>"
        )

    @property
    def end(self) -> dict[str, Any]:
        """The data of `agent_end`."""
        return self.data("agent_end")[-1]

    @property
    def stop_reason(self) -> str:
        """`complete`, `max_turns`, `budget`, `aborted`, `interrupted` or `error`."""
        reason: str = self.end["stopReason"]
        return reason

    @property
    def text(self) -> str:
        """What the model said last."""
        text: str = self.end["text"]
        return text

    @property
    def usage(self) -> dict[str, float]:
        """Tokens and US dollars of all requests, as in `agent_end`."""
        usage: dict[str, float] = self.end["usage"]
        return usage

    @property
    def undelivered(self) -> list[str]:
        """What the user said and the model never got."""
        return [item["text"] for item in self.end["undelivered"]]

    @property
    def calls(self) -> list[ToolCall]:
        """The tool calls, in the order in which they started."""
        ends = {data["toolCallId"]: data for data in self.data("tool_execution_end")}
        return [
            _call(start, ends[start["toolCallId"]])
            for start in self.data("tool_execution_start")
            if start["toolCallId"] in ends
        ]

    @property
    def notices(self) -> list[str]:
        """What the user was told without being asked."""
        return [data["message"] for data in self.data("notice")]

    @property
    def changed(self) -> Tree:
        """The files that have changed: their contents, None for those that are gone."""
        return changes(self.before, self.tree)

    @property
    def diff(self) -> str:
        """What has changed in the workspace, as a unified diff."""
        return diff_of(self.before, self.tree)

    @property
    def transcript(self) -> str:
        """The run as a person reads it, in Markdown."""
        return transcript_of(self.events, str(self.workspace))

    def data(self, event: str) -> list[dict[str, Any]]:
        """The data of all events of a type."""
        return [each["data"] for each in self.events if each["type"] == event]

    def unchanged(self, path: str) -> Answered:
        """Whether a file is as it was before.

        Raises:
            LookupError: there is no such file, and there was none before.
        """
        if path not in self.before and path not in self.tree:
            raise LookupError(f"There is no file {path} in the workspace, and there was none before the run.")
        if path not in self.changed:
            return Answered(True, f"{path} is as it was")
        what = (
            "was made" if path not in self.before else "is gone" if path not in self.tree else "was changed"
        )
        return Answered(False, f"{path} {what}")

    def saw(self, text: str) -> Answered:
        """Whether any request to the model contains `text`: in the system prompt, a prompt, a result or a call."""
        for number, request in enumerate(self.requests, 1):
            if text in request.text:
                return Answered(True, f"request {number} has {text!r}")
        return Answered(False, f"none of the {len(self.requests)} requests has {text!r}")


def _call(start: dict[str, Any], end: dict[str, Any]) -> ToolCall:
    text = "".join(block.get("text", "") for block in end["content"])
    return ToolCall(start["name"], start["args"], end["outcome"], text)
