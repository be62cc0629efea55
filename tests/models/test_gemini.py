"""A Gemini model over HTTP: how streams end, whatever the server and the network do."""

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
from steersman.agent.messages import AssistantMessage, Text, Thinking, ToolCall
from steersman.agent.model import BlockDelta, BlockEnd, ModelRequest, Ping, StreamDone, StreamError, ToolSpec
from steersman.models.errors import ModelConfigError
from steersman.models.failure_body import read_error_body
from steersman.models.failures import classify
from steersman.models.gemini import Gemini
from steersman.models.http import QUEUE_LIMIT, close_shared_client
from steersman.models.http_model import HttpModel
from steersman.models.sse import EVENT_LIMIT
from support.gemini_rules import check_gemini_request
from support.gemini_sse import answer, call, chunk, sse, text, thought, usage
from support.http_models import HEAD, KEY, QUICK, SHORT, chunked, failure_of, model_of
from support.model_server import Canned, ask, events_of, raw_server, read_request
from support.sse import blocks

HELLO = answer(text("Hello"))
HALF = sse(chunk(text("half"), usageMetadata=usage(3)))
NAME = "gemini-3-flash-preview"
OVERLOADED = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}


def model_over(canned: Canned, name: str = NAME, **options) -> HttpModel:
    return model_of(Gemini(), canned, name, **options)


@pytest.fixture(autouse=True)
async def no_connection_outlives_its_test():
    yield
    await close_shared_client()


# The request


async def test_a_request_has_the_key_in_its_header_only_and_a_json_body():
    canned = Canned([HELLO])
    await events_of(model_over(canned))
    [request] = canned.requests
    assert request.method == "POST"
    assert str(request.url) == f"http://model.test/v1beta/models/{NAME}:streamGenerateContent?alt=sse"
    assert request.headers["x-goog-api-key"] == KEY
    assert request.headers["accept-encoding"] == "identity"
    assert "authorization" not in request.headers
    check_gemini_request(request.content, NAME)


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        (
            "https://generativelanguage.googleapis.com/v1beta",
            "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse",
        ),
        ("http://h:1/", "http://h:1/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("http://h:1/v1/", "http://h:1/v1/models/m:streamGenerateContent?alt=sse"),
        ("https://h/p/google?a=1", "https://h/p/google/models/m:streamGenerateContent?a=1&alt=sse"),
        (" http://h/v1beta/models ", "http://h/v1beta/models/m:streamGenerateContent?alt=sse"),
    ],
)
async def test_the_base_url_is_what_other_clients_take(base_url, url):
    canned = Canned([HELLO])
    await events_of(model_over(canned, "m", base_url=base_url))
    assert str(canned.requests[0].url) == url


async def test_credentials_of_the_base_url_are_sent_beside_the_key_which_has_a_header_of_its_own():
    canned = Canned([HELLO])
    await events_of(model_over(canned, "m", base_url="http://me:pass@h/v1"))
    headers = canned.requests[0].headers
    assert (headers["authorization"], headers["x-goog-api-key"]) == ("Basic bWU6cGFzcw==", KEY)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("models/m", b"/v1/models/m:"),
        ("a/../b?c", b"/v1/models/a%2F..%2Fb%3Fc:"),
        ("half \ud83d", b"/v1/models/half%20%3F:"),
    ],
)
async def test_a_name_is_one_segment_of_the_path(name, path):
    canned = Canned([HELLO])
    model = model_over(canned, name, base_url="http://h/v1")
    await events_of(model)
    assert canned.requests[0].url.raw_path == path + b"streamGenerateContent?alt=sse"
    assert model.id == f"gemini:{name}"


async def test_without_a_key_none_is_sent():
    canned = Canned([HELLO])
    await events_of(model_over(canned, api_key=" \n"))
    assert "x-goog-api-key" not in canned.requests[0].headers


async def test_more_headers_are_sent_but_none_in_the_key_s_place():
    canned = Canned([HELLO])
    await events_of(model_over(canned, headers={"X-Goog-Api-Key": "other", "X-Goog-User-Project": "p"}))
    assert canned.requests[0].headers["x-goog-api-key"] == KEY
    assert canned.requests[0].headers["x-goog-user-project"] == "p"


