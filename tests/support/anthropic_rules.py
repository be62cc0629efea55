"""The documented rules of a Messages request, checked strictly.

Sources, by title: the API reference's "Create a Message" (fields, types, roles), "Errors"; the guides "Handle tool
calls" (results first, right after their calls, an id each), "Define tools" (names), "Prompt caching" (four marks, what
can be marked), "Extended thinking" and "Thinking" (budgets, what must be sent back), "Vision" (media types, the size of
an image), and the migration guides (no prefilled answer). Where the API is lenient (consecutive turns of one role are
merged) the stricter reading is taken: compatible servers are not.
"""

import base64
import json
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ID = re.compile(r"[A-Za-z0-9_-]+")
_MOST_MARKS = 4
_MOST_IMAGE = 5_000_000
_TOP = {
    "model", "max_tokens", "stream", "system", "messages", "tools", "tool_choice", "thinking", "output_config",
}  # fmt: skip
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def check_anthropic_request(body: bytes) -> dict[str, Any]:
    """Asserts that `body` is a request that a strict server takes, and returns it parsed."""
    request: dict[str, Any] = json.loads(body.decode("utf-8"))
    assert set(request) <= _TOP, set(request) - _TOP
    assert isinstance(request["model"], str) and request["model"]
    assert type(request["max_tokens"]) is int and request["max_tokens"] > 0
    assert request["stream"] is True
    _check_thinking(request)
    if "system" in request:
        assert request["system"], "an empty system prompt is left out"
        for block in request["system"]:
            assert block["type"] == "text"
            _check_text(block)
    _check_tools(request)
    _check_messages(request["messages"], has_tools="tools" in request)
    _check_replay(request)
    assert _marks(request) <= _MOST_MARKS, "a request has at most four marks"
    return request


def _check_thinking(request: dict[str, Any]) -> None:
    thinking = request.get("thinking")
    if "output_config" in request:
        assert set(request["output_config"]) == {"effort"}
        assert request["output_config"]["effort"] in ("low", "medium", "high")
        assert thinking is not None and thinking["type"] == "adaptive", "an effort is for models that take it"
    if thinking is None:
        return
    if thinking["type"] == "adaptive":
        assert set(thinking) <= {"type", "display", "block_binding"}
        assert thinking.get("display", "summarized") in ("summarized", "omitted")
    else:
        assert set(thinking) == {"type", "budget_tokens"} and thinking["type"] == "enabled"
        assert 1024 <= thinking["budget_tokens"] < request["max_tokens"]


def _check_tools(request: dict[str, Any]) -> None:
    assert "tools" not in request or request["tools"], "an empty list of tools is left out"
    for tool in request.get("tools", ()):
        assert set(tool) <= {"name", "description", "input_schema", "cache_control"}
        assert _NAME.fullmatch(tool["name"])
        assert tool["input_schema"]["type"] == "object"
        _check_mark(tool)
    names = [tool["name"] for tool in request.get("tools", ())]
    assert len(names) == len(set(names)), "names of tools are unique"
    if "tool_choice" in request:
        assert request["tool_choice"] == {"type": "none"} and names


def _check_messages(messages: list[dict[str, Any]], *, has_tools: bool) -> None:
    assert messages, "there is at least one message"
    assert messages[-1]["role"] == "user", "newer models refuse an answer that is begun for them"
    seen: set[str] = set()
    unanswered: list[str] = []
    for place, message in enumerate(messages):
        assert set(message) == {"role", "content"}
        assert message["role"] == ("assistant" if place % 2 else "user"), "roles alternate, the user begins"
        content = message["content"]
        assert isinstance(content, list) and content
        if message["role"] == "user":
            _check_user(content, unanswered)
            unanswered = []
        else:
            unanswered = _check_answer(content, seen)
            assert has_tools or not unanswered, "a request with calls in it defines tools"
    assert not unanswered


def _check_user(content: list[dict[str, Any]], unanswered: list[str]) -> None:
    results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
    # The API wants one for each, in any order; ours are in the order of the calls.
    assert results == unanswered, (
        "each call has its result in the message right after it, and nothing else has"
    )
    assert all(block["type"] == "tool_result" for block in content[: len(results)]), "results come first"
    for block in content:
        _check_mark(block)
        if block["type"] == "tool_result":
            _check_result(block)
        elif block["type"] == "text":
            _check_text(block)
        else:
            _check_image(block)


def _check_result(block: dict[str, Any]) -> None:
    assert set(block) <= {"type", "tool_use_id", "content", "is_error", "cache_control"}
    assert block.get("is_error", True) is True
    content = block["content"]
    if isinstance(content, str):
        assert content.strip()
        return
    assert content and not block.get("is_error"), "an error's content is text only"
    for part in content:
        if part["type"] == "text":
            _check_text(part)
        else:
            _check_image(part)


def _check_answer(content: list[dict[str, Any]], seen: set[str]) -> list[str]:
    ids = []
    for block in content:
        kind = block["type"]
        if kind == "text":
            _check_text(block)
        elif kind == "thinking":
            assert set(block) == {"type", "thinking", "signature"} and block["signature"]
        elif kind == "redacted_thinking":
            assert set(block) == {"type", "data"} and block["data"]
        else:
            assert kind == "tool_use" and set(block) == {"type", "id", "name", "input"}
            assert _ID.fullmatch(block["id"]) and block["id"] not in seen, "ids are unique"
            assert _NAME.fullmatch(block["name"])
            assert isinstance(block["input"], dict)
            seen.add(block["id"])
            ids.append(block["id"])
    assert content[-1]["type"] not in ("thinking", "redacted_thinking"), "the last block is no thinking"
    return ids


def _check_replay(request: dict[str, Any]) -> None:
    """With a budget, a turn of the model that goes on must have begun with thinking; without thinking it holds none."""
    messages = request["messages"]
    thinking = request.get("thinking")
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    if thinking is None and not request["model"].startswith(("claude-opus-5", "claude-sonnet-5")):
        assert not any(_is_thinking(block) for content in answers for block in content)
    if thinking is None or thinking["type"] != "enabled":
        return
    place = len(messages) - 1
    if messages[place]["content"][0]["type"] != "tool_result":
        return
    while place >= 3 and all(block["type"] == "tool_result" for block in messages[place - 2]["content"]):
        place -= 2
    assert _is_thinking(messages[place - 1]["content"][0]), "the turn that goes on begins with thinking"


def _is_thinking(block: dict[str, Any]) -> bool:
    return block["type"] in ("thinking", "redacted_thinking")


def _check_text(block: dict[str, Any]) -> None:
    assert set(block) <= {"type", "text", "cache_control"}
    assert isinstance(block["text"], str) and block["text"].strip(), "texts hold more than white space"
    _check_mark(block)


def _check_image(block: dict[str, Any]) -> None:
    assert block["type"] == "image" and set(block) <= {"type", "source", "cache_control"}
    source = block["source"]
    assert set(source) == {"type", "media_type", "data"} and source["type"] == "base64"
    assert source["media_type"] in _IMAGES
    assert len(source["data"]) <= _MOST_IMAGE, "an image has at most 5 MB in base64"
    assert base64.b64decode(source["data"], validate=True)


def _check_mark(block: dict[str, Any]) -> None:
    assert block.get("cache_control", {"type": "ephemeral"}) == {"type": "ephemeral"}


def _marks(value: object) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(_marks, value.values()))
    return sum(map(_marks, value)) if isinstance(value, list) else 0
