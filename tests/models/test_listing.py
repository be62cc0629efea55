"""What a server says that it offers: every shape of list, every way to fail, in bounded time and size."""

import asyncio
import json

import httpx
import pytest

from steersman.models.errors import ModelConfigError
from steersman.models.http import HttpFailure, new_client
from steersman.models.listing import MAX_NAMES, list_models
from support.model_server import Canned, raw_server

KEY = "plain-looking-canary-0123456789"
BASE = "http://models.example/v1"


async def names_of(body: object) -> tuple[str, ...]:
    async with new_client(Canned([json.dumps(body).encode()])) as client:
        return (await list_models("openai-chat", BASE, KEY, client=client)).names


async def failure_of(canned: Canned, *, base_url: str = BASE, key: str | None = KEY) -> HttpFailure:
    async with new_client(canned) as client:
        with pytest.raises(HttpFailure) as raised:
            await list_models("openai-chat", base_url, key, client=client)
    return raised.value


@pytest.mark.parametrize(
    "body",
    [
        {"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]},
        {"models": [{"name": "a"}, {"name": "b"}]},
        [{"id": "a"}, {"id": "b"}],
        ["a", "b"],
        {"data": [{"id": "a"}, {"id": "a"}, {"id": 3}, None, {}, {"id": "b"}]},
    ],
)
async def test_every_shape_of_a_list_that_servers_send_is_read(body):
    assert await names_of(body) == ("a", "b")


async def test_a_long_list_is_cut_and_says_so():
    body = json.dumps({"data": [{"id": f"m{number}" + "x" * 1000} for number in range(MAX_NAMES + 5)]})
    async with new_client(Canned([body.encode()])) as client:
        listing = await list_models("openai-chat", BASE, None, client=client)
    assert (len(listing.names), listing.left_out) == (MAX_NAMES, 5)
    assert max(map(len, listing.names)) <= 200


@pytest.mark.parametrize(
    ("provider", "base_url", "url", "headers"),
    [
        ("openai-chat", BASE, f"{BASE}/models", {"authorization": f"Bearer {KEY}"}),
        ("openai-chat", "http://models.example", f"{BASE}/models", {"authorization": f"Bearer {KEY}"}),
        (
            "openai-chat",
            "http://ada:pw@models.example/v1/chat/completions?v=2",
            f"{BASE}/models?v=2",
            {"authorization": f"Bearer {KEY}"},
        ),
        ("openai-chat", None, "https://api.openai.com/v1/models", {"authorization": f"Bearer {KEY}"}),
        ("anthropic", BASE, f"{BASE}/models", {"x-api-key": KEY, "anthropic-version": "2023-06-01"}),
        (
            "anthropic",
            None,
            "https://api.anthropic.com/v1/models",
            {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
        ),
    ],
)
async def test_each_provider_is_asked_in_its_way(provider, base_url, url, headers):
    canned = Canned([b'{"data": []}'])
    async with new_client(canned) as client:
        await list_models(provider, base_url, KEY, client=client)
    (request,) = canned.requests
    assert (request.method, str(request.url)) == ("GET", url)
    assert {name: request.headers.get(name) for name in headers} == headers


@pytest.mark.parametrize(
    ("canned", "kind", "said"),
    [
        (
            Canned([b'{"error": {"message": "bad key %s"}}' % KEY.encode()], status=401),
            "auth",
            "models.example",
        ),
        (Canned([b"<html>not here</html>"], status=404), "not_found", "models.example"),
        (Canned([b"<html>welcome</html>"]), "protocol", "no list of models"),
        (Canned([b'{"data": 3}']), "protocol", "no list of models"),
        (Canned([b"[" * 100_000]), "protocol", "no list of models"),
        (Canned([b"x" * 1024 * 1024] * 5), "protocol", "more than"),
        (Canned(status=302, headers={"location": "http://elsewhere/"}), "protocol", ""),
        (Canned([b'{"da'], breaks=httpx.ReadError("gone")), "network", "broke"),
        (Canned(refuses=httpx.ConnectError("refused by " + KEY)), "network", "can't connect"),
        (Canned(refuses=RuntimeError(KEY)), "network", "RuntimeError"),
    ],
)
async def test_what_goes_wrong_is_told_with_its_kind_and_without_the_key(canned, kind, said):
    failure = await failure_of(canned)
    if canned.status != 302:
        assert failure.failure.kind == kind
    assert said in str(failure)
    assert KEY not in str(failure)


async def test_a_server_that_does_not_answer_is_given_up():
    async def silent(reader, writer):
        await asyncio.Event().wait()

    async with raw_server(silent) as base_url:
        with pytest.raises(HttpFailure, match="did not answer within") as raised:
            await list_models("openai-chat", base_url, None, seconds=0.05)
    assert raised.value.failure.kind == "timeout"


async def test_a_port_that_nobody_listens_on_is_told_as_the_system_says_it():
    async with raw_server(lambda reader, writer: asyncio.sleep(0)) as base_url:
        pass
    with pytest.raises(HttpFailure, match="Connection refused"):
        await list_models("openai-chat", base_url, None)


@pytest.mark.parametrize("base_url", ["localhost:8080", "ftp://host/v1", "http://", "http://host:0/v1"])
async def test_a_base_url_that_can_not_be_asked_is_a_setting_to_correct(base_url):
    with pytest.raises(ModelConfigError, match="base URL"):
        await list_models("openai-chat", base_url, KEY)
