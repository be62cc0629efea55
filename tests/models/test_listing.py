"""What a server says that it offers: every page of it, every way to fail, in bounded time and size."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from steersman.models.catalog import resolve_model
from steersman.models.endpoint import HttpFailure
from steersman.models.errors import ModelConfigError
from steersman.models.http import new_client
from steersman.models.listing import MAX_NAMES, MAX_PAGES, list_models
from steersman.models.provider import APIS, ModelFacts, Price
from support.listing_servers import OllamaModel, ollama, openai_list, serving
from support.model_server import Canned, events_of, raw_server

KEY = "plain-looking-canary-0123456789"
BASE = "http://models.example/v1"


@dataclass
class Paged(httpx.AsyncBaseTransport):
    """Answers each request with what a function makes of its URL, and keeps the URLs."""

    answer: Callable[[httpx.URL], Any]
    urls: list[str] = field(default_factory=list)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.urls.append(str(request.url))
        answer = self.answer(request.url)
        return httpx.Response(404) if answer is None else httpx.Response(200, json=answer)


async def failure_of(canned: Canned, *, base_url: str = BASE, key: str | None = KEY) -> HttpFailure:
    async with new_client(canned) as client:
        with pytest.raises(HttpFailure) as raised:
            await list_models("openai-chat", base_url, key, client=client)
    return raised.value


async def test_anthropic_is_asked_page_by_page():
    def answer(url: httpx.URL) -> Any:
        after = url.params.get("after_id")
        ids = ["a", "b"] if after is None else ["b", "c"]
        return {"data": [{"id": each} for each in ids], "has_more": after is None, "last_id": ids[-1]}

    paged = Paged(answer)
    async with new_client(paged) as client:
        listing = await list_models("anthropic", "https://api.anthropic.com", KEY, client=client)
    assert listing.names == ("a", "b", "c")
    assert paged.urls == [
        "https://api.anthropic.com/v1/models?limit=1000",
        "https://api.anthropic.com/v1/models?limit=1000&after_id=b",
    ]


async def test_gemini_is_asked_page_by_page():
    def answer(url: httpx.URL) -> Any:
        token = url.params.get("pageToken")
        name = "models/gemini-a" if token is None else "models/gemini-b"
        page = {"models": [{"name": name, "supportedGenerationMethods": ["generateContent"]}]}
        return page | ({"nextPageToken": "a/b=="} if token is None else {})

    paged = Paged(answer)
    async with new_client(paged) as client:
        listing = await list_models("gemini", "https://gemini.example/v1beta", KEY, client=client)
    assert listing.names == ("gemini-a", "gemini-b")
    assert paged.urls == [
        "https://gemini.example/v1beta/models?pageSize=1000",
        "https://gemini.example/v1beta/models?pageSize=1000&pageToken=a%2Fb%3D%3D",
    ]


async def test_pages_without_an_end_are_not_all_asked_for():
    paged = Paged(lambda url: {"data": [{"id": "a"}], "has_more": True, "last_id": "a"})
    async with new_client(paged) as client:
        listing = await list_models("anthropic", BASE, KEY, client=client)
    assert listing.names == ("a",)
    assert len(paged.urls) == MAX_PAGES


async def test_xai_tells_prices_in_a_list_of_its_own():
    lists = {
        "/v1/models": {"data": [{"id": "grok-4", "context_length": 256_000}, {"id": "grok-other"}]},
        "/v1/language-models": {
            "models": [
                {
                    "id": "grok-4",
                    "input_modalities": ["text", "image"],
                    "prompt_text_token_price": 30_000,
                    "completion_text_token_price": 150_000,
                    "cached_prompt_text_token_price": 7_500,
                }
            ]
        },
    }
    async with new_client(Paged(lambda url: lists.get(url.path))) as client:
        listing = await list_models("openai-chat", "https://api.x.ai/v1", KEY, client=client)
    assert listing.models[0].facts == ModelFacts(256_000, images=True, price=Price(3, 15, 0.75))
    assert listing.names == ("grok-4", "grok-other")
    del lists["/v1/language-models"]
    async with new_client(Paged(lambda url: lists.get(url.path))) as client:
        listing = await list_models("openai-chat", "https://api.x.ai/v1", KEY, client=client)
    assert listing.models[0].facts == ModelFacts(256_000)


async def test_a_program_on_this_machine_is_asked_for_what_its_list_leaves_out():
    async with serving(ollama(OllamaModel("qwen3:8b", running=8192))) as server:
        listing = await list_models("openai-chat", server.base_url, None)
    assert (listing.program, listing.names) == ("ollama", ("qwen3:8b",))
    assert listing.models[0].facts == ModelFacts(8192, images=False, thinking=False)


async def test_a_server_elsewhere_is_asked_so_only_if_it_is_such_a_program():
    answers = ollama(OllamaModel("qwen3:8b", running=8192))

    def answer(url: httpx.URL) -> Any:
        found = answers.get(url.path)
        return found if not callable(found) else None

    plain, local = Paged(answer), Paged(answer)
    async with new_client(plain) as one, new_client(local) as two:
        await list_models("openai-chat", "http://nas.example:11434/v1", None, client=one)
        listing = await list_models(
            "openai-chat", "http://nas.example:11434/v1", None, local=True, client=two
        )
    assert plain.urls == ["http://nas.example:11434/v1/models"]
    assert (listing.program, listing.models[0].facts.context_window) == ("ollama", 8192)


async def test_what_is_asked_beside_the_list_can_not_spoil_it():
    answers = ollama(OllamaModel("qwen3:8b", running=8192))
    async with serving(answers, silent=["/api/show"]) as server:
        listing = await list_models("openai-chat", server.base_url, None, seconds=0.2)
    assert listing.models[0].facts == ModelFacts(8192)


async def test_headers_of_the_user_go_along_and_never_in_place_of_the_key():
    canned = Canned([json.dumps(openai_list("a")).encode()])
    more = {"X-Team": "blue", "Authorization": "Bearer other"}
    async with new_client(canned) as client:
        await list_models("openai-chat", BASE, KEY, headers=more, client=client)
    (request,) = canned.requests
    assert request.headers["x-team"] == "blue"
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_long_list_is_cut_and_says_so():
    body = json.dumps({"data": [{"id": f"m{number}" + "x" * 1000} for number in range(MAX_NAMES + 5)]})
    async with new_client(Canned([body.encode()])) as client:
        listing = await list_models("openai-chat", BASE, None, client=client)
    assert (len(listing.names), listing.left_out) == (MAX_NAMES, 5)
    assert max(map(len, listing.names)) <= 200


@pytest.mark.parametrize(
    ("api", "base_url", "url", "headers"),
    [
        ("openai-chat", BASE, f"{BASE}/models", {"authorization": f"Bearer {KEY}"}),
        ("openai-chat", "http://models.example", f"{BASE}/models", {"authorization": f"Bearer {KEY}"}),
        (
            "openai-chat",
            "http://ada:pw@models.example/v1/chat/completions?v=2",
            f"{BASE}/models?v=2",
            {"authorization": f"Bearer {KEY}"},
        ),
        ("openai-responses", BASE, f"{BASE}/models", {"authorization": f"Bearer {KEY}"}),
        (
            "anthropic",
            BASE,
            f"{BASE}/models?limit=1000",
            {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
        ),
        (
            "gemini",
            "http://models.example",
            "http://models.example/v1beta/models?pageSize=1000",
            {"x-goog-api-key": KEY},
        ),
    ],
)
async def test_each_api_is_asked_in_its_way(api, base_url, url, headers):
    canned = Canned([b'{"data": []}'])
    async with new_client(canned) as client:
        await list_models(api, base_url, KEY, client=client)
    (request,) = canned.requests
    assert (request.method, str(request.url)) == ("GET", url)
    assert {name: request.headers.get(name) for name in headers} == headers


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("key", [None, KEY])
async def test_a_list_is_asked_for_with_the_authorization_of_a_run(api, key):
    """Or `steersman models` and `doctor` say something else of a server than a run finds."""
    base_url = "http://ada:word@models.example/v1"
    canned = Canned([b'{"data": []}'])
    async with new_client(canned) as client:
        await list_models(api, base_url, key, client=client)
        await events_of(resolve_model(f"{api}:m", base_url, key, client=client))
    listed, run = (request.headers.get("authorization") for request in canned.requests)
    assert listed == run


@pytest.mark.parametrize(
    ("canned", "kind", "said"),
    [
        (
            Canned([b'{"error": {"message": "bad key %s"}}' % KEY.encode()], status=401),
            "auth",
            "models.example",
        ),
        (Canned([b"<html>not here</html>"], status=404), "not_found", "models.example"),
        (Canned([b"<html>welcome</html>"]), "protocol", "not JSON"),
        (Canned([b'{"data": 3}']), "protocol", "not a list of models"),
        (Canned([b"[" * 100_000]), "protocol", "not JSON"),
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
