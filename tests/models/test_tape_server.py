"""The tape server, asked by our own client and by bare sockets."""

import asyncio
import json
from contextlib import asynccontextmanager
from typing import get_args

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.model import BlockDelta, FailureKind, StreamDone, StreamError
from steersman.models.endpoint import Stall
from steersman.models.http import close_shared_client
from steersman.models.http_model import HttpModel
from steersman.models.openai_chat import OpenAIChat
from steersman.models.tape import TapeModel
from steersman.models.tape_format import parse_tape
from steersman.models.tape_server import BODY_LIMIT, TapeServer
from support.model_server import ask, events_of
from support.sse import blocks, merged

SHORT = Stall(first_byte=0.2, between=0.2, after_end=0.05)


def tape_of(*lines: object) -> TapeModel:
    text = "\n".join(json.dumps(line) for line in ({"tape": 1, "name": "demo"}, *lines))
    return TapeModel(parse_tape(text, "demo.jsonl"))


@asynccontextmanager
async def served(*lines: object):
    server = TapeServer(tape_of(*lines))
    url = await server.start()
    try:
        yield url
    finally:
        await close_shared_client()
        await server.close()


async def raw(url: str, request: bytes) -> bytes:
    """The whole answer to raw bytes; the server closes the connection, or its answer has a content-length."""
    port = int(url.split(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    await writer.wait_closed()
    return answer


async def test_a_tape_is_the_same_model_over_http():
    turn = {
        "thinking": "hm",
        "text": "I look. größe \u2028 😀",
        "toolCalls": [{"name": "read", "arguments": {"path": "a"}}, {"name": "ls", "argumentsText": '{"pa'}],
        "usage": {"input": 5, "output": 6, "cacheRead": 1, "reasoning": 2},
        "chunk": 3,
    }
    direct = merged(await events_of(tape_of(turn)))
    async with served(turn) as url:
        over_http = merged(await events_of(HttpModel(OpenAIChat(), "demo", url, "any")))
    assert blocks(over_http) == blocks(direct)
    assert isinstance(over_http[-1], StreamDone)
    assert isinstance(direct[-1], StreamDone)
    assert (over_http[-1].stop_reason, over_http[-1].usage) == (direct[-1].stop_reason, direct[-1].usage)


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter", "refusal"])
async def test_stop_reasons_come_through(reason):
    async with served({"text": "a", "stopReason": reason}) as url:
        last = (await events_of(HttpModel(OpenAIChat(), "demo", url, None)))[-1]
    assert isinstance(last, StreamDone)
    assert last.stop_reason == reason


@pytest.mark.parametrize(
    ("kind", "after"),
    # an answer with text in it is not empty
    [
        (kind, text)
        for kind in get_args(FailureKind)
        for text in ("", "The fi")
        if not (text and kind == "empty")
    ],
)
async def test_every_kind_of_failure_comes_through(kind, after):
    error = {"kind": kind, "message": "as the tape says", "retryAfter": 2, "after": after}
    async with served({"error": error}) as url:
        stall = SHORT if kind == "timeout" else Stall()
        events = await events_of(HttpModel(OpenAIChat(), "demo", url, None, stall=stall))
    assert isinstance(events[-1], StreamError)
    failure = events[-1].failure
    assert failure.kind == kind
    assert [each[2] for each in blocks(events)] == ([after] if after else [])
    if failure.status is not None and not after:
        assert failure.retry_after == 2
        assert "as the tape says" in failure.message


async def test_a_miss_is_a_bad_request_that_says_what_is_missing():
    async with served({"when": "fix"}, {"text": "a"}) as url:
        events = await events_of(HttpModel(OpenAIChat(), "demo", url, None))
    assert isinstance(events[-1], StreamError)
    assert events[-1].failure.kind == "bad_request"
    assert "demo.jsonl has no conversation for 'hello'" in events[-1].failure.message


async def test_one_connection_serves_many_turns_and_a_hang_ends_with_its_client():
    async with served({"text": "a"}, {"when": "wait"}, {"text": "half", "hang": True}) as url:
        model = HttpModel(OpenAIChat(), "demo", url, None)
        for _ in range(3):
            assert isinstance((await events_of(model))[-1], StreamDone)
        abort = AbortController()
        async for event in model.stream(ask("wait"), abort.signal):
            if isinstance(event, BlockDelta):
                abort.abort()
        assert isinstance((await events_of(model))[-1], StreamDone)


async def test_closing_the_server_ends_an_answer_in_the_middle_and_is_no_fault(caplog):
    server = TapeServer(tape_of({"text": "half", "hang": True}))
    model = HttpModel(OpenAIChat(), "demo", await server.start(), None)
    events = []
    async for event in model.stream(ask(), AbortController().signal):
        events.append(event)
        if isinstance(event, BlockDelta):
            await server.close()
    await close_shared_client()
    assert isinstance(events[-1], StreamError)
    assert events[-1].failure.kind == "network"
    assert caplog.messages == []


def post(body: bytes, path: bytes = b"/v1/chat/completions") -> bytes:
    return b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /v1/chat/completions HTTP/1.1\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (post(b"{}", b"/v1/responses"), 404),
        (post(b"oops"), 400),
        (post(b"[]"), 400),
        (post(b'{"messages": []}'), 400),
        (post(b'{"messages": [7], "stream": true}'), 400),
        (post(b'{"messages": [{"role": "alien"}], "stream": true}'), 400),
        (post(b'{"messages": [{"role": "assistant", "tool_calls": [7]}], "stream": true}'), 400),
        (post(b'{"messages": [], "stream": true, "tools": 7}'), 400),
        (b"nonsense\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_LIMIT + 1), 413),
        (b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nx: " + b"y" * 100_000 + b"\r\n\r\n", 431),
    ],
)
async def test_other_requests_get_an_answer_that_says_what_is_wrong(request_bytes, status):
    async with served({"text": "a"}) as url:
        answer = await raw(url, request_bytes)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert ("data" if status == 200 else "error") in json.loads(body)


@pytest.mark.parametrize("request_bytes", [b"", b"POST / HT", post(b"x" * 10)[:-5]])
async def test_a_client_that_leaves_early_harms_nobody(request_bytes):
    async with served({"text": "a"}) as url:
        assert await raw(url, request_bytes) == b""
        assert isinstance((await events_of(HttpModel(OpenAIChat(), "demo", url, None)))[-1], StreamDone)


async def test_a_second_request_that_was_sent_ahead_is_answered_too():
    body = json.dumps({"messages": [{"role": "user", "content": "x"}], "stream": True}).encode()
    async with served({"text": "a"}) as url:
        answer = await raw(url, post(body) + post(body))
    assert answer.count(b"[DONE]") == 2
