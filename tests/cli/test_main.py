"""What every command does alike: at streams that fail or are closed, in a folder that is gone, at Ctrl-C."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import CommandLine, calls


@pytest.fixture
def line(tmp_path):
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    return CommandLine(home, workspace)


@pytest.mark.parametrize("command", [("doctor",), ("models", "--json"), ("demo", "--list"), ("schema",)])
def test_output_that_can_not_be_written_is_said_without_a_traceback(line, command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "steersman", *command], check=False,
            cwd=line.workspace, env=line.environ(), stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.stderr == "steersman: the output can't be written: No space left on device\n"
    assert done.returncode == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_with_a_stream_closed_it_works_all_the_same(line, closed):
    model = line.tape({"text": "Hi."})
    command = f"{sys.executable} -m steersman run go --model {model} {closed}"
    done = subprocess.run(
        ["sh", "-c", command],
        check=False,
        cwd=line.workspace,
        env=line.environ(),
        capture_output=True,
        text=True,
    )
    assert ("Traceback" not in done.stderr, done.returncode) == (True, 0)


def test_in_a_folder_that_is_gone_it_says_so(line):
    gone = line.workspace / "gone"
    command = f"mkdir {gone}; cd {gone}; rmdir {gone}; {sys.executable} -m steersman run go"
    done = subprocess.run(
        ["sh", "-c", command], check=False, env=line.environ(), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (
        1,
        "steersman: the current folder does not exist any more: go to another one.\n",
    )


@pytest.mark.parametrize(
    "command", [("debug", "parse-stream", "--api", "openai-chat", "answer.sse"), ("schema",)]
)
def test_a_reader_that_goes_gets_no_traceback(line, command):
    (line.workspace / "answer.sse").write_text("data: [DONE]\n\n")
    process = line.start(*command)
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(300) == 141


@pytest.mark.parametrize("command", ["doctor", "models"])
def test_ctrl_c_ends_a_command_without_a_traceback(line, command):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(300)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        process = line.start(
            command, STEERSMAN_MODEL="openai-chat:m", STEERSMAN_BASE_URL=url, STEERSMAN_API_KEY="key"
        )
        asked, _ = silent.accept()
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=300)
        asked.close()
    assert (process.returncode, *told) == (130, b"", b"")


@pytest.mark.skipif(sys.platform == "darwin", reason="there every name is UTF-8")
@pytest.mark.parametrize("encoding", ["utf-8:strict", "ascii"])
def test_what_the_encoding_of_the_streams_lacks_is_printed_all_the_same(line, encoding):
    model = line.tape(calls(("write", {"path": "b\udcff.txt", "content": "x\n"})), {"text": "é"})
    streams = {"PYTHONIOENCODING": encoding}
    done = line.run(
        "run", "-", "--model", model, "--mode", "auto-edit", "--trust", input=b"do\xff", **streams
    )
    assert (done.status, done.out) == (0, "é\n")
    session = line.run("sessions", **streams).out.partition("\t")[0]
    shown = line.run("sessions", "checkpoints", session, **streams)
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.endswith("/b\\xff.txt\n")
    listed = json.loads(line.run("sessions", "--json", **streams).out)
    assert listed["sessions"][0]["title"] == "do�"
    done = line.run("sessions", "revert", session, shown.out.split()[0], "--yes", **streams)
    assert (done.status, list(line.workspace.iterdir())) == (0, [])


def test_the_path_of_an_export_is_printed_byte_for_byte(line):
    line.run("run", "hi", "--model", line.tape({"text": "Hi."}))
    session = line.run("sessions").out.partition("\t")[0]
    done = line.run("sessions", "export", session, "-o", "é.md", PYTHONIOENCODING="ascii")
    assert (done.status, done.out) == (0, "é.md\n")


@pytest.mark.parametrize(
    ("command", "status"),
    [(("run",), 64), (("run", "go", "--model", "no:such"), 1), (("sessions", "show", "no"), 1)],
)
def test_the_exit_status_is_the_same_where_standard_error_can_not_be_written(line, command, status):
    with Path("/dev/full").open("wb") as full:
        process = line.start(*command, stderr=full.fileno(), PYTHONUNBUFFERED="")
    process.communicate(timeout=300)
    assert process.returncode == status
