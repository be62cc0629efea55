"""What language servers answer, as lines for the model: whatever comes, it is bounded, and no secret is in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.lsp_results import changes, locations, symbols
from steersman.lsp.places import MAX_FILES, MAX_PLACES, MAX_SOURCE, Place, listing_of
from steersman.tools.base import MAX_RESULT_BYTES
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.roots import Roots


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "ws"
    root.mkdir()
    return DiskWorkspace(Roots([root]))


def put(workspace, name, content=""):
    path = workspace.roots.primary.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path.as_uri()


def span(line):
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 3}}


async def lines_of(workspace, *places):
    listing = await listing_of(places, workspace)
    return listing.text().splitlines()


async def test_a_place_is_named_with_its_source_line(workspace):
    uri = put(workspace, "src/a b.py", "\tone = 1\r\n" + "x" * 500 + "\nbad \x1b[2J\n")
    assert await lines_of(
        workspace, Place(uri, 0), Place(uri, 1), Place(uri, 2), Place(uri, 9), Place(uri, None)
    ) == [
        "src/a b.py:1: one = 1",
        f"src/a b.py:2: {'x' * MAX_SOURCE}…",
        "src/a b.py:3: bad \\x1b[2J",
        "src/a b.py:10",
        "src/a b.py",
    ]


async def test_each_is_listed_once(workspace):
    uri = put(workspace, "a.py", "one\n")
    assert await lines_of(workspace, *[Place(uri, 0)] * 3) == ["a.py:1: one"]


async def test_what_can_not_be_shown_is_named_all_the_same(workspace, tmp_path):
    outside = tmp_path / "lib.py"
    outside.write_text("secret of another project\n")
    put(workspace, "image.bin", "\0\0")
    gone, binary = (workspace.roots.primary.path / name for name in ("gone.py", "image.bin"))
    places = [
        Place(uri, 0) for uri in (outside.as_uri(), gone.as_uri(), binary.as_uri(), "jdt://lib/A.class")
    ]
    assert await lines_of(workspace, *places) == [
        f"{outside}:1 (outside the workspace)",
        "gone.py:1",
        "image.bin:1",
        "jdt://lib/A.class:1 (not a file)",
    ]


async def test_a_denied_path_is_left_out_however_it_is_reached(workspace):
    secret = put(workspace, ".env", "KEY=1\n")
    link = workspace.roots.primary.path / "innocent.txt"
    link.symlink_to(".env")
    uri = put(workspace, "a.py", "one\n")
    places = [Place(each, 0) for each in (secret, link.as_uri(), secret.replace(".env", "%2eenv"), uri)]
    text = (await listing_of(places, workspace)).text()
    assert text == "a.py:1: one\n[3 places left out by deny rules]"


async def test_no_more_is_listed_than_a_result_has_room_for(workspace):
    uri = put(workspace, "a.py", "one\n" * 1000)
    *lines, note = await lines_of(workspace, *(Place(uri, n) for n in range(1000)))
    assert (len(lines), note) == (MAX_PLACES, f"[{MAX_PLACES} of 1,000 places are shown]")
    wide = put(workspace, f"{'d' * 200}/{'é' * 100}/b.py", ("é" * 300 + "\n") * 1000)
    text = (await listing_of([Place(wide, n) for n in range(1000)], workspace)).text()
    assert len(text.encode()) < MAX_RESULT_BYTES + 100
    assert text.endswith("of 1,000 places are shown]")


async def test_no_more_files_are_looked_at_than_is_bearable(workspace):
    uris = [put(workspace, f"f{n}.py", "one\n") for n in range(MAX_FILES + 5)]
    *lines, note = await lines_of(workspace, *(Place(uri, 0) for uri in uris))
    assert (len(lines), note) == (MAX_FILES, f"[{MAX_FILES} of {MAX_FILES + 5} places are shown]")


# What language servers answer


@pytest.mark.parametrize(
    ("data", "places", "unusable"),
    [
        (None, [], 0),
        ([], [], 0),
        ({"uri": "file:///a", "range": span(2)}, [Place("file:///a", 2)], 0),
        ([{"uri": "file:///a", "range": span(2)}], [Place("file:///a", 2)], 0),
        (
            [{"targetUri": "file:///a", "targetRange": span(1), "targetSelectionRange": span(2)}],
            [Place("file:///a", 2)],
            0,
        ),
        ([{"targetUri": "file:///a", "targetRange": span(1)}], [Place("file:///a", 1)], 0),
        (
            [{"uri": "file:///a", "range": span(-1)}, {"uri": "file:///a", "range": span(True)}, 7, None],
            [],
            4,
        ),
    ],
)
def test_locations_come_in_three_forms(data, places, unusable):
    found = locations(data)
    assert (found.places, found.unusable) == (places, unusable)


def test_symbols_may_lie_deep():
    symbol = {"name": "z", "kind": 12, "range": span(0)}
    for _ in range(5000):
        symbol = {"name": "a", "kind": 5, "range": span(0), "children": [symbol]}
    found = symbols([symbol], "file:///a")
    assert len(found.places) == 5001
    assert found.places[2].label == "class a (in a.a)"
    assert len(found.places[-1].label) < MAX_SOURCE + 30


def test_a_workspace_edit_comes_in_two_forms():
    edit = {"range": span(3), "newText": "x"}
    for data in (
        {"changes": {"file:///a": [edit, edit]}},
        {"documentChanges": [{"textDocument": {"uri": "file:///a", "version": 1}, "edits": [edit, edit]}]},
    ):
        found, files, edits = changes(data)
        assert (found.places, files, edits) == ([Place("file:///a", 3)] * 2, [], 2)
    found, files, edits = changes(
        {"documentChanges": [{"kind": "delete", "uri": "file:///a"}, {"kind": "odd"}, 1]}
    )
    assert (files, found.unusable, edits) == (["file:///a"], 2, 0)


def test_of_a_workspace_edit_in_both_forms_the_document_changes_count():
    edit = {"range": span(3), "newText": "x"}
    document = {"textDocument": {"uri": "file:///a", "version": 1}, "edits": [edit]}
    found, _, edits = changes({"changes": {"file:///a": [edit]}, "documentChanges": [document]})
    assert (found.places, edits) == ([Place("file:///a", 3)], 1)


def test_a_rename_in_a_workspace_edit_is_one_file():
    renamed = {"kind": "rename", "oldUri": "file:///a", "newUri": "file:///b"}
    created = {"kind": "create", "uri": "file:///c"}
    _, files, _ = changes({"documentChanges": [renamed, created]})
    assert files == ["file:///a", "file:///c"]


KEYS = (
    *("uri", "range", "start", "line", "targetUri", "targetRange", "selectionRange", "location"),
    *("name", "kind", "children", "containerName", "changes", "documentChanges", "edits", "textDocument"),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(JSON)
def test_whatever_comes_is_taken_or_counted(data):
    for found in (locations(data), symbols(data, None), symbols(data, "file:///a"), changes(data)[0]):
        assert all(isinstance(place.uri, str) for place in found.places)
