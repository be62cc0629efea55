"""`steersman models`: what there is to name, and clear words when it can't be found out."""

import asyncio
import json

import pytest

from steersman.models.catalog import PROVIDERS
from support.command_line import CommandLine
from support.model_server import raw_server

KEY = "plain-looking-canary-0123456789"


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    return CommandLine(home, workspace)


def listing(*names: str, status: int = 200):
    async def answer(reader, writer):
        content = json.dumps({"data": [{"id": name} for name in names]}).encode()
        writer.write(b"HTTP/1.1 %d x\r\ncontent-length: %d\r\n\r\n" % (status, len(content)) + content)
        await writer.drain()

    return answer


def test_without_a_server_the_providers_are_named(line):
    done = line.run("models")
    assert done.status == 0
    assert all(text in done.out for text in PROVIDERS.values())
    assert "Configured: none" in done.out


async def test_what_the_server_offers_is_listed_as_it_is_written_with_the_configured_one_marked(line):
    async with raw_server(listing("qwen", "evil\x1b[2J", "other")) as url:
        settings = {"STEERSMAN_MODEL": "openai-chat:qwen", "STEERSMAN_BASE_URL": url}
        done = await asyncio.to_thread(line.run, "models", **settings)
        as_json = await asyncio.to_thread(line.run, "models", "--json", **settings)
    assert done.status == 0
    assert "* openai-chat:qwen\n" in done.out
    assert "  openai-chat:other\n" in done.out
    assert "\x1b" not in done.out
    told = json.loads(as_json.out)
    assert told["configured"] == "openai-chat:qwen"
    assert told["server"]["names"] == ["qwen", "evil\x1b[2J", "other"]
    assert set(told["providers"]) == set(PROVIDERS)


async def test_a_long_list_is_cut_on_a_screen(line):
    async with raw_server(listing(*(f"m{number}" for number in range(300)))) as url:
        done = await asyncio.to_thread(line.run, "models", STEERSMAN_BASE_URL=url)
    assert done.out.count("openai-chat:m") == 200
    assert "and 100 more" in done.out


async def test_a_server_that_can_not_be_asked_is_an_error_that_says_why(line):
    async with raw_server(listing()) as url:
        pass
    settings = {"STEERSMAN_BASE_URL": url, "STEERSMAN_API_KEY": KEY}
    done = await asyncio.to_thread(line.run, "models", **settings)
    assert done.status == 1
    assert done.err.startswith("steersman models: can't connect to 127.0.0.1")
    assert "openai-chat:NAME" in done.out
    as_json = await asyncio.to_thread(line.run, "models", "--json", **settings)
    assert as_json.status == 1
    assert "can't connect" in json.loads(as_json.out)["server"]["error"]
    assert KEY not in done.out + done.err + as_json.out + as_json.err


def test_a_setting_that_can_not_be_used_is_named(line):
    done = line.run("models", STEERSMAN_MODE="yolo")
    assert done.status == 1
    assert "STEERSMAN_MODE" in done.err
