"""A Responses model over HTTP: how streams end, whatever the server and the network do."""

import asyncio
import dataclasses
import json
import logging
import math
from itertools import chain, repeat

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController
from steersman.agent.messages import AssistantMessage, Text, Thinking, ToolCall, ToolResultMessage
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockStart,
    ModelRequest,
    Ping,
    StreamDone,
    StreamError,
)
from steersman.models.errors import ModelConfigError
from steersman.models.http import QUEUE_LIMIT, close_shared_client
from steersman.models.http_model import HttpModel
from steersman.models.openai_responses import OpenAIResponses
from steersman.models.responses_request import ResponsesQuirks
from steersman.models.sse import EVENT_LIMIT
from support.http_models import HEAD, KEY, QUICK, SHORT, chunked, failure_of, model_of
from support.model_server import Canned, ask, events_of, raw_server
from support.responses_rules import check_responses_request
from support.responses_sse import USAGE, answer, call, end, message, response, sse, start, text, thinking
from support.sse import DONE, blocks

HELLO = answer(text(0, "Hello"))
HALF = sse(start(), *text(0, "half")[:2])


def model_over(canned: Canned, name: str = "gpt-5", **options) -> HttpModel:
    return model_of(OpenAIResponses(), canned, name, **options)


def failed(code: str, **fields: object) -> bytes:
    return sse(response("failed", error={"code": code, "message": "no"}, **fields))


@pytest.fixture(autouse=True)
async def no_connection_outlives_its_test():
    yield
    await close_shared_client()


# The request


async def test_a_request_has_the_key_and_a_json_body():
    canned = Canned([HELLO])
    await events_of(model_over(canned))
    [request] = canned.requests
    assert (request.method, str(request.url)) == ("POST", "http://model.test/v1/responses")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept-encoding"] == "identity"
    assert check_responses_request(request.content)["model"] == "gpt-5"


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:1", "http://h:1/v1/responses"),
        ("http://h:1/v1/", "http://h:1/v1/responses"),
        ("https://r.openai.azure.com/openai/v1", "https://r.openai.azure.com/openai/v1/responses"),
        ("https://h/openai?api-version=preview", "https://h/openai/responses?api-version=preview"),
        (" http://h/v1/responses ", "http://h/v1/responses"),
    ],
)
async def test_the_base_url_is_what_other_clients_take(base_url, url):
    canned = Canned([HELLO])
    await events_of(model_over(canned, base_url=base_url))
    assert str(canned.requests[0].url) == url


async def test_without_a_key_none_is_sent():
    canned = Canned([HELLO])
    await events_of(model_over(canned, api_key=" \n"))
    assert "authorization" not in canned.requests[0].headers


async def test_more_headers_are_sent_but_none_takes_the_key_s_place():
    canned = Canned([HELLO])
    await events_of(model_over(canned, headers={"X-Team": "a", "Authorization": "Bearer other"}))
    headers = canned.requests[0].headers
    assert (headers["x-team"], headers["authorization"]) == ("a", f"Bearer {KEY}")


async def test_the_quirks_are_the_request_s():
    canned = Canned([HELLO])
    await events_of(
        model_of(OpenAIResponses(ResponsesQuirks(summaries=False)), canned, "gpt-5"), ask(thinking="low")
    )
    assert json.loads(canned.requests[0].content)["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(
    "base_url", ["", "localhost:8080", "ftp://h", "http://", "http://[", "http://h:port/"]
)
def test_a_bad_base_url_is_refused_without_repeating_it(base_url):
    with pytest.raises(ModelConfigError, match="base URL"):
        HttpModel(OpenAIResponses(), "m", base_url)


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key):
    with pytest.raises(ModelConfigError) as error:
        HttpModel(OpenAIResponses(), "m", "http://h", key)
    assert key not in str(error.value)


