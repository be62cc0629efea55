"""Servers that are broken or mean: a stream ends once, in bounded memory, and its values can be stored."""

import dataclasses
import gzip
import json
import math
from itertools import chain, repeat

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.model import StreamDone, StreamError
from steersman.models import answer_body
from steersman.models.endpoint import Stall
from steersman.models.http import QUEUE_LIMIT, new_client
from steersman.models.http_model import HttpModel
from steersman.models.openai_chat import OpenAIChat
from steersman.models.sse import EVENT_LIMIT
from support.cases import cases
from support.model_server import Canned, events_of
from support.sse import DONE, blocks, call, chunk, sse, text

QUICK = Stall(first_byte=5, between=5, after_end=0.05, no_answer=0.05)
MEGABYTE = b"x" * (1 << 20)


async def answer_of(*pieces: bytes, stall: Stall = QUICK, **canned: object):
    server = Canned(pieces, **canned)
    return await events_of(
        HttpModel(OpenAIChat(), "m", "http://model.test/v1", None, client=new_client(server), stall=stall)
    )


async def endless(pieces, stall: Stall = QUICK):
    server = Canned(pieces)
    events = await events_of(
        HttpModel(OpenAIChat(), "m", "http://model.test/v1", None, client=new_client(server), stall=stall)
    )
    assert server.closed == 1
    return events[-1]