@pytest.mark.parametrize(
    "base_url", ["", "localhost:8080", "ftp://h", "http://", "http://[", "http://h:port/"]
)
def test_a_bad_base_url_is_refused_without_repeating_it(base_url):
    with pytest.raises(ModelConfigError, match="base URL"):
        HttpModel(Gemini(), "m", base_url)


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key):
    with pytest.raises(ModelConfigError) as error:
        HttpModel(Gemini(), "m", "http://h", key)
    assert key not in str(error.value)


async def test_an_answer_can_be_sent_back_with_its_signatures_in_their_places():
    parts = (
        text("I look."),
        text("", "s1"),
        call("ls", {"a": 1}, call_id="9d5", signature="s2"),
        call("ls", {}, call_id="9d6"),
    )
    canned = Canned([answer(thought("hm"), *parts)])
    model = model_over(canned)
    events = await events_of(model, ask(thinking="low"))
    kinds = [kind for kind, _, _ in blocks(events)]
    assert kinds == ["thinking", "text", "thinking", "toolCall", "toolCall"]
    said = AssistantMessage("a", tuple(_content(events)), model.id, "tool_calls")
    await events_of(model, ModelRequest("", [*ask().messages, said], [ToolSpec("ls", "", {})]))
    body = check_gemini_request(canned.requests[1].content, NAME)
    assert body["contents"][1]["parts"] == [
        {"text": "I look.", "thoughtSignature": "s1"},
        {"functionCall": {"id": "9d5", "name": "ls", "args": {"a": 1}}, "thoughtSignature": "s2"},
        {"functionCall": {"id": "9d6", "name": "ls", "args": {}}},
    ]


def _content(events):
    """The blocks of an answer as a history keeps them."""
    ids = {event.index: event.provider_id for event in events if getattr(event, "kind", "") == "toolCall"}
    signatures = {event.index: event.signature for event in events if isinstance(event, BlockEnd)}
    for index, (kind, name, heard) in enumerate(blocks(events)):
        if kind == "toolCall":
            yield ToolCall(f"c{index}", name, heard, ids[index], signatures[index])
        else:
            yield Text(heard) if kind == "text" else Thinking(heard, signatures[index])


# How a stream ends


async def test_a_response_is_blocks_and_one_end_with_usage_and_model():
    events = await events_of(model_over(Canned([HELLO])))
    assert blocks(events) == [("text", "", "Hello")]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert (last.stop_reason, last.usage.input, last.usage.output, last.model) == ("stop", 3, 2, "gemini-x")


async def test_chunks_that_show_nothing_show_that_the_stream_is_alive():
    events = await events_of(model_over(Canned([sse(chunk(text(""))), b": alive\n\n"])))
    assert events[:-1] == [Ping()] * (len(events) - 1)
    assert len(events) > 1
    assert failure_of(events).kind == "protocol"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "protocol"),
        (HALF, "protocol"),
        (sse(chunk(thought("hm"))), "protocol"),
        (sse(chunk(call("ls", {}))), "protocol"),
        (HALF + b"data: {oops\n\n" + HELLO, "protocol"),
        (HALF + b'data: {"candidates": [{"content', "protocol"),
        (b"<html>log in</html>", "protocol"),
        (answer(), "empty"),
        (answer(thought("hm")), "empty"),
        (answer(thought("hm"), finish="OTHER"), "empty"),
        (answer(text("", "s")), "empty"),
        (HALF + sse(OVERLOADED), "overloaded"),
        (json.dumps(OVERLOADED).encode(), "overloaded"),
        (json.dumps([OVERLOADED]).encode(), "overloaded"),
        (HALF + sse({"error": {"code": 500, "message": "no", "status": "INTERNAL"}}), "server"),
        (sse({"error": {"code": 429, "message": "no", "status": "RESOURCE_EXHAUSTED"}}), "rate_limit"),
        (answer(text("a"), finish="MALFORMED_FUNCTION_CALL"), "tool_use_failed"),
        (answer(finish="UNEXPECTED_TOOL_CALL"), "tool_use_failed"),
        (answer(finish="MALFORMED_RESPONSE"), "server"),
        (answer(finish="MISSING_THOUGHT_SIGNATURE"), "bad_request"),
    ],
)
async def test_a_body_that_is_no_good_answer_ends_as_a_failure(body, kind):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.kind == kind
    assert failure.message.startswith("model.test ")


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (HALF, "ended the answer in the middle: no finish reason came."),
        (HALF + b"data: {oops\n\n", "sent an event that is not JSON."),
        (
            answer(finish="MALFORMED_FUNCTION_CALL"),
            "failed during the answer: finish reason MALFORMED_FUNCTION_CALL",
        ),
    ],
)
async def test_what_was_wrong_with_an_answer_is_said(body, what):
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert failure.message == f"model.test {what}"


