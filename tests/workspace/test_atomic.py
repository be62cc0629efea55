"""Files are changed completely or not at all, also where the system refuses or does only a part."""

import errno
import logging
import os
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from steersman.workspace import atomic
from steersman.workspace.regular import NotRegular, TooLarge, read_regular
from steersman.workspace.temporary import remove_leftovers
from steersman.workspace.untouched import WrittenMeanwhile
from support.unprivileged import NOBODY, Common, without_privileges


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
needs_attributes = pytest.mark.skipif(not hasattr(os, "setxattr"), reason="needs extended attributes")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder on another device than `tmp_path`."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system at hand")
    folder = shared / f"steersman-{os.getpid()}"
    folder.mkdir()
    yield folder
    for entry in folder.iterdir():
        entry.unlink()
    folder.rmdir()


@needs_proc
def test_a_file_that_has_more_than_it_says_is_refused_beyond_the_limit() -> None:
    with pytest.raises(TooLarge):
        read_regular(Path("/proc/self/status"), 100)


@needs_proc
def test_a_file_is_refused_from_the_first_byte_beyond_the_limit_on() -> None:
    path = Path("/proc/version")  # it says that it has no bytes
    size = len(path.read_bytes())
    assert len(read_regular(path, size)[0]) == size
    with pytest.raises(TooLarge) as raised:
        read_regular(path, size - 1)
    assert raised.value.size == size


