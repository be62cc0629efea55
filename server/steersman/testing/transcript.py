"""A run in Markdown for the report of a failed test: what was said, called and asked, and how it ended."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from steersman.session.facts import describe

_LINES: Final = 8
"""Most lines of a result that are shown; of an error, three times as many."""


def transcript_of(events: Iterable[Mapping[str, Any]], workspace: str) -> str:
    """The transcript of a run. `workspace`: a path, which is taken out of the text."""
    writer = _Writer()
    for event in events:
        write = _WRITERS.get(event["type"])
        if write is not None:
            write(writer, event["data"])
    return "\n".join(writer.lines).replace(workspace + "/", "").replace(workspace, ".") + "\n"


class _Writer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self._calls: dict[str, str] = {}

    def begin(self, data: Mapping[str, Any]) -> None:
        self.lines.append(f"# Run in mode {data['mode']}")

    def message(self, data: Mapping[str, Any]) -> None:
        if "discarded" in data:
            failure = data.get("failure", {}).get("message", "")
            self._paragraph(f"*Answer discarded ({data['discarded']}).* {failure}".rstrip())
            self._said(data["partial"])
            return
        who = {"user": "User", "assistant": "Assistant"}.get(data["role"], data.get("kind", "Custom"))
        self._paragraph(f"**{who}:**")
        self._said(data["content"])

    def call(self, data: Mapping[str, Any]) -> None:
        self._calls[data["toolCallId"]] = describe(data["name"], data["args"])

    def result(self, data: Mapping[str, Any]) -> None:
        self._paragraph(f"`{self._calls.get(data['toolCallId'], data['name'])}`: {data['outcome']}")
        text = "".join(block.get("text", "") for block in data["content"])
        lines = text.rstrip("\n").split("\n")
        shown = lines[: 3 * _LINES if data["isError"] else _LINES]
        self.lines += ["", *(f"    {line}" for line in shown)]
        if len(lines) > len(shown):
            self.lines.append(f"    … {len(lines) - len(shown)} more lines")

    def question(self, data: Mapping[str, Any]) -> None:
        self._paragraph(f"Asked: {data['title']}. {data['reason']}")

    def answer(self, data: Mapping[str, Any]) -> None:
        said = f": {data['feedback']}" if data.get("feedback") else ""
        self._paragraph(f"Answered: {data['decision']} by {data['by']}{said}")

    def notice(self, data: Mapping[str, Any]) -> None:
        self._paragraph(f"! {data['message']}")

    def end(self, data: Mapping[str, Any]) -> None:
        self._paragraph(f"**{data['stopReason']}**, {data['turns']} turns. {data['message']}")

    def _said(self, content: Iterable[Mapping[str, Any]]) -> None:
        for block in content:
            if block["type"] == "toolCall":
                self.lines.append(f"- {block['name']} {block['arguments']}")
            elif block.get("text"):
                mark = "> " if block["type"] == "thinking" else ""
                self.lines += [mark + line for line in block["text"].split("\n")]

    def _paragraph(self, text: str) -> None:
        self.lines += ["", text]


_WRITERS: Final = {
    "agent_start": _Writer.begin,
    "message_end": _Writer.message,
    "tool_execution_start": _Writer.call,
    "tool_execution_end": _Writer.result,
    "approval_requested": _Writer.question,
    "approval_resolved": _Writer.answer,
    "notice": _Writer.notice,
    "agent_end": _Writer.end,
}
