"""No key is in any byte that Steersman writes, whatever a model's server says back: keys are in requests only."""

import asyncio
import json
from collections.abc import Collection
from pathlib import Path

import pytest

from steersman.models.provider import APIS
from support.command_line import CommandLine
from support.echoing_server import BEHAVIOURS, EchoingServer, echoing_server, forms
from support.load_client import LoadClient
from support.served_process import COMMAND, Place

KEY = "canary/key+4711==Zz9"
USER, PASSWORD, QUERY = "canary-user-0815", "canary?pass/word&42", "canary=query/+31337"
USERINFO, IN_QUERY = "canary-user-0815:canary%3Fpass%2Fword%2642", "canary%3Dquery%2F%2B31337"
IN_HEADER = "canary-of-a-header-8472"
SENT = (KEY, f"{USER}:{PASSWORD}", PASSWORD, QUERY)
OTHERS = {
    "ANTHROPIC_API_KEY": "sk-ant-canary-0123456789-abcdef",
    "OPENAI_API_KEY": "sk-canary-9876543210-fedcba",
}


def environment(api: str, host: str) -> dict[str, str]:
    return {
        "STEERSMAN_MODEL": f"{api}:claude-or-gpt",
        "STEERSMAN_BASE_URL": f"http://{USERINFO}@{host}/v1?api-version=2&code={IN_QUERY}",
        "STEERSMAN_API_KEY": KEY,
    }


def leaks(where: str, data: bytes, secrets: Collection[str] = SENT) -> list[str]:
    """Where a secret is, and in what surroundings."""
    return [
        f"{where}: {secret!r} as {data[max(0, at - 80) : at + len(form) + 20]!r}"
        for secret in secrets
        for form in forms(secret)
        if (at := data.find(form)) >= 0
    ]


def written(base: Path, secrets: Collection[str] = SENT) -> list[str]:
    """What of the secrets is in the files below a folder, or in their names."""
    files = [path for path in base.rglob("*") if path.is_file()]
    texts = ((str(path), str(path).encode() + path.read_bytes()) for path in files)
    return [leak for name, text in texts for leak in leaks(name, text, secrets)]


def check_requests(server: EchoingServer) -> None:
    """The server did get the keys, and in heads only: or else nothing was tested."""
    heads = b"\n".join(server.heads)
    assert leaks("", heads, [KEY]) and leaks("", heads, [QUERY])
    assert [leak for body in server.bodies for leak in leaks("a request's body", body)] == []


def test_a_secret_is_found_in_each_of_its_forms():
    for text in (KEY, "x" + KEY, "Basic eW91OmNhbmFyeS9rZXkrNDcxMT09Wno5", "canary%2Fkey%2B4711%3D%3DZz9"):
        assert leaks("", text.encode(), [KEY])
    assert leaks("", b"canary/key+4712==Zz9", [KEY]) == []


@pytest.mark.parametrize("profile", ["rich", "floor"])
@pytest.mark.parametrize("api", APIS)
async def test_a_server_writes_no_key_anywhere(tmp_path, api, profile):
    async with echoing_server(SENT) as (server, host):
        place = Place(tmp_path)
        (place.root / "a.txt").write_text("a\n")
        client = LoadClient(
            place,
            rich=profile == "rich",
            command=[*COMMAND, "--log-level", "debug"],
            **environment(api, host),
        )
        client.transcript = bytearray()
        try:
            await client.initialize()
            prompts = [f"behave: {name}" for name in BEHAVIOURS]
            starts = [client.begin_command("start", prompt=each, mode="full-auto") for each in prompts]
            runs = [(await start)["result"] for start in starts]
            await client.ends_of(runs)
            for run in runs:
                await client.command("events", session=run["session"])
            await client.command("status")
            assert await client.close() == 0
        finally:
            client.kill()
        ends = {
            name: place.log(run["session"])[-1]["data"] for name, run in zip(BEHAVIOURS, runs, strict=True)
        }
        assert ends["well"]["stopReason"] == ends["event"]["stopReason"] == "complete"
        assert {ends[f"status {status}"]["stopReason"] for status in (400, 401, 500)} == {"error"}
        told = json.dumps(place.log(runs[0]["session"]))
        assert "STEERSMAN_HOME=" in told, "or else no command has told its environment"
        check_requests(server)
        assert leaks("standard output", bytes(client.transcript)) == []
        assert written(tmp_path) == []