@needs_attributes
def test_extended_attributes_stay_when_a_file_is_replaced_or_moved_to_another_device(
    tmp_path: Path, elsewhere: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    try:
        os.setxattr(path, "user.origin", b"downloaded")
        (elsewhere / "probe").write_bytes(b"")
        os.setxattr(elsewhere / "probe", "user.origin", b"")
    except OSError:
        pytest.skip("a file system without extended attributes")
    atomic.replace_file(path, [b"two"], path.stat())
    assert (path.read_bytes(), os.getxattr(path, "user.origin")) == (b"two", b"downloaded")
    atomic.move_file(path, elsewhere / "a.txt")
    assert os.getxattr(elsewhere / "a.txt", "user.origin") == b"downloaded"


@needs_root
@needs_attributes
def test_an_attribute_that_only_root_may_set_is_left_out_and_the_text_is_written(common: Common) -> None:
    path = common.put("a.txt")
    try:
        os.setxattr(path, "security.steersman", b"label")
        os.setxattr(path, "user.origin", b"downloaded")
    except OSError:
        pytest.skip("a file system without extended attributes")
    with without_privileges():
        atomic.replace_file(path, [b"two\n"], path.stat())
    assert path.read_bytes() == b"two\n"
    assert set(os.listxattr(path)) & {"security.steersman", "user.origin"} == {"user.origin"}


@needs_root
def test_root_leaves_a_file_with_its_owner(common: Common) -> None:
    path = common.put("a.txt")
    os.chown(path, 12_345, 23_456)
    atomic.replace_file(path, [b"two\n"], path.stat())
    status = path.stat()
    assert (status.st_uid, status.st_gid, path.read_bytes()) == (12_345, 23_456, b"two\n")


@needs_root
def test_a_file_of_somebody_else_becomes_ours_where_only_root_could_give_it_back(common: Common) -> None:
    path = common.put("a.txt")
    os.chown(path, 12_345, 23_456)
    path.chmod(0o664)
    with without_privileges():
        atomic.replace_file(path, [b"two\n"], path.stat())
    status = path.stat()
    assert (status.st_uid, status.st_gid) == (NOBODY, NOBODY)
    assert (stat.S_IMODE(status.st_mode), path.read_bytes()) == (0o664, b"two\n")


def test_a_link_is_moved_to_another_device_as_a_link(tmp_path: Path, elsewhere: Path) -> None:
    os.symlink("./somewhere/", tmp_path / "link")  # noqa: PTH211 - Path would normalise the target
    atomic.move_file(tmp_path / "link", elsewhere / "link")
    assert names(tmp_path) == []
    assert os.readlink(elsewhere / "link") == "./somewhere/"  # noqa: PTH115


def test_what_is_written_to_a_file_while_it_is_copied_to_another_device_is_not_lost(
    tmp_path: Path, elsewhere: Path
) -> None:
    source = tmp_path / "a.txt"
    source.write_bytes(b"one")

    class Copied(type(Path())):  # type: ignore[misc]  # the class of this system's paths
        """A target that gets its name when the whole copy is there; somebody writes to the source a moment before."""

        def hardlink_to(self, target: str | os.PathLike[str]) -> None:
            with source.open("ab") as theirs:
                theirs.write(b" and theirs")
            super().hardlink_to(target)

    with pytest.raises(WrittenMeanwhile):
        atomic.move_file(source, Copied(elsewhere / "a.txt"))
    assert (source.read_bytes(), names(elsewhere)) == (b"one and theirs", [])


@needs_proc
def test_a_file_that_cannot_be_removed_is_not_moved_to_another_device(tmp_path: Path) -> None:
    with pytest.raises(PermissionError):
        atomic.move_file(Path("/proc/version"), tmp_path / "version")
    assert names(tmp_path) == []


def test_what_is_not_there_is_not_moved(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        atomic.move_file(tmp_path / "a", tmp_path / "b")
    assert names(tmp_path) == []


def test_two_files_whose_names_differ_in_case_are_two(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    if (tmp_path / "A").exists():
        pytest.skip("this file system does not tell case apart")
    (tmp_path / "A").write_bytes(b"A")
    with pytest.raises(FileExistsError):
        atomic.move_file(tmp_path / "a", tmp_path / "A")
    assert names(tmp_path) == ["A", "a"]


def test_a_new_file_does_not_replace_one_that_came_while_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "page.html"

    def pieces() -> Iterator[bytes]:
        yield b"ours"
        path.write_bytes(b"theirs")

    with pytest.raises(FileExistsError):
        atomic.write_pieces(path, pieces(), replace=False)
    assert (path.read_bytes(), names(tmp_path)) == (b"theirs", ["page.html"])


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(NotRegular, match="it is a pipe, not a file"):
        atomic.write_pieces(tmp_path / name, [b"ours"], replace=True)
    assert names(tmp_path) == ["link", "pipe"]
    assert (tmp_path / "link").is_symlink() and (tmp_path / "pipe").is_fifo()


def test_a_temporary_file_that_was_taken_away_is_an_error_and_no_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"ours"
        for name in names(tmp_path):
            (tmp_path / name).unlink()

    with pytest.raises(FileNotFoundError):
        atomic.write_pieces(tmp_path / "page.html", pieces(), replace=False)
    assert names(tmp_path) == []


def test_a_temporary_file_is_taken_for_no_leftover_at_any_moment(tmp_path: Path) -> None:
    path, over = tmp_path / "page.html", threading.Event()

    def look() -> None:
        while not over.is_set():
            remove_leftovers(tmp_path)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    looking = threading.Thread(target=look)
    looking.start()
    try:
        for number in range(500):
            atomic.write_file(path, [b"%d" % number], durable=False)
            assert path.read_bytes() == b"%d" % number
    finally:
        over.set()
        looking.join()
        sys.setswitchinterval(before)
    assert names(tmp_path) == ["page.html"]


def test_directories_are_not_made_through_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        atomic.make_directories(tmp_path / "file")
    with pytest.raises(NotADirectoryError):
        atomic.make_directories(tmp_path / "file/below/it")
    assert names(tmp_path) == ["file"]


class MadeMeanwhile(type(Path())):  # type: ignore[misc]  # the class of this system's paths
    """A path whose directory somebody else makes a moment before us."""

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        super().mkdir(mode, parents, exist_ok)
        super().mkdir(mode, parents, exist_ok)


def test_directories_that_somebody_else_makes_meanwhile_are_used_and_stay_theirs(tmp_path: Path) -> None:
    assert atomic.make_directories(MadeMeanwhile(tmp_path / "a/b")) == []
    assert (tmp_path / "a/b").is_dir()


def test_directories_that_somebody_uses_meanwhile_are_not_taken_back(tmp_path: Path) -> None:
    made = atomic.make_directories(tmp_path / "a/b/c")
    (tmp_path / "a/b/theirs").write_bytes(b"")
    atomic.remove_directories(made)
    assert names(tmp_path / "a/b") == ["theirs"]


def test_a_directory_that_may_be_written_but_not_read_takes_files_all_the_same(
    common: Common, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    common.root.chmod(0o300)
    with without_privileges():
        atomic.create_file(common.root / "a.txt", b"one")
    assert (common.root / "a.txt").read_bytes() == b"one"
    assert "can't be synced" in caplog.text


def test_without_leave_to_write_nothing_is_changed(common: Common) -> None:
    path = common.put("a.txt")
    common.root.chmod(0o500)
    with without_privileges():
        for change in (
            lambda: atomic.replace_file(path, [b"two"], path.stat()),
            lambda: atomic.create_file(common.root / "b.txt", b"two"),
            lambda: atomic.remove_file(path),
            lambda: atomic.move_file(path, common.root / "b.txt"),
            lambda: atomic.make_directories(common.root / "a/b"),
        ):
            with pytest.raises(PermissionError) as caught:
                change()
            assert caught.value.errno == errno.EACCES
    assert (path.read_bytes(), names(common.root)) == (b"one\n", ["a.txt"])
