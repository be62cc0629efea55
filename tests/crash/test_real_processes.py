"""`steersman run` as a process of its own, killed, or on a disk that takes no more (a limit on the size of files, which
the system enforces, stands in for it): what a person finds afterwards, and that the session goes on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.command_line import CommandLine, calls

WORK = (
    calls(("write", {"path": "new.txt", "content": "new\n"}), text="Writing."),
    calls(("bash", {"command": "echo hello"}), text="Trying."),
    {"text": "Done."},
)
LIMITED = (
    "import os, resource, sys; size = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)); "
    "os.execv(sys.executable, [sys.executable, '-m', 'steersman', *sys.argv[2:]])"
)


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    return CommandLine(home, workspace)


def arguments(line: CommandLine, *turns: dict[str, Any]) -> Sequence[str]:
    return ("run", "--json", "--mode", "full-auto", "--trust", "--model", line.tape(*turns))


def logs(line: CommandLine) -> list[list[dict[str, Any]]]:
    found = sorted((line.home / "sessions").glob("*.jsonl"))
    return [[json.loads(text) for text in path.read_bytes().split(b"\n")[:-1]] for path in found]


def go_on(line: CommandLine) -> None:
    later = [{"text": "Going on."}] * 6  # wherever it was
    done = line.run(*arguments(line, *later), "--continue", "and now?")
    events = [json.loads(text) for text in done.out.splitlines()]
    assert done.status == 0, events[-1]["data"]["message"]
    assert events[-1]["data"]["text"] == "Going on."
    (records,) = logs(line)
    ends = [each["data"]["stopReason"] for each in records if each["type"] == "agent_end"]
    starts = [each for each in records if each["type"] == "agent_start"]
    assert len(ends) == len(starts)
    assert ends[-1] == "complete"


@pytest.mark.parametrize("size", [0, 3000])
def test_where_files_can_grow_no_more_it_says_so_loses_nothing_and_goes_on_later(line, size):
    """38"""
    command = [sys.executable, "-c", LIMITED, str(size), *arguments(line, *WORK), "do it"]
    done = subprocess.run(
        command,
        cwd=line.workspace,
        env=line.environ(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "File too large" in done.stdout + done.stderr
    events = [json.loads(text) for text in done.stdout.splitlines()]
    if size == 0:
        assert "STEERSMAN_HOME" in done.stderr
        assert list(line.workspace.iterdir()) == []
        return
    assert [event["type"] for event in events].count("agent_end") == 1
    assert events[-1]["data"]["error"]["code"] == "logFailed"
    assert "then open the session again" in events[-1]["data"]["message"]
    numbered = [event for event in events if "seq" in event]
    assert logs(line) == [numbered], "what was told with a number is kept, and nothing else"
    go_on(line)


@pytest.mark.parametrize("after", ["tool_execution_running", "turn_end"])
def test_killed_it_can_be_continued(line, after):
    """36"""
    process = line.start(*arguments(line, *WORK), "do it")
    told = []
    for text in process.stdout:
        told.append(json.loads(text))
        if told[-1]["type"] == after:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (records,) = logs(line)
    numbered = [event for event in told if "seq" in event]
    assert records[: len(numbered)] == numbered, "what was told is kept"
    go_on(line)


def test_a_standard_output_that_takes_nothing_is_told_of_on_standard_error(line):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "steersman", *arguments(line, {"text": "Hello."}), "say it"],
            cwd=line.workspace,
            env=line.environ(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode != 0
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