async def test_an_error_in_the_middle_keeps_what_had_come_and_its_usage():
    events = await events_of(model_over(Canned([HALF + sse(OVERLOADED)], hangs=True)))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).message == "model.test failed during the answer: The model is overloaded."
    assert events[-1].usage.input == 3


async def test_an_answer_that_was_cut_before_anything_was_said_is_done_with_its_reason():
    last = (await events_of(model_over(Canned([answer(thought("hm"), finish="MAX_TOKENS")]))))[-1]
    assert isinstance(last, StreamDone)
    assert last.stop_reason == "length"


async def test_a_prompt_that_was_blocked_is_a_failure_with_the_provider_s_reason():
    body = sse({"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": f"Reasons ({KEY})."}})
    failure = failure_of(await events_of(model_over(Canned([body]))))
    assert (failure.kind, failure.cut) == ("refused", True)
    assert failure.message == "model.test refused to answer: Reasons ([redacted])."


async def test_an_answer_of_which_nothing_was_let_through_is_a_failure_too():
    failure = failure_of(await events_of(model_over(Canned([answer(finish="PROHIBITED_CONTENT")]))))
    assert (failure.kind, failure.cut) == ("refused", True)
    assert failure.message == "model.test refused to answer: the answer was blocked (PROHIBITED_CONTENT)"


async def test_a_filter_that_broke_an_answer_off_is_done_as_a_filter():
    events = await events_of(model_over(Canned([answer(text("half"), finish="SAFETY")])))
    assert isinstance(events[-1], StreamDone)
    assert events[-1].stop_reason == "content_filter"


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset")])
async def test_a_server_that_does_not_close_after_its_answer_is_not_waited_for_long(breaks):
    canned = Canned([HELLO], hangs=breaks is None, breaks=breaks)
    assert isinstance((await events_of(model_over(canned, stall=SHORT)))[-1], StreamDone)
    assert canned.closed == 1


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


@pytest.mark.parametrize("piece", [b": keep-alive\n\n", sse(chunk(text(""))), b'[{"a":', sse({}), sse([])])
async def test_an_endless_stream_without_an_answer_is_given_up(piece):
    canned = Canned(chain([piece], repeat(b"\n" if piece.startswith(b"[") else piece)))
    assert failure_of(await events_of(model_over(canned, stall=QUICK))).kind in ("timeout", "protocol")
    assert canned.closed == 1


@pytest.mark.parametrize(
    "beginning", [b'data: {"candidates":[{"content":"', b'{"candidates":"', b'[{"a":"', b":"]
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
        model = HttpModel(Gemini(), NAME, url)
        assert isinstance((await events_of(model))[-1], StreamDone)
        assert isinstance((await events_of(model))[-1], StreamDone)
    assert connections == 1


async def test_a_connection_cut_in_the_middle_is_a_network_failure():
    async def respond(_, writer):
        writer.write(HEAD + chunked(HALF))
        await writer.drain()
        writer.close()

    async with raw_server(respond) as url:
        events = await events_of(HttpModel(Gemini(), NAME, url))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).kind == "network"


WHOLE = answer(thought("hm"), text("Hé"), call("ls", {"a": 1}, signature="s"))


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset"), httpx.RemoteProtocolError("cut")])
async def test_a_connection_that_ends_at_any_byte_ends_the_stream_once(breaks):
    for place in range(0, len(WHOLE) + 1, 7):
        events = await events_of(model_over(Canned([WHOLE[:place]], breaks=breaks)))
        ends = [event for event in events if isinstance(event, StreamDone | StreamError)]
        assert ends == [events[-1]]
        assert isinstance(events[-1], StreamError) or place > WHOLE.index(b'"STOP"')


# Errors of the server


