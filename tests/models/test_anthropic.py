"""A Messages model over HTTP: how streams end, whatever the server and the network do."""

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
from steersman.agent.messages import AssistantMessage, ToolCall
from steersman.agent.model import BlockDelta, ModelRequest, Ping, StreamDone, StreamError
from steersman.models.anthropic import Anthropic
from steersman.models.errors import ModelConfigError
from steersman.models.failure_body import read_error_body
from steersman.models.failures import classify
from steersman.models.http import QUEUE_LIMIT, close_shared_client
from steersman.models.http_model import HttpModel
from steersman.models.sse import EVENT_LIMIT
from support.anthropic_sse import answer, call, sse, start, stop, text, thinking
from support.http_models import HEAD, KEY, QUICK, SHORT, chunked, failure_of, model_of
from support.model_server import Canned, ask, events_of, raw_server, read_request
from support.sse import blocks

HELLO = answer(text(0, "Hello"))
HALF = sse(start(), *text(0, "half"))


def model_over(canned: Canned, name: str = "claude-opus-4-8", **options) -> HttpModel:
    return model_of(Anthropic(), canned, name, **options)


@pytest.fixture(autouse=True)
async def no_connection_outlives_its_test():
    yield
    await close_shared_client()


# The request


async def test_a_request_has_the_key_the_version_and_a_json_body():
    canned = Canned([HELLO])
    await events_of(model_over(canned))
    [request] = canned.requests
    assert (request.method, str(request.url)) == ("POST", "http://model.test/v1/messages")
    assert request.headers["x-api-key"] == KEY
    assert request.headers["anthropic-version"] == "2023-06-01"
    assert request.headers["accept-encoding"] == "identity"
    assert "authorization" not in request.headers
    assert "anthropic-beta" not in request.headers
    assert json.loads(request.content)["model"] == "claude-opus-4-8"


async def test_a_model_whose_thinking_is_bound_names_the_beta_for_it():
    canned = Canned([HELLO])
    await events_of(model_over(canned, "claude-opus-5-5"))
    assert canned.requests[0].headers["anthropic-beta"].startswith("thinking-binding-controls-")
    assert "block_binding" in json.loads(canned.requests[0].content)["thinking"]


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:1", "http://h:1/v1/messages"),
        ("http://h:1/", "http://h:1/v1/messages"),
        ("http://h:1/v1/", "http://h:1/v1/messages"),
        ("https://h/anthropic?tenant=1", "https://h/anthropic/v1/messages?tenant=1"),
        (" http://h/v1/messages ", "http://h/v1/messages"),
    ],
)
async def test_the_base_url_is_what_other_clients_take(base_url, url):
    canned = Canned([HELLO])
    await events_of(model_over(canned, base_url=base_url))
    assert str(canned.requests[0].url) == url


async def test_without_a_key_none_is_sent():
    canned = Canned([HELLO])
    await events_of(model_over(canned, api_key=" \n"))
    assert "x-api-key" not in canned.requests[0].headers


@pytest.mark.parametrize(
    "base_url", ["", "localhost:8080", "ftp://h", "http://", "http://[", "http://h:port/"]
)
def test_a_bad_base_url_is_refused_without_repeating_it(base_url):
    with pytest.raises(ModelConfigError, match="base URL"):
        HttpModel(Anthropic(), "m", base_url)


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key):
    with pytest.raises(ModelConfigError) as error:
        HttpModel(Anthropic(), "m", "http://h", key)
    assert key not in str(error.value)


async def test_an_answer_can_be_sent_back():
    canned = Canned(
        [
            answer(
                thinking(0, "hm", signature="EqQB"),
                call(1, "ls", '{"a":1}', call_id="toolu_9"),
                reason="tool_use",
            )
        ]
    )
    model = model_over(canned)
    events = await events_of(model, ask(thinking="low"))
    assert [kind for kind, _, _ in blocks(events)] == ["thinking", "toolCall"]
    [begun] = [event.provider_id for event in events if getattr(event, "kind", "") == "toolCall"]
    said = AssistantMessage("a", (ToolCall("c1", "ls", '{"a":1}', begun),), model.id, "tool_calls")
    await events_of(model, ModelRequest("", [*ask().messages, said]))
    assert json.loads(canned.requests[1].content)["messages"][1]["content"][0]["id"] == "toolu_9"