async def test_an_answer_with_reasoning_and_calls_can_be_sent_back():
    canned = Canned(
        [answer(thinking(0, ["hm"], encrypted="gAAA"), call(1, "ls", '{"a":1}', call_id="call_9"))]
    )
    model = model_over(canned)
    events = await events_of(model, ask(thinking="low"))
    assert [kind for kind, _, _ in blocks(events)] == ["thinking", "toolCall"]
    [call_id] = [event.provider_id for event in events if isinstance(event, BlockStart) and event.provider_id]
    [signature] = [event.signature for event in events if isinstance(event, BlockEnd) and event.signature]
    said = (Thinking("hm", signature), ToolCall("c1", "ls", '{"a":1}', call_id))
    result = ToolResultMessage("c1", "ls", (Text("out"),))
    history = [*ask().messages, AssistantMessage("a", said, model.id, "tool_calls"), result]
    await events_of(model, ModelRequest("", history))
    assert check_responses_request(canned.requests[1].content)["input"][1:] == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "encrypted_content": "gAAA",
            "summary": [{"type": "summary_text", "text": "hm"}],
        },
        {"type": "function_call", "call_id": "call_9", "name": "ls", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "call_9", "output": "out"},
    ]


# How a stream ends


async def test_a_response_is_blocks_and_one_end_with_usage_and_model():
    events = await events_of(model_over(Canned([HELLO])))
    assert blocks(events) == [("text", "", "Hello")]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert (last.stop_reason, last.usage.input, last.usage.output, last.model) == ("stop", 3, 2, "m-1")


async def test_states_and_keep_alives_show_that_the_stream_is_alive():
    pieces = [sse(start()), sse({"type": "keepalive"}), b": alive\n\n"]
    events = await events_of(model_over(Canned(pieces)))
    assert events[:-1] == [Ping()] * (len(events) - 1)
    assert len(events) > 1
    assert failure_of(events).kind == "protocol"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "protocol"),
        (HALF, "protocol"),
        (HALF + DONE, "protocol"),
        (sse(start(), *text(0, "whole")), "protocol"),
        (sse(start(), *thinking(0, ["hm"])), "protocol"),
        (sse(start(), *call(0, "ls", '{"a":1}')), "protocol"),
        (HALF + b"data: {oops\n\n" + sse(end()), "protocol"),
        (b"<html>log in</html>", "protocol"),
        (answer(), "empty"),
        (answer(thinking(0, ["hm"])), "empty"),
        (answer(text(0, "")), "empty"),
        (HALF + failed("server_error"), "server"),
        (HALF + failed("rate_limit_exceeded"), "rate_limit"),
        (HALF + failed("invalid_prompt"), "refused"),
        (HALF + failed("image_content_policy_violation"), "refused"),
        (HALF + failed("context_length_exceeded"), "context_overflow"),
        (HALF + failed("invalid_base64_image"), "bad_request"),
        (HALF + failed("image_too_large"), "bad_request"),
        (HALF + sse(response("failed", error=None)), "server"),
        (HALF + sse(response("cancelled")), "server"),
        (HALF + sse({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}), "rate_limit"),
        (
            HALF + sse({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}),
            "bad_request",
        ),
        (b'{"error": {"code": "insufficient_quota", "message": "pay"}}', "quota"),
    ],
)
async def test_a_body_that_is_no_good_answer_ends_as_a_failure(body, kind):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.kind == kind
    assert failure.message.startswith("model.test ")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (HALF, "ended the answer in the middle: response.completed did not come."),
        (HALF + b"data: {oops\n\n", "sent an event that is not JSON."),
    ],
)
async def test_what_was_wrong_with_an_answer_is_said(body, what):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.message == f"model.test {what}"


async def test_an_error_in_the_middle_keeps_what_had_come_and_the_usage_that_follows():
    error = sse({"type": "error", "code": "server_error", "message": "sorry"})
    events = await events_of(model_over(Canned([HALF, error, failed("other", usage=USAGE)], hangs=True)))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).message.startswith("model.test failed during the answer: sorry")
    assert events[-1].usage.input == 3


async def test_an_error_after_which_nothing_comes_keeps_nobody_waiting():
    error = sse({"type": "error", "code": "server_error", "message": "sorry"})
    canned = Canned([HALF, error], hangs=True)
    assert failure_of(await events_of(model_over(canned, stall=SHORT))).kind == "server"
    assert canned.closed == 1


