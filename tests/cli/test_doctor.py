"""`steersman doctor`, as a person and a script see it."""

import json

import pytest

from support.command_line import CommandLine

KEY = "plain-looking-canary-0123456789"


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir(mode=0o700)
    workspace.mkdir()
    return CommandLine(home, workspace)


def test_it_exits_0_where_a_run_could_work_and_1_where_not(line):
    done = line.run("doctor", STEERSMAN_MODEL=line.tape({"text": "hello"}))
    assert (done.status, done.err) == (0, "")
    assert "A run can work here" in done.out.splitlines()[-1]
    done = line.run("doctor")
    assert done.status == 1
    assert done.out.startswith("problem  model: None is configured.\n         Set STEERSMAN_MODEL")


def test_a_pipe_gets_plain_lines(line):
    done = line.run("doctor")
    assert "\x1b" not in done.out
    assert all(
        each.startswith(("ok ", "warning ", "problem ", "         ", "A run"))
        for each in done.out.splitlines()
    )


def test_json_is_one_object(line):
    done = line.run("doctor", "--json", STEERSMAN_API_KEY=KEY)
    told = json.loads(done.out)
    assert told["ok"] is False
    assert {check["level"] for check in told["checks"]} <= {"ok", "warning", "problem"}
    assert {
        "model",
        "key",
        "server",
        "mode",
        "home",
        "sessions",
        "log",
        "ripgrep",
        "bash",
        "git",
        "terminal",
    } <= {check["name"] for check in told["checks"]}
    assert KEY not in done.out


def test_a_terminal_gets_signs_and_can_ask(line):
    done = line.run_on_terminal("doctor", typed=[])
    assert done.status == 1
    assert "✗" in done.out and "✓" in done.out
    assert "questions can be asked here" in done.out


def test_it_leaves_nothing_behind(line):
    before = sorted(line.home.rglob("*"))
    line.run("doctor")
    assert sorted(line.home.rglob("*")) == before
