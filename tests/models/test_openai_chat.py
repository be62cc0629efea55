"""A model over HTTP: how streams end, whatever the server and the network do."""

import asyncio
import logging
import socket

import httpx
import pytest

from steersman.agent.abort import AbortController
from steersman.agent.model import BlockDelta, Ping, StreamDone, StreamError
from steersman.models.endpoint import Stall
from steersman.models.errors import ModelConfigError
from steersman.models.http import QUEUE_LIMIT, close_shared_client
from steersman.models.http_model import HttpModel
from steersman.models.openai_chat import OpenAIChat
from support.http_models import HEAD, SHORT, chunked, failure_of, model_of
from support.model_server import Canned, ask, events_of, raw_server, read_request
from support.sse import DONE, blocks, call, chunk, sse, text

ANSWER = sse(text("Hello"), chunk({}, "stop"))


def model_over(canned: Canned, name: str = "m-1", **options) -> HttpModel:
    return model_of(OpenAIChat(), canned, name, **options)


@pytest.fixture(autouse=True)
async def no_connection_outlives_its_test():
    yield
    await close_shared_client()


# How a stream ends


async def test_a_response_is_blocks_and_one_end_with_usage_and_model():
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    canned = Canned([sse(text("Hel"), text("lo", "stop"), {"choices": [], "usage": usage})])
    events = await events_of(model_over(canned))
    assert blocks(events) == [("text", "", "Hello")]
    assert isinstance(events[-1], StreamDone)
    assert (events[-1].stop_reason, events[-1].usage.input, events[-1].model) == ("stop", 7, "m-1")


async def test_bytes_that_show_nothing_are_pings():
    events = await events_of(model_over(Canned([b": keep-alive\n\n"])))
    assert events[0] == Ping()
    assert failure_of(events).kind == "protocol"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "protocol"),
        (sse(text("half"), done=False), "protocol"),
        (sse(chunk({"reasoning": "hm"}), done=False), "protocol"),
        (sse(call('{"a":', index=0, id="1", name="ls"), done=False), "protocol"),
        (b"data: {oops\n\n" + ANSWER, "protocol"),
        (b"<html>log in</html>", "protocol"),
        (sse(chunk({}, "stop")), "empty"),
        (sse(chunk({"reasoning": "hm"}, "stop")), "empty"),
        (DONE, "empty"),
        (sse(text("a"), {"error": {"message": "no", "code": 429}}), "rate_limit"),
        (b'{"error": {"message": "no", "type": "server_error"}}', "server"),
    ],
)
async def test_a_body_that_is_no_good_answer_ends_as_a_failure(body, kind):
    assert failure_of(await events_of(model_over(Canned([body])))).kind == kind


async def test_a_cut_answer_that_says_nothing_is_done_with_its_reason():
    events = await events_of(model_over(Canned([sse(chunk({"reasoning": "hm"}, "length"))])))
    assert isinstance(events[-1], StreamDone)
    assert events[-1].stop_reason == "length"


async def test_a_closed_stream_with_complete_calls_is_done():
    body = sse(call('{"a":1}', index=0, id="p1", name="ls"), done=False)
    events = await events_of(model_over(Canned([body])))
    assert blocks(events) == [("toolCall", "ls", '{"a":1}')]
    assert isinstance(events[-1], StreamDone)


async def test_the_usage_of_a_failure_is_kept():
    body = sse(
        text("a"), {"error": {"message": "no"}}, {**chunk(), "usage": {"prompt_tokens": 3}}, done=False
    )
    events = await events_of(model_over(Canned([body])))
    assert isinstance(events[-1], StreamError)
    assert events[-1].usage.input == 3


@pytest.mark.parametrize("last", [DONE, b"", sse(chunk({}, "stop"), done=False)])
async def test_a_server_that_does_not_close_after_its_answer_keeps_nobody_waiting(last):
    canned = Canned([sse(text("Hello", "stop"), done=False), last], hangs=True)
    events = await events_of(model_over(canned, stall=Stall(60, 60, after_end=0.05)))
    assert isinstance(events[-1], StreamDone)
    assert canned.closed


async def test_keep_alives_after_the_answer_keep_nobody_waiting():
    async def answer(reader, writer):
        writer.write(HEAD + chunked(sse(text("Hello", "stop"), done=False)))
        while not writer.is_closing():
            writer.write(chunked(b": alive\n\n"))
            await writer.drain()
            await asyncio.sleep(0)

    async with raw_server(answer) as url:
        events = await events_of(
            HttpModel(OpenAIChat(), "m-1", url, None, stall=Stall(60, 60, after_end=0.1))
        )
    assert isinstance(events[-1], StreamDone)


async def test_a_call_that_comes_long_after_a_finish_reason_is_not_lost():
    first = sse(call("{}", index=0, id="1", name="ls", finish="tool_calls"), done=False)
    second = sse(call("{}", index=0, id="2", name="read", finish="tool_calls"))

    events = []
    released = asyncio.Event()

    async def slow(reader, writer):
        writer.write(HEAD + chunked(first))
        await released.wait()
        writer.write(chunked(second) + chunked(b""))
        await writer.drain()

    async with raw_server(slow) as url:
        async for event in HttpModel(OpenAIChat(), "m-1", url, None).stream(ask(), AbortController().signal):
            events.append(event)
            released.set()
    assert [name for _, name, _ in blocks(events)] == ["ls", "read"]


