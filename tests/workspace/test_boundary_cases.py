"""Unusual texts, names and patterns, each with its right result."""

import errno
from pathlib import Path

import pytest

from steersman.workspace.change_proposal import ChangeProposal
from steersman.workspace.changes import FileChange, creation, relocation
from steersman.workspace.charset import likely
from steersman.workspace.comments import instructions, without
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.folding import FoldedText
from steersman.workspace.globs import compile_glob, expand_braces
from steersman.workspace.invisible import is_visible, seen
from steersman.workspace.matching import NotFound, Replacement, locate
from steersman.workspace.output import OutputCollector, OutputFile
from steersman.workspace.own_folder import withholding
from steersman.workspace.roots import Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.text import decode
from steersman.workspace.text_edits import TextChange


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def workspace(tmp_path: Path) -> DiskWorkspace:
    (tmp_path / "ws").mkdir()
    return DiskWorkspace(Roots([tmp_path / "ws"]))


class TestPatterns:
    def test_a_backslash_escapes_braces_and_commas(self) -> None:
        assert expand_braces(r"\{a,b}") == [r"\{a,b}"]
        assert expand_braces(r"x\{{a,b}") == [r"x\{a", r"x\{b"]
        assert expand_braces(r"{a\,b,c}") == [r"a\,b", "c"]
        assert compile_glob(r"\{a,b}").fullmatch("{a,b}")

    def test_stars_in_a_row_are_one(self) -> None:
        for pattern in ("a***b", "***", "*"):
            assert (compile_glob(pattern).fullmatch("a/b") is None) and compile_glob(pattern).fullmatch("axb")

    def test_a_pattern_of_nothing_covers_nothing(self, tmp_path: Path) -> None:
        rules = PathRules.of(deny=["/", "", "{,secret}"], protect=[])
        assert rules.denied_name("notes.txt") is None
        assert rules.denied_name("secret") == "secret"

    def test_rules_hold_however_many_names_were_asked_about(self) -> None:
        rules = PathRules.of(deny=["*.key"], protect=[])
        for number in range(50_010):
            rules.denied_name(f"{number}.txt")
        assert rules.denied_name("a.key") == "*.key"
        assert rules.denied_name("0.txt") is None


class TestTexts:
    def test_big5_text_is_recognised(self) -> None:
        text = "這是一個測試檔案，裡面有許多常用的中文字，用來確認編碼的判斷是否正確。\n" * 3
        assert likely(text.encode("big5")) == "big5"

    def test_a_new_line_end_does_not_merge_with_a_carriage_return_before_it(self) -> None:
        """Else the two would be one line end, and a line less than was asked for."""
        text = decode(b"a\rb\nc\n")
        after = text.apply([TextChange(2, 3, ""), TextChange(3, 3, "\nY")])
        assert (after.text, after.raw) == ("a\n\nY\nc\n", "a\r\r\nY\nc\n")

    def test_joiners_are_seen_where_they_shape_and_not_where_they_hide(self) -> None:
        assert is_visible("❤\ufe0f")
        assert is_visible("می\u200cخواهم")
        assert not is_visible("pass\u200dword")
        assert [shown for _, shown in seen("❤\ufe0f\ufe0f\ufe0f")] == [True, True, True, False]

    def test_old_text_that_continues_past_the_end_of_the_file_is_reported(self) -> None:
        with pytest.raises(NotFound) as caught:
            locate("alpha beta\ngamma delta", [Replacement("gamma delta\nepsilon zeta eta\n", "x")])
        assert str(caught.value).splitlines()[1:] == [
            "     2 | gamma delta",
            "The file ends there. oldText continues with",
            "       | epsilon zeta eta",
            "Give oldText exactly as the file has it.",
        ]

    def test_two_folded_places_are_enough_to_say_that_there_are_several(self) -> None:
        folded = FoldedText("say ‘a’\nsay ‘a’\nsay ‘a’\n")
        assert len(folded.find("say 'a'", 2)) == 2
        shifted = FoldedText("  if x:\n    y\n" * 3)
        assert len(shifted.find("if x:\n  y\n", 2)) == 2

    def test_old_text_ending_in_an_empty_line_is_not_found_at_the_end_of_a_file_without_one(self) -> None:
        """They ask for a line end more than the file has."""
        assert FoldedText("\tlast\n").find("last\n\n", 2) == []

    def test_many_tiny_writes_give_the_same_output_as_one(self, tmp_path: Path) -> None:
        collector = OutputCollector(tail_bytes=100_000, file=OutputFile(tmp_path, 1_000_000))
        shown = "".join(collector.feed(b"%d\n" % number) for number in range(3000))
        whole = "".join(f"{number}\n" for number in range(3000))
        assert (shown, collector.finish().text) == (whole, whole)
        assert collector.spill() is not None
        collector.close()
        (file,) = tmp_path.iterdir()
        assert file.read_text() == whole