@pytest.mark.parametrize(
    ("status", "word", "message", "kind"),
    [
        (400, "INVALID_ARGUMENT", "Please use a valid role: user, model.", "bad_request"),
        (
            400,
            "INVALID_ARGUMENT",
            "Function call is missing a thought_signature in functionCall parts.",
            "bad_request",
        ),
        (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
            "context_overflow",
        ),
        (403, "PERMISSION_DENIED", "no", "permission"),
        (404, "NOT_FOUND", "models/gemini-x is not found for API version v1beta", "not_found"),
        (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", "rate_limit"),
        (500, "INTERNAL", "no", "server"),
        (503, "UNAVAILABLE", "The model is overloaded. Please try again later.", "overloaded"),
    ],
)
def test_the_documented_errors_have_their_kinds(status, word, message, kind):
    body = {"error": {"code": status, "message": message, "status": word}}
    assert classify(status, read_error_body(body)) == kind
    assert classify(status, read_error_body([body])) == kind


async def test_an_error_response_has_kind_status_and_wait():
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]
    body = json.dumps({"error": {**OVERLOADED["error"], "details": details}}).encode()
    failure = failure_of(await events_of(model_over(Canned([body], 503))))
    assert (failure.kind, failure.status, failure.retry_after) == ("overloaded", 503, 7.5)
    assert failure.message == "model.test answered 503: The model is overloaded."


@pytest.mark.parametrize("kind", ["status", "stream", "finish", "page", "broken", "defect"])
async def test_no_key_is_ever_told(kind, caplog):
    caplog.set_level(logging.DEBUG)
    keys = (KEY, "canary-query-012345", "canary-pass-012345", "canary-header-01234")
    echo = " ".join(keys)
    canned = {
        "status": Canned([json.dumps({"error": {"message": f"bad key {echo}"}}).encode()], 401),
        "stream": Canned([sse({"error": {"message": f"bad key {echo}", "status": echo}})]),
        "finish": Canned([sse(chunk(finish="MALFORMED_FUNCTION_CALL", message=f"bad {echo}"))]),
        "page": Canned([b"<html><title>%s</title>" % echo.encode()], 502),
        "broken": Canned(refuses=httpx.LocalProtocolError(f"Illegal header value b'{keys[0]}'")),
        "defect": Canned(refuses=RuntimeError(f"a defect with {echo}")),
    }[kind]
    base_url = f"http://user:{keys[2]}@model.test/v1?key={keys[1]}"
    model = model_over(canned, base_url=base_url, headers={"x-more": keys[3]})
    events = await events_of(model)
    assert "canary" not in repr(events) + caplog.text + model.id + repr(model)
    assert canned.requests[0].headers["x-goog-api-key"] == KEY
    assert KEY not in str(canned.requests[0].url)
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
    *("candidates", "content", "parts", "text", "thought", "thoughtSignature", "functionCall", "name"),
    *("args", "id", "index", "finishReason", "finishMessage", "promptFeedback", "blockReason", "error"),
    *("blockReasonMessage", "usageMetadata", "promptTokenCount", "thoughtsTokenCount", "modelVersion"),
    *("responseId", "message", "code", "status"),
]
WORDS = ["STOP", "MAX_TOKENS", "SAFETY", "OTHER", "MALFORMED_FUNCTION_CALL", "\ud800", "x"]
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@given(st.lists(JSON_VALUE, max_size=5), st.booleans(), st.binary(max_size=20))
@settings(max_examples=200, deadline=None)
async def test_any_json_in_any_place_ends_the_stream_once_with_values_that_can_be_stored(
    values, ends, garbage
):
    parts = [{"text": value, "thoughtSignature": value} for value in values]
    parts += [{"functionCall": {"name": value, "args": value, "id": value}} for value in values]
    parts += [{"functionCall": {"args": {"a": value}}, "thoughtSignature": value} for value in values]
    shaped = [
        *({"candidates": [value], "usageMetadata": value, "promptFeedback": value} for value in values),
        *({"candidates": [{"content": {"parts": [part]}, "finishReason": None}]} for part in parts),
        *({"candidates": [{"finishReason": value, "finishMessage": value}]} for value in values),
        *({"modelVersion": value, "usageMetadata": {"promptTokenCount": value}} for value in values),
    ]
    got = await events_of(
        model_over(Canned([sse(*values, *shaped), garbage, HELLO if ends else b""]), stall=SHORT)
    )
    for event in got:
        assert_storable(event)
    assert [event for event in got if isinstance(event, StreamDone | StreamError)] == [got[-1]]
    blocks(got)