async def test_a_connection_that_breaks_after_the_answer_does_not_matter():
    canned = Canned([sse(text("Hello", "stop"), done=False)], breaks=httpx.ReadError("reset"))
    assert isinstance((await events_of(model_over(canned)))[-1], StreamDone)


async def test_a_whole_completion_is_an_answer():
    body = b'{"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}'
    assert blocks(await events_of(model_over(Canned([body])))) == [("text", "", "Hello")]


async def test_a_compressed_body_is_read():
    import gzip

    headers = {"content-type": "text/event-stream", "content-encoding": "gzip"}
    canned = Canned([gzip.compress(ANSWER)], headers=headers)
    assert blocks(await events_of(model_over(canned))) == [("text", "", "Hello")]
    canned = Canned([b"not gzip at all"], headers=headers)
    assert failure_of(await events_of(model_over(canned))).kind == "protocol"


# Stalls and aborts


async def test_silence_before_and_within_an_answer_ends_as_a_timeout():
    canned = Canned(hangs=True)
    failure = failure_of(await events_of(model_over(canned, stall=SHORT)))
    assert failure.kind == "timeout"
    assert "did not begin to answer within 0.05 seconds" in failure.message
    canned = Canned([sse(text("half"), done=False)], hangs=True)
    events = await events_of(model_over(canned, stall=SHORT))
    assert blocks(events) == [("text", "", "half")]
    assert "sent nothing more" in failure_of(events).message
    assert canned.closed


async def test_an_abort_ends_a_silent_stream_and_closes_the_response():
    canned = Canned([sse(text("half"), done=False)], hangs=True)
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
    assert canned.closed == 1


async def test_an_abort_before_the_request_sends_nothing():
    canned = Canned([ANSWER])
    abort = AbortController()
    abort.abort()
    assert isinstance((await events_of(model_over(canned), signal=abort.signal))[-1], StreamError)
    assert not canned.requests


async def test_a_stream_that_is_left_or_cancelled_closes_its_response():
    canned = Canned([sse(text("half"), done=False)], hangs=True)
    stream = model_over(canned).stream(ask(), AbortController().signal)
    async for _ in stream:
        break
    await stream.aclose()
    assert canned.closed == 1
    canned.asked.clear()
    reading = asyncio.create_task(events_of(model_over(canned)))
    await canned.asked.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert canned.closed == 2


async def test_a_consumer_that_stops_reading_stops_the_network():
    produced = 0

    def pieces():
        nonlocal produced
        while True:
            produced += 1
            yield sse(text("x" * 10_000), done=False)

    stream = model_over(Canned(pieces())).stream(ask(), AbortController().signal)
    await anext(stream)
    for _ in range(1000):
        await asyncio.sleep(0)
    assert produced * 10_000 < 2 * QUEUE_LIMIT
    await stream.aclose()


# The network, over a real socket


async def test_a_connection_is_used_again_for_the_next_turn():
    connections = 0

    async def answer(reader, writer):
        nonlocal connections
        connections += 1
        while True:
            writer.write(HEAD + chunked(ANSWER) + chunked(b""))
            await writer.drain()
            await read_request(reader)

    async with raw_server(answer) as url:
        model = HttpModel(OpenAIChat(), "m-1", url, None)
        assert isinstance((await events_of(model))[-1], StreamDone)
        assert isinstance((await events_of(model))[-1], StreamDone)
    assert connections == 1


async def test_a_connection_cut_in_the_middle_is_a_network_failure():
    async def answer(_, writer):
        writer.write(HEAD + chunked(sse(text("half"), done=False)))
        await writer.drain()
        writer.close()

    async with raw_server(answer) as url:
        events = await events_of(HttpModel(OpenAIChat(), "m-1", url, None))
    assert blocks(events) == [("text", "", "half")]
    assert failure_of(events).kind == "network"


async def test_an_abort_reaches_the_server():
    gone = asyncio.Event()

    async def answer(reader, writer):
        writer.write(HEAD + chunked(sse(text("half"), done=False)))
        await reader.read(1)
        gone.set()

    abort = AbortController()
    async with raw_server(answer) as url:
        async for event in HttpModel(OpenAIChat(), "m-1", url, None).stream(ask(), abort.signal):
            if isinstance(event, BlockDelta):
                abort.abort()
        await asyncio.wait_for(gone.wait(), 5)


async def test_no_server_is_a_network_failure_that_names_it():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        failure = failure_of(await events_of(HttpModel(OpenAIChat(), "m-1", f"http://127.0.0.1:{port}", "k")))
    assert failure.kind == "network"
    assert f"127.0.0.1:{port}" in failure.message


