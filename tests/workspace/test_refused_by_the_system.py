"""The system refuses: no descriptors, no permission, a directory that is gone. What is reported, and what still
works."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.editor_locks import held_by
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.guard import Guard
from steersman.workspace.launch import StartError, start
from steersman.workspace.output import OutputFile
from steersman.workspace.process import NotStarted, ProcessLimits, Signalled, run_command
from steersman.workspace.program import run_program
from steersman.workspace.retention import prune_blobs, prune_outputs
from steersman.workspace.roots import Roots
from steersman.workspace.temporary import remove_leftovers
from support.processes import StopSwitch
from support.unprivileged import Common, without_privileges


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


LONG_AGO = 1_000_000_000.0


@contextmanager
def no_descriptors(spare: int = 0) -> Iterator[None]:
    """This process can open `spare` more files within."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = os.dup(0)
    os.close(highest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + spare, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def guard() -> Iterator[Guard]:
    with Guard() as guard:
        yield guard


async def run(command: str, folder: Path, guard: Guard):
    return await run_command(
        command,
        cwd=folder,
        env=os.environ,
        stop=StopSwitch(),
        guard=guard,
        spill_dir=folder / "spill",
        limits=ProcessLimits(grace=0.1),
    )


class TestPrograms:
    def test_a_file_that_is_not_a_program_is_reported_as_such(self, tmp_path: Path) -> None:
        program = tmp_path / "notes"
        program.write_bytes(b"\x00\x01 neither a script nor a program")
        program.chmod(0o755)
        with pytest.raises(StartError, match="notes could not be started: Exec format error"):
            start([str(program)], cwd=tmp_path, env=os.environ, merge_stderr=False)

    def test_a_system_without_free_descriptors_is_reported(self, tmp_path: Path) -> None:
        with no_descriptors(), pytest.raises(StartError, match="no room for another process"):
            start(["true"], cwd=tmp_path, env=os.environ, merge_stderr=False)
        start(["true"], cwd=tmp_path, env=os.environ, merge_stderr=True).communicate()

    async def test_a_helper_is_not_started_in_a_directory_that_is_gone(self, tmp_path: Path) -> None:
        with pytest.raises(StartError, match="can't be entered: No such file or directory"):
            await run_program(
                ["true"], cwd=tmp_path / "gone", env=os.environ, stop=StopSwitch(), on_record=lambda _: True
            )

    async def test_a_command_runs_unguarded_if_no_guard_can_be_started(
        self, tmp_path: Path, guard: Guard, caplog: pytest.LogCaptureFixture
    ) -> None:
        with no_descriptors(), guard.watching("word"):
            pass
        assert "Commands run unguarded" in caplog.text
        caplog.clear()
        with guard.watching("word"):  # it is tried again
            pass
        assert caplog.text == ""

    async def test_a_guard_that_cannot_be_started_is_logged(
        self, tmp_path: Path, guard: Guard, caplog: pytest.LogCaptureFixture
    ) -> None:
        with no_descriptors(spare=2), guard.watching("word"):  # its pipe, and nothing to start it with
            pass
        assert "Commands run unguarded" in caplog.text

    async def test_a_command_that_ends_by_a_real_time_signal_is_told_by_its_number(
        self, tmp_path: Path, guard: Guard
    ) -> None:
        result = await run("kill -40 $$", tmp_path, guard)
        assert result.outcome == Signalled("signal 40")

    async def test_a_command_that_could_not_be_started_leaves_nothing(
        self, tmp_path: Path, guard: Guard
    ) -> None:
        result = await run("true", tmp_path / "gone", guard)
        assert isinstance(result.outcome, NotStarted)
        assert names(tmp_path) == []


class TestFiles:
    async def test_a_file_that_may_not_be_reached_is_not_read_and_that_is_said(self, common: Common) -> None:
        common.put("closed/a.txt")
        disk = DiskWorkspace(Roots([common.root]))
        path = disk.resolve("closed/a.txt", for_write=True)
        (common.root / "closed").chmod(0)
        with without_privileges(), pytest.raises(WorkspaceError, match="permission denied"):
            await disk.read(path)

    def test_leftovers_in_a_directory_that_can_not_be_read_are_left_and_that_is_logged(
        self, common: Common, caplog: pytest.LogCaptureFixture
    ) -> None:
        common.put("closed/.steersman-999999999-0123456789ab.tmp")
        (common.root / "closed").chmod(0)
        with without_privileges():
            assert remove_leftovers(common.root / "closed") == 0
        assert "can't be searched" in caplog.text
        (common.root / "closed").chmod(0o700)
        assert remove_leftovers(common.root / "closed") == 1
        assert remove_leftovers(common.root / "nothing") == 0

    def test_old_outputs_that_can_not_be_deleted_stay_and_nothing_counts_as_freed(
        self, common: Common, caplog: pytest.LogCaptureFixture
    ) -> None:
        for name in "ab":
            common.put(f"outputs/output-{name}.log", b"x" * 10, time=LONG_AGO)
        (common.root / "outputs").chmod(0o500)
        with without_privileges():
            assert prune_outputs(common.root / "outputs", 0, 0, now=LONG_AGO * 2) == 0
        assert caplog.text.count("An old file can't be deleted") == 2

    def test_kept_versions_that_can_not_be_listed_are_left_and_that_is_logged(
        self, common: Common, caplog: pytest.LogCaptureFixture
    ) -> None:
        common.put("ab/cd", time=LONG_AGO)
        (common.root / "ab").chmod(0)
        with without_privileges():
            assert prune_blobs(common.root, 0, 0, now=LONG_AGO * 2) == 0
        assert "can't be listed" in caplog.text

    def test_a_directory_among_the_kept_versions_is_not_taken_for_one(self, common: Common) -> None:
        common.put("ab/cd/file", time=LONG_AGO)
        common.put("ab/ef", b"x" * 10, time=LONG_AGO)
        assert prune_blobs(common.root, 0, 0, now=LONG_AGO * 2) == 10
        assert (common.root / "ab/cd/file").exists()

    def test_a_long_output_that_can_not_be_kept_says_why(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        kept = OutputFile(tmp_path / "file", 100)
        kept.write(b"x")
        kept.close()
        assert kept.error == "it could not be written: File exists"


class TestEditors:
    def test_a_file_that_the_editor_of_another_user_holds_is_held(self, common: Common) -> None:
        """Process 1 is there, and nobody may send it anything."""
        path = common.put("a.txt")
        (common.root / ".#a.txt").symlink_to(f"ada@{os.uname().nodename}.1:{int(time.time())}")
        with without_privileges():
            assert held_by(path) is not None

    @pytest.mark.parametrize("pid", [0, 4_000_000_000_000])
    def test_a_lock_with_an_impossible_process_number_is_ignored(self, common: Common, pid: int) -> None:
        path = common.put("a.txt")
        (common.root / ".#a.txt").symlink_to(f"ada@{os.uname().nodename}.{pid}:{int(time.time())}")
        assert held_by(path) is None