class TestComments:
    def test_comments_after_the_last_marker_are_not_scanned(self) -> None:
        text = "# steersman: do this\nx = 1\n# plain\ny = 2\n# plain too\n"
        (found,) = instructions(text, "python")
        assert without(text, [found]) == "x = 1\n# plain\ny = 2\n# plain too\n"


class TestChanges:
    async def test_a_move_has_no_diff(self, workspace: DiskWorkspace) -> None:
        (workspace.roots.folders[0].path / "a.txt").write_text("one\n")
        change = relocation(
            await workspace.read(workspace.resolve("a.txt", follow=False)),
            workspace.resolve("b.txt", for_write=True, follow=False),
        )
        assert (change.diff(), change.hunks(), change.new_text) == ("", [], "one\n")

    def test_the_title_of_several_changes_counts_and_names_them(self, workspace: DiskWorkspace) -> None:
        changes = [creation(workspace.resolve(name, for_write=True), "x\n") for name in ("a", "b", "c")]
        assert ChangeProposal.of(changes[:1]).title == "Create a (+1 −0)"
        assert ChangeProposal.of(changes).title == "Create 3 files (+3 −0): a, b, c"

    @pytest.mark.parametrize(("kind", "lacks"), [("move", "target"), ("create", "text")])
    async def test_a_change_that_lacks_what_it_is_about_changes_nothing(
        self, workspace: DiskWorkspace, kind: str, lacks: str
    ) -> None:
        change = FileChange(kind, workspace.resolve("a.txt", for_write=True), None)
        with pytest.raises(ChangeRefused, match=lacks):
            await workspace.apply(change)
        assert names(workspace.roots.folders[0].path) == []


class TestPlaces:
    def test_roots_are_equal_to_roots_only(self, tmp_path: Path) -> None:
        assert Roots([tmp_path]) == Roots([tmp_path])
        assert Roots([tmp_path]) != [tmp_path]

    def test_our_own_folder_in_a_workspace_is_withheld_by_every_name(self, tmp_path: Path) -> None:
        own = tmp_path / "ws/.home"
        own.mkdir(parents=True)
        roots = Roots([tmp_path / "ws"])
        rules = withholding(PathRules.of(deny=[], protect=[]), own, roots.folders)
        assert rules.denied_name(".home/config.toml") and rules.denied_name(str(own / "trust.json"))
        assert rules.denied_name("config.toml") is None
        assert rules.protected(roots.resolve(".home/sessions/x")) is not None
        inside = withholding(PathRules.of(deny=[], protect=[]), tmp_path / "ws", roots.folders)
        assert inside.denied_name("config.toml") and inside.protected(roots.resolve("anything"))

    async def test_a_link_that_leads_in_a_circle_is_listed_as_a_link(self, workspace: DiskWorkspace) -> None:
        folder = workspace.roots.folders[0].path
        (folder / "round").symlink_to("round")
        with pytest.raises(OSError) as caught:
            (folder / "round").stat()
        assert caught.value.errno == errno.ELOOP
        listing = await workspace.entries(workspace.resolve("."), 10)
        assert [(entry.name, entry.kind) for entry in listing.entries] == [("round", "link")]
