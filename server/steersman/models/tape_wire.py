"""The server's side of Chat Completions: turns a request's JSON into a `ModelRequest`, and model events into chunks.

It is the counterpart of `chat_request` and `chat_stream`, only for the tape server, and only takes what they send.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import orjson

from steersman.agent.messages import (
    AssistantMessage,
    LlmMessage,
    Text,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockKind,
    BlockStart,
    FailureKind,
    ModelRequest,
    StreamEvent,
    StreamFailure,
    ToolSpec,
)

ERRORS: Final[Mapping[FailureKind, tuple[int, str]]] = {
    "auth": (401, "invalid_api_key"),
    "permission": (403, "permission_denied"),
    "quota": (429, "insufficient_quota"),
    "rate_limit": (429, "rate_limit_exceeded"),
    "overloaded": (503, "overloaded_error"),
    "server": (500, "server_error"),
    "context_overflow": (400, "context_length_exceeded"),
    "bad_request": (400, "invalid_value"),
    "not_found": (404, "model_not_found"),
    "tool_use_failed": (400, "tool_use_failed"),
    "refused": (400, "content_filter"),
}
"""HTTP status and error code of the kinds that a server can report. The others show in how the answer ends."""


class BadWireRequest(Exception):
    """The body is not a chat completion request. The text says why."""


def read_request(body: bytes) -> tuple[ModelRequest, bool]:
    """The request in `body`, and whether it asks for usage in the stream.

    Raises:
        BadWireRequest: not JSON, not a streaming request, or messages of an unknown shape.
    """
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadWireRequest(f"The body is not JSON: {error}.") from None
    messages = data.get("messages") if isinstance(data, dict) else None
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise BadWireRequest("`messages` must be a list of objects.")
    if data.get("stream") is not True:
        raise BadWireRequest("Only streams are served: set `stream` to true.")
    options = data.get("stream_options")
    tools = data.get("tools") or []
    if not isinstance(tools, list):
        raise BadWireRequest("`tools` must be a list.")
    functions = [tool.get("function") for tool in tools if isinstance(tool, dict)]
    request = ModelRequest(
        system="\n".join(_text(each) for each in messages if each.get("role") in ("system", "developer")),
        messages=[message for index, each in enumerate(messages) for message in _message(index, each)],
        tools=[
            ToolSpec(str(each.get("name")), str(each.get("description", "")), each.get("parameters") or {})
            for each in functions
            if isinstance(each, dict)
        ],
    )
    return request, isinstance(options, dict) and bool(options.get("include_usage"))


def _message(index: int, message: Mapping[str, object]) -> Iterator[LlmMessage]:
    role, text = message.get("role"), Text(text=_text(message))
    if role == "user":
        yield UserMessage(id=str(index), content=(text,))
    elif role == "tool":
        yield ToolResultMessage(tool_call_id=str(message.get("tool_call_id")), tool_name="", content=(text,))
    elif role == "assistant":
        entries = message.get("tool_calls")
        calls = [_call(entry) for entry in entries] if isinstance(entries, list) else []
        yield AssistantMessage(id=str(index), content=(text, *calls), model="", stop_reason="stop")
    elif role not in ("system", "developer"):
        raise BadWireRequest(f"messages[{index}] has the unknown role {role!r}.")


def _call(entry: object) -> ToolCall:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(function, dict):
        raise BadWireRequest("Each of `tool_calls` must have a `function`.")
    return ToolCall(
        id=str(entry.get("id")), name=str(function.get("name")), arguments=str(function.get("arguments"))
    )


def _text(message: Mapping[str, object]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


class ChunkWriter:
    """Server-Sent Events of one answer."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._calls: dict[int, int] = {}
        self._kinds: dict[int, BlockKind] = {}

    def opening(self) -> bytes:
        return self._delta({"role": "assistant", "content": ""})

    def event(self, event: StreamEvent) -> bytes:
        """The chunk for an event; empty if it has none."""
        if isinstance(event, BlockStart):
            self._kinds[event.index] = event.kind
            if event.kind != "toolCall":
                return b""
            index = self._calls.setdefault(event.index, len(self._calls))
            function = {"name": event.name, "arguments": ""}
            call = {"index": index, "id": event.provider_id, "type": "function", "function": function}
            return self._delta({"tool_calls": [call]})
        if isinstance(event, BlockDelta):
            kind = self._kinds[event.index]
            if kind == "toolCall":
                piece = {"index": self._calls[event.index], "function": {"arguments": event.text}}
                return self._delta({"tool_calls": [piece]})
            key = {"text": "content", "thinking": "reasoning_content", "refusal": "refusal"}[kind]
            return self._delta({key: event.text})
        return b": alive\n\n" if not isinstance(event, BlockEnd) else b""

    def closing(self, finish_reason: str, usage: Usage, *, with_usage: bool) -> bytes:
        chunks = self._delta({}, finish_reason)
        if with_usage:
            counts = {
                "prompt_tokens": usage.input,
                "completion_tokens": usage.output,
                "total_tokens": usage.total,
                "prompt_tokens_details": {"cached_tokens": usage.cache_read},
                "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
            }
            chunks += _sse({**self._chunk([]), "usage": counts})
        return chunks + b"data: [DONE]\n\n"

    def error(self, failure: StreamFailure) -> bytes:
        return _sse(error_body(failure)[1])

    def _delta(self, delta: Mapping[str, object], finish_reason: str | None = None) -> bytes:
        return _sse(self._chunk([{"index": 0, "delta": delta, "finish_reason": finish_reason}]))

    def _chunk(self, choices: list[object]) -> dict[str, object]:
        head = {"id": "chatcmpl-tape", "object": "chat.completion.chunk", "created": 0, "model": self._model}
        return {**head, "choices": choices}


def error_body(failure: StreamFailure) -> tuple[int, dict[str, object]]:
    """Status and JSON of a failure, whose kind is one of `ERRORS`."""
    status, code = ERRORS[failure.kind]
    error = {"message": failure.message, "type": code, "param": None, "code": code}
    return failure.status or status, {"error": error}


def _sse(value: object) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"
