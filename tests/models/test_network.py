"""The network as users have it: proxies, certificates of their own, slow connections, kept ones, and aborts."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from steersman.agent.abort import AbortController
from steersman.agent.model import BlockDelta, StreamDone, StreamError
from steersman.models.endpoint import Stall
from steersman.models.http import close_shared_client, new_client
from steersman.models.http_model import HttpModel
from steersman.models.local_client import LocalClient
from steersman.models.openai_chat import OpenAIChat
from support.model_server import ask, events_of, raw_server, read_request
from support.proxy_server import proxy_to
from support.sse import sse, text

KEY = "sk-canary-0123456789abcdef"
BODY = sse(text("Hello", "stop"))
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)
VARIABLES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy"),
    *("no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
)


@pytest.fixture(autouse=True)
async def environment(monkeypatch):
    """Without anything of this machine's; the process's own clients are those of this test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    await close_shared_client()
    yield monkeypatch
    await close_shared_client()


@pytest.fixture(params=["local", "httpx"])
async def client(request):
    made = new_client() if request.param == "httpx" else LocalClient(connect=5, write=5)
    yield made
    await made.aclose()


async def answers(reader, writer):
    """One whole answer after another, for every request that comes over the connection."""
    writer.write(WHOLE)
    while True:
        try:
            await read_request(reader)
        except asyncio.IncompleteReadError:
            return
        writer.write(WHOLE)


async def last_of(base_url: str, **options):
    return (await events_of(HttpModel(OpenAIChat(), "m", base_url, KEY, **options)))[-1]


# Proxies


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
async def test_plain_requests_go_through_the_proxy_of_the_environment(environment, variable):
    async with raw_server(answers) as url, proxy_to(url) as (proxy, seen):
        environment.setenv(variable, f"http://{proxy}")
        assert isinstance(await last_of("http://model.test/v1"), StreamDone)
    assert seen.asked == ["POST http://model.test/v1/chat/completions HTTP/1.1"]


async def test_a_server_of_this_machine_is_asked_without_one(environment):
    async with raw_server(answers) as url, proxy_to(url) as (proxy, seen):
        environment.setenv("ALL_PROXY", f"http://{proxy}")
        assert isinstance(await last_of(url), StreamDone)
        async with new_client() as usual:
            assert isinstance(await last_of(url, client=usual), StreamDone)
    assert seen.asked == []


@pytest.mark.parametrize(("excepted", "through"), [("127.1", False), ("other.test", True), ("*", False)])
async def test_no_proxy_names_hosts_that_are_asked_directly(environment, excepted, through):
    async with raw_server(answers) as url, proxy_to(url) as (proxy, seen):
        environment.setenv("HTTP_PROXY", f"http://{proxy}")
        environment.setenv("NO_PROXY", excepted)
        assert isinstance(await last_of(url.replace("127.0.0.1", "127.1")), StreamDone)
    assert bool(seen.asked) == through


async def test_a_proxy_gets_its_password_and_not_the_key_of_the_provider_in_a_tunnel(environment, tls):
    async with tls() as url, proxy_to(url, "me:pass word") as (proxy, seen):
        environment.setenv("HTTPS_PROXY", f"http://me:pass%20word@{proxy}")
        assert isinstance(await last_of("https://model.test/v1"), StreamDone)
    assert seen.asked == ["CONNECT model.test:443 HTTP/1.1"]
    assert KEY not in repr(seen.headers)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_proxy_that_wants_a_password_is_told_as_that(environment, scheme):
    async with raw_server(answers) as url, proxy_to(url, "me:secret") as (proxy, _):
        environment.setenv("ALL_PROXY", f"http://me:canary-4711@{proxy}")
        last = await last_of(f"{scheme}://model.test/v1")
    assert last.failure.kind == "auth"
    assert "proxy" in last.failure.message
    assert "HTTPS_PROXY" in last.failure.advice
    assert "canary" not in repr(last)


async def test_a_proxy_that_is_not_there_is_a_network_failure(environment):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        environment.setenv("ALL_PROXY", f"http://me:canary-4711@127.0.0.1:{unused.getsockname()[1]}")
        last = await last_of("https://model.test/v1")
    assert last.failure.kind == "network"
    assert "canary" not in repr(last)


async def test_a_proxy_that_is_no_url_says_which_variables_to_look_at(environment):
    environment.setenv("ALL_PROXY", "nonsense://me:canary-4711@127.0.0.1:1")
    last = await last_of("https://model.test/v1")
    assert last.failure.kind == "bad_request"
    assert "ALL_PROXY" in last.failure.message
    assert "canary" not in repr(last)


# Certificates


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def tls(authority, environment, tmp_path):
    """A server with a certificate for model.test, of an authority that SSL_CERT_FILE names."""
    file = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    environment.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("model.test", "127.0.0.1").configure_cert(context)
    return lambda: raw_server(answers, tls=context)


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"])
async def test_an_authority_of_the_user_s_own_is_trusted(environment, tls, tmp_path, variable):
    environment.delenv("SSL_CERT_FILE")
    environment.setenv(variable, str(tmp_path / "authority.pem"))
    async with tls() as url:
        assert isinstance(await last_of(url), StreamDone)


