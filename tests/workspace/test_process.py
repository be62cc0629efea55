"""Commands run to a certain end: their exit, or the end of everything that they started. All processes are real."""

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from steersman.workspace.guard import Guard
from steersman.workspace.process import (
    Aborted,
    CommandResult,
    Exited,
    NotStarted,
    ProcessLimits,
    Signalled,
    TimedOut,
    run_command,
)
from support.processes import StopSwitch, alive_with, descriptors_of, others_holding, wait_gone

TAG = "STEERSMAN_TEST_TAG"
SERVER = Path(__file__).parents[1] / "support" / "command_server.py"
HURRIED = ProcessLimits(grace=0.1)


@pytest.fixture
def guard() -> Iterator[Guard]:
    with Guard() as guard:
        yield guard


class Bench:
    """Runs commands whose processes can be told by a tag of this test."""

    def __init__(self, guard: Guard, directory: Path) -> None:
        self.guard = guard
        self.directory = directory
        self.tag = uuid.uuid4().hex
        self.stop = StopSwitch()
        self.heard = ""
        self._more = asyncio.Event()

    async def run(self, command: str | list[str], **options) -> CommandResult:
        options = {"cwd": self.directory, "limits": HURRIED, "on_output": self.hear} | options
        env = os.environ | {TAG: self.tag} | options.pop("env", {})
        spill_dir = self.directory / "spill"
        return await run_command(
            command, env=env, stop=self.stop, guard=self.guard, spill_dir=spill_dir, **options
        )

    def hear(self, text: str) -> None:
        self.heard += text
        self._more.set()

    async def has_heard(self, word: str) -> None:
        while word not in self.heard:
            self._more.clear()
            await self._more.wait()

    def alive(self) -> set[int]:
        return alive_with(self.tag)


@pytest.fixture
async def bench(guard: Guard, tmp_path: Path) -> AsyncIterator[Bench]:
    bench = Bench(guard, tmp_path)
    yield bench
    for pid in bench.alive():
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)


async def test_output_and_exit_code_are_returned_in_order_of_writing(bench: Bench):
    result = await bench.run("echo out; echo err >&2; echo out again; exit 3")
    assert result.outcome == Exited(3)
    assert result.output.text == "out\nerr\nout again\n"
    assert result.still_running == ()
    assert bench.heard == result.output.text


async def test_arguments_run_without_a_shell(bench: Bench):
    result = await bench.run(["printf", "%s|", "$HOME", "a b"])
    assert result.output.text == "$HOME|a b|"


async def test_death_by_a_signal_is_told_by_its_name(bench: Bench):
    assert (await bench.run("kill -SEGV $$")).outcome == Signalled("SIGSEGV")


def test_stdin_is_empty_whatever_the_server_reads(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, SERVER, tmp_path, "cat; read -r line || echo nothing to read", "30"],
        input="a message of the editor\n",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == "nothing to read\nOUTCOME: Exited(code=0) 0\n"


async def test_no_pager_editor_or_prompt_waits_and_no_key_is_seen(bench: Bench):
    result = await bench.run(
        "env",
        env={
            "MODEL_KEY": "secret",
            "EDITOR": "vi",
            "PAGER": "less",
            "FORCE_COLOR": "1",
            "KEPT": "yes",
            "TERM": "x",
        },
        without={"MODEL_KEY"},
    )
    seen = dict(line.split("=", 1) for line in result.output.text.splitlines() if "=" in line)
    assert "MODEL_KEY" not in seen
    assert "secret" not in result.output.text
    assert "FORCE_COLOR" not in seen
    assert seen["KEPT"] == "yes"
    assert seen["PWD"] == str(bench.directory)
    assert (seen["PAGER"], seen["GIT_PAGER"], seen["TERM"]) == ("cat", "cat", "dumb")
    assert (seen["EDITOR"], seen["GIT_EDITOR"], seen["GIT_TERMINAL_PROMPT"]) == ("true", "true", "0")


