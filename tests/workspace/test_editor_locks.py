"""Another editor that has a file open is recognised by its lock beside the file, and only while it runs."""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.workspace.changes import creation, deletion, edition, relocation, same_effect
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.editor_locks import held_by
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.roots import Roots
from support.unprivileged import UNKNOWN, without_privileges

HERE = platform.node()
ELSEWHERE = f"not-{HERE.partition('.')[0]}"
LONG_AGO = 1_000_000_000.0


def ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def emacs(path: Path, told: str, *, link: bool = True) -> Path:
    lock = path.with_name(f".#{path.name}")
    if link:
        lock.symlink_to(told)
    else:
        lock.write_text(told)
    return lock


def block0(
    pid: int, *, host: str = HERE, user: str = "ada", unsaved: bool = False, mark: bytes = b"b0"
) -> bytes:
    """The first block of a swap file, as Vim 9.0 writes it."""
    head = mark + b"VIM 9.0\0\0\0" + (4096).to_bytes(4, "little") + bytes(8) + pid.to_bytes(4, "little")
    named = user.encode().ljust(40, b"\0") + host.encode().ljust(40, b"\0") + b"~/a.txt".ljust(898, b"\0")
    return (head + named + b"\r" + (b"U" if unsaved else b"\0")).ljust(4096, b"\0")


def swap(path: Path, block: bytes, suffix: str = "swp") -> Path:
    file = path.with_name(f".{path.name}.{suffix}")
    file.write_bytes(block)
    return file


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")
    return file


def held(path: Path) -> str | None:
    return held_by(path, swap_directories=())


def test_a_file_alone_is_held_by_nobody(path):
    assert held(path) is None
    assert held(path.with_name("missing.txt")) is None


@pytest.mark.parametrize("link", [True, False])
@pytest.mark.parametrize("boot", ["", ":1764460800"])
def test_emacs_lock_names_who_where_and_the_process(path, link, boot):
    emacs(path, f"ada@{HERE}.{os.getpid()}{boot}", link=link)
    assert held(path) == f"Emacs: ada on {HERE}, process {os.getpid()}, with unsaved text"


def test_emacs_locks_a_file_that_is_not_written_yet(path):
    emacs(path.with_name("new.txt"), f"ada@{HERE}.{os.getpid()}")
    assert held(path.with_name("new.txt"))


@pytest.mark.parametrize(
    ("told", "who"),
    [
        ("ada@example.org@box.local.12", "ada@example.org on box.local"),
        ("@box.12", "somebody on box"),
        ("ada\x1b[2J@box.12", "on box"),
    ],
)
def test_odd_names_in_locks_are_parsed_from_the_right_and_escaped(path, told, who):
    emacs(path, told)
    text = held_by(path, this_host="here", swap_directories=())
    assert who in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "told", ["x", "ada", "ada@box", "ada@box.pid", "@.1", "../a.txt", "ada@box.99999999999"]
)
def test_what_does_not_look_like_a_lock_is_none(path, told):
    emacs(path, told)
    assert held(path) is None


@pytest.mark.parametrize("unsaved", [True, False])
@pytest.mark.parametrize("mark", [b"b0", b"bc", b"bC", b"bd"])
def test_vims_swap_file_names_who_where_and_whether_there_is_unsaved_text(path, unsaved, mark):
    swap(path, block0(os.getpid(), unsaved=unsaved, mark=mark))
    more = ", with unsaved text" if unsaved else ""
    assert held(path) == f"Vim: ada on {HERE}, process {os.getpid()}{more}"


def test_the_swap_file_of_a_hidden_file_gets_no_second_dot(tmp_path):
    (tmp_path / ".rc.swp").write_bytes(block0(os.getpid()))
    assert held(tmp_path / ".rc")
    assert held(tmp_path / "rc")  # it would be this one's too


def test_neovims_swap_files_are_found_in_its_own_folder(path, tmp_path):
    folder = tmp_path / "swap"
    folder.mkdir()
    (folder / f"{str(path).replace('/', '%')}.swp").write_bytes(block0(os.getpid()))
    assert held_by(path, swap_directories=[folder])
    assert held(path) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user whom the system doesn't know")
def test_of_a_user_without_a_home_no_folder_is_looked_into(path, monkeypatch):
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with without_privileges(UNKNOWN):
        assert held_by(path) is None


def test_of_several_swap_files_a_live_one_counts(path):
    swap(path, block0(ended_process()))
    assert held(path) is None
    swap(path, block0(os.getpid()), "swo")
    assert held(path)


