"""The documented rules of a Responses request, checked strictly.

Sources, by title: the API reference's "Create a model response" (fields, types, limits) with its items "Input message",
"Output message", "Function tool call", "Function tool call output" and "Reasoning"; the guides "Function calling" (one
output for each call), "Reasoning models" (encrypted reasoning goes with what it led to, nothing of it is sent in the
clear) and "Images and vision" (file types, data URLs). In three points it asks for more than they do, because
compatible servers do: outputs come right after their calls and in their order, output messages have an id and a
status, and no text is blank.
"""

import base64
import json
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ITEM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SMALLEST_LIMIT = 16
_LONGEST_OUTPUT = 10_485_760
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_TOP = {
    "model", "stream", "store", "instructions", "input", "tools", "max_output_tokens", "reasoning", "include",
}  # fmt: skip


def check_responses_request(body: bytes) -> dict[str, Any]:
    """Asserts that `body` is a request that a strict server takes, and returns it parsed."""
    request: dict[str, Any] = json.loads(body.decode("utf-8"))
    assert set(request) <= _TOP, set(request) - _TOP
    assert isinstance(request["model"], str) and request["model"]
    assert request["stream"] is True
    assert request["store"] is False, "what is not stored is sent"
    assert "instructions" not in request or request["instructions"].strip()
    limit = request.get("max_output_tokens", _SMALLEST_LIMIT)
    assert type(limit) is int and limit >= _SMALLEST_LIMIT
    if "reasoning" in request:
        assert {"effort"} <= set(request["reasoning"]) <= {"effort", "summary"}
        assert request["reasoning"]["effort"] in ("low", "medium", "high")
        assert request["reasoning"].get("summary", "auto") in ("auto", "concise", "detailed")
    assert request.get("include", ["reasoning.encrypted_content"]) == ["reasoning.encrypted_content"]
    _check_tools(request)
    _check_input(request["input"])
    return request


def _check_tools(request: dict[str, Any]) -> None:
    assert "tools" not in request or request["tools"], "an empty list of tools is left out"
    for tool in request.get("tools", ()):
        assert set(tool) == {"type", "name", "description", "parameters", "strict"}
        assert tool["type"] == "function"
        assert _NAME.fullmatch(tool["name"])
        assert isinstance(tool["parameters"], dict)
        assert tool["strict"] is False, "strict schemas have rules of their own"


def _check_input(items: list[dict[str, Any]]) -> None:
    assert isinstance(items, list) and items, "there is some input"
    seen: set[str] = set()
    unanswered: list[str] = []
    answering = False
    """Outputs have begun, so that no more calls of this answer may come."""
    reasoned = False
    for item in items:
        kind = item["type"]
        if kind == "function_call_output":
            assert not reasoned
            assert unanswered, "an output answers a call before it"
            assert item["call_id"] == unanswered.pop(0), "outputs are in the order of their calls"
            _check_output(item)
            answering = bool(unanswered)
            continue
        assert not answering, "outputs are not interrupted"
        if kind == "function_call":
            unanswered.append(_check_call(item, seen))
        elif kind == "reasoning":
            _check_reasoning(item)
        else:
            assert kind == "message", kind
            assert not (item["role"] == "user" and (reasoned or unanswered))
            _check_message(item, seen)
        reasoned = kind == "reasoning"
    assert not unanswered, "every call has an output"
    assert not reasoned, "reasoning stands before what it led to"


def _check_call(item: dict[str, Any], seen: set[str]) -> str:
    assert set(item) == {"type", "call_id", "name", "arguments"}
    assert _CALL_ID.fullmatch(item["call_id"]), item["call_id"]
    assert item["call_id"] not in seen, "ids are unique"
    assert _NAME.fullmatch(item["name"])
    assert isinstance(json.loads(item["arguments"]), dict), "arguments are a JSON object"
    seen.add(item["call_id"])
    return str(item["call_id"])


def _check_output(item: dict[str, Any]) -> None:
    assert set(item) == {"type", "call_id", "output"}
    output = item["output"]
    if isinstance(output, str):
        assert output.strip() and len(output) <= _LONGEST_OUTPUT
    else:
        _check_content(output)


def _check_reasoning(item: dict[str, Any]) -> None:
    assert {"type", "encrypted_content", "summary"} <= set(item)
    assert set(item) <= {"type", "id", "encrypted_content", "summary", "format"}, "no reasoning in the clear"
    assert "id" not in item or item["id"]
    assert isinstance(item["encrypted_content"], str) and item["encrypted_content"]
    for part in item["summary"]:
        assert set(part) == {"type", "text"} and part["type"] == "summary_text" and part["text"]


def _check_message(item: dict[str, Any], seen: set[str]) -> None:
    if item["role"] == "user":
        assert set(item) == {"type", "role", "content"}
        _check_content(item["content"])
        return
    assert item["role"] == "assistant", "the system prompt is in the instructions"
    assert set(item) == {"type", "id", "role", "status", "content"}
    assert _ITEM_ID.fullmatch(item["id"]) and item["id"].startswith("msg") and item["id"] not in seen
    seen.add(item["id"])
    assert item["status"] == "completed"
    assert item["content"]
    for part in item["content"]:
        assert set(part) == {"type", "text", "annotations"} and part["type"] == "output_text"
        assert part["text"].strip() and part["annotations"] == []


def _check_content(content: list[dict[str, Any]]) -> None:
    assert isinstance(content, list) and content
    for part in content:
        if part["type"] == "input_text":
            assert set(part) == {"type", "text"} and part["text"].strip()
        else:
            assert part["type"] == "input_image" and set(part) == {"type", "image_url", "detail"}
            assert part["detail"] in ("low", "high", "auto")
            found = re.fullmatch(r"data:(image/[a-z]+);base64,([A-Za-z0-9+/]+=*)", part["image_url"])
            assert found is not None, "a data URL with a media type and base64"
            assert found[1] in _IMAGES
            assert base64.b64decode(found[2], validate=True)
