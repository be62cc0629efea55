"""Requests to servers of this machine: what httpx would do there, without loading it."""

import asyncio
import gzip
import socket
import subprocess
import sys
import zlib

import pytest

from steersman.agent.abort import AbortSignal
from steersman.models.endpoint import Endpoint, HttpFailure, Stall
from steersman.models.http import close_shared_client, new_client, post, shared_client
from steersman.models.local_client import LocalClient, LocalFailure, is_local
from steersman.models.secrets import Redactor
from support.model_server import raw_server, read_request

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
async def local():
    client = LocalClient(connect=5, write=5)
    yield client
    await client.aclose()


@pytest.fixture(params=["local", "httpx"])
async def client(request, local):
    """What holds for both."""
    if request.param == "local":
        yield local
        return
    async with new_client() as made:
        yield made


def endpoint(url: str, **headers: str) -> Endpoint:
    return Endpoint(url, headers, Stall(5, 5), Redactor([]))


async def answer_to(client, url: str, content: bytes = b"{}", **headers: str) -> bytes:
    """The body of the response to one POST."""
    async with post(client, endpoint(url, **headers), content, AbortSignal()) as body:
        return b"".join([piece async for piece in pieces_of(body)])


async def pieces_of(body):
    while piece := await body.read():
        yield piece


def answering(*answers: bytes):
    """A server that gives one answer to each request of a connection, and then ends it."""
    connections = []

    async def answer(reader, writer):
        connections.append(writer)
        for number, each in enumerate(answers):
            if number:
                await read_request(reader)
            writer.write(each)
            await writer.drain()

    return answer, connections


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/v1/chat/completions",
        "http://localhost/v1?api-version=1%202",
        "http://[::1]:65535/",
        "http://localhost:11434",
    ],
)
def test_plain_addresses_of_this_machine_are_local(url):
    assert is_local(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://127.0.0.1/v1",
        "http://user:word@127.0.0.1/v1",
        "http://localhost.example/v1",
        "http://127.0.0.1.example/v1",
        "http://example/127.0.0.1/",
        "http://127.0.0.1:0/v1",
        "http://127.0.0.1:65536/v1",
        "http://127.0.0.1:80a/v1",
        "http://127.0.0.1/v 1",
        "http://127.0.0.1/é",
        "http://127.0.0.1/v1#part",
        "http://127.0.0.1/v1\r\nevil: yes",
        "http://127.0.0.1/v1\n",
        "http://10.0.0.1/v1",
    ],
)
def test_whatever_needs_more_is_not(url):
    assert not is_local(url)


async def test_the_process_has_one_client_for_this_machine_and_one_for_others():
    local, usual = shared_client("http://localhost:1/v1"), shared_client("http://model.test/v1")
    assert isinstance(local, LocalClient)
    assert not isinstance(usual, LocalClient)
    assert shared_client("http://127.0.0.1:2/v1") is local
    await close_shared_client()
    assert shared_client("http://127.0.0.1:2/v1") is not local
    await close_shared_client()


def test_asking_a_server_of_this_machine_does_not_load_httpx():
    code = (
        "import asyncio, sys\n"
        "from steersman.models.http import shared_client\n"
        "async def main():\n"
        "    shared_client('http://127.0.0.1:1/v1')\n"
        "asyncio.run(main())\n"
        "print('httpx' in sys.modules, 'anyio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


async def test_a_request_is_sent_as_it_is_said(client):
    got = []
    answer, _ = answering(OK + b"content-length: 2\r\n\r\nok")
    async with raw_server(answer, lambda head, body: got.append((head, body))) as url:
        assert await answer_to(client, url + "/x?y=1", b'{"a": 1}', **{"x-key": "k"}) == b"ok"
    [(head, body)] = got
    first, *lines = head.decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines if line)
    assert (first, body) == ("POST /v1/x?y=1 HTTP/1.1", b'{"a": 1}')
    assert (fields["host"], fields["content-length"]) == (url.split("/")[2], "8")
    assert (fields["x-key"], fields["connection"]) == ("k", "keep-alive")


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"content-length: 2\r\n\r\nok",
        OK + b"transfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"\r\nok",
        b"HTTP/1.0 200 OK\r\n\r\nok",
    ],
)
async def test_a_body_is_read_however_it_is_framed(client, answer):
    handler, _ = answering(answer)
    async with raw_server(handler) as url:
        assert await answer_to(client, url) == b"ok"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        OK + b"content-length: 3\r\n\r\nok",
        OK + b"content-length: x\r\n\r\nok",
        OK + b"transfer-encoding: chunked\r\n\r\n1\r\no\r\n",
        OK + b"transfer-encoding: chunked\r\n\r\nno\r\n",
        OK + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + b"content-length: 1\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\nok",
    ],
)
async def test_what_is_not_whole_is_a_network_failure(client, answer):
    handler, connections = answering(answer)
    async with raw_server(handler) as url:
        with pytest.raises(HttpFailure) as raised:
            await answer_to(client, url)
    assert raised.value.failure.kind == "network"
    assert "broke before the answer was complete" in raised.value.failure.message
    assert len(connections) == 1


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 ",
        OK + b"x: ",
        OK + b"transfer-encoding: chunked\r\n\r\n1;",
        OK + b"transfer-encoding: chunked\r\n\r\n0\r\nx: ",
    ],
)
async def test_what_has_no_end_is_given_up(client, start):
    async def answer(reader, writer):
        writer.write(start)
        while True:
            writer.write(b"x" * 4096)
            await writer.drain()

    async with raw_server(answer) as url:
        with pytest.raises(HttpFailure) as raised:
            await answer_to(client, url)
    assert raised.value.failure.kind == "network"


