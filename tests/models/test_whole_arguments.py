"""Arguments of a call that come as a JSON object instead of as text, which every API has servers for."""

import json

import pytest

from steersman.models.debug import parse_recording
from support.sse import sse


def anthropic(arguments: object) -> bytes:
    block = {"type": "tool_use", "id": "c1", "name": "ls", "input": arguments}
    return sse(
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
        done=False,
    )


def openai_chat(arguments: object) -> bytes:
    call = {"index": 0, "id": "c1", "function": {"name": "ls", "arguments": arguments}}
    return sse({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})


def openai_responses(arguments: object) -> bytes:
    item = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": arguments}
    response = {"status": "completed", "output": [item]}
    return sse({"type": "response.completed", "response": response}, done=False)


def gemini(arguments: object) -> bytes:
    part = {"functionCall": {"id": "c1", "name": "ls", "args": arguments}}
    candidate = {"index": 0, "content": {"parts": [part]}, "finishReason": "STOP"}
    return sse({"candidates": [candidate]}, done=False)


BODIES = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}


@pytest.mark.parametrize("api", BODIES)
def test_they_become_text_as_a_person_would_write_it(api):
    (call,) = parse_recording(api, [BODIES[api]({"path": "été/😀"})])["tool_calls"]
    assert call["arguments_raw"] == '{"path": "été/😀"}'


@pytest.mark.parametrize("api", BODIES)
@pytest.mark.parametrize("arguments", [["a.txt"], 5, True, 0])
def test_those_that_are_no_object_are_not_taken_for_none(api, arguments):
    (call,) = parse_recording(api, [BODIES[api](arguments)])["tool_calls"]
    assert call["arguments_raw"] == json.dumps(arguments)


@pytest.mark.parametrize("api", BODIES)
def test_as_text_they_are_what_the_text_says(api):
    (call,) = parse_recording(api, [BODIES[api]('{"path": "a.txt"}')])["tool_calls"]
    assert call["arguments_raw"] == '{"path": "a.txt"}'


@pytest.mark.parametrize("api", BODIES)
@pytest.mark.parametrize("arguments", [None, [], {}])
def test_none_are_an_empty_object(api, arguments):
    (call,) = parse_recording(api, [BODIES[api](arguments)])["tool_calls"]
    assert call["arguments_raw"] in ("", "{}")


def nested(api, depth):
    return BODIES[api]({"path": "deep"}).replace(b'"deep"', b"[" * depth + b"]" * depth)


@pytest.mark.parametrize("api", BODIES)
def test_nested_too_deeply_they_break_the_answer(api):
    assert parse_recording(api, [nested(api, 100_000)])["stop_reason"] is None


@pytest.mark.parametrize("api", BODIES)
@pytest.mark.parametrize("depth", [960, 1_000, 1_010])
def test_nested_as_deeply_as_json_is_read_but_not_written_they_are_whole_or_break_the_answer(api, depth):
    parsed = parse_recording(api, [nested(api, depth)])
    assert parsed["stop_reason"] is None or parsed["tool_calls"][0]["arguments_raw"].count("[") == depth
