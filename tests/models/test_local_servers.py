"""Servers of models on this machine: found on the ports that are named, and known by what they answer."""

import socket

import pytest

from steersman.models.local_servers import default_ports, find_local_servers
from steersman.models.provider import ModelFacts, Provider
from support.listing_servers import OllamaModel, llamacpp, lmstudio, ollama, openai_list, serving
from support.model_server import raw_server


async def found_in(answers, **options):
    """The only server that is found there, and what it was asked."""
    async with serving(answers, **options) as server:
        (found,) = await find_local_servers([server.port])
        return found, server


def facts_of(found) -> dict[str, ModelFacts]:
    return {model.name: model.facts for model in found.models}


async def test_ollama_has_the_window_of_what_runs_else_of_the_models_file_else_none_that_is_known():
    found, server = await found_in(
        ollama(
            OllamaModel("runs:8b", running=8192, num_ctx=32768),
            OllamaModel("named:8b", num_ctx=32768),
            OllamaModel("too-much:8b", num_ctx=500_000, trained=40960),
            OllamaModel("quiet:8b"),
        )
    )
    assert (found.program, found.base_url) == ("ollama", server.base_url)
    windows = {name: facts.context_window for name, facts in facts_of(found).items()}
    assert windows == {"runs:8b": 8192, "named:8b": 32768, "too-much:8b": 40960, "quiet:8b": None}
    assert [model.name for model in found.models if model.loaded] == ["runs:8b"]


async def test_ollama_tells_what_its_models_can_do_and_embeddings_are_left_out():
    found, _ = await found_in(
        ollama(
            OllamaModel("sees:4b", capabilities=["completion", "vision", "thinking"]),
            OllamaModel("plain:4b"),
            OllamaModel("embeds", capabilities=["embedding"]),
        )
    )
    assert facts_of(found) == {
        "sees:4b": ModelFacts(images=True, thinking=True),
        "plain:4b": ModelFacts(images=False, thinking=False),
    }


async def test_an_ollama_without_models_is_ollama_all_the_same():
    found, _ = await found_in(ollama())
    assert (found.program, found.models) == ("ollama", ())


async def test_a_llamacpp_is_known_whatever_port_it_has_and_tells_the_window_that_it_serves():
    found, server = await found_in(llamacpp("qwen3", served=16384, trained=262144, vision=True))
    assert found.program == "llamacpp"
    assert facts_of(found) == {"qwen3": ModelFacts(16384, images=True)}
    assert found.models[0].loaded
    assert not [asked for asked in server.asked if "/api/" in asked]


async def test_a_llamacpp_that_does_not_tell_its_window_is_not_said_to_serve_all_that_it_was_trained_for():
    answers = llamacpp("qwen3", served=16384)
    del answers["/props"]
    found, _ = await found_in(answers)
    assert (found.program, facts_of(found)) == ("llamacpp", {"qwen3": ModelFacts()})


async def test_a_router_of_llamacpp_says_what_it_has_loaded_and_is_not_made_to_load_more():
    items = [
        {"id": "a", "owned_by": "llamacpp", "status": {"value": "loaded"}, "meta": {"n_ctx": 4096}},
        {"id": "b", "owned_by": "llamacpp", "status": {"value": "unloaded"}},
    ]
    found, server = await found_in({"/v1/models": openai_list(*items)})
    assert [(model.name, model.loaded) for model in found.models] == [("a", True), ("b", False)]
    assert facts_of(found)["a"].context_window == 4096
    assert server.asked == ["GET /v1/models"]


async def test_lm_studio_has_the_window_of_what_is_loaded_and_no_embeddings():
    found, _ = await found_in(
        lmstudio(
            {
                "id": "loaded",
                "type": "vlm",
                "state": "loaded",
                "max_context_length": 131072,
                "loaded_context_length": 4096,
            },
            {"id": "rests", "type": "llm", "state": "not-loaded", "max_context_length": 131072},
            {"id": "embeds", "type": "embeddings", "state": "loaded", "max_context_length": 2048},
        )
    )
    assert found.program == "lmstudio"
    assert facts_of(found) == {
        "loaded": ModelFacts(4096, images=True),
        "rests": ModelFacts(images=False),
    }
    assert [model.loaded for model in found.models] == [True, False]


async def test_vllm_tells_all_in_its_list():
    items = [{"id": "qwen3", "owned_by": "vllm", "max_model_len": 40960}]
    found, server = await found_in({"/v1/models": openai_list(*items)})
    assert (found.program, facts_of(found)) == ("vllm", {"qwen3": ModelFacts(40960)})
    assert found.models[0].loaded
    assert server.asked == ["GET /v1/models"]


@pytest.mark.parametrize("owner", ["somebody", "koboldcpp"])
async def test_a_program_that_nobody_knows_is_listed_without_a_name(owner):
    answers = {"/v1/models": openai_list("m", owner=owner)}
    if owner == "koboldcpp":
        answers |= {"/api/version": {"version": "0.7.0"}, "/api/tags": {"models": [{"name": "m"}]}}
    found, _ = await found_in(answers)
    assert (found.program, [model.name for model in found.models]) == (None, ["m"])


@pytest.mark.parametrize("answers", [{}, {"/v1/models": {"hello": "world"}}, {"/v1/models": "hello"}])
async def test_a_server_that_lists_no_models_is_asked_once_and_left_alone(answers):
    async with serving(answers) as server:
        assert await find_local_servers([server.port]) == ()
        assert server.asked == ["GET /v1/models"]


async def test_what_speaks_no_http_is_no_server():
    async def greet(reader, writer):
        writer.write(b"220 mail.example ESMTP\r\n")
        await writer.drain()

    async with raw_server(greet) as url:
        assert await find_local_servers([int(url.removesuffix("/v1").rpartition(":")[2])]) == ()


async def test_what_was_told_in_time_is_kept_and_the_rest_is_not_waited_for():
    quick, slow = llamacpp("quick", served=4096), ollama(OllamaModel("slow:8b", running=8192))
    async with (
        serving(quick) as one,
        serving(slow, silent=["/api/show"]) as two,
        serving(quick, silent=["/v1/models"]) as three,
    ):
        found = await find_local_servers([one.port, two.port, three.port], seconds=3)
    assert [(each.program, each.port) for each in found] == [("llamacpp", one.port), ("ollama", two.port)]
    assert facts_of(found[1]) == {"slow:8b": ModelFacts(8192)}


async def test_a_server_of_the_other_loopback_address_is_found_there():
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    try:
        async with serving(llamacpp("six", served=4096), host="::1") as server:
            (found,) = await find_local_servers([server.port])
    except OSError:
        pytest.skip("no loopback address of IPv6 here")
    assert found.base_url == f"http://[::1]:{server.port}/v1"


async def test_no_key_goes_there_and_no_ports_are_no_servers():
    _, server = await found_in(llamacpp("m", served=4096))
    assert not [head for head in server.heads if b"authorization" in head.lower()]
    assert await find_local_servers([]) == ()


def provider(base_url: str, *, local: bool = True) -> Provider:
    return Provider("p", "P", "openai-chat", base_url, local=local)


def test_only_ports_of_local_providers_on_this_machine_are_looked_at():
    ports = default_ports(
        [
            provider("http://127.0.0.1:11434/v1"),
            provider("http://localhost:8080/v1"),
            provider("http://[::1]:1234/v1"),
            provider("http://127.0.0.1:11434/v1"),
            provider("http://nas.example:8000/v1"),
            provider("http://127.0.0.1:9999/v1", local=False),
        ]
    )
    assert ports == [11434, 8080, 1234]
