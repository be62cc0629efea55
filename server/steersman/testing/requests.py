"""Requests to the model, as plain values for tests."""

from dataclasses import dataclass
from typing import Any

from steersman.agent.messages import AssistantMessage, LlmMessage, ToolResultMessage, plain_text
from steersman.agent.model import ModelRequest


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the model."""

    system: str
    messages: list[dict[str, Any]]
    """`{role: user, text}`; `{role: assistant, text, calls: [{name, arguments}]}`, arguments as the model wrote them;
    `{role: tool, name, text, isError}`."""
    tools: list[str]
    """Names of the tools that were offered."""

    @property
    def text(self) -> str:
        """All texts that the model was sent, in their order: the system prompt first."""
        parts = [self.system]
        for message in self.messages:
            parts += [message["text"], *(each["arguments"] for each in message.get("calls", ()))]
        return "\n".join(parts)


def plain_request(request: ModelRequest) -> Request:
    return Request(
        request.system, [_plain(each) for each in request.messages], [t.name for t in request.tools]
    )


def _plain(message: LlmMessage) -> dict[str, Any]:
    if isinstance(message, ToolResultMessage):
        return {
            "role": "tool",
            "name": message.tool_name,
            "text": message.text,
            "isError": message.is_error,
        }
    if isinstance(message, AssistantMessage):
        calls = [{"name": each.name, "arguments": each.arguments} for each in message.tool_calls]
        return {"role": "assistant", "text": message.said} | ({"calls": calls} if calls else {})
    return {"role": "user", "text": plain_text(message.content)}