@pytest.mark.parametrize("make", ["emacs", "vim"])
def test_a_lock_of_an_ended_process_is_ignored_on_this_host_only(path, make):
    pid = ended_process()
    for host, holds in ((HERE, False), (ELSEWHERE, True)):
        lock = emacs(path, f"ada@{host}.{pid}") if make == "emacs" else swap(path, block0(pid, host=host))
        assert (held(path) is not None) == holds
        lock.unlink()


@pytest.mark.parametrize(
    ("told", "this", "same"),
    [
        ("box", "box", True),
        ("box.local", "box", True),
        ("BOX", "box.example.org", True),
        ("box.a.org", "box.b.org", False),
        ("box", "fox", False),
    ],
)
def test_a_host_is_known_with_its_domain_and_without(path, told, this, same):
    swap(path, block0(ended_process(), host=told))
    assert (held_by(path, this_host=this, swap_directories=()) is None) == same


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="says when a process began")
def test_a_lock_older_than_the_process_that_has_its_number_now_is_stale(path):
    file = swap(path, block0(os.getpid()))
    os.utime(file, (LONG_AGO, LONG_AGO))
    assert held(path) is None
    os.utime(file, (time.time(), time.time()))
    assert held(path)


@pytest.mark.parametrize("block", [b"", b"b0", block0(1)[:1000], block0(1, mark=b"PK")])
def test_another_file_of_that_name_is_no_swap_file(path, block):
    swap(path, block)
    assert held(path) is None


def test_a_link_a_pipe_or_a_folder_in_its_place_is_not_opened(path, tmp_path):
    (tmp_path / "elsewhere").write_bytes(block0(os.getpid()))
    path.with_name(".a.txt.swp").symlink_to("elsewhere")
    os.mkfifo(path.with_name(".a.txt.swo"))
    path.with_name(".#a.txt").mkdir()
    assert held(path) is None


@settings(deadline=None, max_examples=100)
@given(
    link=st.text(min_size=1, max_size=40).filter(lambda text: "\0" not in text),
    block=st.binary(max_size=1100),
)
def test_any_bytes_in_a_lock_file_are_no_error(tmp_path_factory, link, block):
    file = tmp_path_factory.mktemp("any") / "a.txt"
    try:
        emacs(file, link)
    except (OSError, UnicodeEncodeError):
        pass
    swap(file, b"b0" + block)
    told = held(file)
    assert told is None or told.isprintable()


# What the disk's workspace makes of it


async def test_a_change_that_was_approved_without_knowing_of_the_editor_is_not_made(tmp_path, path):
    workspace = DiskWorkspace(Roots([tmp_path]))
    snapshot = await workspace.read(workspace.resolve("a.txt"))
    new = snapshot.as_text().rewrite("1\n")
    target, other = workspace.resolve("b.txt", for_write=True), workspace.resolve("c.txt", for_write=True)
    changes = [edition(snapshot, new), deletion(snapshot), relocation(snapshot, target)]
    emacs(path, f"ada@{HERE}.{os.getpid()}")
    for change in changes:
        with pytest.raises(ChangeRefused, match=r"opened a\.txt meanwhile \(Emacs: ada on"):
            await workspace.apply(change)
    emacs(other.path, f"ada@{HERE}.{os.getpid()}")
    with pytest.raises(ChangeRefused, match=r"c\.txt meanwhile"):
        await workspace.apply(creation(other, "new\n"))
    assert (path.read_text(), other.path.exists()) == ("one\ntwo\n", False)
    known = workspace.held_by(snapshot.path)
    await workspace.apply(edition(snapshot, new, held=known))
    assert path.read_text() == "1\n"


async def test_an_editor_that_nobody_has_seen_makes_another_effect(tmp_path, path):
    workspace = DiskWorkspace(Roots([tmp_path]))
    snapshot = await workspace.read(workspace.resolve("a.txt"))
    new = snapshot.as_text().rewrite("1\n")
    seen, unseen = edition(snapshot, new, held="Vim"), edition(snapshot, new)
    assert same_effect(seen, unseen)
    assert not same_effect(unseen, seen)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user who is not known")
def test_a_user_without_a_home_directory_changes_files_all_the_same(path: Path) -> None:
    """As in a container that runs under any number."""
    asked = (
        "import os, pathlib, sys; from steersman.workspace.editor_locks import held_by;"
        "os.setuid(54321); print(held_by(pathlib.Path(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked, str(path)], env={}, cwd="/", capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("None\n", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user who is not known")
def test_a_tilde_of_a_user_without_a_home_directory_is_an_error_that_says_so(path: Path) -> None:
    asked = (
        "import os; from steersman.workspace.roots import Roots\n"
        "os.setuid(54321)\n"
        "try: Roots([]).resolve('~/a.txt')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], env={}, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.stdout == "PathError There is no home directory: use an absolute path instead of ~/a.txt.\n"