async def test_a_command_has_no_terminal_and_leads_its_own_session(bench: Bench):
    result = await bench.run("ps -o sid= -o pid= -p $$; (: </dev/tty) 2>/dev/null || echo no terminal")
    session, pid = result.output.text.splitlines()[0].split()
    assert session == pid
    assert result.output.text.endswith("no terminal\n")


async def test_a_command_inherits_no_descriptor_of_ours(bench: Bench):
    reading, writing = os.pipe()
    try:
        result = await bench.run("ls /proc/self/fd")
    finally:
        os.close(reading)
        os.close(writing)
    assert result.output.text.split() == ["0", "1", "2", "3"]  # the last is the listing itself


async def test_a_background_child_that_holds_the_pipe_does_not_hang_and_is_named(bench: Bench):
    result = await bench.run("sleep 300 & echo started $!")
    assert result.outcome == Exited(0)
    (left,) = result.still_running
    assert result.output.text == f"started {left.pid}\n"
    assert left.command == "sleep 300"
    assert bench.alive() == {left.pid}


async def test_a_background_child_that_holds_no_pipe_is_named_too(bench: Bench):
    result = await bench.run("sleep 300 >/dev/null 2>&1 &")
    assert [left.command for left in result.still_running] == ["sleep 300"]
    assert result.output.path is None


async def test_what_was_left_running_goes_on_writing_to_the_output_file(bench: Bench):
    os.mkfifo(bench.directory / "gate")
    result = await bench.run("(read -r line <gate; echo late; echo later) & echo started")
    (left,) = result.still_running
    assert result.output.path is not None
    with (bench.directory / "gate").open("w") as gate:
        gate.write("go\n")
    wait_gone(left.pid)
    # Whoever empties the pipe is no child of ours: its file is complete when it has closed it.
    for holder in others_holding(str(result.output.path)):
        wait_gone(holder)
    assert result.output.path.read_text() == "started\nlate\nlater\n"


async def test_output_that_follows_the_exit_closely_is_taken(bench: Bench):
    result = await bench.run("echo first; echo piped > >(sleep 0.1; cat)", limits=ProcessLimits(drain=30))
    assert result.output.text == "first\npiped\n"
    assert result.still_running == ()


async def test_an_endless_background_writer_does_not_hang(bench: Bench):
    result = await bench.run("yes & echo started")
    assert result.outcome == Exited(0)
    assert [left.command for left in result.still_running] == ["yes"]


async def test_silence_is_not_an_end(bench: Bench):
    result = await bench.run("exec >/dev/null 2>&1; sleep 0.1; exit 5")
    assert result.outcome == Exited(5)


async def test_an_abort_ends_the_whole_group(bench: Bench):
    running = asyncio.create_task(bench.run("(sleep 300 & sleep 300 & wait) & echo ready; sleep 300"))
    await bench.has_heard("ready")
    bench.stop.throw()
    result = await running
    assert bench.alive() == set()
    assert result.outcome == Aborted()
    assert result.output.text == "ready\n"
    assert result.still_running == ()


@pytest.mark.parametrize(
    "escape",
    [
        "setsid bash escaped &",
        # Each of the others can be found in one way only: by its marker, its session, its parents.
        "bash -c 'setsid bash escaped &'",
        "bash -c 'set -m; env -i bash escaped &'",
        "env -i setsid bash escaped &",
    ],
    ids=["any", "marker", "session", "parents"],
)
async def test_an_abort_finds_children_that_left_the_group(bench: Bench, escape: str):
    (bench.directory / "escaped").write_text("echo escaped $$.; exec sleep 300")
    running = asyncio.create_task(bench.run(f"{escape}\necho ready; sleep 300"))
    await bench.has_heard("ready")
    await bench.has_heard(".")
    escaped = int(bench.heard.split("escaped ")[1].split(".")[0])
    os.kill(escaped, 0)
    bench.stop.throw()
    result = await running
    wait_gone(escaped, seconds=0)
    assert result.outcome == Aborted()
    assert result.still_running == ()
    assert bench.alive() == set()


