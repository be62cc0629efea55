"""`steersman run --record FILE`, and the replay of what it recorded: in another place, on another day."""

import asyncio
import json
import re
import signal
import stat
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest

from steersman.models.tape import TapeModel
from steersman.models.tape_format import load_tape, parse_tape
from steersman.models.tape_server import TapeServer
from support.command_line import CommandLine, calls

BEFORE, AFTER = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
KEY = "key-of-the-test-0123456789"
ALLOWED = ("--mode", "auto-edit", "--trust")


def place(folder, name: str) -> CommandLine:
    home, workspace = folder / f"{name}-home", folder / name / "calculator"
    home.mkdir()
    workspace.mkdir(parents=True)
    (workspace / "calc.py").write_text(BEFORE)
    return CommandLine(home, workspace)


@pytest.fixture
def here(tmp_path):
    return place(tmp_path, "here")


@pytest.fixture
def there(tmp_path):
    return place(tmp_path, "there")


@asynccontextmanager
async def served(*turns):
    text = "\n".join(json.dumps(line) for line in ({"tape": 1, "name": "m"}, *turns))
    server = TapeServer(TapeModel(parse_tape(text, "m.jsonl")))
    try:
        yield await server.start()
    finally:
        await server.close()


def fixing(workspace):
    """What a model answers that names files by their whole paths."""
    path = str(workspace / "calc.py")
    edit = {"path": path, "edits": [{"oldText": "a - b", "newText": "a + b"}]}
    return (
        calls(("read", {"path": path}), ("ls", {}), text=f"I look at {path}.") | {"chunk": 5},
        calls(("edit", edit)) | {"thinking": "It subtracts.", "usage": {"input": 70, "output": 8}},
        {"text": f"Fixed {path}.", "chunk": 3, "usage": {"input": 90, "output": 9, "cacheRead": 60}},
    )


async def recorded(line: CommandLine, tape, *turns, flags=ALLOWED):
    async with served(*turns) as url:
        remote = ("--model", "openai-chat:m", "--base-url", url)
        return await asyncio.to_thread(
            line.run, "run", "fix it", *remote, "--record", str(tape), *flags, STEERSMAN_API_KEY=KEY
        )


async def test_a_recorded_run_is_replayed_in_another_folder_with_the_same_edits_and_answer(
    here, there, tmp_path
):
    tape = tmp_path / "run.jsonl"
    first = await recorded(here, tape, *fixing(here.workspace))
    assert (first.status, (here.workspace / "calc.py").read_text()) == (0, AFTER)
    assert stat.S_IMODE(tape.stat().st_mode) == 0o600
    for secret in (str(tmp_path), KEY):
        assert secret not in tape.read_text()
    again = there.run("run", "fix it", "--model", f"tape:{tape}", *ALLOWED)
    assert (again.status, (there.workspace / "calc.py").read_text()) == (0, AFTER)
    assert again.out == first.out.replace(str(here.workspace), str(there.workspace))
    cut_paths = re.compile(r"\S+/\S*")  # to a width that the base of all paths is a part of
    assert cut_paths.sub("PATH", again.err) == cut_paths.sub("PATH", first.err)
    assert [turn.usage.input for turn in load_tape(tape).recorded][1:] == [70, 90]


async def test_a_changed_file_is_a_loud_miss_that_names_the_difference(here, there, tmp_path):
    tape = tmp_path / "run.jsonl"
    await recorded(here, tape, *fixing(here.workspace))
    (there.workspace / "calc.py").write_text(BEFORE.replace("a - b", "a * b"))
    done = there.run("run", "fix it", "--model", f"tape:{tape}", *ALLOWED)
    assert done.status == 1
    assert (
        "run.jsonl has no recording of this request. The nearest is turn 2 (line 3): message 3, the result of read, "
        "differs in line 2: recorded '    return a - b', now '    return a * b'."
    ) in done.err
    assert "use its prompts, or another tape" in done.err
    assert "base URL" not in done.err
    loose = there.run("run", "fix it", "--model", f"tape:{tape}?loose", *ALLOWED)
    assert (loose.status, "Fixed" in loose.out) == (0, True)