def folder_of(file: Path) -> Path:
    """A folder beside it with its certificate, as OpenSSL looks for one there."""
    command = ["openssl", "x509", "-hash", "-noout", "-in", str(file)]
    name = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    folder = file.with_name("authorities")
    folder.mkdir()
    (folder / f"{name}.0").write_bytes(file.read_bytes())
    return folder


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl names the files of such a folder")
@pytest.mark.parametrize("variable", ["SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
async def test_a_folder_of_authorities_is_trusted(environment, tls, tmp_path, variable):
    environment.delenv("SSL_CERT_FILE")
    environment.setenv(variable, str(folder_of(tmp_path / "authority.pem")))
    async with tls() as url:
        assert isinstance(await last_of(url), StreamDone)


@pytest.mark.parametrize("named", [False, True])
async def test_an_unknown_authority_is_told_with_what_to_do_and_never_asked_again(
    environment, tls, tmp_path, named
):
    environment.delenv("SSL_CERT_FILE")
    if named:
        other = tmp_path / "other.pem"
        trustme.CA().cert_pem.write_to_path(str(other))
        environment.setenv("SSL_CERT_FILE", str(other))
        environment.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))  # the other comes first
    async with tls() as url:
        last = await last_of(url)
    assert last.failure.kind == "bad_request"
    assert "certificate that is not trusted" in last.failure.message
    assert "SSL_CERT_FILE" in last.failure.advice


async def test_a_server_without_tls_is_told_of_as_such_and_not_asked_again(environment):
    async def plainly(_, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plainly, "127.0.0.1", 0) as server:
        last = await last_of(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    assert last.failure.kind == "bad_request"
    assert "does not answer with TLS" in last.failure.message
    assert "write http://" in last.failure.advice


async def test_a_certificate_for_another_host_is_not_trusted(tls):
    async with tls() as url:
        last = await last_of(url.replace("127.0.0.1", "127.1"))
    assert last.failure.kind == "bad_request"
    assert "certificate" in last.failure.message


# Time


async def test_a_connection_that_is_not_made_in_time_is_given_up(environment):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes the connection, and never speaks TLS
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        last = await last_of(url, stall=Stall(connect=0.05))
    assert last.failure.kind == "timeout"
    assert "no connection to" in last.failure.message
    assert "within 0.05 seconds" in last.failure.message


@pytest.mark.skipif(
    sys.platform != "linux", reason="how a full queue of connections behaves is the system's matter"
)
async def test_a_server_that_takes_no_connection_is_given_up_by_both_clients(client):
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        held = [socket.socket() for _ in range(2)]
        for each in held:
            each.setblocking(False)
            each.connect_ex(address)
        last = await last_of(f"http://127.0.0.1:{address[1]}/v1", stall=Stall(connect=0.05), client=client)
        for each in held:
            each.close()
    assert last.failure.kind == "timeout"
    assert "within 0.05 seconds" in last.failure.message


# Connections


async def test_two_requests_go_over_one_connection(client):
    connections = []

    async def answer(reader, writer):
        connections.append(writer)
        await answers(reader, writer)

    async with raw_server(answer) as url:
        for _ in range(2):
            assert isinstance(await last_of(url, client=client), StreamDone)
    assert len(connections) == 1


TURNS = 100
"""Of the event loop, without any time passing: the abort's own, and those that its end takes to arrive."""


async def test_an_abort_closes_the_connection_at_once(client):
    gone = asyncio.Event()

    async def answer(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        piece = sse(text("Hel"), done=False)
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        try:
            assert await reader.read(1) == b""
        except ConnectionError:
            pass  # as much an end as any
        gone.set()

    async with raw_server(answer) as url:
        controller = AbortController()
        events = []
        async for event in HttpModel(OpenAIChat(), "m", url, None, client=client).stream(
            ask(), controller.signal
        ):
            events.append(event)
            if isinstance(event, BlockDelta):
                assert not gone.is_set()
                controller.abort()
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                assert gone.is_set()
    assert isinstance(events[-1], StreamError)


async def test_an_abort_before_anything_came_closes_the_connection_at_once(client):
    here, gone = asyncio.Event(), asyncio.Event()

    async def answer(reader, writer):
        here.set()
        try:
            assert await reader.read(1) == b""
        except ConnectionError:
            pass
        gone.set()

    async with raw_server(answer) as url:
        controller = AbortController()
        model = HttpModel(OpenAIChat(), "m", url, None, client=client)
        asking = asyncio.create_task(events_of(model, signal=controller.signal))
        await asyncio.wait_for(here.wait(), 5)
        controller.abort()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        assert gone.is_set()
        assert isinstance((await asking)[-1], StreamError)