# How a stream ends


async def test_a_response_is_blocks_and_one_end_with_usage_and_model():
    events = await events_of(model_over(Canned([HELLO])))
    assert blocks(events) == [("text", "", "Hello")]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert (last.stop_reason, last.usage.input, last.usage.output, last.model) == ("stop", 3, 2, "claude-x")


async def test_pings_and_starts_show_that_the_stream_is_alive():
    events = await events_of(model_over(Canned([sse(start()), sse({"type": "ping"}), b": alive\n\n"])))
    assert events[:-1] == [Ping()] * (len(events) - 1)
    assert len(events) > 1
    assert failure_of(events).kind == "protocol"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "protocol"),
        (HALF, "protocol"),
        (sse(start(), *text(0, "whole"), stop()[0]), "protocol"),
        (sse(start(), *thinking(0, "hm")), "protocol"),
        (sse(start(), *call(0, "ls", '{"a":1}'), stop("tool_use")[0]), "protocol"),
        (HALF + b"data: {oops\n\n" + sse(*stop()), "protocol"),
        (HALF + sse(start(id="msg_2"), *text(0, "b"), *stop()), "protocol"),
        (b"<html>log in</html>", "protocol"),
        (answer(), "empty"),
        (answer(thinking(0, "hm")), "empty"),
        (answer(text(0, "")), "empty"),
        (
            HALF + sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            "overloaded",
        ),
        (HALF + sse({"type": "error", "error": {"type": "api_error", "message": "no"}}), "server"),
        (HALF + sse({"type": "error", "error": {"type": "timeout_error", "message": "no"}}), "timeout"),
        (b'{"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}', "rate_limit"),
    ],
)
async def test_a_body_that_is_no_good_answer_ends_as_a_failure(body, kind):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.kind == kind
    assert failure.message.startswith("model.test ")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (HALF, "ended the answer in the middle: message_stop did not come."),
        (HALF + b"data: {oops\n\n", "sent an event that is not JSON."),
        (HALF + sse(start(id="msg_2")), "sent two answers in one stream."),
    ],
)
async def test_what_was_wrong_with_an_answer_is_said(body, what):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.message == f"model.test {what}"


async def test_an_error_in_the_middle_keeps_what_had_come_and_its_usage():
    body = HALF + sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    events = await events_of(model_over(Canned([body], hangs=True)))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).message == "model.test failed during the answer: Overloaded"
    assert events[-1].usage.input == 3


async def test_an_answer_that_was_cut_before_anything_was_said_is_done_with_its_reason():
    last = (await events_of(model_over(Canned([answer(thinking(0, "hm"), reason="max_tokens")]))))[-1]
    assert isinstance(last, StreamDone)
    assert last.stop_reason == "length"


async def test_a_refusal_that_says_nothing_is_a_failure_with_the_provider_s_reason():
    details = {"type": "refusal", "category": "cyber", "explanation": f"Against the policy ({KEY})."}
    body = sse(start(), *text(0, ""), *stop("refusal", stop_details=details))
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert (failure.kind, failure.cut) == ("refused", True)
    assert failure.message == "model.test refused to answer: Against the policy ([redacted])."


async def test_a_refusal_that_broke_an_answer_off_is_done_as_a_refusal():
    events = await events_of(model_over(Canned([answer(text(0, "half"), reason="refusal")])))
    assert isinstance(events[-1], StreamDone)
    assert events[-1].stop_reason == "refusal"


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset")])
async def test_a_server_that_does_not_close_after_its_answer_keeps_nobody_waiting(breaks):
    canned = Canned([HELLO], hangs=breaks is None, breaks=breaks)
    assert isinstance((await events_of(model_over(canned)))[-1], StreamDone)
    assert canned.closed == 1