async def test_a_process_that_ignores_sigterm_is_killed(bench: Bench):
    running = asyncio.create_task(
        bench.run("trap '' TERM; (sleep 300; :) & echo ready; while :; do sleep 300; done")
    )
    await bench.has_heard("ready")
    bench.stop.throw()
    assert (await running).outcome == Aborted()
    assert bench.alive() == set()


async def test_a_command_can_clean_up_in_its_grace_period(bench: Bench):
    command = "trap 'sleep 0.05; echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done"
    running = asyncio.create_task(bench.run(command, limits=ProcessLimits(grace=30)))
    await bench.has_heard("ready")
    bench.stop.throw()
    result = await running
    assert result.outcome == Aborted()
    assert result.output.text.endswith("cleaned\n")


async def test_a_timeout_ends_the_group_and_keeps_the_output(bench: Bench):
    result = await bench.run("echo before; sleep 300 & sleep 300", timeout=2)
    assert result.outcome == TimedOut(2)
    assert result.output.text == "before\n"
    assert bench.alive() == set()


async def test_after_an_abort_nothing_starts(bench: Bench):
    bench.stop.throw()
    assert (await bench.run("touch made")).outcome == Aborted()
    assert not (bench.directory / "made").exists()


async def test_a_command_that_has_ended_keeps_its_result_though_an_abort_comes_with_its_end(bench: Bench):
    running = asyncio.create_task(bench.run("sleep 300 & echo shell $$."))
    await bench.has_heard(".")
    wait_gone(int(bench.heard.split()[1].rstrip(".")))
    bench.stop.throw()
    assert (await running).outcome == Exited(0)


async def test_cancellation_while_output_is_drained_ends_what_was_left_too(bench: Bench):
    running = asyncio.create_task(
        bench.run("sleep 300 & echo shell $$.", limits=ProcessLimits(grace=1, drain=60))
    )
    await bench.has_heard(".")
    wait_gone(int(bench.heard.split()[1].rstrip(".")))
    await asyncio.wait({running}, timeout=0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.alive() == set()


async def test_cancellation_ends_the_group_and_goes_on(bench: Bench):
    running = asyncio.create_task(bench.run("sleep 300 & echo ready; setsid sleep 300"))
    await bench.has_heard("ready")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.alive() == set()


async def test_a_second_cancellation_shortens_the_grace_period(bench: Bench):
    command = "trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done"
    running = asyncio.create_task(bench.run(command, limits=ProcessLimits(grace=3600)))
    await bench.has_heard("ready")
    running.cancel()
    await bench.has_heard("asked")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.alive() == set()


async def test_a_listener_that_raises_ends_the_command(bench: Bench):
    def listener(text: str) -> None:
        raise LookupError(text)

    with pytest.raises(LookupError):
        await bench.run("echo ready; sleep 300", on_output=listener)
    assert bench.alive() == set()


async def test_large_output_is_bounded_in_memory_and_updates_and_whole_in_its_file(bench: Bench):
    updates: list[str] = []
    limits = ProcessLimits(tail_bytes=10_000, update_seconds=3600, update_characters=1000)
    command = "head -c 50000000 /dev/zero | tr '\\0' 'a' | fold -w 99"
    result = await bench.run(command, limits=limits, on_output=updates.append)
    assert result.outcome == Exited(0)
    assert result.output.truncated
    assert 9_900 <= len(result.output.text) <= 10_000
    assert result.output.path is not None
    assert result.output.path.stat().st_size == result.output.total_bytes > 50_000_000
    assert len(updates) == 2
    assert sum(map(len, updates)) < 3000


async def test_invalid_utf8_and_a_huge_line_are_shown_as_far_as_possible(bench: Bench):
    result = await bench.run(r"printf 'a\377b\n'; head -c 300000 /dev/zero | tr '\0' x; printf 'y\nend\377'")
    assert result.output.text.endswith("xy\nend\ufffd")
    assert result.output.truncated
    assert result.output.total_lines == 3


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["no-such-program"], "not found: no-such-program"),
        ("echo a\0b", "null byte"),
        ("echo " + "x" * 3_000_000, "script file"),
        ([], "empty"),
        (["/dev/null"], "Permission denied: /dev/null"),
    ],
    ids=["no program", "NUL", "too long", "empty", "not executable"],
)
async def test_a_command_that_cannot_start_says_why(bench: Bench, command: str | list[str], says: str):
    result = await bench.run(command)
    assert isinstance(result.outcome, NotStarted)
    assert says in result.outcome.reason