@pytest.mark.parametrize(
    ("reason", "stop"), [("max_output_tokens", "length"), ("content_filter", "content_filter")]
)
async def test_an_answer_that_was_cut_is_done_with_its_reason(reason, stop):
    cut = response("incomplete", incomplete_details={"reason": reason}, usage=USAGE)
    for before in (text(0, "half"), thinking(0, ["hm"])):
        last = (await events_of(model_over(Canned([sse(start(), *before, cut)]))))[-1]
        assert isinstance(last, StreamDone)
        assert (last.stop_reason, last.usage.output) == (stop, 2)


async def test_a_refusal_is_an_answer():
    body = sse(start(), end(message("I can't.", kind="refusal")))
    events = await events_of(model_over(Canned([body])))
    assert blocks(events) == [("refusal", "", "I can't.")]
    assert isinstance(events[-1], StreamDone)


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset")])
async def test_a_server_that_does_not_close_after_its_answer_keeps_nobody_waiting(breaks):
    canned = Canned([HELLO], hangs=breaks is None, breaks=breaks)
    assert isinstance((await events_of(model_over(canned)))[-1], StreamDone)
    assert canned.closed == 1


async def test_a_whole_response_is_an_answer():
    body = {"object": "response", "status": "completed", "output": [message("Hello")]}
    events = await events_of(model_over(Canned([json.dumps(body).encode()])))
    assert blocks(events) == [("text", "", "Hello")]


# Stalls and aborts


async def test_silence_within_an_answer_ends_as_a_timeout():
    canned = Canned([HALF], hangs=True)
    events = await events_of(model_over(canned, stall=SHORT))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).kind == "timeout"
    assert canned.closed == 1


@pytest.mark.parametrize(
    "piece",
    [b": keep-alive\n\n", sse({"type": "keepalive"}), sse(start()), b'{"a":', sse(response("queued"))],
)
async def test_an_endless_stream_without_an_answer_is_given_up(piece):
    canned = Canned(chain([piece], repeat(b"\n" if piece.startswith(b"{") else piece)))
    assert failure_of(await events_of(model_over(canned, stall=QUICK))).kind in ("timeout", "protocol")
    assert canned.closed == 1


async def test_an_event_without_end_is_given_up_in_bounded_memory():
    taken = 0

    def pieces():
        nonlocal taken
        yield b'data: {"type":"response.output_text.delta","delta":"'
        while True:
            taken += 1 << 20
            yield b"x" * (1 << 20)

    failure = failure_of(await events_of(model_over(Canned(pieces()))))
    assert (failure.kind, "more than any answer" in failure.message) == ("protocol", True)
    assert taken <= EVENT_LIMIT + 4 * QUEUE_LIMIT


async def test_an_abort_ends_a_silent_stream_and_closes_the_response():
    canned = Canned([HALF], hangs=True)
    abort = AbortController()
    events = []
    async for event in model_over(canned).stream(ask(), abort.signal):
        events.append(event)
        if isinstance(event, BlockDelta):
            abort.abort()
    assert isinstance(events[-1], StreamError)
    assert canned.closed == 1


async def test_an_abort_ends_the_wait_for_a_server_that_says_nothing():
    canned = Canned(hangs=True)
    abort = AbortController()
    reading = asyncio.create_task(events_of(model_over(canned), signal=abort.signal))
    await canned.asked.wait()
    abort.abort()
    assert [type(event) for event in await asyncio.wait_for(reading, 5)] == [StreamError]


# The network, over a real socket


@pytest.mark.parametrize("breaks", ["end", "reset"])
async def test_a_connection_that_ends_at_any_byte_ends_the_stream_once(breaks):
    body = answer(thinking(0, ["hm"]), text(1, "Hi"))
    for length in range(0, len(body), 97):
        data = HEAD + chunked(body[:length]) if length else HEAD

        async def respond(_, writer, data=data):
            writer.write(data)
            await writer.drain()
            if breaks == "reset":
                writer.transport.abort()

        async with raw_server(respond) as url:
            events = await events_of(HttpModel(OpenAIResponses(), "gpt-5", url))
        ends = [event for event in events if isinstance(event, StreamDone | StreamError)]
        assert ends == [events[-1]]
        assert failure_of(events).kind in ("network", "protocol")
        blocks(events)