async def test_a_whole_message_is_an_answer():
    body = {"type": "message", "content": [{"type": "text", "text": "Hello"}], "stop_reason": "end_turn"}
    assert blocks(await events_of(model_over(Canned([json.dumps(body).encode()])))) == [("text", "", "Hello")]


async def test_a_defect_of_ours_is_a_failure_and_never_raised(caplog):
    class NoMessage:
        pass

    events = await events_of(model_over(Canned([HELLO])), ModelRequest("", [NoMessage()]))
    assert failure_of(events).kind == "bad_request"
    assert "the request to model.test failed" in caplog.text


# Stalls and aborts


async def test_silence_before_and_within_an_answer_ends_as_a_timeout():
    failure = failure_of(await events_of(model_over(Canned(hangs=True), stall=SHORT)))
    assert (failure.kind, "did not begin to answer" in failure.message) == ("timeout", True)
    canned = Canned([HALF], hangs=True)
    events = await events_of(model_over(canned, stall=SHORT))
    assert blocks(events) == [("text", "", "half")]
    assert "sent nothing more" in failure_of(events).message
    assert canned.closed == 1


@pytest.mark.parametrize(
    "piece", [b": keep-alive\n\n", sse({"type": "ping"}), sse(start()), b'{"a":', sse(*text(0, ""))]
)
async def test_an_endless_stream_without_an_answer_is_given_up(piece):
    canned = Canned(chain([piece], repeat(b"\n" if piece.startswith(b"{") else piece)))
    assert failure_of(await events_of(model_over(canned, stall=QUICK))).kind in ("timeout", "protocol")
    assert canned.closed == 1


@pytest.mark.parametrize(
    "beginning", [b'data: {"type":"content_block_delta","delta":{"text":"', b'{"content":"', b":"]
)
async def test_an_event_without_end_is_given_up_in_bounded_memory(beginning):
    taken = 0

    def pieces():
        nonlocal taken
        yield beginning
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


async def test_a_stream_that_is_left_closes_its_response():
    canned = Canned([HALF], hangs=True)
    stream = model_over(canned).stream(ask(), AbortController().signal)
    async for _ in stream:
        break
    await stream.aclose()
    assert canned.closed == 1


# The network, over a real socket


async def test_a_connection_is_used_again_for_the_next_turn():
    connections = 0

    async def respond(reader, writer):
        nonlocal connections
        connections += 1
        while True:
            writer.write(HEAD + chunked(HELLO) + chunked(b""))
            await writer.drain()
            await read_request(reader)

    async with raw_server(respond) as url:
        model = HttpModel(Anthropic(), "claude-x", url)
        assert isinstance((await events_of(model))[-1], StreamDone)
        assert isinstance((await events_of(model))[-1], StreamDone)
    assert connections == 1


async def test_a_connection_cut_in_the_middle_is_a_network_failure():
    async def respond(_, writer):
        writer.write(HEAD + chunked(HALF))
        await writer.drain()
        writer.close()

    async with raw_server(respond) as url:
        events = await events_of(HttpModel(Anthropic(), "claude-x", url))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).kind == "network"


WHOLE = answer(thinking(0, "hm"), text(1, "Hé"), call(2, "ls", '{"a"', ": 1}"), reason="tool_use")


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset"), httpx.RemoteProtocolError("cut")])
async def test_a_connection_that_ends_at_any_byte_ends_the_stream_once(breaks):
    for place in range(0, len(WHOLE) + 1, 7):
        events = await events_of(model_over(Canned([WHOLE[:place]], breaks=breaks)))
        ends = [event for event in events if isinstance(event, StreamDone | StreamError)]
        assert ends == [events[-1]]
        assert isinstance(events[-1], StreamError) or place > WHOLE.index(b'{"type": "message_stop"')


# Errors of the server


