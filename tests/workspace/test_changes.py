"""Changes as values: titles, digests, rebasing on a changed file, rewriting by the user."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import (
    FileChange,
    creation,
    deletion,
    edition,
    rebased,
    relocation,
    same_effect,
)
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.ports import Snapshot
from steersman.workspace.roots import Roots
from steersman.workspace.snapshots import sha256
from steersman.workspace.text import TextError, decode

LINES = [f"line {number}\n" for number in range(40)]
BASE = "".join(LINES)


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Roots:
    return Roots([tmp_path_factory.mktemp("ws")])


def snapshot(roots: Roots, data: str | bytes, name: str = "a.txt") -> Snapshot:
    raw = data.encode() if isinstance(data, str) else data
    return Snapshot(roots.resolve(name), raw, sha256(raw), decode(raw))


def edit(roots: Roots, old: str, new: str) -> FileChange:
    base = snapshot(roots, old)
    return edition(base, base.as_text().rewrite(new))


def test_titles_say_what_and_how_much(roots: Roots) -> None:
    base = snapshot(roots, "a\nb\n")
    changes = [
        creation(roots.resolve("new.py"), "x\ny\n"),
        edition(base, base.as_text().rewrite("a\nc\nd\n")),
        deletion(base),
        relocation(base, roots.resolve("b/c.txt")),
    ]
    assert [ChangeProposal.of([change]).title for change in changes] == [
        "Create new.py (+2 −0)",
        "Edit a.txt (+2 −1)",
        "Delete a.txt (+0 −2)",
        "Move a.txt to b/c.txt",
    ]


def test_equal_changes_on_equal_bases_have_equal_digests(roots: Roots) -> None:
    def digest(old: str, new: str) -> str:
        return ChangeProposal.of([edit(roots, old, new)]).digest

    assert digest("a\n", "b\n") == digest("a\n", "b\n")
    assert len({digest("a\n", "b\n"), digest("a\n", "c\n"), digest("x\na\n", "x\nb\n")}) == 3
    base = snapshot(roots, "a\n")
    moves = {ChangeProposal.of([relocation(base, roots.resolve(name))]).digest for name in "xy"}
    assert len({*moves, ChangeProposal.of([deletion(base)]).digest}) == 3


def test_a_diff_names_the_file_and_both_sides(roots: Roots) -> None:
    assert edit(roots, "a\n", "b\n").diff().startswith("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n")
    assert creation(roots.resolve("n"), "x\n").diff().startswith("--- /dev/null\n+++ b/n\n")


def test_what_is_outside_or_protected_is_told_by_the_proposal(roots: Roots, tmp_path: Path) -> None:
    inside, outside = snapshot(roots, "x"), roots.resolve(str(tmp_path / "x"))
    assert ChangeProposal.of([relocation(inside, outside)]).outside
    assert not ChangeProposal.of([deletion(inside)]).outside
    assert ChangeProposal.of([deletion(inside, protected=".git")]).protected == ".git"


def test_new_content_that_is_no_text_is_refused(roots: Roots) -> None:
    with pytest.raises(ChangeRefused, match="NUL"):
        creation(roots.resolve("n"), "a\0b")
    with pytest.raises(TextError):
        creation(roots.resolve("n"), "half \ud800")


class TestRebasing:
    def change(self, roots: Roots) -> FileChange:
        return edit(roots, BASE, BASE.replace("line 20\n", "line twenty\n"))

    def test_changes_elsewhere_leave_the_same_effect(self, roots: Roots) -> None:
        change = self.change(roots)
        now = "first\n" + BASE.replace("line 35\n", "")
        again = rebased(change, snapshot(roots, now))
        assert same_effect(change, again)
        assert again.new_text == now.replace("line 20\n", "line twenty\n")
        assert again.base_sha256 == sha256(now.encode())

    def test_a_change_in_the_same_place_is_refused_with_the_line(self, roots: Roots) -> None:
        now = BASE.replace("line 20\n", "line XX\n")
        with pytest.raises(ChangeRefused, match="near line 21"):
            rebased(self.change(roots), snapshot(roots, now))

    def test_an_edit_that_is_already_made_has_another_effect(self, roots: Roots) -> None:
        change = self.change(roots)
        assert not same_effect(change, rebased(change, snapshot(roots, change.new_text)))

    def test_line_ends_of_the_new_base_are_kept(self, roots: Roots) -> None:
        now = BASE.replace("\n", "\r\n")
        again = rebased(self.change(roots), snapshot(roots, now))
        assert again.new is not None
        assert again.new.data() == now.replace("line 20", "line twenty").encode()

    def test_only_edits_can_be_rebased(self, roots: Roots) -> None:
        with pytest.raises(ChangeRefused, match="Read it again"):
            rebased(deletion(snapshot(roots, "a")), snapshot(roots, "b"))


def several(roots: Roots, *names: str) -> list[FileChange]:
    """Changes of files that are all the same in themselves: two hunks each."""
    new = BASE.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n")
    bases = [snapshot(roots, BASE, name) for name in names]
    return [edition(base, base.as_text().rewrite(new)) for base in bases]


class TestSeveralFiles:
    def test_the_title_says_how_many_and_names_the_first(self, roots: Roots) -> None:
        changes = several(roots, "a.txt", "b.txt", "c.txt", "d.txt", "e.txt")
        assert ChangeProposal.of(changes[:2]).title == "Edit 2 files (+4 −4): a.txt, b.txt"
        assert ChangeProposal.of(changes).title == "Edit 5 files (+10 −10): a.txt, b.txt, c.txt and 2 more"
        mixed = ChangeProposal.of([changes[0], deletion(snapshot(roots, "x\n", "b.txt"))])
        assert mixed.title == "Change 2 files (+2 −3): a.txt, b.txt"

    def test_the_order_of_the_files_does_not_change_the_digest(self, roots: Roots) -> None:
        changes = several(roots, "a.txt", "b.txt")
        assert ChangeProposal.of(changes).digest == ChangeProposal.of(changes[::-1]).digest
        assert ChangeProposal.of(changes).digest != ChangeProposal.of(changes[:1]).digest

    def test_hunk_ids_are_unique_across_files_and_unchanged_for_one_file(self, roots: Roots) -> None:
        changes = several(roots, "a.txt", "b.txt")
        ids = [[hunk.id for hunk in own] for own in ChangeProposal.of(changes).hunks()]
        own = [hunk.id for hunk in changes[0].hunks()]
        assert ids == [[f"1.{each}" for each in own], [f"2.{each}" for each in own]]
        assert [hunk.id for hunk in ChangeProposal.of(changes[:1]).hunks()[0]] == own

    def test_a_users_rewrite_is_kept_on_new_bases(self, roots: Roots) -> None:
        proposal = ChangeProposal.of(several(roots, "a.txt", "b.txt", "c.txt"))
        paths = [str(change.path.path) for change in proposal.changes]
        mine = proposal.rewritten({paths[0]: "mine\n"}, [paths[2]])
        later = [snapshot(roots, BASE + "more\n", name) for name in ("a.txt", "b.txt")]
        moved = mine.moved([edition(base, base.as_text().rewrite("other\n")) for base in later])
        assert [moved.proposed(change) is None for change in moved.changes] == [False, True]
        assert moved.original is not None
        assert [str(change.path.path) for change in moved.original.changes] == paths
        assert moved.part(moved.changes[0]).original is not None
        assert moved.part(moved.changes[1]).original is None


class TestEditedByTheUser:
    def test_the_users_text_replaces_ours_and_ours_is_kept(self, roots: Roots) -> None:
        proposal = ChangeProposal.of([edit(roots, "a\r\nb\r\n", "a\nc\n")])
        path = str(proposal.changes[0].path.path)
        edited = proposal.rewritten({path: "a\nd\n"})
        assert edited.changes[0].new is not None
        assert edited.changes[0].new.data() == b"a\r\nd\r\n"
        assert edited.original is proposal
        assert edited.digest != proposal.digest
        assert edited.rewritten({path: "a\ne\n"}).original is proposal

    def test_chosen_hunks_are_made_and_the_others_not(self, roots: Roots) -> None:
        new = BASE.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n")
        change = edit(roots, BASE, new)
        first, second = change.hunks()
        assert change.with_hunks([first.id]).new_text == BASE.replace("line 3\n", "three\n")
        assert change.with_hunks([second.id]).new_text == BASE.replace("line 30\n", "thirty\n")

    def test_what_has_no_text_cannot_be_rewritten(self, roots: Roots) -> None:
        with pytest.raises(ChangeRefused):
            deletion(snapshot(roots, "a")).with_text("b")


@settings(max_examples=100, deadline=None)
@given(
    theirs=st.lists(st.tuples(st.integers(0, 39), st.sampled_from(["", "new\n", "x\ny\n"])), max_size=4),
    place=st.integers(0, 39),
)
def test_a_rebased_edit_of_the_same_effect_changes_nothing_of_theirs(
    roots: Roots, theirs: list[tuple[int, str]], place: int
) -> None:
    change = edit(roots, BASE, BASE.replace(LINES[place], "ours\n"))
    lines = list(LINES)
    for index, replacement in theirs:
        lines[index] = replacement
    now = "".join(lines)
    try:
        again = rebased(change, snapshot(roots, now))
    except ChangeRefused:
        return
    if same_effect(change, again):
        assert again.new_text == now.replace(LINES[place], "ours\n")


def test_a_conflict_that_nobody_has_seen_makes_another_effect(roots: Roots) -> None:
    base = snapshot(roots, "a\nb\n")
    in_conflict = replace(base, conflict=True)
    seen, unseen = (edition(each, each.as_text().rewrite("a\nB\n")) for each in (base, in_conflict))
    assert not same_effect(seen, unseen)
    assert same_effect(unseen, unseen)


def test_the_hash_of_the_result_follows_the_users_rewrite(roots: Roots) -> None:
    for change in (edit(roots, BASE, BASE.replace("line 3\n", "")), creation(roots.resolve("n.py"), "x\n")):
        for now in (change, change.with_text("y\n"), change.with_text("y\n").with_text(BASE)):
            assert now.new is not None
            assert now.result_sha256 == sha256(now.new.data())
    assert deletion(snapshot(roots, BASE)).result_sha256 is None
    moved = relocation(snapshot(roots, BASE), roots.resolve("b.txt"))
    assert moved.result_sha256 == sha256(BASE.encode())