# Failures and secrets


async def test_an_error_response_has_kind_status_and_wait():
    body = b'{"error": {"type": "requests", "code": "rate_limit_exceeded", "message": "Slow down."}}'
    failure = failure_of(await events_of(model_over(Canned([body], 429, {"retry-after": "7"}))))
    assert (failure.kind, failure.status, failure.retry_after) == ("rate_limit", 429, 7.0)


@pytest.mark.parametrize("kind", ["status", "stream", "page", "broken", "defect"])
async def test_no_key_is_ever_told(kind, caplog):
    caplog.set_level(logging.DEBUG)
    keys = (KEY, "canary-query-012345", "canary-pass-012345", "canary-head-012345")
    echo = " ".join(keys)
    canned = {
        "status": Canned([b'{"error": {"message": "bad key %s"}}' % echo.encode()], 401),
        "stream": Canned([sse({"type": "error", "message": f"bad key {echo}", "code": echo})]),
        "page": Canned([b"<html><title>%s</title>" % echo.encode()], 502),
        "broken": Canned(refuses=httpx.LocalProtocolError(f"Illegal header value b'{keys[0]}'")),
        "defect": Canned(refuses=RuntimeError(f"a defect with {echo}")),
    }[kind]
    base_url = f"http://user:{keys[2]}@model.test/v1?key={keys[1]}"
    model = model_over(canned, base_url=base_url, headers={"x-more": keys[3]})
    events = await events_of(model)
    assert "canary" not in repr(events) + caplog.text + model.id + repr(model)
    assert canned.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert b"canary" not in canned.requests[0].content


# Values


def assert_storable(value: object) -> None:
    """Every text can be encoded, every number is finite."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, float):
        assert math.isfinite(value)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            assert_storable(getattr(value, field.name))


KEYS = [
    "type", "item", "item_id", "output_index", "summary_index", "delta", "text", "refusal", "arguments", "input", "id",
    "call_id", "name", "content", "summary", "encrypted_content", "format", "response", "status", "model", "output",
    "usage", "input_tokens", "output_tokens", "input_tokens_details", "cached_tokens", "error", "code", "message",
    "incomplete_details", "reason", "object",
]  # fmt: skip
KINDS = [
    *(f"response.{name}" for name in ("created", "completed", "incomplete", "failed", "output_item.added")),
    *(
        f"response.{name}.{end}"
        for name in ("output_text", "refusal", "reasoning_text")
        for end in ("delta", "done")
    ),
    *(
        "response.output_item.done",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
    ),
    *("response.function_call_arguments.delta", "response.function_call_arguments.done", "error"),
]
WORDS = ["message", "reasoning", "function_call", "custom_tool_call", "output_text", "response", "completed"]
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([*WORDS, "\ud800", "x", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)
ITEMS = st.builds(
    lambda kind, more: {**more, "type": kind},
    st.sampled_from(WORDS[:4]),
    st.dictionaries(st.sampled_from(KEYS), JSON_VALUE, max_size=5),
)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), JSON_VALUE | ITEMS), max_size=6),
    st.booleans(),
    st.binary(max_size=20),
)
@settings(max_examples=150, deadline=None)
async def test_any_json_in_any_place_ends_the_stream_once_with_values_that_can_be_stored(
    values, ends, garbage
):
    events = [{**value, "type": kind} if isinstance(value, dict) else value for kind, value in values]
    shaped = [
        {"type": kind, "output_index": 0, **dict.fromkeys(("delta", "text", "item", "response"), value)}
        for kind, value in values
    ]
    lines = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in (*events, *shaped))
    got = await events_of(model_over(Canned([lines, garbage, sse(end()) if ends else b""])))
    for event in got:
        assert_storable(event)
    assert [event for event in got if isinstance(event, StreamDone | StreamError)] == [got[-1]]
    blocks(got)
