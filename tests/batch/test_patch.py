"""The patch of a task makes the workspace as it was the workspace as it is: by git's own rules, and by git."""

import os
import shutil
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.batch.copying import copy_entry, copy_tree, remove_tree
from steersman.batch.ignored import ignored
from steersman.batch.patch import MAX_TEXT, write_patch
from steersman.batch.trees import differences
from support.git_patch import apply

PLAIN, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000
NAMES = ["a", "b.txt", "with blank", "näme", 'quo"te', "tab\there", "d", "d/e", "d/f/g", "\udcff", "-x"]

lines = st.lists(
    st.sampled_from(["one", "two", "three", "", "é😀", "-- x", "++ y", "diff --git a/a b/a", "cr\r", " "])
)
texts = st.builds(lambda parts, end: ("\n".join(parts) + end).encode(), lines, st.sampled_from(["", "\n"]))
contents = texts | st.binary(max_size=80) | st.sampled_from([b"\xff\n", b"a\0b", b"x" * 300])
files = st.tuples(st.sampled_from([PLAIN, EXECUTABLE]), contents)
# Not to each other: git itself can't put a folder in the place of a link that leads in a circle.
links = st.tuples(st.just(LINK), st.sampled_from([b"nowhere", b"../out", b"./no//where/"]))
trees = st.dictionaries(st.sampled_from(NAMES), files | links, max_size=7).filter(
    lambda tree: "d" not in tree or not {"d/e", "d/f/g"} & tree.keys()
)


def lay_out(tree, root):
    root.mkdir()
    for name, (mode, data) in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if mode == LINK:
            os.symlink(data, path)  # noqa: PTH211 - Path would normalise the target
        else:
            path.write_bytes(data)
            path.chmod(stat.S_IMODE(mode))


def tree_of(root):
    found = {}
    for folder, folders, names in os.walk(root):
        for path in [Path(folder, name) for name in (*names, *folders)]:
            if path.is_symlink():
                target = os.readlink(os.fsencode(path))  # noqa: PTH115  (a Path would change the text)
                found[str(path.relative_to(root))] = (LINK, target)
            elif path.is_file():
                mode = EXECUTABLE if path.stat().st_mode & 0o100 else PLAIN
                found[str(path.relative_to(root))] = (mode, path.read_bytes())
    return found


def patch_of(before, now):
    return "".join(write_patch(before, now, differences(before, now, time.time_ns())))


@given(trees, trees)
@settings(deadline=None, max_examples=150)
def test_applied_to_the_old_tree_it_makes_exactly_the_new_one(old, new):
    with tempfile.TemporaryDirectory() as name:
        before, now = Path(name, "before"), Path(name, "now")
        lay_out(old, before)
        lay_out(new, now)
        patch = patch_of(before, now)
        assert apply(patch, old) == new
        assert patch.encode().decode() == patch
        assert patch_of(now, now) == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not needed but for this")
@given(trees, trees)
@settings(deadline=None, max_examples=25)
def test_git_applies_it_forwards_and_backwards(old, new):
    with tempfile.TemporaryDirectory() as name:
        before, now, work = Path(name, "before"), Path(name, "now"), Path(name, "work")
        lay_out(old, before)
        lay_out(new, now)
        lay_out(old, work)
        patch = patch_of(before, now)
        if patch:
            git_apply(work, patch)
            assert tree_of(work) == new
            git_apply(work, patch, "-R")
        assert tree_of(work) == old


def git_apply(folder, patch, *options):
    # Without a repository: in one git leaves out paths that are not below it.
    environ = os.environ | {"GIT_DIR": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)}
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", *options, "-"],
        cwd=folder,
        input=patch.encode(),
        env=environ,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.fixture
def both(tmp_path):
    before, now = tmp_path / "before", tmp_path / "now"
    for root in (before, now):
        root.mkdir()
    return before, now


def test_git_s_own_files_are_not_part_of_it(both):
    before, now = both
    (now / ".git").mkdir()
    (now / ".git/index").write_bytes(b"new")
    (now / "sub").mkdir()
    (now / "sub/.git").write_text("gitdir: elsewhere\n")
    assert patch_of(before, now) == ""


