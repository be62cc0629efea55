"""What a path means: relative names, several folders, links, containment, and what is not a path."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.errors import PathError
from steersman.workspace.roots import Roots, printable
from support.cases import cases


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "src").mkdir(parents=True)
    (tmp_path / "ws" / "src" / "app.py").touch()
    (tmp_path / "other" / "lib").mkdir(parents=True)
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "secret.txt").touch()
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def roots(base: Path) -> Roots:
    return Roots([base / "ws"])


@pytest.mark.parametrize(
    "name", ["src/app.py", "./src/app.py", "src//app.py", "src/../src/app.py", "src/app.py/"]
)
def test_a_relative_path_starts_in_the_sessions_folder(roots: Roots, base: Path, name: str) -> None:
    resolved = roots.resolve(name)
    assert (resolved.path, resolved.display, resolved.outside) == (
        base / "ws/src/app.py",
        "src/app.py",
        False,
    )


def test_absolute_paths_and_file_uris_are_understood(roots: Roots, base: Path) -> None:
    path = base / "ws" / "src" / "mit Leer.py"
    assert roots.resolve(str(path)).relative == "src/mit Leer.py"
    assert roots.resolve(path.as_uri()).relative == "src/mit Leer.py"


def test_a_tilde_is_the_home_directory_and_outside(roots: Roots) -> None:
    resolved = roots.resolve("~/x.txt")
    assert resolved.path == Path(os.path.realpath(Path.home())) / "x.txt"
    assert resolved.outside


def test_the_folder_itself_is_a_dot(roots: Roots, base: Path) -> None:
    assert [roots.resolve(name).relative for name in (".", "./", str(base / "ws"))] == [".", ".", "."]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "NUL"),
        ("x" * 300, "too long"),
        ("d/" * 3000, "too long"),
        ("https://example.org/x", "URL"),
        ("untitled://1", "URL"),
        ("file://host/share/x", "not the URI of a local file"),
        ("file:relative", "not the URI of a local file"),
        ("file://[x", "not a URI"),
        ("half\ud800", "not valid Unicode"),
    ],
)
def test_what_names_no_file_is_a_clear_error(roots: Roots, name: str, says: str) -> None:
    with pytest.raises(PathError, match=says):
        roots.resolve(name)


def test_without_a_folder_only_absolute_paths_work(base: Path) -> None:
    roots = Roots([])
    with pytest.raises(PathError, match="absolute"):
        roots.resolve("src/app.py")
    assert roots.resolve(str(base / "ws")).outside


def test_a_folder_that_is_none_is_refused(base: Path) -> None:
    with pytest.raises(PathError, match="does not exist"):
        Roots([base / "missing"])


@pytest.mark.parametrize("name", ["../away/secret.txt", "src/../../away/secret.txt", "/etc/passwd"])
def test_a_path_outside_is_resolved_and_marked_as_outside(roots: Roots, name: str) -> None:
    for write in (False, True):
        resolved = roots.resolve(name, for_write=write)
        assert resolved.outside
        assert resolved.display == str(resolved.path)


def test_a_sibling_with_the_same_beginning_is_outside(roots: Roots, base: Path) -> None:
    (base / "ws2").mkdir()
    assert roots.resolve("../ws2/x").outside


class TestLinks:
    def test_a_link_inside_is_followed(self, roots: Roots, base: Path) -> None:
        (base / "ws/link.py").symlink_to("src/app.py")
        resolved = roots.resolve("link.py", for_write=True)
        assert (resolved.path, resolved.link) == (base / "ws/src/app.py", base / "ws/link.py")

    @pytest.mark.parametrize("target", ["away/secret.txt", "away/missing.txt"])
    def test_a_leaf_that_leads_out_is_outside_and_refused_for_writing(
        self, roots: Roots, base: Path, target: str
    ) -> None:
        (base / "ws/link").symlink_to(base / target)
        assert roots.resolve("link").outside
        with pytest.raises(PathError, match="outside the workspace"):
            roots.resolve("link", for_write=True)

    def test_a_directory_that_leads_out_is_refused_for_writing(self, roots: Roots, base: Path) -> None:
        (base / "ws/dir").symlink_to(base / "away")
        assert roots.resolve("dir/new.txt").outside
        for name in ("dir/new.txt", str(base / "ws/dir/new.txt")):
            with pytest.raises(PathError, match="outside the workspace"):
                roots.resolve(name, for_write=True)

    def test_a_parent_of_a_linked_directory_is_the_systems_parent(self, roots: Roots, base: Path) -> None:
        (base / "ws/dir").symlink_to(base / "away")
        assert roots.resolve("dir/../other").path == base / "other"

    def test_a_link_can_be_meant_itself(self, roots: Roots, base: Path) -> None:
        (base / "ws/link").symlink_to(base / "away/secret.txt")
        resolved = roots.resolve("link", for_write=True, follow=False)
        assert (resolved.path, resolved.outside) == (base / "ws/link", False)

    def test_a_circle_is_an_error(self, roots: Roots, base: Path) -> None:
        (base / "ws/a").symlink_to("b")
        (base / "ws/b").symlink_to("a")
        for name in ("a", "a/", "a/."):
            with pytest.raises(PathError, match="circle"):
                roots.resolve(name)
        with pytest.raises(PathError, match="circle"):  # not the link itself
            roots.resolve("a/.", follow=False)
        assert roots.resolve("a", follow=False).relative == "a"

    def test_a_way_out_behind_a_circle_is_not_taken_for_inside(self, roots: Roots, base: Path) -> None:
        (base / "ws/loop").symlink_to("loop")
        (base / "ws/out").symlink_to(base / "away")
        (base / "ws/both").symlink_to("loop/../out")
        for name in ("loop/../out/x", "both/x", "both"):
            try:
                assert roots.resolve(name).outside  # from Python 3.14 on realpath follows what is behind it
            except PathError as error:
                assert "circle" in str(error)
            with pytest.raises(PathError):
                roots.resolve(name, for_write=True)

    def test_a_folder_may_itself_be_reached_by_a_link(self, base: Path) -> None:
        (base / "alias").symlink_to(base / "ws")
        roots = Roots([base / "alias"])
        assert roots.resolve("src/app.py", for_write=True).path == base / "ws/src/app.py"
        assert roots.resolve(str(base / "alias/src/app.py")).relative == "src/app.py"


@pytest.mark.parametrize(("one", "other"), [("e\u0301", "\u00e9"), ("\u00e9", "e\u0301")])
class TestOtherUnicodeForms:
    """A name is found where only its Unicode form is another, wherever in a path it is."""

    def test_of_files(self, roots: Roots, base: Path, one: str, other: str) -> None:
        (base / "ws" / f"{one}.txt").touch()
        for before in ("", "./", "src/../", "none/../", f"{one}.txt/../", f"{other}.txt/../"):
            for after in ("", "/", "/."):
                assert roots.resolve(f"{before}{other}.txt{after}").relative == f"{one}.txt"
        assert roots.resolve(str(base / "ws" / f"{other}.txt")).relative == f"{one}.txt"

    def test_of_folders(self, roots: Roots, base: Path, one: str, other: str) -> None:
        (base / "ws" / one / "in").mkdir(parents=True)
        (base / "ws" / one / "in" / f"{one}.txt").touch()
        assert roots.resolve(f"{other}/in/{other}.txt").relative == f"{one}/in/{one}.txt"
        assert roots.resolve(f"{other}/new/{other}.txt", for_write=True).relative == f"{one}/new/{other}.txt"
        assert roots.resolve(f"{other}/in/../{other}").relative == f"{one}/{other}"
        assert roots.resolve(f"{other}/..").relative == "."

    def test_of_a_link_to_outside(self, roots: Roots, base: Path, one: str, other: str) -> None:
        (base / "ws" / one).symlink_to(base / "away")
        resolved = roots.resolve(f"{other}/secret.txt")
        assert (resolved.path, resolved.outside) == (base / "away/secret.txt", True)
        with pytest.raises(PathError):
            roots.resolve(f"{other}/secret.txt", for_write=True)

    def test_of_what_a_link_leads_to(self, roots: Roots, base: Path, one: str, other: str) -> None:
        (base / "ws" / f"{one}.txt").touch()
        (base / "ws/link").symlink_to(f"{other}.txt")
        assert roots.resolve("link").relative == f"{one}.txt"
        (base / "ws" / one).symlink_to(other)
        for name in (one, other, f"{other}/x"):
            with pytest.raises(PathError, match="circle"):
                roots.resolve(name)

    def test_not_if_both_forms_exist(self, roots: Roots, base: Path, one: str, other: str) -> None:
        for name in (one, other):
            (base / "ws" / name).touch()
            assert roots.resolve(name).relative == name

    def test_of_other_workspace_folders(self, base: Path, one: str, other: str) -> None:
        roots = Roots([base / "ws", base / "other"], ["App", one])
        assert roots.resolve(f"{other}/lib").path == base / "other/lib"
        (base / "ws" / other).mkdir()
        assert roots.resolve(f"{one}/lib").path == base / "ws" / other / "lib"
        assert roots.relative(base / "other/lib") == str(base / "other/lib")


def test_rules_see_names_below_the_folder_however_they_were_given(base: Path) -> None:
    inner = base / ".claude" / "tree"
    (inner / "src").mkdir(parents=True)
    roots = Roots([inner])
    for name in ("src/a.py", str(inner / "src/a.py"), (inner / "src/a.py").as_uri()):
        assert set(roots.resolve(name).forms) == {"src/a.py"}


class TestSeveralFolders:
    def test_other_folders_are_named_first(self, base: Path) -> None:
        roots = Roots([base / "ws", base / "other"])
        resolved = roots.resolve("other/lib")
        assert (resolved.path, resolved.relative, resolved.outside) == (
            base / "other/lib",
            "other/lib",
            False,
        )

    def test_an_own_entry_of_that_name_wins(self, base: Path) -> None:
        (base / "ws/other").mkdir()
        assert Roots([base / "ws", base / "other"]).resolve("other/lib").path == base / "ws/other/lib"

    def test_equal_names_are_made_unique(self, base: Path) -> None:
        (base / "x/ws").mkdir(parents=True)
        roots = Roots([base / "ws", base / "x/ws"])
        assert [root.name for root in roots.folders] == ["ws", "ws-2"]
        assert roots.resolve("ws-2/f").path == base / "x/ws/f"

    def test_the_editors_names_are_used(self, base: Path) -> None:
        roots = Roots([base / "ws", base / "other"], ["App", "Library"])
        assert roots.resolve("Library/lib").path == base / "other/lib"

    def test_relative_is_the_inverse_of_resolve(self, base: Path) -> None:
        (base / "ws/nested").mkdir()
        roots = Roots([base / "ws", base / "other", base / "ws/nested"])
        for path in ("ws/src/app.py", "other/lib", "other", "ws/nested/f", "away/secret.txt"):
            shown = roots.relative(base / path)
            assert roots.resolve(shown).path == base / path

    def test_files_of_another_folder_are_named_absolute_where_an_own_entry_has_its_name(
        self, base: Path
    ) -> None:
        (base / "ws/other").mkdir()
        roots = Roots([base / "ws", base / "other"])
        for path in (base / "other", base / "other/lib", base / "ws/other/lib"):
            assert roots.resolve(roots.relative(path)).path == path
        assert roots.resolve(str(base / "other/lib")).display == str(base / "other/lib")

    def test_a_name_that_would_mean_another_place_is_told_with_a_dot_before_it(self, base: Path) -> None:
        roots = Roots([base / "ws", base / "other"], ["App", "~"])
        for name in ("~", "~/f", "file:", "file:/f", "file:a", " ", "\t"):
            assert roots.relative(base / "ws" / name) == f"./{name}"
            assert roots.resolve(f"./{name}").path == base / "ws" / name
        assert roots.relative(base / "ws/~a") == "~a"
        assert roots.resolve(roots.relative(base / "other/lib")).path == base / "other/lib"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain ä 日本.txt", "plain ä 日本.txt"),
        ("new\nline", "new\\nline"),
        ("esc\x1b[31m", "esc\\x1b[31m"),
        (os.fsdecode(b"bad\xff.txt"), "bad\\xff.txt"),
        ("right\u202eleft", "right\\u202eleft"),
    ],
)
def test_names_are_shown_on_one_line_without_controls(name: str, shown: str) -> None:
    assert printable(name) == shown


parts = st.sampled_from(
    ["..", ".", "src", "in", "out", "loop", "new", "ä", "e\u0301", "a b", "", "\u202e", "~"]
)


@cases(300)
@given(
    parts=st.lists(parts, min_size=1, max_size=8),
    absolute=st.booleans(),
    how=st.fixed_dictionaries({"for_write": st.booleans(), "follow": st.booleans()}),
)
def test_what_is_not_marked_outside_is_inside(
    roots: Roots, base: Path, parts: list[str], absolute: bool, how: dict[str, bool]
) -> None:
    workspace = base / "ws"
    for name, target in (("in", "src"), ("out", "../away"), ("loop", "loop")):
        if not (workspace / name).is_symlink():
            (workspace / name).symlink_to(target)
    name = "/".join(parts)
    try:
        resolved = roots.resolve(f"{workspace}/{name}" if absolute else name, **how)
    except PathError:
        return
    real_parent = Path(os.path.realpath(resolved.path.parent))
    assert real_parent == resolved.path.parent
    assert resolved.outside == (not (resolved.path == workspace or workspace in resolved.path.parents))
