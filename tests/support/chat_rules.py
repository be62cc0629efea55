"""The documented rules of a Chat Completions request, checked strictly.

Sources: the API reference's "Create chat completion" (roles, required fields, types, lengths) the guide
"Function calling" (each call is answered by one tool message that follows it) and the guide "Images and vision" (file
types, data URLs). In two points it asks for more than they do, because compatible servers do: ids are unique in the
whole request, and results come in the calls' order.
"""

import base64
import json
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_TOP = {
    "model", "stream", "stream_options", "messages", "tools", "max_completion_tokens", "max_tokens", "reasoning_effort",
}  # fmt: skip


def check_chat_request(body: bytes, *, reasoning_replay: bool = False) -> dict[str, Any]:
    """Asserts that `body` is a request that a strict server takes, and returns it parsed."""
    request: dict[str, Any] = json.loads(body.decode("utf-8"))
    assert set(request) <= _TOP, set(request) - _TOP
    assert isinstance(request["model"], str) and request["model"]
    assert "stream_options" not in request or request.get("stream") is True
    for key in ("max_completion_tokens", "max_tokens"):
        assert type(request.get(key, 1)) is int and request.get(key, 1) > 0
    assert request.get("reasoning_effort", "low") in ("low", "medium", "high")
    assert "tools" not in request or request["tools"], "an empty list of tools is refused"
    for tool in request.get("tools", ()):
        assert set(tool) == {"type", "function"} and tool["type"] == "function"
        assert _NAME.fullmatch(tool["function"]["name"])
        assert isinstance(tool["function"]["parameters"], dict)
    _check_messages(request["messages"], reasoning_replay=reasoning_replay)
    return request


def _check_messages(messages: list[dict[str, Any]], *, reasoning_replay: bool) -> None:
    seen: set[str] = set()
    unanswered: list[str] = []
    for place, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            assert set(message) == {"role", "tool_call_id", "content"}
            assert unanswered, "a tool message answers a call of the assistant message before it"
            assert message["tool_call_id"] == unanswered.pop(0), "results are in the order of their calls"
            assert isinstance(message["content"], str) and message["content"]
            continue
        assert not unanswered, "every call is answered before any other message"
        if role == "system":
            assert place == 0 and set(message) == {"role", "content"}
            assert isinstance(message["content"], str) and message["content"]
        elif role == "user":
            assert set(message) == {"role", "content"}
            _check_user_content(message["content"])
        else:
            assert role == "assistant", role
            unanswered = _check_assistant(message, seen, reasoning_replay=reasoning_replay)
    assert not unanswered, "every call is answered"


def _check_assistant(message: dict[str, Any], seen: set[str], *, reasoning_replay: bool) -> list[str]:
    allowed = {"role", "content", "tool_calls"} | ({"reasoning_content"} if reasoning_replay else set())
    assert set(message) <= allowed, set(message) - allowed
    content = message["content"]
    assert content is None or (isinstance(content, str) and content)
    assert content is not None or message.get("tool_calls"), "content is required unless there are calls"
    assert "tool_calls" not in message or message["tool_calls"], "an empty list of calls is refused"
    ids = []
    for call in message.get("tool_calls", ()):
        assert set(call) == {"id", "type", "function"} and call["type"] == "function"
        assert set(call["function"]) == {"name", "arguments"}
        assert isinstance(call["id"], str) and call["id"] and call["id"] not in seen, "ids are unique"
        assert _NAME.fullmatch(call["function"]["name"]), call["function"]["name"]
        assert isinstance(json.loads(call["function"]["arguments"]), dict), "arguments are a JSON object"
        seen.add(call["id"])
        ids.append(call["id"])
    return ids


def _check_user_content(content: object) -> None:
    if isinstance(content, str):
        assert content
        return
    assert isinstance(content, list) and content
    for part in content:
        if part["type"] == "text":
            assert set(part) == {"type", "text"} and part["text"]
        else:
            assert part["type"] == "image_url" and set(part) == {"type", "image_url"}
            _check_image(part["image_url"])


def _check_image(image: dict[str, Any]) -> None:
    assert set(image) <= {"url", "detail"}
    found = re.fullmatch(r"data:(image/[a-z]+);base64,([A-Za-z0-9+/]+=*)", image["url"])
    assert found is not None, "a data URL with a media type and base64"
    assert found[1] in _IMAGES
    assert base64.b64decode(found[2], validate=True)