def table_of_a_provider(home: Path, api: str, host: str) -> dict[str, str]:
    """The same secrets in the user's file, and one in a header; the key is printed by a command."""
    (home / "key").write_text(KEY)
    lines = [
        f'model = "work:claude-or-gpt"\n[providers.work]\napi = "{api}"',
        f'base_url = "http://{USERINFO}@{host}/v1?api-version=2&code={IN_QUERY}"',
        f'key_command = ["cat", "{home / "key"}"]',
        f"headers = {{ x-gate = '{IN_HEADER}' }}",
    ]
    (home / "config.toml").write_text("\n".join(lines))
    (home / "config.toml").chmod(0o600)
    return {}


@pytest.mark.parametrize("configured", ["by variables", "by a table"])
@pytest.mark.parametrize("api", APIS)
async def test_a_recorded_run_and_the_doctor_write_no_key_anywhere(tmp_path, api, configured):
    sent = SENT if configured == "by variables" else (*SENT, IN_HEADER)
    async with echoing_server(sent) as (server, host):
        (tmp_path / "home").mkdir(mode=0o700)
        (tmp_path / "ws").mkdir()
        (tmp_path / "tapes").mkdir()
        line = CommandLine(tmp_path / "home", tmp_path / "ws")
        if configured == "by variables":
            variables = environment(api, host)
        else:
            variables = table_of_a_provider(line.home, api, host)

        async def run(*arguments: str) -> bytes:
            done = await asyncio.to_thread(line.run, *arguments, **variables)
            return f"{done.out}\n{done.err}".encode()

        def recorded(name: str) -> tuple[str, ...]:
            tape = tmp_path / "tapes" / f"{name}.jsonl"
            return (
                "run",
                f"behave: {name}",
                "--mode",
                "full-auto",
                "--trust",
                "--json",
                "--record",
                str(tape),
            )

        names = ("well", "event", "status 401")
        texts = await asyncio.gather(*(run(*recorded(name)) for name in names))
        texts += await asyncio.gather(run("doctor"), run("models"))
        assert [leak for text in texts for leak in leaks("output", text, sent)] == []
        assert b'"stopReason":"complete"' in texts[0] and b'"stopReason":"error"' in texts[2]
        assert b"STEERSMAN_HOME=" in texts[0], "or else no command has told its environment"
        assert b"Check the API key" in texts[3]
        assert len(list((tmp_path / "tapes").iterdir())) == len(names)
        check_requests(server)
        for name in ("config.toml", "key"):
            (line.home / name).unlink(missing_ok=True)
        assert written(tmp_path, sent) == []


@pytest.mark.parametrize(
    ("model", "wanted"), [("openai-chat:m", "STEERSMAN_API_KEY"), ("mistral:m", "MISTRAL_API_KEY")]
)
def test_keys_of_providers_that_are_not_named_are_neither_used_nor_written(tmp_path, model, wanted):
    (tmp_path / "home").mkdir(mode=0o700)
    line = CommandLine(tmp_path / "home", tmp_path)
    done = line.run("run", "hello", "--json", STEERSMAN_MODEL=model, **OTHERS)
    assert done.status == 1
    assert wanted in done.err
    text = json.dumps([done.out, done.err]).encode()
    assert leaks("output", text, OTHERS.values()) == []
    assert written(tmp_path / "home", OTHERS.values()) == []
