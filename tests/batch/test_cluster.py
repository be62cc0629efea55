"""A batch on a Dask cluster, whose workers are processes of this machine. Skipped where Dask is not installed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.batch.errors import BatchError
from support.batch_work import batch_work
from support.command_line import calls

pytest.importorskip("distributed", reason="steersman[cluster] is not installed")


@pytest.fixture(scope="module")
def scheduler():
    process = subprocess.Popen(
        [sys.executable, Path(__file__).parents[1] / "support/dask_cluster.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    yield process.stdout.readline().decode().strip()
    process.communicate(timeout=300)


@pytest.fixture
def work(tmp_path):
    return batch_work(tmp_path)


def held_up(work):
    """A turn that tells, the first time, who has started the process that does the task, and then takes long."""
    os.mkfifo(work.root / "pipe")
    command = f"test -e {work.root}/go || {{ ps -o ppid= -p $PPID > {work.root}/pipe; sleep 1000; }}"
    return calls(("bash", {"command": command}))


def test_with_a_worker_killed_midway_nothing_is_lost_and_nothing_done_twice(work, scheduler):
    for number in range(4):
        work.add(f"task{number}", calls(("read", {"path": "calc.py"})), {"text": "Done."})
    work.add("slow", held_up(work), {"text": "Done."})
    batch = work.start("--mode", "full-auto", "--scheduler", scheduler, "--json")
    dask_worker = int((work.root / "pipe").read_text())
    (work.root / "go").touch()
    os.kill(dask_worker, signal.SIGKILL)
    out, err = batch.communicate(timeout=120)
    assert batch.returncode == 0, err.decode()
    names = sorted([f"task{number}" for number in range(4)] + ["slow"])
    assert work.predicted == names
    assert out.decode().count('"task_end"') == len(names)
    assert {work.result(name)["status"] for name in names} == {"complete"}
    assert work.result("slow")["attempt"] == 2


def test_ctrl_c_reaches_what_runs_on_the_cluster(work, scheduler):
    work.add("slow", held_up(work), {"text": "Done."})
    batch = work.start("--mode", "full-auto", "--scheduler", scheduler)
    (work.root / "pipe").read_text()
    (work.root / "go").touch()
    batch.send_signal(signal.SIGINT)
    batch.communicate(timeout=120)
    assert batch.returncode == 130
    assert work.result("slow")["status"] == "aborted"
    assert work.run("--mode", "full-auto").status == 0


async def test_a_scheduler_that_does_not_answer_is_told():
    from steersman.batch.cluster import Cluster

    with pytest.raises(BatchError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        await Cluster.connect("tcp://127.0.0.1:9", timeout=0.2)
