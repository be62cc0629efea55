"""If the server dies while a command runs, the guard ends the command; otherwise nobody notices it."""

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from steersman.workspace.guard import Guard
from steersman.workspace.process import Exited, run_command
from support.processes import StopSwitch, alive_with, descriptors_of, others_holding, pipes_of, wait_gone

TAG = "STEERSMAN_TEST_TAG"
SERVER = Path(__file__).parents[1] / "support" / "command_server.py"


def serving(directory: Path, command: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, SERVER, directory, command, "300"], cwd=directory, stdout=subprocess.PIPE, text=True
    )


async def run(guard: Guard, directory: Path, command: str = "true", **env: str):
    return await run_command(
        command, cwd=directory, env=os.environ | env, stop=StopSwitch(), guard=guard, spill_dir=directory
    )


async def started(guard: Guard, directory: Path) -> int:
    """Runs a command, so that there is a guard, and returns the guard's process id."""
    before = pipes_of("self")
    await run(guard, directory)
    (pipe,) = pipes_of("self") - before
    (pid,) = others_holding(pipe)
    return pid


@pytest.mark.parametrize(
    "child",
    ["(bash calm &)", "bash stubborn &", "env -i bash calm &", "bash -c 'setsid bash calm &'"],
    ids=["orphan", "stubborn", "without marker", "outside the group"],
)
def test_when_the_server_is_killed_everything_its_command_started_ends(tmp_path: Path, child: str):
    (tmp_path / "calm").write_text("echo child $$; exec sleep 300")
    (tmp_path / "stubborn").write_text("trap '' TERM; echo child $$; while :; do sleep 1; done")
    with serving(tmp_path, f"{child}\necho shell $$; sleep 300; :") as server:
        assert server.stdout is not None
        processes = [int(server.stdout.readline().split()[1]) for _ in range(2)]
        server.kill()
        for pid in processes:
            wait_gone(pid)


def test_when_the_server_is_killed_its_command_can_clean_up(tmp_path: Path):
    # Writing to the dead server's pipe would be a death by SIGPIPE: bash would report its sleep as terminated.
    command = "exec 2>/dev/null; trap 'touch cleaned; exit' TERM; echo shell $$; while :; do sleep 0.01; done"
    with serving(tmp_path, command) as server:
        assert server.stdout is not None
        pid = int(server.stdout.readline().split()[1])
        server.kill()
        wait_gone(pid)
    assert (tmp_path / "cleaned").exists()


async def test_the_guard_has_its_own_session_and_holds_only_its_pipe(tmp_path: Path):
    with Guard() as guard:
        pid = await started(guard, tmp_path)
        assert os.getsid(pid) != os.getsid(0)
        descriptors = descriptors_of(pid)
        assert {target for target in descriptors.values() if target != "/dev/null"} == {descriptors[0]}
        assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")


async def test_commands_of_a_server_share_one_guard(tmp_path: Path):
    before = pipes_of("self")
    with Guard() as guard:
        await asyncio.gather(*(run(guard, tmp_path) for _ in range(5)))
        assert len(pipes_of("self") - before) == 1


async def test_the_guard_leaves_with_the_server(tmp_path: Path):
    with Guard() as guard:
        pid = await started(guard, tmp_path)
    wait_gone(pid)


async def test_a_guard_that_died_is_replaced_and_commands_work(tmp_path: Path):
    with Guard() as guard:
        before = pipes_of("self")
        first = await started(guard, tmp_path)
        os.kill(first, signal.SIGKILL)
        wait_gone(first)
        assert (await run(guard, tmp_path)).outcome == Exited(0)
        (pipe,) = pipes_of("self") - before
        (second,) = others_holding(pipe)
        assert second != first


async def test_what_a_finished_command_left_running_is_not_the_guards_to_end(tmp_path: Path):
    tag = uuid.uuid4().hex
    with Guard() as guard:
        pid = await started(guard, tmp_path)
        result = await run(guard, tmp_path, "sleep 300 & true", **{TAG: tag})
    wait_gone(pid)
    (left,) = result.still_running
    try:
        assert alive_with(tag) == {left.pid}
    finally:
        os.kill(left.pid, signal.SIGKILL)
        wait_gone(left.pid)
