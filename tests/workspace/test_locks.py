"""Several processes change one file: no change is lost, and no stranger blocks any of them forever."""

import fcntl
from pathlib import Path

import pytest

from steersman.workspace.locks import alone_on


def free(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_a_file_belongs_to_one_process_while_it_is_changed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    with alone_on(path):
        assert not free(path)
    assert free(path)


def test_the_lock_is_given_back_when_the_change_fails(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    with pytest.raises(ZeroDivisionError), alone_on(path):
        raise ZeroDivisionError
    assert free(path)


def test_a_stranger_who_keeps_the_lock_blocks_nobody_forever(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a")
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with alone_on(path, patience=0.01):
            path.write_text("b")
    assert path.read_text() == "b"


@pytest.mark.parametrize("kind", ["missing", "link", "directory"])
def test_a_file_that_cannot_be_locked_is_changed_without_a_lock(tmp_path, kind):
    path = tmp_path / "a"
    if kind == "link":
        path.symlink_to("nowhere")
    elif kind == "directory":
        path.mkdir()
    with alone_on(path):
        pass