async def test_what_was_whole_is_given_before_the_failure(client):
    handler, _ = answering(OK + b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nno\r\n")
    async with raw_server(handler) as url, post(client, endpoint(url), b"{}", AbortSignal()) as body:
        assert await body.read() == b"half"
        with pytest.raises(HttpFailure):
            await body.read()


async def test_a_connection_is_used_again(client):
    whole = OK + b"content-length: 2\r\n\r\nok"
    handler, connections = answering(whole, whole, whole)
    async with raw_server(handler) as url:
        assert [await answer_to(client, url) for _ in range(3)] == [b"ok"] * 3
    assert len(connections) == 1


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"content-length: 2\r\nconnection: close\r\n\r\nok",
        OK + b"content-length: 2\r\n\r\nok" + b"HTTP/1.1 408 Timeout\r\n\r\n",
    ],
)
async def test_a_connection_that_is_spoiled_or_over_is_not(local, answer):
    handler, connections = answering(answer)
    async with raw_server(handler) as url:
        assert [await answer_to(local, url) for _ in range(2)] == [b"ok"] * 2
    assert len(connections) == 2


async def test_a_connection_that_the_server_ended_meanwhile_is_not_used(local):
    handler, connections = answering(OK + b"content-length: 2\r\n\r\nok")
    async with raw_server(handler) as url:
        assert await answer_to(local, url) == b"ok"
        [[idle]] = local._idle.values()
        assert await asyncio.wait_for(idle.first, 5) == b""
        assert await answer_to(local, url) == b"ok"
    assert len(connections) == 2


async def test_a_connection_over_which_something_came_meanwhile_is_not_used(local):
    free = asyncio.Event()
    connections = []

    async def answer(reader, writer):
        connections.append(writer)
        writer.write(OK + b"content-length: 2\r\n\r\nok")
        await free.wait()
        writer.write(b"HTTP/1.1 408 Timeout\r\ncontent-length: 0\r\n\r\n")
        await reader.read()

    async with raw_server(answer) as url:
        assert await answer_to(local, url) == b"ok"
        free.set()
        [[idle]] = local._idle.values()
        assert (await asyncio.wait_for(idle.first, 5)).startswith(b"HTTP/1.1 408")
        assert await answer_to(local, url) == b"ok"
    assert len(connections) == 2


@pytest.mark.parametrize(
    ("begun", "requests"),
    [
        pytest.param(b"", [b"1", b"2", b"2"], id="nothing came"),
        pytest.param(b"HTTP", [b"1", b"2"], id="an answer had begun"),
    ],
)
async def test_only_what_a_kept_connection_swallowed_is_asked_again_and_that_once(local, begun, requests):
    got = []

    async def answer(reader, writer):
        if got != [b"1"]:
            writer.transport.abort()
            return
        writer.write(OK + b"content-length: 2\r\n\r\nok")
        got.append((await read_request(reader))[1])
        writer.write(begun)

    async with raw_server(answer, lambda head, body: got.append(body)) as url:
        assert await answer_to(local, url, b"1") == b"ok"
        with pytest.raises(HttpFailure) as raised:
            await answer_to(local, url, b"2")
    assert "broke before the answer was complete" in raised.value.failure.message
    assert got == requests


async def test_what_a_kept_connection_swallowed_is_answered_by_another(local):
    first = True

    async def answer(reader, writer):
        nonlocal first
        writer.write(OK + b"content-length: 2\r\n\r\nok")
        if first:
            first = False
            await read_request(reader)
            writer.transport.abort()

    async with raw_server(answer) as url:
        assert [await answer_to(local, url) for _ in range(2)] == [b"ok"] * 2


async def test_a_connection_that_was_kept_too_long_is_not_used():
    whole = OK + b"content-length: 2\r\n\r\nok"
    handler, connections = answering(whole, whole)
    client = LocalClient(connect=5, write=5, keep=0)
    async with raw_server(handler) as url:
        assert [await answer_to(client, url) for _ in range(2)] == [b"ok"] * 2
        await client.aclose()
    assert len(connections) == 2


