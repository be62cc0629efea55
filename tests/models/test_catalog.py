"""From a written name to a model, and the commands that look into models."""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest

from steersman.cli import debug, tape
from steersman.models.catalog import resolve_model
from steersman.models.errors import ModelConfigError
from support.anthropic_sse import sse as messages_sse
from support.anthropic_sse import start, stop
from support.anthropic_sse import text as messages_text
from support.sse import call, sse, text

TAPE = '{"tape": 1}\n{"text": "hello"}\n'


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    debug.add_parser(subparsers)
    tape.add_parser(subparsers)
    return parser.parse_args(words)


def test_a_name_is_resolved_to_its_provider(tmp_path):
    path = tmp_path / "demo.jsonl"
    path.write_text(TAPE)
    assert resolve_model(f"tape:{path}").id == "tape:demo.jsonl"
    assert resolve_model("openai-chat:qwen3:8b", "http://127.0.0.1:1/v1").id == "openai-chat:qwen3:8b"
    assert resolve_model("openai-chat:gpt-5", api_key="k" * 20).id == "openai-chat:gpt-5"
    assert resolve_model("anthropic:claude-opus-5-5", api_key="k" * 20).id == "anthropic:claude-opus-5-5"
    assert resolve_model("anthropic:claude-x", "http://127.0.0.1:1").id == "anthropic:claude-x"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "No model is named"),
        ("  ", "No model is named"),
        ("openai-chat:", "there is no name"),
        ("openai-chat: ", "there is no name"),
        ("anthropic", "there is no name"),
        ("tape: ", "there is no name"),
        ("grok:grok-4", "Did you mean groq"),
        ("antropic:claude-x", "Did you mean anthropic"),
        ("zzz:x", r"\[providers.zzz\] of config.toml, with api and base_url"),
        ("openai/gpt-5", "Did you mean openai:gpt-5"),
        ("my-model.gguf", "such as openai-chat:my-model.gguf"),
        ("gpt-5.4", r"Did you mean openai:gpt-5.4\?"),
        ("Claude-opus-5-5", r"Did you mean anthropic:Claude-opus-5-5\?"),
        ("kimi-k2.6", "Did you mean moonshot:kimi-k2.6 or moonshot-cn:kimi-k2.6"),
        ("qwen3:8b", "A model of Ollama is written ollama:qwen3:8b"),
    ],
)
def test_a_name_that_is_none_says_how_one_is_written_and_what_was_meant(spec, said):
    with pytest.raises(ModelConfigError, match=said) as error:
        resolve_model(spec, "http://h", "k")
    assert "PROVIDER:NAME" in str(error.value) or "provider" in str(error.value)


def test_a_missing_key_and_a_missing_tape_say_what_to_do(tmp_path):
    with pytest.raises(ModelConfigError, match="STEERSMAN_API_KEY"):
        resolve_model("openai-chat:gpt-5")
    with pytest.raises(ModelConfigError, match="STEERSMAN_API_KEY"):
        resolve_model("anthropic:claude-x")
    with pytest.raises(ModelConfigError, match="Can't read the tape"):
        resolve_model(f"tape:{tmp_path}/none.jsonl")


def test_a_tape_needs_no_http_client(tmp_path):
    path = tmp_path / "demo.jsonl"
    path.write_text(TAPE)
    code = (
        "import sys; from steersman.models.catalog import resolve_model; resolve_model(sys.argv[1]); "
        "resolve_model('openai-chat:x', 'http://h'); resolve_model('anthropic:x', 'http://h'); "
        "sys.exit('httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code, f"tape:{path}"], check=False).returncode == 0


def test_parse_stream_prints_the_parse(tmp_path, capsys):
    path = tmp_path / "body.sse"
    path.write_bytes(sse(text("Hé\ud83d"), call('{"a":1}', index=0, id="p1", name="ls", finish="tool_calls")))
    args = parsed("debug", "parse-stream", "--api", "openai-chat", str(path))
    assert args.func(args) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {
        "text": "Hé\ufffd",
        "reasoning": "",
        "refusal": None,
        "tool_calls": [{"id": "p1", "name": "ls", "arguments": {"a": 1}, "arguments_raw": '{"a":1}'}],
        "finish_reason": "tool_calls",
        "usage": None,
        "error": None,
        "model": "m-1",
        "id": "c1",
        "stop_reason": "tool_calls",
    }


def test_parse_stream_of_the_other_api(tmp_path, capsys):
    path = tmp_path / "body.sse"
    path.write_bytes(messages_sse(start(), *messages_text(0, "Hello"), *stop()))
    args = parsed("debug", "parse-stream", "--api", "anthropic", str(path))
    assert args.func(args) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["text"], printed["stop_reason"], printed["usage"]["input"]) == ("Hello", "stop", 3)


def test_parse_stream_of_a_missing_file_fails(tmp_path, capsys):
    args = parsed("debug", "parse-stream", "--api", "openai-chat", str(tmp_path / "none"))
    assert args.func(args) == 1
    assert "No such file" in capsys.readouterr().err


SERVE = (
    "import argparse, sys; from steersman.cli import tape; parser = argparse.ArgumentParser(); "
    "tape.add_parser(parser.add_subparsers()); args = parser.parse_args(sys.argv[1:]); sys.exit(args.func(args))"
)


async def serving(path, **options):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE, "tape", "serve", str(path), stdout=subprocess.PIPE, **options
    )
    assert process.stdout is not None
    return process, json.loads(await process.stdout.readline())


@pytest.mark.parametrize("how", ["SIGTERM", "SIGINT", "EOF"])
async def test_tape_serve_says_where_it_listens_and_ends_cleanly(how, tmp_path):
    path = tmp_path / "demo.jsonl"
    path.write_text(TAPE)
    process, line = await serving(path, stdin=subprocess.PIPE)
    assert line["pid"] == process.pid
    port = int(line["url"].rpartition(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /v1/models HTTP/1.1\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    if how == "EOF":
        process.stdin.close()
    else:
        os.kill(process.pid, getattr(signal, how))
    assert await asyncio.wait_for(process.wait(), 10) == 0
    writer.close()


def test_tape_serve_without_a_usable_tape_fails(tmp_path, capsys):
    args = parsed("tape", "serve", str(tmp_path / "none.jsonl"))
    assert args.func(args) == 1
    assert "Can't read the tape" in capsys.readouterr().err
