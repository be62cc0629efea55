"""Paths that lead anywhere: nothing outside the workspace is read or changed, whatever a name is made of, and whatever
is put in its place between the look and the act."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.workspace.changes import FileChange
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.errors import PathError, WorkspaceError
from steersman.workspace.pinning import _CAN_PIN
from steersman.workspace.ports import BaseMoved, PreImage
from steersman.workspace.roots import ResolvedPath, Roots, printable
from steersman.workspace.text import view
from support.cases import cases

SECRET = b"the secret of another folder\n"
PARTS = (
    *(
        "..",
        ".",
        "",
        "src",
        "a.txt",
        "in",
        "out",
        "outfile",
        "loop",
        "new",
        "chain",
        "SRC",
        "A.TXT",
        "ä",
        "a\u0308",
        "Ä",
    ),
    *(
        "~",
        "~root",
        "...",
        "..\u200b",
        "\uff0e\uff0e",
        "..\\away",
        "\\",
        "C:",
        "C:\\a",
        "\\\\?\\C:\\a",
        "CON",
        "NUL.txt",
    ),
    *(
        "aux",
        "a.txt:stream",
        "a.txt::$DATA",
        "a.txt.",
        "a.txt ",
        " ",
        "\t",
        "src ",
        "%2e%2e",
        "%2e%2e%2f",
        "%00",
        "a\0b",
    ),
    *(
        "\ud800",
        "\udcff",
        "\n",
        "\x1b[2J",
        "\u202e",
        "x" * 255,
        "x" * 256,
        "ü" * 128,
        "$HOME",
        "*",
        "?",
        "ws",
        "away",
    ),
    *("away/secret", "-rf", "\ufeff", "file:", "file:a"),
)
HEADS = (
    *(
        "",
        "",
        "",
        "/",
        "//",
        "./",
        "../",
        "~/",
        "{ws}/",
        "{ws}/../",
        "file://{ws}/",
        "file://localhost{ws}/",
        "file:",
    ),
    *(
        "FILE://",
        "file://evil{ws}/",
        "file://{ws}/%2e%2e/",
        "file:///proc/self/root{ws}/",
        "/proc/self/cwd/",
        "http://a/",
    ),
    "{ws}away/",
)
names = st.builds(
    lambda head, parts, joint: (head, joint.join(parts)),
    st.sampled_from(HEADS),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=6),
    st.sampled_from(["/", "/", "/", "//", "/./", "%2f", "\\"]),
)
HOW = st.sampled_from(["read", "read", "write", "delete", "move", "list"])


def fill(base: Path) -> None:
    """A workspace with links in it, beside a folder that nobody may touch."""
    for old in base.iterdir():
        if old.is_symlink():
            old.unlink()
        else:
            shutil.rmtree(old)
    (base / "ws/src").mkdir(parents=True)
    for folder in ("away", "wsaway"):
        (base / folder).mkdir()
        (base / folder / "secret").write_bytes(SECRET)
    for name in ("a.txt", "src/a.txt", "ä"):
        (base / "ws" / name).write_bytes(b"ours\n")
    links = {
        "in": "src",
        "out": "../away",
        "outfile": "../away/secret",
        "loop": "loop",
        "chain": "in/../out",
        "src/up": "../..",
    }
    for name, target in links.items():
        (base / "ws" / name).symlink_to(target)


def outside(base: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(base)): path.read_bytes() if path.is_file() else b""
        for folder in (base / "away", base / "wsaway")
        for path in sorted((folder, *folder.rglob("*")))
    } | {path.name: b"" for path in base.iterdir()}


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return Path(os.path.realpath(tmp_path_factory.mktemp("paths")))


def is_inside(base: Path, path: Path) -> bool:
    workspace = base / "ws"
    return path == workspace or workspace in path.parents


@cases(150)
@given(names, st.booleans(), st.booleans())
def test_a_name_of_any_kind_is_refused_or_known_to_lead_in_or_out(base, name, for_write, follow):
    if not (base / "ws").exists():
        fill(base)
    given_name = name[0].replace("{ws}", str(base / "ws")) + name[1]
    roots = Roots([base / "ws"])
    try:
        path = roots.resolve(given_name, for_write=for_write, follow=follow)
    except PathError as error:
        assert str(error).isprintable()
        return
    real = Path(os.path.realpath(path.path.parent), path.path.name)
    assert real == path.path, "no link is left on the way"
    assert path.outside != is_inside(base, path.path)
    assert path.path.name not in ("..", ".")
    assert not (follow and path.path.is_symlink())
    assert path.display == printable(path.display)
    assert path.outside or roots.resolve(path.relative, follow=False).path == path.path


@cases(50, share=0.2)
@given(names, HOW)
async def test_what_is_done_to_a_name_that_leads_in_reads_and_changes_nothing_outside(base, name, how):
    fill(base)
    before = outside(base)
    workspace = DiskWorkspace(Roots([base / "ws"]))
    given_name = name[0].replace("{ws}", str(base / "ws")) + name[1]
    try:
        path = workspace.resolve(given_name, for_write=how != "read", follow=how in ("read", "write", "list"))
        if path.outside:
            return
        await act(workspace, path, how)
    except WorkspaceError as error:
        assert str(error).isprintable() or "\n" in str(error)
    assert outside(base) == before


async def act(
    workspace: DiskWorkspace, path: ResolvedPath, how: str, seen: Callable[[], None] = lambda: None
) -> None:
    """Looks, lets others act, and does it."""
    if how == "list":
        seen()
        assert "secret" not in [entry.name for entry in (await workspace.entries(path, 100)).entries]
        return
    there = await workspace.read(path) if await workspace.exists(path) else None
    seen()
    if how == "read":
        assert SECRET not in ((await workspace.read(path)).data or b"")
    elif how == "delete":
        if there is not None:
            await workspace.apply(FileChange("delete", path, base=there))
    elif how == "move":
        if there is not None:
            target = workspace.resolve("moved/there.txt", for_write=True)
            await workspace.apply(FileChange("move", path, base=there, target=target))
    else:
        kind = "create" if there is None else "edit"
        await workspace.apply(FileChange(kind, path, base=there, new=view("written\n")))


NAMES = ("a.txt", "src/a.txt", "src/deep/a.txt", "new/b.txt", "new/deep/b.txt", "src", ".")
SWAPS = st.lists(
    st.tuples(
        st.sampled_from(["it", "above", "above", "further", "moved", "src", ""]),
        st.sampled_from(["{base}/away", "{base}/away", "{base}/away/secret", "/", "..", "src", "loop"]),
    ),
    max_size=2,
)


def place_of(what: str, name: str) -> str:
    """The path that is changed itself, a folder of it, or another."""
    above = Path(name).parent
    return {"it": name, "above": str(above), "further": str(above.parent)}.get(what, what).removeprefix(".")


def put_link(base: Path, name: str, target: str) -> None:
    """A link in the place of what has a name in the workspace, which is kept beside it."""
    place = base / "ws" / name if name else base / "ws"
    if not os.path.lexists(place.parent) or place.parent.is_symlink():
        return
    if place.is_symlink():
        place.unlink()
    elif place.exists():
        place.rename(place.with_name(f"{place.name}.was"))
    place.symlink_to(target.replace("{base}", str(base)))


@pytest.mark.skipif(not _CAN_PIN, reason="directories can't be held here")
@cases(100, share=0.2)
@given(
    st.sampled_from(NAMES),
    HOW,
    SWAPS,
    SWAPS,
)
async def test_links_put_in_between_the_look_and_the_act_lead_nowhere(base, name, how, first, second):
    """The first are put when the name has been resolved and looked at, the others when the change has been checked."""
    fill(base)
    (base / "ws/src/deep").mkdir()
    (base / "ws/src/deep/a.txt").write_bytes(b"ours\n")
    before = {key: data for key, data in outside(base).items() if "/" in key}

    def swap(swaps: list[tuple[str, str]]) -> None:
        for place, target in swaps:
            put_link(base, place_of(place, name), target)

    async def keep(_image: PreImage) -> None:
        swap(second)

    workspace = DiskWorkspace(Roots([base / "ws"]), keep_preimage=keep)
    path = workspace.resolve(name, for_write=how != "read")
    try:
        await act(workspace, path, how, lambda: swap(first))
    except (WorkspaceError, BaseMoved) as error:
        assert str(error)
    after = {key: data for key, data in outside(base).items() if "/" in key}
    assert after == before