def test_a_large_text_is_a_binary_patch(both):
    before, now = both
    (before / "big").write_bytes(b"line\n" * (MAX_TEXT // 5 + 1))
    (now / "big").write_bytes(b"line\n" * (MAX_TEXT // 5 + 2))
    patch = patch_of(before, now)
    assert "GIT binary patch" in patch
    assert apply(patch, tree_of(before)) == tree_of(now)


def test_a_change_that_keeps_size_and_time_is_seen_if_it_may_have_come_at_once(both):
    before, now = both
    for root, text in ((before, "old"), (now, "new")):
        (root / "f").write_text(text)
        os.utime(root / "f", ns=(1_000_000_000, 1_000_000_000))
    assert [each.path for each in differences(before, now, 1_000_000_001)] == ["f"]


def test_a_pipe_that_a_command_has_made_is_left_out(both):
    before, now = both
    os.mkfifo(now / "pipe")
    assert patch_of(before, now) == ""


def test_files_that_ignore_files_exclude_are_found(both):
    before, now = both
    for root in both:
        (root / ".gitignore").write_text("*.pyc\n/build/\nkept.log\n")
        (root / "sub").mkdir()
        (root / "sub/.gitignore").write_text("!seen.pyc\n*.tmp\n")
    (before / "kept.log").write_text("old")
    for name in ["x.pyc", "x.py", "sub/seen.pyc", "sub/y.tmp", "build/deep/out", "other.tmp"]:
        (now / name).parent.mkdir(parents=True, exist_ok=True)
        (now / name).write_text("new")
    (now / "sub/link.tmp").symlink_to("nowhere")
    found = differences(before, now, time.time_ns())
    assert ignored(found, before, now) == {"x.pyc", "sub/y.tmp", "sub/link.tmp", "build/deep/out", "kept.log"}


def test_an_agent_can_not_hide_a_change_by_ignoring_the_file(both):
    before, now = both
    (before / "a.py").write_text("old\n")
    (now / "a.py").write_text("new!\n")
    (now / ".gitignore").write_text("*\n")
    found = differences(before, now, time.time_ns())
    assert ignored(found, before, now) == {".gitignore"}


def test_an_ignore_file_that_is_no_file_or_has_no_bounds_is_none(both):
    before, now = both
    os.mkfifo(before / ".gitignore")
    (now / ".git/info").mkdir(parents=True)
    os.mkfifo(now / ".git/info/exclude")
    (now / "sub").mkdir()
    with (now / "sub/.gitignore").open("wb") as file:
        file.truncate(1 << 40)
    (now / "sub/new.txt").touch()
    found = differences(before, now, time.time_ns())
    assert ignored(found, before, now) == set()


def test_a_file_that_is_too_large_to_be_handed_over_is_an_error_that_names_it(both):
    before, now = both
    with (now / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match="too large") as caught:
        patch_of(before, now)
    assert caught.value.filename == str(now / "huge")


def test_the_target_of_a_link_is_told_and_copied_letter_by_letter(both):
    before, now = both
    (before / "l").symlink_to("./x//y/")
    copy_tree(before, now / "copy")
    assert tree_of(now / "copy") == {"l": (LINK, b"./x//y/")}
    assert "\n+./x//y/\n" in patch_of(before, now)


def test_a_tree_of_any_depth_is_removed(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    dig(tree, 3000)  # more than Python's stack and the longest path
    (tree / "out").symlink_to(tmp_path)
    (tree / "d/d").chmod(0o500)
    remove_tree(tree)
    assert list(tmp_path.iterdir()) == []


def dig(folder, depth):
    """Folders in each other, with a file in the innermost."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        at, above = os.open("d", os.O_RDONLY, dir_fd=at), at
        os.close(above)
    os.close(os.open("x.pyc", os.O_CREAT, dir_fd=at))
    os.close(at)


def test_what_lies_very_deep_is_not_ignored(both):
    before, now = both
    dig(now, 1500)
    (now / ".gitignore").write_text("*.pyc\n")
    found = differences(before, now, time.time_ns())
    assert ignored(found, before, now) == set()
    remove_tree(now)


def test_a_copy_is_the_same_tree_and_shares_nothing(tmp_path):
    source = tmp_path / "source"
    lay_out({"d/run.sh": (EXECUTABLE, b"echo\n"), "a": (PLAIN, b"text"), "l": (LINK, b"/no//where/")}, source)
    (source / "empty").mkdir()
    os.link(source / "a", source / "hard")
    os.mkfifo(source / "pipe")
    os.utime(source / "a", ns=(5_000_000_000, 5_000_000_000))
    (source / "d").chmod(0o555)
    copy_tree(source, tmp_path / "copy")
    copy = tmp_path / "copy"
    expected = tree_of(source)
    assert tree_of(copy) == expected
    assert (copy / "empty").is_dir()
    assert (copy / "a").stat().st_mtime_ns == 5_000_000_000
    assert stat.S_IMODE((copy / "d").stat().st_mode) == 0o555
    assert not (copy / "pipe").exists()
    (copy / "a").write_text("changed")
    assert tree_of(source) == expected


def test_what_goes_while_it_is_copied_is_left_out(tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    copy.mkdir()
    lay_out({"a": (PLAIN, b"text"), "l": (LINK, b"nowhere"), "stays": (PLAIN, b"text")}, source)
    with os.scandir(source) as found:
        listed = list(found)
    (source / "a").unlink()
    (source / "l").unlink()
    for each in listed:
        copy_entry(each, str(copy / each.name))
    assert [path.name for path in copy.iterdir()] == ["stays"]


def test_a_copy_of_what_is_gone_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        copy_tree(tmp_path / "nowhere", tmp_path / "copy")
    (tmp_path / "here").write_text("text")
    with os.scandir(tmp_path) as found:
        listed = {each.name: each for each in found}
    with pytest.raises(FileNotFoundError):
        copy_entry(listed["here"], str(tmp_path / "no/such/copy"))