@pytest.mark.parametrize(
    ("status", "kind_sent", "message", "kind"),
    [
        (400, "invalid_request_error", "messages: text content blocks must be non-empty", "bad_request"),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "context_overflow",
        ),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit",
            "context_overflow",
        ),
        (400, "invalid_request_error", "Your credit balance is too low to access the API.", "quota"),
        (400, "invalid_request_error", "You have reached your specified API usage limits.", "quota"),
        (401, "authentication_error", "invalid x-api-key", "auth"),
        (402, "billing_error", "no", "quota"),
        (403, "permission_error", "no", "permission"),
        (404, "not_found_error", "model: claude-x", "not_found"),
        (413, "request_too_large", "no", "context_overflow"),
        (429, "rate_limit_error", "no", "rate_limit"),
        (500, "api_error", "no", "server"),
        (504, "timeout_error", "no", "timeout"),
        (529, "overloaded_error", "Overloaded", "overloaded"),
    ],
)
def test_the_documented_errors_have_their_kinds(status, kind_sent, message, kind):
    body = {"type": "error", "error": {"type": kind_sent, "message": message}, "request_id": "req_1"}
    assert classify(status, read_error_body(body)) == kind


async def test_an_error_response_has_kind_status_and_wait():
    body = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'
    failure = failure_of(await events_of(model_over(Canned([body], 529, {"retry-after": "7"}))))
    assert (failure.kind, failure.status, failure.retry_after) == ("overloaded", 529, 7.0)
    assert failure.message == "model.test answered 529: Overloaded"


@pytest.mark.parametrize("kind", ["status", "stream", "page", "broken", "defect"])
async def test_no_key_is_ever_told(kind, caplog):
    caplog.set_level(logging.DEBUG)
    keys = (KEY, "canary-query-012345", "canary-pass-012345")
    echo = " ".join(keys)
    canned = {
        "status": Canned([b'{"type": "error", "error": {"message": "bad key %s"}}' % echo.encode()], 401),
        "stream": Canned([sse({"type": "error", "error": {"message": f"bad key {echo}", "type": echo}})]),
        "page": Canned([b"<html><title>%s</title>" % echo.encode()], 502),
        "broken": Canned(refuses=httpx.LocalProtocolError(f"Illegal header value b'{keys[0]}'")),
        "defect": Canned(refuses=RuntimeError(f"a defect with {echo}")),
    }[kind]
    model = model_over(canned, base_url=f"http://user:{keys[2]}@model.test/v1?key={keys[1]}")
    events = await events_of(model)
    assert "canary" not in repr(events) + caplog.text + model.id + repr(model)
    assert canned.requests[0].headers["x-api-key"] == KEY
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
    *(
        "type",
        "index",
        "delta",
        "text",
        "thinking",
        "signature",
        "partial_json",
        "content_block",
        "id",
        "name",
        "input",
    ),
    *(
        "message",
        "model",
        "usage",
        "input_tokens",
        "output_tokens",
        "stop_reason",
        "stop_details",
        "explanation",
        "error",
    ),
    *("output_tokens_details", "thinking_tokens", "data", "content"),
]
KINDS = [
    *(
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message",
    ),
    *(
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "text_delta",
        "input_json_delta",
        "signature_delta",
    ),
]
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([*KINDS, "\ud800", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), JSON_VALUE), max_size=5), st.booleans(), st.binary(max_size=20)
)
@settings(max_examples=150, deadline=None)
async def test_any_json_in_any_place_ends_the_stream_once_with_values_that_can_be_stored(
    values, ends, garbage
):
    events = [{**value, "type": kind} if isinstance(value, dict) else value for kind, value in values]
    shaped = [
        {"type": kind, "index": 0, **dict.fromkeys(("delta", "content_block", "message", "usage"), value)}
        for kind, value in values
    ]
    lines = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in (*events, *shaped))
    got = await events_of(model_over(Canned([lines, garbage, sse(*stop()) if ends else b""])))
    for event in got:
        assert_storable(event)
    assert [event for event in got if isinstance(event, StreamDone | StreamError)] == [got[-1]]
    blocks(got)