async def test_something_that_is_not_http_is_a_network_failure():
    async def answer(_, writer):
        writer.write(b"SSH-2.0-OpenSSH\r\n")
        writer.close()

    async with raw_server(answer) as url:
        assert failure_of(await events_of(HttpModel(OpenAIChat(), "m-1", url, None))).kind == "network"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectTimeout("slow"), "timeout"),
        (httpx.PoolTimeout("slow"), "timeout"),
        (httpx.WriteTimeout("slow"), "timeout"),
        (httpx.ConnectError("no"), "network"),
        (httpx.ProxyError("no"), "network"),
        (httpx.RemoteProtocolError("no"), "network"),
        (httpx.LocalProtocolError("Illegal header value b'Bearer canary-key-0123456789'"), "bad_request"),
        (RuntimeError("a defect with canary-key-0123456789"), "network"),
    ],
)
async def test_what_the_transport_raises_is_a_failure(error, kind):
    failure = failure_of(await events_of(model_over(Canned(refuses=error))))
    assert failure.kind == kind
    assert "canary" not in failure.message


# Errors of the server


async def test_an_error_response_has_kind_status_and_wait():
    body = b'{"error": {"message": "slow down", "type": "rate_limit_error"}}'
    failure = failure_of(await events_of(model_over(Canned([body], 429, {"retry-after": "7"}))))
    assert (failure.kind, failure.status, failure.retry_after) == ("rate_limit", 429, 7.0)
    assert failure.message == "model.test answered 429: slow down"


async def test_a_redirect_is_not_followed():
    canned = Canned(status=307, headers={"location": "http://elsewhere.test/"})
    assert failure_of(await events_of(model_over(canned))).kind == "bad_request"
    assert len(canned.requests) == 1


async def test_an_endless_error_body_is_read_up_to_a_bound():
    def pieces():
        while True:
            yield b"x" * 1000

    failure = failure_of(await events_of(model_over(Canned(pieces(), 500))))
    assert (failure.kind, len(failure.message) < 700) == ("server", True)


async def test_an_error_body_that_never_ends_is_a_timeout():
    failure = failure_of(await events_of(model_over(Canned([b"x"], 500, hangs=True), stall=SHORT)))
    assert failure.kind == "timeout"


@pytest.mark.parametrize("kind", ["status", "stream", "page", "broken"])
async def test_no_key_is_ever_told(kind, caplog):
    caplog.set_level(logging.DEBUG)
    keys = ("canary-key-0123456789", "canary-query-012345", "canary-pass-012345")
    echo = " ".join(keys)
    canned = {
        "status": Canned([b'{"error": {"message": "bad key %s"}}' % echo.encode()], 401),
        "stream": Canned([sse({"error": {"message": f"bad key {echo}", "code": echo}})]),
        "page": Canned([b"<html><title>%s</title>" % echo.encode()], 502),
        "broken": Canned(
            refuses=httpx.ConnectError(f"can't reach http://user:{keys[2]}@model.test?key={keys[1]}")
        ),
    }[kind]
    model = model_over(canned, base_url=f"http://user:{keys[2]}@model.test/v1?key={keys[1]}", api_key=keys[0])
    events = await events_of(model)
    told = repr(events) + caplog.text + model.id
    assert "canary" not in told
    assert canned.requests[0].headers["authorization"] == f"Bearer {keys[0]}"


# The request, and the configuration


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("https://h/openai/d?api-version=1", "https://h/openai/d/chat/completions?api-version=1"),
        (" http://h/v1/chat/completions ", "http://h/v1/chat/completions"),
    ],
)
async def test_the_base_url_is_what_other_clients_take(base_url, url):
    canned = Canned([ANSWER])
    await events_of(model_over(canned, base_url=base_url))
    assert str(canned.requests[0].url) == url
    assert canned.requests[0].headers["accept-encoding"] == "identity"


async def test_without_a_key_no_authorization_is_sent():
    canned = Canned([ANSWER])
    await events_of(model_over(canned, api_key=" \n"))
    assert "authorization" not in canned.requests[0].headers


@pytest.mark.parametrize(
    "base_url", ["", "localhost:8080", "ftp://h", "http://", "http://[", "http://h:port/"]
)
def test_a_bad_base_url_is_refused_without_repeating_it(base_url):
    with pytest.raises(ModelConfigError, match="base URL"):
        HttpModel(OpenAIChat(), "m", base_url, None)


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_repeating_it(key):
    with pytest.raises(ModelConfigError) as error:
        HttpModel(OpenAIChat(), "m", "http://h", key)
    assert key not in str(error.value)


async def test_a_server_on_this_machine_is_asked_without_the_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)

    async def answer(_, writer):
        writer.write(HEAD + chunked(ANSWER) + chunked(b""))
        await writer.drain()

    async with raw_server(answer) as url:
        assert isinstance((await events_of(HttpModel(OpenAIChat(), "m-1", url, None)))[-1], StreamDone)


async def test_proxy_settings_that_can_not_be_used_are_a_failure_that_names_them(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "gopher://user:canary@proxy:1")
    failure = failure_of(await events_of(HttpModel(OpenAIChat(), "m", "http://h", None)))
    assert failure.kind == "bad_request"
    assert "HTTP_PROXY" in failure.message
    assert "canary" not in failure.message