def assert_storable(value: object) -> None:
    """Every text can be encoded, every number is finite."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, float):
        assert math.isfinite(value)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            assert_storable(getattr(value, field.name))


@pytest.mark.parametrize(
    "piece",
    [
        b": keep-alive\n\n",
        b"\n\n",
        b"event: ping\n\n",
        b'{"a":',
        sse(text(""), done=False),
        sse(chunk(), done=False),
    ],
)
async def test_an_endless_stream_without_an_answer_is_given_up(piece):
    last = await endless(chain([piece], repeat(b"\n" if piece.startswith(b"{") else piece)))
    assert last.failure.kind in ("timeout", "protocol")


async def test_what_follows_the_end_mark_without_end_is_not_waited_for():
    last = await endless(chain([sse(text("Hello", "stop"))], repeat(b": keep-alive\n\n")))
    assert isinstance(last, StreamDone)


@pytest.mark.parametrize(
    "beginning", [b'data: {"choices":[{"delta":{"content":"', b"data: ", b'{"choices":"', b":", b""]
)
async def test_an_event_without_end_is_given_up_in_bounded_memory(beginning):
    taken = 0

    def pieces():
        nonlocal taken
        yield beginning
        while True:
            taken += len(MEGABYTE)
            yield MEGABYTE

    last = await endless(pieces(), Stall())
    assert (last.failure.kind, "more than any answer" in last.failure.message) == ("protocol", True)
    assert taken <= EVENT_LIMIT + 4 * QUEUE_LIMIT


async def test_an_answer_without_end_is_given_up():
    comment = b":" + MEGABYTE + b"\n\n"
    server = sse(text("more"), done=False) + comment
    last = await endless(repeat(server), Stall())
    assert last.failure.kind == "protocol"
    assert answer_body.BODY_LIMIT >= 64 << 20  # what real answers need: a token an event


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
async def test_a_byte_order_mark_before_a_document_is_no_part_of_it(size):
    message = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}
    body = b"\xef\xbb\xbf\r\n" + json.dumps(message).encode()
    events = await answer_of(*(body[at : at + size] for at in range(0, len(body), size)))
    assert isinstance(events[-1], StreamDone)
    assert blocks(events) == [("text", "", "Hello")]


async def test_what_was_compressed_is_passed_on_in_bounded_pieces():
    packed = gzip.compress(b"\n" * (20 << 20) + sse(text("Hello", "stop")))
    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    events = await answer_of(packed, headers=headers, stall=Stall())
    assert isinstance(events[-1], StreamDone)
    assert len(events) > (20 << 20) / (2 * QUEUE_LIMIT)


HALF = '"\\ud800"'


@pytest.mark.parametrize(
    "body",
    [
        '{"model": HALF, "id": HALF, "choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}',
        '{"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": HALF, "function": {"name": HALF, '
        '"arguments": HALF}}]}, "finish_reason": "tool_calls"}]}',
        '{"choices": [{"index": 0, "delta": {"content": HALF}, "finish_reason": HALF}]}',
        '{"error": {"message": HALF, "code": HALF, "type": HALF}}',
        '{"error": HALF}',
        *(
            f'{{"choices": [{{"index": 0, "delta": {{"content": "a"}}, "finish_reason": "stop"}}], "usage": {{'
            f'"prompt_tokens": {number}, "completion_tokens": {number}, "cost": {number}}}}}'
            for number in (
                "NaN",
                "Infinity",
                "-Infinity",
                "1e999",
                "1e308",
                "true",
                "1" + "0" * 400,
                "[]",
                "-1",
            )
        ),
    ],
)
async def test_every_value_of_an_event_can_be_stored(body):
    events = await answer_of(b"data: " + body.replace("HALF", HALF).encode() + b"\n\n" + DONE)
    for event in events:
        assert_storable(event)
    assert isinstance(events[-1], StreamError if "error" in body else StreamDone)


async def test_a_price_that_is_none_counts_nothing():
    usage = {"prompt_tokens": 1, "completion_tokens": True, "cost": 10**400}
    [*_, last] = await answer_of(sse(text("a", "stop"), {"choices": [], "usage": usage}))
    assert (last.usage.input, last.usage.output, last.usage.cost) == (1, 0, None)


async def test_the_name_of_a_call_is_bounded_and_printable():
    for name in ("\x1b[31mred\n\x9b", "n" * 1_000_000, "a\ud800b"):
        [(_, shown, _), *_] = blocks(
            await answer_of(sse(call("{}", index=0, id="1", name=name, finish="tool_calls")))
        )
        assert shown
        assert len(shown) <= 256
        assert all(char.isprintable() for char in shown)


@pytest.mark.parametrize("depth", [20, 400, 2000, 100_000])
async def test_content_in_content_is_read_to_a_depth(depth):
    nested = '{"content": [' * depth + '{"text": "x"}' + "]}" * depth
    body = json.dumps(chunk({"content": ["HERE"]})).replace('"HERE"', nested)
    events = await answer_of(b"data: " + body.encode() + b"\n\n" + sse(text("Hello", "stop")))
    failed = isinstance(events[-1], StreamError) and events[-1].failure.kind == "protocol"
    assert failed or blocks(events) == [("text", "", "Hello")]


async def test_indices_and_numbers_of_calls_cost_no_more_than_the_calls():
    calls = [call("{}", index=index, id=str(index), name="ls") for index in (10**9, -1, 0, 2**63)]
    assert len(blocks(await answer_of(sse(*calls, chunk({}, "tool_calls"))))) == 4
    many = [{"index": n, "id": str(n), "function": {"name": "ls", "arguments": "{}"}} for n in range(10_000)]
    assert len(blocks(await answer_of(sse(chunk({"tool_calls": many}, "tool_calls"))))) == 10_000


async def test_a_name_that_comes_with_every_piece_is_no_reason_to_parse_all_pieces_each_time():
    pieces = [call('{"a": {}}', index=0, id=None, name="ls"), *[call("{}}", index=0, name="ls")] * 20_000]
    assert len(blocks(await answer_of(sse(*pieces, chunk({}, "tool_calls")), stall=Stall()))) == 2


@pytest.mark.parametrize(
    "value",
    ["NaN", "-5", "1e9", "Mon, 01 Jan 2020 00:00:00 -999999999999999", "Mon, 01 Jan 99999 00:00:00 GMT", "("],
)
async def test_a_wait_that_makes_no_sense_is_none(value):
    [last] = await answer_of(b"{}", status=429, headers={"retry-after": value})
    assert (last.failure.kind, last.failure.retry_after) == ("rate_limit", None)


WHOLE = sse(
    text("Hé"),
    call('{"a"', index=0, id="1", name="ls"),
    call(": 1}", index=0),
    chunk({}, "tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 1}},
)


@pytest.mark.parametrize("breaks", [None, httpx.ReadError("reset"), httpx.RemoteProtocolError("cut")])
async def test_a_connection_that_ends_at_any_byte_ends_the_stream_once(breaks):
    for place in range(0, len(WHOLE) + 1, 3):
        events = await answer_of(WHOLE[:place], breaks=breaks)
        ends = [event for event in events if isinstance(event, StreamDone | StreamError)]
        assert ends == [events[-1]]


KEYS = [
    *("choices", "delta", "index", "content", "tool_calls", "function", "name", "arguments", "id", "usage"),
    *("error", "code", "message", "type", "cost", "finish_reason", "prompt_tokens", "x_groq", "reasoning"),
    *("refusal", "text"),
]
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@cases(150, share=0.05)
@given(st.lists(JSON_VALUE, max_size=4), st.binary(max_size=20))
async def test_any_json_in_any_place_ends_the_stream_once_with_values_that_can_be_stored(values, garbage):
    shaped = [
        {"choices": [{"index": 0, "delta": value, "finish_reason": value}], "usage": value}
        for value in values
    ]
    events = await answer_of(sse(*values, done=False), sse(*shaped), garbage)
    for event in events:
        assert_storable(event)
    assert [event for event in events if isinstance(event, StreamDone | StreamError)] == [events[-1]]