async def test_a_missing_working_directory_or_shell_is_named(bench: Bench):
    gone = await bench.run("true", cwd=bench.directory / "gone")
    assert gone.outcome == NotStarted(
        f"{bench.directory / 'gone'} can't be entered: No such file or directory."
    )
    shell = await bench.run("true", env={"PATH": "/nowhere"})
    assert shell.outcome == NotStarted("No shell was found: neither bash nor sh is in PATH (/nowhere).")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="directories can't be held here")
async def test_a_working_directory_that_was_exchanged_for_a_link_is_not_entered(bench: Bench, tmp_path: Path):
    folder = bench.directory / "folder"
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    result = await bench.run("touch ran; pwd", cwd=folder)
    assert result.outcome == NotStarted(f"{folder} can't be entered: a directory of the path was replaced.")
    assert list((tmp_path / "elsewhere").iterdir()) == []


async def test_commands_run_side_by_side(bench: Bench):
    results = await asyncio.gather(*(bench.run(f"echo {number}") for number in range(20)))
    assert [result.output.text for result in results] == [f"{number}\n" for number in range(20)]


async def test_a_command_in_a_command_carries_the_markers_of_both(bench: Bench):
    result = await bench.run("echo $STEERSMAN_RUN", env={"STEERSMAN_RUN": "outer"})
    outer, inner = result.output.text.strip().split(":")
    assert outer == "outer"
    assert len(inner) == 32


async def test_a_command_in_a_command_is_found_by_the_outer_ones_abort(bench: Bench):
    inner = f"{sys.executable} {SERVER} {bench.directory} 'setsid sleep 300 & echo ready; sleep 300' 300"
    running = asyncio.create_task(bench.run(inner, limits=ProcessLimits(grace=0.5)))
    await bench.has_heard("ready")
    bench.stop.throw()
    assert (await running).outcome == Aborted()
    assert bench.alive() == set()


async def test_no_descriptor_is_left_open(bench: Bench):
    await bench.run("true")
    before = len(descriptors_of("self"))
    await bench.run("sleep 300 & echo started")
    await bench.run("yes | head -c 300000", timeout=10)
    await bench.run("setsid sleep 300 & sleep 300", timeout=0.05)
    await bench.run(["no-such-program"])
    assert len(descriptors_of("self")) == before


@pytest.mark.parametrize(
    ("lacking", "command", "ends"),
    [
        ("no-pidfd", "echo hello; exit 4", "hello\nOUTCOME: Exited(code=4) 0\n"),
        (
            "no-pidfd",
            "trap '' TERM; sleep 300 & while :; do sleep 1; done",
            "OUTCOME: TimedOut(seconds=0.2) 0\n",
        ),
        ("no-pidfd no-proc", "sleep 1 & true", "OUTCOME: Exited(code=0) 1\n"),
        # How many are left is not looked at: without /proc a zombie counts until init has reaped it.
        ("no-pidfd no-proc", "sleep 300 & sleep 300", "OUTCOME: TimedOut(seconds=0.2) "),
    ],
)
def test_a_system_without_pidfd_or_proc_ends_the_group_too(
    tmp_path: Path, lacking: str, command: str, ends: str
):
    tag = uuid.uuid4().hex
    done = subprocess.run(
        # Only what is to time out has little time.
        [sys.executable, SERVER, tmp_path, command, "0.2" if "TimedOut" in ends else "60", *lacking.split()],
        env=os.environ | {TAG: tag},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert done.stdout.startswith(ends)
    assert done.stderr == ""
    if "TimedOut" in ends:
        assert alive_with(tag) == set()
