"""Keys at rest: a model that goes for them, in every mode and with a yes to all else, gets none, and nothing keeps one.

That no server gets another's key, and that none that a server says back is kept, is tested by the tests of keys.
"""

from pathlib import Path

import pytest

from support.command_line import CommandLine, calls
from support.load_client import LoadClient
from support.served_process import Place

KEYS = {
    "file": "canary-of-the-file-1f0e2d",
    "table": "canary-of-a-table-3c4b5a",
    "command": "canary-of-a-command-6978",
    "header": "canary-of-a-header-8796",
    "variable": "canary-of-a-variable-a5b4",
    "url": "canary-of-a-url-c3d2",
    "provider": "canary-of-a-provider-e1f0",
}


def plant(home: Path) -> dict[str, str]:
    """A key in each place that there is for one; the environment."""
    home.mkdir(mode=0o700, exist_ok=True)
    config = home / "config.toml"
    config.write_text(
        f'api_key = "{KEYS["file"]}"\nbase_url = "http://127.0.0.1:1/v1"\n'
        f'[providers.one]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\napi_key = "{KEYS["table"]}"\n'
        f"headers = {{ x-gate = '{KEYS['header']}' }}\n"
        '[providers.two]\napi = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\n'
        f'key_command = ["echo", "{KEYS["command"]}"]\n'
    )
    config.chmod(0o600)
    return {
        "STEERSMAN_API_KEY": KEYS["variable"],
        "STEERSMAN_BASE_URL": f"http://user:{KEYS['url']}@127.0.0.1:1/v1",
        "GROQ_API_KEY": KEYS["provider"],
    }


Calls = list[tuple[str, dict[str, object]]]


def looks(home: Path) -> Calls:
    """Calls that go for keys."""
    config, variables = str(home / "config.toml"), "/proc/self/environ"
    paths = (config, f"/proc/self/../{config}", variables, str(home))
    return [
        ("bash", {"command": "env; set; export -p; compgen -v"}),
        *(("read", {"path": path}) for path in paths),
        *(("grep", {"pattern": "canary", "path": path}) for path in paths),
        ("grep", {"pattern": "canary"}),
        ("grep", {"pattern": "canary", "glob": "config.toml"}),
    ]


def commands(home: Path) -> Calls:
    """Commands that name where keys are: whoever accepts one may see them."""
    return [
        ("bash", {"command": each}) for each in (f"cat {home}/config.toml", "cat /proc/self/environ; env")
    ]


def found(data: bytes) -> list[str]:
    return [place for place, key in KEYS.items() if key.encode() in data]


def kept(base: Path) -> dict[str, list[str]]:
    """What is in files, our own configuration apart."""
    files = [path for path in base.rglob("*") if path.is_file() and path.name != "config.toml"]
    return {str(path): places for path in files if (places := found(path.read_bytes()))}


def test_no_key_is_in_anything_that_a_run_an_export_or_the_doctor_writes(tmp_path):
    home = tmp_path / "ws" / ".steersman-home"  # inside the workspace: the worst place
    (tmp_path / "ws").mkdir()
    environment = plant(home)
    line = CommandLine(home, tmp_path / "ws")
    turns = [calls(each) for each in (*looks(home), *commands(home))]
    model = line.tape(*turns, {"text": "Done."})
    flags = ("--model", model, "--mode", "full-auto", "--trust", "--json")
    done = line.run("run", "find the keys", *flags, **environment)
    outcomes = [event["data"]["outcome"] for event in done.events if event["type"] == "tool_execution_end"]
    assert "denied" in outcomes and "ok" in outcomes
    assert "STEERSMAN_HOME=" in done.out, "or else no command has told its environment"
    (session,) = {event["session"] for event in done.events}
    written = [done.out, done.err]
    for arguments in (
        ("doctor",),
        ("sessions", "export", session, "--output", str(tmp_path / "page.html")),
        ("sessions", "export", session, "--output", str(tmp_path / "page.md")),
    ):
        each = line.run(*arguments, **environment)
        written += [each.out, each.err]
    assert found("".join(written).encode()) == []
    assert kept(tmp_path) == {}


@pytest.mark.parametrize("name", list(KEYS))
def test_a_key_that_is_written_is_found(tmp_path, name):
    (tmp_path / "log").write_text(f"so {KEYS[name]}!")
    assert kept(tmp_path) == {str(tmp_path / "log"): [name]}


async def test_no_key_is_in_anything_that_a_server_sends_or_writes(tmp_path):
    base = tmp_path / "x"
    base.mkdir()
    environment = plant(base / "home")
    turns = [calls(each) for each in looks(base / "home")]  # this client accepts all
    place = Place(base, *turns, {"text": "Done."})
    client = LoadClient(place, rich=True, **environment)
    client.transcript = bytearray()
    try:
        await client.initialize()
        started = await client.begin_command("start", prompt="find the keys", mode="full-auto")
        await client.ends_of([started["result"]])
        await client.command("status")
        await client.close()
    finally:
        client.kill()
    assert b"agent_end" in client.transcript and b"STEERSMAN_HOME=" in client.transcript
    assert found(bytes(client.transcript)) == []
    assert kept(base) == {}


def test_what_is_kept_can_be_read_by_its_owner_only(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/a.txt").write_text("a\n")
    line = CommandLine(home, tmp_path / "ws")
    change = ("edit", {"path": "a.txt", "edits": [{"oldText": "a", "newText": "b"}]})
    model = line.tape(calls(change, ("bash", {"command": "seq 20000"})), {"text": "Done."})
    done = line.run("run", "go", "--model", model, "--mode", "full-auto", "--trust", "--json")
    assert done.status == 0
    assert line.run("sessions", "export", done.events[0]["session"]).status == 0
    files = [path for path in home.rglob("*") if path.is_file() and path.name != "model.jsonl"]
    assert {path.relative_to(home).parts[0] for path in files} >= {
        "sessions",
        "preimages",
        "outputs",
        "exports",
    }
    assert [path for path in files if path.stat().st_mode & 0o077] == []
