"""Keys that a command of the user's prints: what is taken of it, what is told when it fails, and how long it holds."""

import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack

import httpx
import pytest

from steersman.agent.abort import AbortSignal
from steersman.agent.model import BlockStart, StreamDone, StreamError
from steersman.models.catalog import Catalog
from steersman.models.errors import MissingKey
from steersman.models.keys import COMMAND_BYTES, KeyCommand, KeyCommands
from steersman.models.provider_file import user_providers
from steersman.models.secrets import MASK, Redactor
from support.model_server import Canned, ask, events_of
from support.sse import sse, text

SECRET = "printed-canary-4711"


def command(*words: str) -> KeyCommand:
    return KeyCommand(words, "key_command in [providers.x] of config.toml")


def shell(script: str) -> KeyCommand:
    return command("sh", "-c", script)


@pytest.mark.parametrize(
    "script", [f"echo {SECRET}", f"printf {SECRET}", f"echo ' {SECRET} '; echo more; echo >&2 noise"]
)
def test_the_first_line_that_it_prints_is_the_key(script):
    assert KeyCommands().key(shell(script)) == SECRET


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (shell(f"echo {SECRET}; echo {SECRET} >&2; exit 3"), "failed (exit status 3)"),
        (shell("echo"), "printed no key"),
        (shell(f"echo; echo {SECRET}"), "printed no key"),
        (shell("printf 'ke\\001y'"), "no valid key in its first line"),
        (shell("printf 'k\\303\\251y'"), "no valid key in its first line"),
        (shell(f"head -c {COMMAND_BYTES + 1} /dev/zero | tr '\\0' x"), f"more than {COMMAND_BYTES} bytes"),
        (command("no-such-program-of-anybody"), "can't be run (No such file or directory)"),
        (command("sh\0"), "can't be run"),
    ],
)
def test_one_that_gives_no_key_is_told_without_anything_that_it_printed(wanted, said):
    with pytest.raises(MissingKey) as error:
        KeyCommands().key(wanted)
    assert said in str(error.value)
    assert "key_command in [providers.x]" in str(error.value)
    assert SECRET not in str(error.value)


def test_one_that_does_not_end_is_ended_with_all_that_it_has_started(tmp_path):
    pids = tmp_path / "pids"
    stuck = shell(f"tail -f /dev/null & echo $! $$ >{pids}; echo {SECRET}; wait")
    with pytest.raises(MissingKey, match="did not end in time"):
        KeyCommands().key(stuck, seconds=0.5)
    assert all(is_gone_soon(int(pid)) for pid in pids.read_text().split())


def is_gone_soon(pid: int) -> bool:
    """A process that was killed, but for what its parent, whoever that is, has yet to be told of it."""
    for _ in range(100):
        done = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        if not done.stdout.strip() or done.stdout.startswith("Z"):
            return True
    return False


def test_what_it_leaves_running_is_not_waited_for(tmp_path):
    pid = tmp_path / "pid"
    leaving = shell(f"tail -f /dev/null & echo $! >{pid}; echo {SECRET}")
    try:
        assert KeyCommands().key(leaving) == SECRET
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


def test_it_is_read_in_a_process_that_has_many_files_open():
    few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096) if most > 0 else 4096, most))
    with ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (few, most))
        for _ in range(1100):
            files.enter_context(open(os.devnull))  # noqa: PTH123 - 1024 is where select() ends
        assert KeyCommands().key(shell(f"echo {SECRET}")) == SECRET


def test_it_does_not_see_the_servers_keys_and_has_no_input():
    environ = {**os.environ, "GROQ_API_KEY": "x", "STEERSMAN_API_KEY": "y", "FOR_IT": SECRET}
    commands = KeyCommands({"GROQ_API_KEY", "STEERSMAN_API_KEY"}, environ)
    script = 'read line; echo "$FOR_IT${GROQ_API_KEY-}${STEERSMAN_API_KEY-}$line"'
    assert commands.key(shell(script)) == SECRET


def counting(tmp_path) -> KeyCommand:
    """Prints another key each time."""
    count = tmp_path / "count"
    return shell(f"echo x >>{count}; echo key-$(wc -l <{count})")