async def test_a_recorded_tape_can_be_served(here, there, tmp_path):
    tape = tmp_path / "run.jsonl"
    await recorded(here, tape, *fixing(here.workspace))
    server = TapeServer(TapeModel(str(tape)))
    remote = ("--model", "openai-chat:m", "--base-url", await server.start())
    done = await asyncio.to_thread(there.run, "run", "fix it", *remote, *ALLOWED)
    await server.close()
    assert (done.status, (there.workspace / "calc.py").read_text()) == (0, AFTER)


async def test_a_failure_that_was_retried_is_replayed_and_retried(here, there, tmp_path):
    tape = tmp_path / "run.jsonl"
    busy = {"error": {"kind": "overloaded", "message": "busy", "retryAfter": 0, "times": 1}, "text": "Done."}
    first = await recorded(here, tape, busy)
    assert (first.status, len(load_tape(tape).recorded)) == (0, 2)
    again = there.run("run", "fix it", "--model", f"tape:{tape}")
    assert (again.status, again.out, again.err) == (0, "Done.\n", first.err)


def stopped(line: CommandLine, number: signal.Signals, *arguments: str) -> int:
    """The exit status of a run that gets a signal once its model has said "I think"."""
    process = line.start("run", "go", "--json", *arguments)
    for printed in process.stdout:
        if b'"I think' in printed:
            break
    process.send_signal(number)
    process.communicate(timeout=300)
    return process.returncode


def test_a_run_that_was_aborted_is_recorded_as_such_and_waits_for_the_abort(here, there, tmp_path):
    tape = tmp_path / "run.jsonl"
    model = here.tape({"text": "I think about", "hang": True})
    assert stopped(here, signal.SIGINT, "--model", model, "--record", str(tape)) == 130
    [turn] = load_tape(tape).recorded
    assert (turn.end, turn.text_of(0)) == (None, "I think about")
    assert stopped(there, signal.SIGINT, "--model", f"tape:{tape}") == 130


def test_a_killed_run_leaves_the_turns_that_were_complete(here, tmp_path):
    tape = tmp_path / "run.jsonl"
    model = here.tape(calls(("ls", {}), text="One."), {"text": "I think about", "hang": True})
    assert stopped(here, signal.SIGKILL, "--model", model, "--record", str(tape)) == -signal.SIGKILL
    assert [turn.text_of(0) for turn in load_tape(tape).recorded] == ["One."]


def test_an_existing_file_is_not_touched_and_no_model_is_asked(here, tmp_path):
    tape = tmp_path / "run.jsonl"
    tape.write_text("mine")
    model = here.tape({"error": {"kind": "auth", "message": "I was asked"}})
    done = here.run("run", "go", "--model", model, "--record", str(tape))
    assert (done.status, tape.read_text()) == (1, "mine")
    assert f"{tape} exists" in done.err
    assert "I was asked" not in done.err


def test_a_run_that_never_asked_a_model_leaves_no_tape(here, tmp_path):
    done = here.run("run", "go", "--record", str(tmp_path / "run.jsonl"))
    assert (done.status, (tmp_path / "run.jsonl").exists()) == (1, False)
    done = here.run("run", "go", "--record", str(tmp_path / "none" / "run.jsonl"))
    assert (done.status, "No such file" in done.err) == (1, True)


def test_a_recording_that_is_not_complete_is_said_and_exits_1(here, tmp_path):
    tape = tmp_path / "run.jsonl"
    model = here.tape(calls(("ls", {})), {"text": "long " * 1000})
    command = [
        sys.executable,
        "-m",
        "steersman",
        "run",
        "go",
        "--no-session",
        "--model",
        model,
        "--record",
        str(tape),
    ]
    done = subprocess.run(
        ["bash", "-c", 'ulimit -f 4; exec "$@"', "bash", *command],
        cwd=here.workspace,
        env=here.environ(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert f"{tape} is not complete: File too large".encode() in done.stderr
    assert len(load_tape(tape).recorded) == 1