async def test_requests_at_the_same_time_have_connections_of_their_own(local):
    both = asyncio.Barrier(2)

    async def answer(reader, writer):
        await both.wait()
        writer.write(OK + b"content-length: 2\r\n\r\nok")
        await writer.drain()

    async with raw_server(answer) as url:
        assert await asyncio.gather(answer_to(local, url), answer_to(local, url)) == [b"ok", b"ok"]


async def test_a_response_that_is_left_early_ends_its_connection(client):
    gone = asyncio.Event()

    async def answer(reader, writer):
        writer.write(OK + b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n")
        assert await reader.read(1) == b""
        gone.set()

    async with raw_server(answer) as url:
        async with post(client, endpoint(url), b"{}", AbortSignal()) as body:
            assert await body.read() == b"half"
        await asyncio.wait_for(gone.wait(), 5)


async def test_a_server_that_answers_before_it_has_read_the_request_is_heard(local):
    async def answer(reader, writer):
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: 8\r\n\r\nno more!")
        await answered.wait()
        writer.transport.abort()

    answered = asyncio.Event()
    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=1)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    with pytest.raises(HttpFailure) as raised:
        await answer_to(local, url, b"x" * (32 << 20))
    assert "no more!" in raised.value.failure.message
    answered.set()
    server.close()
    await server.wait_closed()


async def test_a_server_that_takes_nothing_is_given_up():
    client = LocalClient(connect=5, write=0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(HttpFailure) as raised:
        await answer_to(client, f"http://127.0.0.1:{silent.getsockname()[1]}/", b"x" * (32 << 20))
    assert raised.value.failure.kind == "timeout"
    assert "did not take the request in time" in raised.value.failure.message


async def test_no_server_is_a_failure_that_says_why(local):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(HttpFailure) as raised:
                await answer_to(local, f"http://{host}:{unused.getsockname()[1]}/v1")
            assert raised.value.failure.kind == "network"
            assert f"can't connect to {host}:" in raised.value.failure.message
    assert "refused" in raised.value.failure.message


async def test_a_slow_reader_holds_the_server_back_and_gets_everything(local):
    size = 8 << 20

    async def answer(reader, writer):
        writer.write(OK + b"content-length: %d\r\n\r\n" % size + b"x" * size)
        await writer.drain()

    async with raw_server(answer) as url, local.stream("POST", url, headers={}, content=b"") as response:
        total = 0
        async for piece in response.stream:
            total += len(piece)
            assert len(piece) <= 1 << 20
            await asyncio.sleep(0)
    assert total == size


PACKED = b"\n" * (3 << 20) + b"end"


MEMBERS = [gzip.compress(part, mtime=0) for part in (PACKED[:5], b"", PACKED[5:-1], PACKED[-1:])]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(PACKED, mtime=0)),
        ("X-GZip", b"".join(MEMBERS)),
        ("gzip", b"".join(MEMBERS) + bytes(512)),
        ("deflate", zlib.compress(PACKED)),
        ("deflate", zlib.compress(PACKED, wbits=-zlib.MAX_WBITS)),
        ("identity", PACKED),
    ],
    ids=[
        "gzip",
        "gzip of several members",
        "gzip with padding",
        "deflate",
        "deflate without a header",
        "identity",
    ],
)
async def test_a_compressed_body_is_unpacked(client, encoding, body):
    head = OK + f"content-encoding: {encoding}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    handler, _ = answering(head + body)
    async with raw_server(handler) as url:
        assert await answer_to(client, url) == PACKED


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"no gzip"),
        ("gzip", gzip.compress(b"cut", mtime=0)[:-9]),
        ("gzip", gzip.compress(b"more", mtime=0) * 2 + b"no gzip"),
        ("deflate", b"\xff\xff"),
    ],
)
async def test_what_can_not_be_unpacked_is_a_failure(client, encoding, body):
    head = OK + f"content-encoding: {encoding}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    handler, _ = answering(head + body)
    async with raw_server(handler) as url:
        with pytest.raises(HttpFailure) as raised:
            await answer_to(client, url)
    assert raised.value.failure.kind == "protocol"
    assert raised.value.failure.message.endswith(" sent a body that does not match its content-encoding.")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, br"])
async def test_an_encoding_that_is_not_known_is_named(client, encoding):
    handler, _ = answering(OK + f"content-encoding: {encoding}\r\ncontent-length: 2\r\n\r\nok".encode())
    async with raw_server(handler) as url:
        with pytest.raises(HttpFailure) as raised:
            await answer_to(client, url)
    assert raised.value.failure.kind == "protocol"
    assert raised.value.failure.message.endswith(f" in an encoding other than gzip, deflate: {encoding}")


@pytest.mark.parametrize("value", ["a\r\nevil: yes", "a\x00", "é"])
async def test_a_value_that_no_header_can_carry_is_never_sent(local, value):
    with pytest.raises(LocalFailure, match="malformed"):
        async with local.stream("POST", "http://127.0.0.1:9/", headers={"x-key": value}, content=b""):
            pass
