"""`steersman models`: what there is to name, and clear words for what can't be used."""

import asyncio
import json

import pytest

from steersman.session.home import Home
from support.command_line import CommandLine
from support.listing_servers import OllamaModel, llamacpp, ollama, openai_list, places, serving

KEY = "plain-looking-canary-0123456789"


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    return CommandLine(home, workspace)


async def ran(line, *arguments, **settings):
    return await asyncio.to_thread(line.run, "models", *arguments, **settings)


def box(url: str, more: str = "") -> str:
    return f'[providers.box]\ntitle = "The box"\napi = "openai-chat"\nbase_url = "{url}"\n{more}\n'


def test_without_anything_every_provider_says_what_to_do(line):
    with places(Home(line.home)):
        done = line.run("models")
    assert done.status == 0
    assert "Configured: none" in done.out
    assert "No model can be used yet." in done.out
    assert "Ollama: Not running on 127.0.0.1:" in done.out
    assert "OpenRouter: No API key. Set OPENROUTER_API_KEY (https://" in done.out
    assert f"[providers.NAME] of {line.home}/config.toml" in done.out


async def test_a_local_server_is_found_and_its_models_are_listed_as_they_are_written(line):
    models = (
        OllamaModel("qwen3:8b", running=8192),
        OllamaModel("sees:4b", capabilities=["completion", "vision"]),
    )
    async with serving(ollama(*models)) as server:
        with places(Home(line.home), ollama=server.port):
            done = await ran(line, STEERSMAN_MODEL="ollama:sees:4b")
    assert done.status == 0
    assert f"\nOllama (127.0.0.1:{server.port})\n" in done.out
    assert "  ollama:qwen3:8b  8k tokens, loaded\n" in done.out
    assert "* ollama:sees:4b   images\n" in done.out


async def test_windows_and_prices_stand_beside_the_models_and_nothing_of_them_obeys_the_terminal(line):
    items = [
        {
            "id": "big",
            "context_length": 1_048_576,
            "pricing": {"prompt": "0.000003", "completion": "0.000015"},
        },
        {"id": "free", "context_length": 131_072, "pricing": {"prompt": "0", "completion": "0"}},
        {"id": "evil\x1b[2J"},
    ]
    async with serving({"/v1/models": openai_list(*items)}) as server:
        with places(Home(line.home), box(server.base_url)):
            done = await ran(line)
            as_json = await ran(line, "--json")
    assert "box:big" in done.out
    assert "1.05M tokens, $3 in / $15 out per 1M\n" in done.out
    assert "128k tokens, free\n" in done.out
    assert "\x1b" not in done.out
    told = json.loads(as_json.out)
    (offer,) = [each for each in told["providers"] if each["provider"] == "box"]
    assert offer["models"][0] == {
        "model": "box:big",
        "name": "big",
        "contextWindow": 1_048_576,
        "price": {"input": 3, "output": 15},
    }
    assert (offer["usable"], offer["leftOut"], told["model"]) == (True, 0, None)


async def test_a_long_list_is_cut_on_a_screen_unless_its_provider_is_named(line):
    names = [f"m{number}" for number in range(300)]
    async with serving({"/v1/models": openai_list(*names)}) as server:
        with places(Home(line.home), box(server.base_url)):
            done = await ran(line)
            named = await ran(line, "box")
    assert done.out.count("box:m") == 40
    assert "… and 260 more: steersman models box" in done.out
    assert named.out.count("box:m") == 300
    assert "Ollama" not in named.out


async def test_a_provider_that_can_not_be_used_is_an_error_if_it_is_meant(line):
    async with serving({"/v1/models": openai_list("m")}, status=401) as server:
        with places(Home(line.home), box(server.base_url, 'key_env = "BOX_KEY"')):
            by_the_way = await ran(line, BOX_KEY=KEY)
            named = await ran(line, "box", BOX_KEY=KEY)
            configured = await ran(line, BOX_KEY=KEY, STEERSMAN_MODEL="box:m")
    assert (by_the_way.status, named.status, configured.status) == (0, 1, 1)
    assert f"The box: 127.0.0.1:{server.port} answered 401" in named.out
    assert "Check the API key: it comes from BOX_KEY." in named.out
    assert KEY not in by_the_way.out + named.out + configured.out + named.err


async def test_a_llamacpp_on_the_port_of_ollama_is_not_called_ollama(line):
    async with serving(llamacpp("qwen3", served=4096)) as server:
        with places(Home(line.home), ollama=server.port):
            done = await ran(line)
    assert f"llama.cpp (qwen3): No provider has its base URL, {server.base_url}." in done.out
    assert f"Set STEERSMAN_BASE_URL={server.base_url} and STEERSMAN_MODEL=openai-chat:qwen3." in done.out
    assert "Ollama: Another program answers" in done.out


async def test_a_run_without_a_model_names_the_one_that_is_loaded_and_does_not_take_it(line):
    async with serving(ollama(OllamaModel("qwen3:8b", running=8192))) as server:
        with places(Home(line.home), ollama=server.port):
            done = await asyncio.to_thread(line.run, "run", "hello")
    assert done.status == 1
    assert done.err.startswith("steersman run: No model is configured.")
    assert done.err.endswith("To use it: STEERSMAN_MODEL=ollama:qwen3:8b\n")
    assert not [asked for asked in server.asked if "chat" in asked]


def test_a_provider_that_does_not_exist_is_named(line):
    done = line.run("models", "openrooter")
    assert done.status == 1
    assert "openrouter" in done.err


def test_a_setting_that_can_not_be_used_is_named(line):
    done = line.run("models", STEERSMAN_MODE="yolo")
    assert done.status == 1
    assert "STEERSMAN_MODE" in done.err
