"""`steersman batch` as a script starts it, stops it, and as whatever kills it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.cli import main
from support.batch_work import batch_work, blocking, wait_until_it_blocks
from support.command_line import calls

EDIT = ("edit", {"path": "calc.py", "edits": [{"oldText": "a - b", "newText": "a + b"}]})


@pytest.fixture
def work(tmp_path):
    return batch_work(tmp_path)


@pytest.fixture
def line(work):
    return work.line


def test_a_batch_and_the_same_again(work):
    for name in ("one", "two", "three"):
        work.add(name, calls(EDIT), {"text": "Done."})
    done = work.run("-j", "2")
    assert (done.status, done.out) == (0, "")
    told = done.err.splitlines()
    assert told[0] == "3 tasks."
    assert len(told) == 5
    assert told[1].startswith("[1/3] ")
    assert told[1].endswith("1 file changed (+1 −1).")
    assert told[-1].startswith("3 complete in ")
    assert work.predicted == ["one", "three", "two"]
    again = work.run()
    assert (again.status, again.err.splitlines()[0]) == (0, "0 tasks, 3 finished before.")
    assert sorted(path.name for path in work.out.iterdir()) == [
        ".lock",
        "one",
        "predictions.jsonl",
        "three",
        "two",
    ]


def test_events_for_programs_and_tasks_from_standard_input(work, line):
    work.add("one", {"text": "Hello."}, workspace=str(line.workspace))
    work.add("two", {"error": {"kind": "auth", "message": "no key"}}, workspace=str(line.workspace))
    text = "".join(json.dumps(task) + "\n" for task in work.tasks).encode()
    done = line.run("batch", "-", "-o", str(work.out), "--trust", "--json", "-j", "1", input=text)
    assert (done.status, done.err) == (1, "")
    assert [each["type"] for each in done.events] == ["batch_start", "task_end", "task_end", "batch_end"]
    assert done.events[1] == {"type": "task_end", **work.result("one")}
    assert done.events[-1]["statuses"] == {"complete": 1, "error": 1}


def test_what_can_not_be_done_is_said_before_anything_runs(work, line, monkeypatch, capsys):
    monkeypatch.setenv("STEERSMAN_HOME", str(line.home))
    monkeypatch.delenv("STEERSMAN_MODEL", raising=False)

    def refused(*arguments):
        assert main(["batch", *map(str, arguments)]) == 64
        return capsys.readouterr().err

    work.add("one", {"text": "Hi."}, workspace="nowhere", modle="x")
    bad = refused(work.file, "-o", work.out, "--trust")
    assert "line 1: modle is no key of a task; did you mean mode or model?" in bad
    assert f"line 1: workspace: {work.root / 'nowhere'} is not a folder" in bad
    work.tasks[0] = {"id": "one", "prompt": "fix", "workspace": "workspace"}
    assert "No model is configured" in refused(work.file, "-o", work.out, "--trust")
    untrusted = refused(work.file, "-o", work.out, "--model", "anthropic:x")
    assert "is not a trusted folder" in untrusted
    assert "--trust" in untrusted
    assert "No such file" in refused(work.root / "none", "-o", work.out)
    assert "inside the workspace" in refused(work.file, "-o", line.workspace / "out", "--trust")
    assert not work.out.exists()


def test_an_output_that_can_not_be_a_folder_is_an_error(work, line, monkeypatch, capsys):
    monkeypatch.setenv("STEERSMAN_HOME", str(line.home))
    work.add("one", {"text": "Hi."})
    loop = work.root / "loop"
    loop.symlink_to("loop")
    assert main(["batch", str(work.file), "-o", str(loop), "--trust"]) == 1
    assert f"{loop} can't be used" in capsys.readouterr().err


def test_killed_in_the_middle_nothing_is_lost_and_nothing_done_twice(work):
    work.add("one", {"text": "Done."})
    work.add("two", blocking(work), {"text": "Done."})
    work.add("three", {"text": "Done."})
    batch = work.start("-j", "1", "--mode", "full-auto")
    wait_until_it_blocks(work)
    before = (work.out / "one/result.json").read_bytes()
    batch.kill()
    batch.communicate()
    done = work.run("-j", "1", "--mode", "full-auto")
    assert done.status == 0
    assert done.err.splitlines()[0] == "2 tasks, 1 finished before."
    assert work.predicted == ["one", "three", "two"]
    assert (work.out / "one/result.json").read_bytes() == before
    assert work.result("two")["attempt"] == 2
    assert (work.out / "two/earlier/1/sessions").is_dir()


def test_ctrl_c_ends_it_in_order(work):
    work.add("one", blocking(work), {"text": "Done."})
    work.add("two", {"text": "Done."})
    batch = work.start("-j", "1", "--mode", "full-auto")
    wait_until_it_blocks(work)
    batch.send_signal(signal.SIGINT)
    _, told = batch.communicate(timeout=300)
    assert batch.returncode == 130
    assert "2 unfinished in" in told.decode()
    assert work.result("one")["status"] == "aborted"
    done = work.run("--mode", "full-auto")
    assert (done.status, work.predicted) == (0, ["one", "two"])


def test_ctrl_c_twice_ends_it_at_once(work):
    work.add("one", blocking(work, before="trap '' TERM"), {"text": "Done."})
    batch = work.start("--mode", "full-auto")
    wait_until_it_blocks(work)
    batch.send_signal(signal.SIGINT)
    told = [batch.stderr.readline() for _ in range(2)]
    assert b"Ctrl-C again kills." in told[1]
    batch.send_signal(signal.SIGINT)
    batch.communicate(timeout=300)
    assert batch.returncode == 130


def test_a_task_that_kills_its_worker_is_an_error_and_the_others_go_on(work):
    work.add("one", calls(("bash", {"command": "kill -9 $PPID"})), {"text": "Done."})
    work.add("two", {"text": "Done."})
    done = work.run("-j", "1", "--mode", "full-auto")
    assert done.status == 1
    assert "killed by SIGKILL, perhaps for want of memory" in work.result("one")["message"]
    assert work.result("two")["status"] == "complete"
    assert work.predicted == ["one", "two"]


def test_without_dask_a_scheduler_is_refused_with_what_to_install(work, line):
    work.add("one", {"text": "Done."})
    program = (
        "import sys; sys.modules['distributed'] = None; from steersman.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            program,
            "batch",
            work.file,
            "-o",
            str(work.out),
            "--trust",
            "--scheduler",
            "x",
        ],
        env=line.environ(),
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1
    assert "pip install 'steersman[cluster]'" in done.stderr.decode()


def test_when_nobody_reads_the_events_it_ends_in_order(work):
    for name in ("one", "two", "three"):
        work.add(name, {"text": "Done."})
    batch = work.start("-j", "1", "--json")
    batch.stdout.readline()
    batch.stdout.close()
    told = batch.stderr.read()
    batch.stderr.close()
    assert (batch.wait(60), told) == (130, b"")
    assert work.run("--json").events[-1]["statuses"] == {"complete": 3}


def test_events_that_can_not_be_written_end_it_in_order_and_that_is_said(work, line):
    work.add("one", {"text": "Done."})
    with Path("/dev/full").open("wb") as full:
        batch = line.start("batch", work.file, "-o", str(work.out), "--trust", "--json", stdout=full.fileno())
    told = batch.communicate(timeout=300)[1]
    assert told == b"steersman batch: stopped: standard output can't be written: No space left on device\n"
    assert batch.returncode == 1
    assert work.run().status == 0


def test_where_standard_error_can_not_be_written_it_goes_on(work):
    for name in ("one", "two"):
        work.add(name, {"text": "Done."})
    with Path("/dev/full").open("wb") as full:
        batch = work.start("-j", "1", stderr=full.fileno(), PYTHONUNBUFFERED="")
    batch.communicate(timeout=300)
    assert (batch.returncode, work.predicted) == (0, ["one", "two"])


def test_a_reader_that_takes_nothing_does_not_keep_it_from_a_signal(work):
    work.add("one", {"text": "x" * 200_000})
    work.add("two", blocking(work), {"text": "Done."})
    batch = work.start("-j", "1", "--mode", "full-auto", "--json")
    wait_until_it_blocks(work)
    batch.send_signal(signal.SIGTERM)
    assert batch.wait(300) == 130
    batch.communicate()
    assert work.predicted == ["one"]


def test_an_extension_that_every_task_lacks_is_told_once(work, line):
    (line.home / "config.toml").write_text('extensions = ["frozen"]\n')
    for name in ("one", "two"):
        work.add(name, {"text": "Done."})
    done = work.run()
    assert done.status == 0
    assert done.err.count("! The extension frozen is left out: no installed package offers it.") == 1
