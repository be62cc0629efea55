"""Diffs that other programs can read, hunks to choose from, and small edits for an editor."""

import shutil
import subprocess
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.align import line_changes, split_lines
from steersman.workspace.diff import Counts, count_changes, unified_diff
from steersman.workspace.hunks import HunkMismatch, UnknownHunk, apply_hunks, hunks, same_hunks
from steersman.workspace.text_edits import TextChange, minimal_edits, splice
from support.cases import cases

lines = st.lists(st.sampled_from(["a", "b", "c", "dd", "dde", "", "\r", "é𝄞"]), max_size=20)
texts = st.builds(lambda body, end: "\n".join(body) + end, lines, st.sampled_from(["", "\n", "\r\n"]))
numbered = "".join(f"{i}\n" for i in range(1, 31))


def test_a_unified_diff_has_the_standard_form():
    assert unified_diff("a\nb\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a/x", "b/x") == (
        "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n a\n b\n-c\n+C\n d\n e\n"
    )


def test_a_missing_final_line_feed_is_marked():
    assert unified_diff("a\nb", "a\nb\n", "x", "x") == (
        "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    )


def test_carriage_returns_belong_to_their_lines():
    assert "-a\r\n+a\n" in unified_diff("a\r\nb\r\n", "a\nb\r\n", "x", "x")


def test_a_new_file_and_a_deleted_one_have_an_empty_range():
    assert "@@ -0,0 +1,2 @@\n+a\n+b\n" in unified_diff("", "a\nb\n", "/dev/null", "b/x")
    assert "@@ -1 +0,0 @@\n-a\n" in unified_diff("a\n", "", "a/x", "/dev/null")
    assert unified_diff("a", "a", "x", "x") == ""


def test_names_are_quoted_where_they_need_it():
    diff = unified_diff("a", "b", "a/my file", 'b/li\nne"')
    assert diff.startswith('--- a/my file\t\n+++ "b/li\\nne\\""\n')


def test_a_long_diff_is_bounded_and_says_what_is_left_out():
    diff = unified_diff("", numbered, "x", "x", max_lines=10)
    assert diff.endswith("+7\n[23 more lines of this diff are not shown]\n")


def test_changes_are_counted():
    assert count_changes("a\nb\nc\n", "a\nx\ny\nc") == Counts(added=3, removed=2)


def test_hunks_have_ranges_and_ids_bound_to_what_they_change():
    old, new = numbered, numbered.replace("5\n", "five\n", 1).replace("25\n", "")
    first, second = hunks(old, new)
    assert (first.old_start, first.old_count, first.new_start, first.new_count) == (1, 7, 1, 7)
    assert (second.old_start, second.old_count, second.new_count) == (21, 7, 6)
    assert first.id == f"1-{first.digest[:8]}"
    assert first.id != second.id


def test_chosen_hunks_are_applied_and_others_left_out():
    new = numbered.replace("5\n", "five\n", 1).replace("25\n", "")
    found = hunks(numbered, new)
    assert apply_hunks(numbered, found, {found[1].id}) == numbered.replace("25\n", "")
    assert apply_hunks(numbered, found, set()) == numbered


def test_unknown_hunks_and_another_text_are_refused():
    found = hunks("a\n", "b\n")
    with pytest.raises(UnknownHunk, match=r"No such hunk: 9-x\. The hunks of this diff: 1-"):
        apply_hunks("a\n", found, {"9-x"})
    with pytest.raises(HunkMismatch, match="Line 1"):
        apply_hunks("c\n", found, {found[0].id})


def test_hunks_are_the_same_wherever_they_are_and_different_if_a_line_is():
    old, new = "x\n" * 9 + "a\n", "x\n" * 9 + "b\n"
    assert same_hunks(hunks(old, new), hunks("top\n" + old, "top\n" + new))
    assert not same_hunks(hunks(old, new), hunks(old, new + "b\n"))


def test_minimal_edits_are_cut_to_what_differs():
    assert minimal_edits("one\ntwo three\n", "one\ntwo 3\n") == [TextChange(8, 13, "3")]
    assert minimal_edits("a\nb\nc\nd\n", "A\nb\nc\nD\n") == [TextChange(0, 1, "A"), TextChange(6, 7, "D")]
    assert minimal_edits("a\n", "a\n") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\rb\n", "a\r\nb\n"),
        ("a\r\nb", "a\rb"),
        ("a\r\n", "a\n"),
        ("x\r", "x\r\n"),
        ("\ud834\udd1e", "\ud834\udd1f"),
    ],
)
def test_no_boundary_parts_a_crlf_or_a_surrogate_pair(old, new):
    edits = minimal_edits(old, new)
    assert splice(old, edits) == new
    for edit in edits:
        for at in (edit.start, edit.end):
            assert old[max(at - 1, 0) : at + 1] not in ("\r\n", "\ud834\udd1e")


@cases(400)
@given(texts, texts)
def test_applying_minimal_edits_gives_the_new_text(old, new):
    edits = minimal_edits(old, new)
    assert splice(old, edits) == new
    assert all(a.end < b.start for a, b in pairwise(edits))
    assert bool(edits) == (old != new)


@cases(300)
@given(texts, texts)
def test_all_hunks_give_the_new_text_and_line_changes_leave_equal_lines_between(old, new):
    found = hunks(old, new)
    assert apply_hunks(old, found, {hunk.id for hunk in found}) == new
    a, b = split_lines(old), split_lines(new)
    at_a = at_b = 0
    for change in line_changes(a, b):
        assert a[at_a : change.old_start] == b[at_b : change.new_start]
        at_a, at_b = change.old_end, change.new_end
    assert a[at_a:] == b[at_b:]


def test_huge_and_repetitive_texts_are_compared_without_quadratic_work():
    old, new = "a\nb\nc\n" * 20_000, "c\na\n" * 20_000
    assert splice(old, minimal_edits(old, new)) == new


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch(1) is not installed")
@cases(25, share=0.02)
@given(texts, texts)
def test_patch_reads_the_diff(tmp_path_factory, old, new):
    if old == new:
        return
    folder = tmp_path_factory.mktemp("patch")
    file = folder / "x"
    file.write_bytes(old.encode())
    diff = unified_diff(old, new, "a/x", "b/x").encode()
    command = ["patch", "--binary", "--force", "--silent", str(file)]
    subprocess.run(command, input=diff, check=True, timeout=300, capture_output=True)
    after = file.read_bytes() if file.exists() else b""
    assert after == new.encode()