def test_it_is_run_once_until_its_key_is_refused(tmp_path):
    commands, wanted = KeyCommands(), counting(tmp_path)
    assert commands.kept(wanted) is None
    threads = [threading.Thread(target=commands.key, args=[wanted]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert commands.key(wanted) == commands.kept(wanted) == "key-1"
    commands.forget(wanted, "another")
    assert commands.key(wanted) == "key-1"
    commands.forget(wanted, "key-1")
    assert commands.kept(wanted) is None
    assert commands.key(wanted) == "key-2"


def test_a_failure_is_not_kept(tmp_path):
    commands, there = KeyCommands(), tmp_path / "there"
    wanted = shell(f"cat {there}")
    with pytest.raises(MissingKey):
        commands.key(wanted)
    there.write_text(SECRET)
    assert commands.key(wanted) == SECRET


def test_redactors_that_were_made_before_know_its_key():
    redact = Redactor(["another-secret"])
    assert redact("late-secret-0815") == "late-secret-0815"
    KeyCommands().key(shell("echo late-secret-0815"))
    assert redact("another-secret late-secret-0815") == f"{MASK} {MASK}"


class Gate(httpx.AsyncBaseTransport):
    """A server that takes one key."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.keys: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers["authorization"].removeprefix("Bearer "))
        if self.keys[-1] != self.key:
            return httpx.Response(401, json={"error": {"message": "no"}})
        body = sse(text("Hello", finish="stop"))
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body)


def catalog_with(wanted: KeyCommand) -> Catalog:
    table = {"api": "openai-chat", "base_url": "https://x.test/v1", "key_command": list(wanted.words)}
    return Catalog(user_providers({"x": table}))


async def test_a_model_whose_key_is_refused_asks_for_another_and_goes_on(tmp_path):
    catalog, gate = catalog_with(counting(tmp_path)), Gate("key-2")
    async with httpx.AsyncClient(transport=gate) as client:
        model = catalog.model("x:m", client=client)
        assert model.id == "x:m"
        events = await events_of(model)
        assert isinstance(events[-1], StreamDone)
        assert not any(isinstance(event, StreamError) for event in events)
        assert isinstance((await events_of(model, ask("again")))[-1], StreamDone)
    assert gate.keys == ["key-1", "key-2", "key-2"]


async def test_a_key_that_is_refused_and_printed_again_is_sent_once(tmp_path):
    catalog, gate = catalog_with(shell(f"echo {SECRET}")), Gate("another")
    async with httpx.AsyncClient(transport=gate) as client:
        (failed,) = await events_of(catalog.model("x:m", client=client))
    assert isinstance(failed, StreamError) and failed.failure.kind == "auth"
    assert gate.keys == [SECRET]


async def test_keys_that_are_refused_one_after_the_other_end_it(tmp_path):
    catalog, gate = catalog_with(counting(tmp_path)), Gate("never")
    async with httpx.AsyncClient(transport=gate) as client:
        events = await events_of(catalog.model("x:m", client=client))
    assert [type(event) for event in events] == [StreamError]
    assert gate.keys == ["key-1", "key-2"]


async def test_a_key_that_is_refused_in_the_middle_of_an_answer_ends_it_and_is_asked_for_anew_by_the_next(
    tmp_path,
):
    """What was shown can't be taken back, so this answer isn't begun again."""
    error = {"error": {"message": "expired", "code": "invalid_api_key"}}
    server = Canned([sse(text("Hel"), error, done=False)])
    async with httpx.AsyncClient(transport=server) as client:
        model = catalog_with(counting(tmp_path)).model("x:m", client=client)
        first, second = await events_of(model), await events_of(model, ask("again"))
    for events in (first, second):
        assert [each.index for each in events if isinstance(each, BlockStart)] == [0]
        assert isinstance(events[-1], StreamError) and events[-1].failure.kind == "auth"
    sent = [request.headers["authorization"] for request in server.requests]
    assert sent == ["Bearer key-1", "Bearer key-2"]


async def test_a_stream_that_nobody_reads_on_closes_its_connection():
    catalog, server = (
        catalog_with(shell(f"echo {SECRET}")),
        Canned([sse(text("Hello"), done=False)], hangs=True),
    )
    async with httpx.AsyncClient(transport=server) as client:
        stream = catalog.model("x:m", client=client).stream(ask(), AbortSignal())
        await anext(stream)
        assert server.closed == 0
        await stream.aclose()
        assert server.closed == 1


async def test_a_command_that_fails_is_the_failure_of_the_stream(tmp_path):
    catalog = catalog_with(shell(f"echo {SECRET}; exit 1"))
    (failed,) = await events_of(catalog.model("x:m"))
    assert isinstance(failed, StreamError) and failed.failure.kind == "auth"
    assert "failed (exit status 1)" in failed.failure.message
    assert SECRET not in failed.failure.message


def test_to_make_the_model_runs_nothing(tmp_path):
    ran = tmp_path / "ran"
    catalog = catalog_with(shell(f"touch {ran}; echo {SECRET}"))
    catalog.model("x:m")
    assert not ran.exists()
    assert catalog.has_command("x:m")
    catalog.prepare("x:m")
    assert ran.exists() and not catalog.has_command("x:m")


def test_a_program_is_named_by_words_or_by_a_line_that_no_shell_reads():
    line = user_providers({"groq": {"key_command": f"{sys.executable} -c 'print(\"$HOME\")'"}})["groq"]
    catalog = Catalog({"groq": line})
    catalog.prepare("groq:m")
    assert catalog.commands.key(catalog.route("groq:m").command) == "$HOME"
