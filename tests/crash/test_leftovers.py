"""Temporary files of processes that were killed go away; those of processes that live never do."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from steersman.session.home import Home
from steersman.session.housekeeping import tidy
from steersman.workspace.temporary import remove_leftovers

WRITING = (
    "import sys; from pathlib import Path; from steersman.workspace.temporary import temporary_file\n"
    "with temporary_file(Path(sys.argv[1]), b'half'):\n"
    "    print('writing', flush=True); sys.stdin.read()"
)


def writing(folder: Path) -> subprocess.Popen[bytes]:
    """A process in the middle of writing a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    return process


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def dead() -> int:
    """The number of a process that has just ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_process_was_writing_is_removed_and_what_a_live_one_writes_is_not(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with writing(tmp_path) as process:
        assert len(names(tmp_path)) == 2
        assert remove_leftovers(tmp_path) == 0
        process.kill()
        process.wait()
        assert remove_leftovers(tmp_path) == 1
    assert names(tmp_path) == ["mine.txt"]


def test_one_that_is_locked_is_another_containers(tmp_path):
    """There the numbers of processes mean nothing."""
    path = tmp_path / f".steersman-{dead()}-0123456789ab.tmp"
    path.write_text("half")
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert remove_leftovers(tmp_path) == 0
    assert remove_leftovers(tmp_path) == 1


def test_names_that_are_not_ours_are_left_alone(tmp_path):
    for name in (
        ".steersman-1-2.tmp",
        ".steersman-x-0123456789ab.tmp",
        "x.tmp",
        f"{dead()}-0123456789ab.tmp",
    ):
        (tmp_path / name).write_text("")
    (tmp_path / f".steersman-{dead()}-0123456789ab.tmp").symlink_to("x.tmp")
    before = names(tmp_path)
    assert remove_leftovers(tmp_path) == 0
    assert names(tmp_path) == before
    assert remove_leftovers(tmp_path / "none") == 0


def test_the_next_start_tidies_the_home(tmp_path):
    home, process = Home(tmp_path), dead()
    folders = (home.root, home.sessions, home.preimages / "ab")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f".steersman-{process}-0123456789ab.tmp").write_text("half")
        (folder / f".steersman-{os.getppid()}-0123456789ab.tmp").write_text("of one that lives")
    tidy(home)
    for folder in folders:
        left = [name for name in names(folder) if name.startswith(".")]
        assert left == [f".steersman-{os.getppid()}-0123456789ab.tmp"]
