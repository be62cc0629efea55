"""A file that is open in the editor: which text is read, how an edit gets into it, and what the model is told of it."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.lsp.edit_outcomes import shares_nothing
from steersman.workspace.changes import creation, deletion, edition, relocation
from steersman.workspace.disk import INLINE_BYTES
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.ports import Applied, BaseMoved
from support import editor_client as editors
from support.editor_files import Files
from support.lsp_client import PATIENCE
from support.lsp_workspace import LIMITS, desk
from support.manual_clock import settle


@pytest.fixture
async def files(tmp_path):
    async with desk(tmp_path) as it:
        yield Files(it)


TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


# The four states of a file.


async def test_same_the_file_is_read_and_the_edit_goes_into_the_buffer_as_one_undo_step(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    await files.heard()
    assert (await files.snapshot()).source == "disk"
    applied = await files.edit("two", "2")
    buffer = files.editor.buffers[uri]
    assert (buffer.text, path.read_text()) == (TEXT.replace("two", "2"), TEXT)
    assert buffer.undo == [TEXT]
    assert (applied.source, applied.unsaved) == ("buffer", True)
    assert await files.workspace.unsaved_files() == ["a.txt"]
    assert (files.images[0].data, files.images[0].buffer) == (TEXT.encode(), None)
    files.editor.save(uri)
    await files.heard()
    assert await files.workspace.unsaved_files() == []


async def test_dirty_the_buffer_is_read_edited_and_kept(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    files.editor.replace(uri, "six", "6, not saved")
    await files.heard()
    snapshot = await files.snapshot()
    assert (snapshot.as_text().text, snapshot.dirty, snapshot.conflict) == (
        TEXT.replace("six", "6, not saved"),
        True,
        False,
    )
    await files.edit("two", "2")
    assert files.editor.buffers[uri].text == "one\n2\nthree\nfour\nfive\n6, not saved\n"
    assert path.read_text() == TEXT
    assert files.images[0].buffer == TEXT.replace("six", "6, not saved")


async def test_a_document_opened_with_unsaved_text_is_dirty(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT), TEXT + "restored\n")
    await files.heard()
    assert await files.read() == TEXT + "restored\n"
    assert await files.workspace.unsaved_files() == ["a.txt"]
    files.editor.save(uri)
    await files.heard()
    assert await files.workspace.unsaved_files() == []


async def test_disk_newer_the_disk_is_read_and_an_edit_waits_for_the_reload(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    await files.heard()
    files.desk.put("a.txt", TEXT + "seven\n")
    assert await files.read() == TEXT + "seven\n"
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.heard()
    assert not files.editor.asked
    files.editor.reload(uri)
    await editing
    assert files.editor.buffers[uri].text == (TEXT + "seven\n").replace("two", "2")
    assert path.read_text() == TEXT + "seven\n"


class LateThreads(ThreadPoolExecutor):
    """Does what it is given at once. What came of it is known when the test says so."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked = asyncio.Event()
        self._tell: list[Callable[[], None]] | None = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future, result = Future[Any](), fn(*args, **kwargs)
        if self._tell is None:
            future.set_result(result)
        else:
            self._tell.append(lambda: future.set_result(result))
        self.asked.set()
        return future

    def tell(self) -> None:
        waiting, self._tell = self._tell or [], None
        for each in waiting:
            each()


@pytest.mark.parametrize("typed", ["before", "meanwhile"])
async def test_a_save_that_comes_while_a_long_file_is_read_is_no_change_that_the_editor_does_not_show(
    files, typed
):
    text = TEXT + "".join(f"line {n}\n" for n in range(INLINE_BYTES // 8))
    uri = files.editor.open(files.desk.put("a.txt", text))
    if typed == "before":
        files.editor.replace(uri, "six", "6")
    await files.heard()
    change, threads = await files.change("two", "2"), LateThreads()
    asyncio.get_running_loop().set_default_executor(threads)
    editing = asyncio.ensure_future(files.workspace.apply(change))
    await threads.asked.wait()
    if typed == "meanwhile":
        files.editor.replace(uri, "six", "6")
    files.editor.save(uri)
    await files.heard()
    threads.tell()
    if typed == "before":
        await editing
        assert files.editor.buffers[uri].text == text.replace("six", "6").replace("two", "2")
    else:
        with pytest.raises(BaseMoved) as moved:
            async with asyncio.timeout(PATIENCE):  # or it waits for the editor to show the text from before
                await editing
        assert moved.value.current.as_text().text == text.replace("six", "6")
    assert await files.read() == files.editor.buffers[uri].text


async def test_disk_newer_and_never_reloaded_is_an_error_and_nothing_is_changed(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    await files.heard()
    files.desk.put("a.txt", "newer two\n")
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.reload)
    assert "reload the file" in await refused
    told = await files.desk.client.wait_for_method("window/showMessage")
    assert told["params"]["message"].startswith("Steersman: Nothing was changed. ")
    assert told["params"]["message"].endswith("reload it there first.")
    assert (path.read_text(), files.editor.buffers[uri].text, files.editor.asked) == (
        "newer two\n",
        TEXT,
        [],
    )


async def test_a_reloaded_file_is_clean_again_and_no_conflict_later(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.desk.put("a.txt", TEXT + "by a tool\n")
    files.editor.reload(uri)
    await files.heard()
    assert await files.workspace.unsaved_files() == []
    files.desk.put("a.txt", TEXT + "by a tool, twice\n")
    snapshot = await files.snapshot()
    assert (snapshot.source, snapshot.conflict, snapshot.dirty) == ("disk", False, False)


async def test_both_changed_the_buffer_is_read_and_marked_as_a_conflict(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    files.editor.replace(uri, "six", "6")
    await files.heard()
    files.desk.put("a.txt", TEXT + "seven\n")
    snapshot = await files.snapshot()
    assert (snapshot.as_text().text, snapshot.conflict) == (TEXT.replace("six", "6"), True)
    await files.edit("two", "2")
    assert files.editor.buffers[uri].text == "one\n2\nthree\nfour\nfive\n6\n"
    assert path.read_text() == TEXT + "seven\n"


async def test_a_conflict_that_arose_after_the_proposal_was_made_is_not_edited_over(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    files.editor.replace(uri, "six", "6")
    await files.heard()
    change = await files.change("two", "2")
    files.desk.put("a.txt", TEXT + "seven\n")
    with pytest.raises(BaseMoved) as raised:
        await files.workspace.apply(change)
    assert raised.value.current.conflict
    assert files.editor.asked == []


async def test_a_final_newline_that_only_the_editor_shows_is_no_unsaved_change(files):
    path = files.desk.put("a.txt", "one\ntwo")
    uri = files.editor.open(path, "one\ntwo\n")
    await files.heard()
    assert await files.workspace.unsaved_files() == []
    snapshot = await files.snapshot()
    assert (snapshot.as_text().text, snapshot.dirty) == ("one\ntwo\n", False)
    await files.edit("two", "2")
    assert files.editor.buffers[uri].text == "one\n2\n"
    assert await files.workspace.unsaved_files() == ["a.txt"]


async def test_a_file_that_is_not_open_is_written_by_the_server(files):
    path = files.desk.put("a.txt", TEXT)
    applied = await files.edit("two", "2")
    assert (path.read_text(), applied.source, files.editor.asked) == (
        TEXT.replace("two", "2"),
        "disk",
        [],
    )


# Which buffer is meant.


async def test_a_document_is_known_by_every_spelling_of_its_path(files):
    path = files.desk.put("dir ä/a.txt", TEXT)
    (files.desk.root / "link").symlink_to("dir ä")
    spellings = [
        (files.desk.root / "link" / "a.txt").as_uri(),
        path.as_uri().replace("/a.txt", "/%61.txt"),
        f"file://localhost{path.as_uri()[7:]}",
    ]
    for uri in spellings:
        files.editor.open(path, TEXT + uri, uri=uri)
        await files.heard()
        assert await files.read("dir ä/a.txt") == TEXT + uri
        assert await files.read("link/a.txt") == TEXT + uri
        files.editor.close(uri)
    await files.heard()
    assert await files.read("link/a.txt") == TEXT


async def test_of_two_buffers_of_one_file_the_one_with_unsaved_text_is_the_truth(files):
    path = files.desk.put("a.txt", TEXT)
    (files.desk.root / "link.txt").symlink_to("a.txt")
    first = files.editor.open(path)
    files.editor.open(path, uri=(files.desk.root / "link.txt").as_uri())
    files.editor.replace(first, "six", "6")
    await files.heard()
    assert await files.read() == TEXT.replace("six", "6")


async def test_an_unsynced_document_is_not_edited(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    files.editor.tell(uri, [{"range": "nonsense", "text": "x"}])
    await files.heard()
    assert await files.read() == TEXT
    assert "its text is not known" in await files.refusal("two", "2")
    files.editor.set_text(uri, TEXT + "known again\n")
    await files.heard()
    await files.edit("two", "2")
    assert files.editor.buffers[uri].text == TEXT.replace("two", "2") + "known again\n"


async def test_deleting_moving_and_overwriting_leave_unsaved_text_alone(files):
    path = files.desk.put("a.txt", TEXT)
    uri = files.editor.open(path)
    files.editor.replace(uri, "six", "6")
    await files.heard()
    snapshot = await files.snapshot()
    target = files.workspace.resolve("b.txt", for_write=True)
    for change in (deletion(snapshot), relocation(snapshot, target)):
        with pytest.raises(ChangeRefused, match="unsaved changes"):
            await files.workspace.apply(change)
    with pytest.raises(BaseMoved):
        await files.workspace.apply(creation(files.workspace.resolve("a.txt"), "mine\n"))
    assert (path.read_text(), files.editor.buffers[uri].text) == (TEXT, TEXT.replace("six", "6"))


async def test_a_clean_open_file_can_be_deleted_and_moved_but_not_onto_an_open_one(files):
    files.editor.open(files.desk.put("a.txt", "one"), "one\n")
    new = files.desk.root / "new.txt"
    files.editor.open(new, "never saved\n")
    await files.heard()
    snapshot = await files.snapshot()
    with pytest.raises(ChangeRefused, match="open in the editor"):
        await files.workspace.apply(relocation(snapshot, files.workspace.resolve("new.txt", for_write=True)))
    await files.workspace.apply(relocation(snapshot, files.workspace.resolve("b.txt", for_write=True)))
    assert (files.desk.root / "b.txt").read_text() == "one"
    await files.workspace.apply(deletion(await files.snapshot("b.txt")))
    assert not (files.desk.root / "b.txt").exists()


# Deleting and moving through the editor.


@asynccontextmanager
async def operating(tmp_path, *operations):
    """Files at an editor that takes these resource operations."""
    edit = {"documentChanges": True, "resourceOperations": list(operations)}
    async with desk(tmp_path, workspace={"applyEdit": True, "workspaceEdit": edit}) as it:
        files = Files(it)
        files.uri = it.editor.open(it.put("a.txt", TEXT))
        await files.heard()
        it.editor.behaviour = editors.operates()
        yield files


async def move(files, name="new/b.txt"):
    return await files.workspace.apply(
        relocation(await files.snapshot(), files.workspace.resolve(name, for_write=True))
    )


async def delete(files):
    return await files.workspace.apply(deletion(await files.snapshot()))


async def test_an_open_file_is_deleted_by_the_editor_and_its_preimage_kept(tmp_path):
    async with operating(tmp_path, "delete", "rename", "create") as files:
        applied = await delete(files)
        assert (applied.sha256, applied.notes) == (None, ())
        (operation,) = map(editors.operation_of, files.editor.asked)
        assert (operation["kind"], operation["uri"]) == ("delete", files.uri)
        assert not (files.desk.root / "a.txt").exists()
        assert [(image.path.name, image.data) for image in files.images] == [("a.txt", TEXT.encode())]


async def test_an_open_file_is_moved_by_the_editor_into_folders_that_are_made_for_it(tmp_path):
    async with operating(tmp_path, "rename") as files:
        applied = await move(files)
        assert (applied.created_directories, applied.notes) == (("new",), ())
        (operation,) = map(editors.operation_of, files.editor.asked)
        assert operation["kind"] == "rename" and operation["options"]["overwrite"] is False
        assert (files.desk.root / "new" / "b.txt").read_text() == TEXT
        assert [(image.path.name, image.kind) for image in files.images] == [
            ("a.txt", "file"),
            ("b.txt", "absent"),
        ]
        files.editor.behaviour = editors.honest
        assert (await files.edit("two", "2", "new/b.txt")).source == "buffer"


async def test_without_the_operation_the_disk_is_changed(tmp_path):
    async with operating(tmp_path, "create") as files:
        await move(files)
        assert files.editor.asked == []
        assert (files.desk.root / "new" / "b.txt").read_text() == TEXT


@pytest.mark.parametrize("do", [move, delete])
async def test_unsaved_text_is_neither_deleted_nor_moved_by_the_editor(tmp_path, do):
    async with operating(tmp_path, "delete", "rename") as files:
        files.editor.replace(files.uri, "six", "6")
        await files.heard()
        with pytest.raises(ChangeRefused, match="unsaved changes"):
            await do(files)
        assert files.editor.asked == []


@pytest.mark.parametrize("do", [move, delete])
async def test_an_operation_that_does_not_happen_is_no_success(tmp_path, do):
    async with operating(tmp_path, "delete", "rename") as files:
        files.editor.behaviour = editors.claims
        doing = asyncio.ensure_future(do(files))
        await files.desk.clock.let_pass(LIMITS.verify)
        with pytest.raises(ChangeRefused, match=r"a\.txt has the file's content"):
            await doing
        assert sorted(files.desk.hashes()) == ["a.txt"]
        assert [path.name for path in files.desk.root.iterdir()] == ["a.txt"]
        with pytest.raises(ChangeRefused, match="is not changed again until"):
            await do(files)
        files.editor.save(files.uri)
        await files.heard()
        files.editor.behaviour = editors.operates()
        await do(files)


@pytest.mark.parametrize("do", [move, delete])
async def test_an_operation_that_the_editor_refuses_changes_nothing_and_may_be_tried_again(tmp_path, do):
    async with operating(tmp_path, "delete", "rename") as files:
        files.editor.behaviour = editors.refuses("not allowed")
        with pytest.raises(ChangeRefused, match=r"not allowed\. Nothing was changed"):
            await do(files)
        assert [path.name for path in files.desk.root.iterdir()] == ["a.txt"]
        files.editor.behaviour = editors.operates()
        await do(files)


async def test_an_editor_that_goes_on_showing_a_deleted_file_is_told_of(tmp_path):
    async with operating(tmp_path, "delete") as files:
        files.editor.behaviour = editors.operates(tells=False)
        deleting = asyncio.ensure_future(delete(files))
        await files.desk.clock.let_pass(LIMITS.verify)
        assert "still shows a.txt" in (await deleting).notes[0]


async def test_what_the_user_typed_into_a_file_while_it_was_deleted_is_told(tmp_path):
    async with operating(tmp_path, "delete") as files:
        files.editor.behaviour = editors.operates(typed=TEXT + "typed last\n")
        assert "+typed last" in (await delete(files)).notes[0]


async def test_a_file_that_is_open_by_a_link_is_moved_on_the_disk(tmp_path):
    async with operating(tmp_path, "rename") as files:
        files.editor.close(files.uri)
        (files.desk.root / "link.txt").symlink_to("a.txt")
        files.editor.open(files.desk.root / "link.txt")
        await files.heard()
        await move(files)
        assert files.editor.asked == []
        assert (files.desk.root / "new" / "b.txt").read_text() == TEXT


async def test_without_apply_edit_clean_files_are_written_and_dirty_ones_are_not(tmp_path):
    async with desk(tmp_path, workspace={}) as it:
        files = Files(it)
        path = it.put("a.txt", "one\ntwo")
        uri = it.editor.open(path, "one\ntwo\n")
        await files.heard()
        await files.edit("two", "2")
        assert path.read_bytes() == b"one\n2"
        it.editor.reload(uri)
        it.editor.replace(uri, "one", "1")
        await files.heard()
        assert "unsaved changes" in await files.refusal("2", "zwei")
        assert path.read_bytes() == b"one\n2"


async def test_an_unsaved_denied_file_stops_no_command(files):
    files.editor.open(files.desk.put(".env", "KEY=1\n"), "KEY=2\n")
    await files.heard()
    assert await files.workspace.unsaved_files() == [".env"]


async def test_unsaved_files_outside_the_workspace_are_not_named(files, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("x\n")
    files.editor.open(outside, "y\n")
    await files.heard()
    assert await files.workspace.unsaved_files() == []


# What an edit looks like on the wire.


async def test_the_edit_is_one_document_with_its_version_the_smallest_ranges_and_a_label(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT), version=7)
    await files.heard()
    await files.edit("two\nthree\nfour\nfive", "zwei\nthree\nfour\nfunf")
    (params,) = files.editor.asked
    assert params["label"] == "Steersman: edit a.txt"
    (document,) = params["edit"]["documentChanges"]
    assert document["textDocument"] == {"uri": uri, "version": 7}
    ranges = [(e["range"]["start"]["line"], e["range"]["end"]["line"]) for e in document["edits"]]
    assert ranges == [(1, 1), (4, 4)]
    assert files.editor.buffers[uri].undo == [TEXT]


@pytest.mark.parametrize(
    ("name", "version", "sent"), [("Neovim", 0, 1), ("Neovim", 5, 5), ("eglot", 0, 0), ("", 0, 0)]
)
async def test_version_0_is_sent_as_1_to_the_client_that_would_not_check_it(tmp_path, name, version, sent):
    async with desk(tmp_path, clientInfo={"name": name}) as it:
        files = Files(it)
        it.editor.behaviour = editors.refuses("the buffer is read-only")
        it.editor.open(it.put("a.txt", TEXT), version=version)
        await files.heard()
        await files.refusal("two", "2")
        assert it.editor.edits_of(it.editor.asked[0])[2] == sent


async def test_a_client_without_versions_gets_null(tmp_path):
    async with desk(tmp_path, versioned=False) as it:
        files = Files(it)
        uri = it.editor.open(it.put("a.txt", TEXT))
        await files.heard()
        await files.edit("two", "2")
        document = it.editor.asked[0]["edit"]["documentChanges"][0]["textDocument"]
        assert document == {"uri": uri, "version": None}
        assert it.editor.buffers[uri].text == TEXT.replace("two", "2")


async def test_a_client_without_document_changes_gets_changes_and_neovim_gets_versions_all_the_same(
    tmp_path,
):
    for name, expected in (("", "changes"), ("Neovim", "documentChanges")):
        async with desk(tmp_path, workspace={"applyEdit": True}, clientInfo={"name": name}) as it:
            files = Files(it)
            uri = it.editor.open(it.put("a.txt", TEXT))
            await files.heard()
            await files.edit("two", "2")
            assert list(it.editor.asked[0]["edit"]) == [expected]
            assert it.editor.buffers[uri].text == TEXT.replace("two", "2")


# Whether it is there.


@pytest.mark.parametrize(
    "behaviour",
    [
        editors.honest,
        editors.late,
        editors.edits_and({"applied": False, "failureReason": "so it says"}),
        editors.edits_and(None),
    ],
    ids=["early", "late", "saysNo", "saysNull"],
)
async def test_an_edit_that_is_in_the_text_is_made_whatever_was_said_and_when(files, behaviour):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = behaviour
    applied = await files.edit("two", "2")
    assert applied.text is None
    assert files.editor.buffers[uri].text == TEXT.replace("two", "2")


async def test_an_edit_that_is_in_the_text_is_made_though_the_editor_never_answers(files):
    files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.edits_and(editors.NO_ANSWER)
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.desk.client.wait_for_method("workspace/applyEdit")
    await files.heard()
    await files.desk.clock.let_pass(LIMITS.apply_edit)
    assert (await editing).unsaved


@pytest.mark.parametrize("whole", [False, True], ids=["severalChanges", "oneChange"])
async def test_the_users_keystrokes_in_the_same_message_are_theirs(files, whole):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.bundled(("six", "six and more"), whole=whole)
    applied = await files.edit("two", "2")
    typed = TEXT.replace("two", "2").replace("six", "six and more")
    assert (applied.text, files.editor.buffers[uri].text) == (typed, typed)


@pytest.mark.parametrize("whole", [False, True], ids=["severalChanges", "oneChange"])
async def test_in_a_long_file_too_the_users_keystrokes_are_theirs(files, whole):
    text = TEXT + "".join(f"line {number}\n" for number in range(10_000))
    uri = files.editor.open(files.desk.put("a.txt", text))
    await files.heard()
    files.editor.behaviour = editors.bundled(("line 9999", "line 9999 and more"), whole=whole)
    applied = await files.edit("two", "2")
    assert applied.text == files.editor.buffers[uri].text
    assert applied.text.startswith("one\n2\n") and applied.text.endswith("line 9999 and more\n")


async def test_an_edit_that_the_user_undoes_in_the_same_message_was_made_and_the_text_says_what_is_there(
    files,
):
    files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.bundled(("2", "two"))
    applied = await files.edit("two", "2")
    assert applied.text == TEXT


async def test_applied_is_not_believed_when_the_text_did_not_change(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.claims
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    assert "It is not known whether the edit was made" in await refused
    assert files.editor.buffers[uri].text == TEXT
    # No more edits until the editor tells of the text again.
    assert "is not changed again until" in await files.refusal("three", "3")
    assert len(files.editor.asked) == 1
    files.editor.behaviour = editors.honest
    files.editor.save(uri)
    await files.heard()
    await files.edit("three", "3")
    assert files.editor.buffers[uri].text == TEXT.replace("three", "3")


async def test_an_edit_that_is_told_of_too_late_is_read_as_it_is_and_edited_again(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()

    def silently(editor, params):
        editor.step(uri, editor.edited(editor.buffers[uri].text, editor.edits_of(params)[1]))
        return {"applied": True}

    files.editor.behaviour = silently
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    assert "It is not known" in await refused
    files.editor.tell(uri, [{"text": files.editor.buffers[uri].text}])
    await files.heard()
    assert await files.read() == TEXT.replace("two", "2")
    files.editor.behaviour = editors.honest
    await files.edit("three", "3")
    assert files.editor.buffers[uri].text == TEXT.replace("two", "2").replace("three", "3")


async def test_a_misplaced_edit_is_taken_out_again_and_what_the_user_typed_is_kept(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.misplaces_once(("six", "six, typed"))
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    message = await refused
    typed = TEXT.replace("six", "six, typed")
    assert files.editor.buffers[uri].text == typed
    assert files.editor.buffers[uri].undo[-1] != typed  # it was there, and is one step of the undo
    assert "in the wrong place. It was undone there" in message
    assert "2: two\n" in message
    first, inverse = files.editor.asked
    versions = [
        params["edit"]["documentChanges"][0]["textDocument"]["version"] for params in (first, inverse)
    ]
    assert versions == [1, 2]
    await files.edit("two", "2")
    assert files.editor.buffers[uri].text == typed.replace("two", "2")


async def test_a_misplaced_edit_that_can_not_be_taken_out_is_an_error_that_says_what_is_there(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()

    def then_refuses(editor, params):
        editor.behaviour = editors.refuses("the buffer is read-only")
        return editors.misplaces(editor, params)

    files.editor.behaviour = then_refuses
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    message = await refused
    there = files.editor.buffers[uri].text
    assert there not in (TEXT, TEXT.replace("two", "2"))
    assert "not known whether it was undone" in message
    assert [line for line in message.splitlines() if line.startswith(("+", "-"))][2:] == [
        "-three",
        f"+{there.splitlines()[2]}",
    ]
    assert "is not changed again until" in await files.refusal("four", "4")
    files.editor.replace(uri, "four", "quattro")
    await files.heard()
    files.editor.behaviour = editors.honest
    await files.edit("quattro", "4")


async def test_without_versions_a_misplaced_edit_is_left_to_the_user(tmp_path):
    async with desk(tmp_path, versioned=False) as it:
        files = Files(it)
        it.editor.open(it.put("a.txt", TEXT))
        await files.heard()
        it.editor.behaviour = editors.misplaces
        refused = asyncio.ensure_future(files.refusal("two", "2"))
        await it.clock.let_pass(LIMITS.verify)
        assert "is not what was approved" in await refused
        assert len(it.editor.asked) == 1
        assert "is not changed again until" in await files.refusal("four", "4")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (editors.refuses("the buffer is read-only"), "the buffer is read-only"),
        (editors.refuses(), "it gave no reason"),
        (editors.answers_with_an_error, "no such buffer"),
    ],
)
async def test_a_refused_edit_says_why_and_that_nothing_was_changed(files, behaviour, reason):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = behaviour
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    if "no reason" in reason:  # the typing that made the version stale may be on its way
        await files.desk.clock.let_pass(LIMITS.verify)
    message = await refused
    assert f"did not make the edit of a.txt: {reason}" in message.replace(" (-32603)", "")
    assert "Nothing was changed" in message
    assert files.editor.buffers[uri].text == TEXT
    files.editor.behaviour = editors.honest
    await files.edit("two", "2")  # it may be tried again


async def test_no_answer_claims_nothing_and_freezes_the_file(files):
    files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.is_silent
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.apply_edit)
    message = await refused
    assert "did not say whether" in message and "not known" in message
    await files.desk.client.wait_for_method("$/cancelRequest")
    assert "is not changed again until" in await files.refusal("two", "2")


async def test_null_as_an_answer_claims_nothing(files):
    files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.says_null
    assert "It is not known" in await files.refusal("two", "2")


async def test_a_document_that_is_closed_during_the_edit_is_to_be_read_again(files):
    path = files.desk.put("a.txt", TEXT)
    files.editor.open(path)
    await files.heard()
    files.editor.behaviour = editors.closes
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    assert "was closed in the editor" in await refused
    assert path.read_text() == TEXT


@pytest.mark.parametrize("claimed", [False, True], ids=["refused", "claimedApplied"])
async def test_a_user_who_types_while_the_edit_is_on_its_way_gets_it_computed_anew(files, claimed):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.stale(("six", "sechs"), claims_it=claimed)
    editing = asyncio.ensure_future(files.edit("two", "2"))
    if claimed:
        await files.desk.clock.let_pass(LIMITS.verify)
    both = TEXT.replace("six", "sechs").replace("two", "2")
    assert (await editing).text == files.editor.buffers[uri].text == both
    assert len(files.editor.asked) == 2


async def test_an_edit_that_would_be_another_one_now_is_asked_about_again(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.stale(("one", "two, or one"))
    with pytest.raises(BaseMoved) as raised:
        await files.edit("two", "2")
    assert raised.value.current.as_text().text == files.editor.buffers[uri].text
    assert len(files.editor.asked) == 1


async def test_an_edit_is_asked_of_the_editor_three_times_at_most(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()

    def always_stale(editor, params):
        editor.replace(uri, "six", "six!")
        return {"applied": False, "failureReason": "the version is stale"}

    files.editor.behaviour = always_stale
    message = await files.refusal("two", "2")
    assert "the version is stale. Nothing was changed in 3 tries" in message and "2: two\n" in message
    assert len(files.editor.asked) == 3
    files.editor.behaviour = editors.honest
    await files.edit("two", "2")  # nothing is frozen


async def test_a_refused_edit_of_which_a_part_was_made_is_not_tried_again(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()

    def half(editor, params):
        _, document, _ = editor.edits_of(params)
        editor.set_text(uri, editor.edited(editor.buffers[uri].text, document[:1]))
        return {"applied": False, "failureReason": "the second one failed"}

    files.editor.behaviour = half
    message = await files.refusal("two\nthree\nfour\nfive\nsix", "2\nthree\nfour\nfive\n6")
    assert "is not what was approved" in message and "+six" in message


async def test_text_typed_while_the_question_was_open_is_a_new_base(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    change = await files.change("two", "2")
    files.editor.replace(uri, "six", "6")
    await files.heard()
    with pytest.raises(BaseMoved):
        await files.workspace.apply(change)
    assert files.editor.buffers[uri].text == TEXT.replace("six", "6")


@pytest.mark.parametrize("leaves", [False, True], ids=["types", "closes"])
async def test_text_that_changes_while_the_preimage_is_kept_is_a_new_base(files, leaves):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.while_keeping = (
        (lambda: files.editor.close(uri)) if leaves else (lambda: files.editor.replace(uri, "six", "6"))
    )
    with pytest.raises(BaseMoved):
        await files.edit("two", "2")
    assert files.editor.asked == []
    files.while_keeping = None
    await files.edit("two", "2")
    assert "2" in await files.read()


@pytest.mark.parametrize(
    ("now", "nothing"),
    [
        (TEXT, True),
        (TEXT.replace("six", "sechs"), True),
        ("zero\n" + TEXT, False),  # touches the first line that is edited
        (TEXT.replace("one", "1"), False),
        (TEXT.replace("four\n", ""), False),
        (TEXT.replace("one", "eins"), False),
        (TEXT + "1\n", False),  # what was put in is somewhere else
        (TEXT + "1 typed\n", False),  # and its user has typed in it
    ],
)
def test_a_part_of_an_edit_is_told_from_what_others_typed_elsewhere(now, nothing):
    wanted = TEXT.replace("one", "1").replace("four\n", "")
    assert shares_nothing(TEXT, wanted, now) is nothing


async def test_an_abort_while_the_edit_is_on_its_way_leaves_the_file_frozen(files):
    files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    files.editor.behaviour = editors.is_silent
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.desk.client.wait_for_method("workspace/applyEdit")
    editing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await editing
    assert "is not changed again until" in await files.refusal("two", "2")


@pytest.mark.parametrize("kind", ["edit", "delete"])
async def test_an_abort_while_it_is_found_out_what_was_done_leaves_the_file_frozen(tmp_path, kind):
    edits = {"documentChanges": True, "resourceOperations": ["delete"]}
    async with desk(tmp_path, workspace={"applyEdit": True, "workspaceEdit": edits}) as it:
        files, text = Files(it), TEXT + "".join(f"line {n}\n" for n in range(INLINE_BYTES // 8))
        it.editor.open(it.put("a.txt", text))
        await files.heard()
        change = await files.change("two", "2")
        if kind == "delete":
            change = deletion(change.base)
        it.editor.behaviour = editors.misplaces if kind == "edit" else editors.claims
        working = asyncio.ensure_future(files.workspace.apply(change))
        await it.clock.until_asleep(LIMITS.verify)
        go_on, loop = threading.Event(), asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, go_on.wait)  # what is read or compared in a thread has to wait
        await it.clock.let_pass(LIMITS.verify)
        await settle()
        working.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await working
        await busy
        it.editor.behaviour = editors.honest
        assert "is not changed again until" in await files.refusal("four", "4")


async def test_two_edits_at_once_of_one_file_go_one_after_the_other(files):
    uri = files.editor.open(files.desk.put("a.txt", TEXT))
    await files.heard()
    first, second = await files.change("two", "2"), await files.change("five", "5")
    outcomes = await asyncio.gather(
        files.workspace.apply(first), files.workspace.apply(second), return_exceptions=True
    )
    assert [type(outcome).__name__ for outcome in outcomes] == ["Applied", "BaseMoved"]
    await files.edit("five", "5")
    assert files.editor.buffers[uri].text == TEXT.replace("two", "2").replace("five", "5")


# Texts as they are.


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("a\r\nb\r\nc\r\n", "b", "B\nB2", "a\r\nB\r\nB2\r\nc\r\n"),
        ("a\nb\r\nc\rd", "c", "C", "a\nb\r\nC\rd"),
        ("😀😀 two 😀\nx", "two", "𝟚", "😀😀 𝟚 😀\nx"),
        ("ä\x0cb\u2028c two\n", "two", "2", "ä\x0cb\u2028c 2\n"),
        ("no final newline", "newline", "line end", "no final line end"),
        ("", "", "all new\n", "all new\n"),
    ],
)
async def test_positions_line_ends_and_final_newlines_are_the_editors(
    tmp_path, *, encoding, text, old, new, expected
):
    async with desk(tmp_path, encoding=encoding) as it:
        files = Files(it)
        path = it.put("a.txt", text)
        uri = it.editor.open(path)
        await files.heard()
        if old:
            await files.edit(old, new)
        else:
            base = await files.snapshot()
            await files.workspace.apply(edition(base, base.as_text().rewrite(new)))
        assert it.editor.buffers[uri].text == expected
        assert path.read_bytes() == text.encode()
        await files.heard()  # what the server has understood is what the editor holds
        seen = it.server.rpc.documents.get(uri)
        assert seen is not None and seen.text == it.editor.buffers[uri].text


WORDS = st.text("ab😀ä\u2028\x0c ", min_size=1, max_size=6)


@st.composite
def scenes(draw):
    """Lines, a block of them that is replaced, one line well away from it that the user types in, and the order."""
    lines = draw(st.lists(WORDS, min_size=6, max_size=12))
    lines = [f"{number}{line}" for number, line in enumerate(lines)]
    first = draw(st.integers(0, len(lines) - 5))
    last = draw(st.integers(first + 1, len(lines) - 4))
    put_in = draw(st.lists(WORDS.map(lambda word: f"new {word}"), max_size=3))
    typed = draw(st.integers(last + 2, len(lines) - 1))
    ends = draw(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=len(lines), max_size=len(lines)))
    return lines, ends, (first, last), put_in, typed


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    scene=scenes(),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
    order=st.sampled_from(["alone", "late", "several", "one"]),
)
def test_whatever_is_edited_and_typed_in_whatever_order_both_are_there(
    tmp_path_factory, scene, encoding, order
):
    lines, ends, (first, last), put_in, typed = scene

    async def run():
        async with desk(tmp_path_factory.mktemp("x"), encoding=encoding) as it:
            files = Files(it)
            text = "".join(line + end for line, end in zip(lines, ends, strict=True))
            uri = it.editor.open(it.put("a.txt", text))
            await files.heard()
            it.editor.behaviour = {
                "alone": editors.honest,
                "late": editors.late,
                "several": editors.bundled((lines[typed], f"{lines[typed]} typed")),
                "one": editors.bundled((lines[typed], f"{lines[typed]} typed"), whole=True),
            }[order]
            base = await files.snapshot()
            after = [*lines[:first], *put_in, *lines[last:]]
            wanted = "".join(f"{line}\n" for line in after)
            applied = await files.workspace.apply(edition(base, base.as_text().rewrite(wanted)))
            if order in ("several", "one"):
                after[after.index(lines[typed])] += " typed"
            expected = "".join(f"{line}\n" for line in after)
            await files.heard()
            assert it.editor.buffers[uri].text.replace("\r\n", "\n") == expected
            assert (applied.text or wanted) == expected
            assert (it.root / "a.txt").read_bytes() == text.encode()
            assert it.server.rpc.documents.get(uri).text == it.editor.buffers[uri].text

    asyncio.run(run())


async def time_goes_on(it):
    while True:
        await it.clock.let_pass(LIMITS.verify)
        await settle()  # whoever slept has to run before the next look for sleepers


CLIENTS = {
    "bundles": editors.bundled,
    "refuses": editors.stale,
    "claims": partial(editors.stale, claims_it=True),
    "misplaces": editors.misplaces_once,
}


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(scene=scenes(), client=st.sampled_from(sorted(CLIENTS)), versioned=st.booleans())
def test_whatever_the_editor_does_the_users_typing_is_kept_and_success_is_only_claimed_when_it_is_there(
    tmp_path_factory, scene, client, versioned
):
    lines, _, (first, last), put_in, typed = scene
    theirs = (f"{lines[typed]}\n", f"{lines[typed]} typed\n")

    async def run():
        async with desk(tmp_path_factory.mktemp("x"), versioned=versioned) as it:
            files = Files(it)
            text = "".join(f"{line}\n" for line in lines)
            uri = it.editor.open(it.put("a.txt", text))
            await files.heard()
            it.editor.behaviour = CLIENTS[client](theirs)
            base = await files.snapshot()
            wanted = "".join(f"{line}\n" for line in [*lines[:first], *put_in, *lines[last:]])
            applying = asyncio.ensure_future(
                files.workspace.apply(edition(base, base.as_text().rewrite(wanted)))
            )
            applying.add_done_callback(lambda _: passing.cancel())
            passing = asyncio.ensure_future(time_goes_on(it))
            (result, _) = await asyncio.gather(applying, passing, return_exceptions=True)
            await files.heard()
            there = it.editor.buffers[uri].text
            assert theirs[1] in there
            if isinstance(result, Applied):
                assert there == wanted.replace(*theirs) == (result.text or wanted)
            else:
                assert isinstance(result, (ChangeRefused, BaseMoved))
                told = str(result)
                untouched = there == text.replace(*theirs)
                assert untouched or not ("othing was changed" in told or "undone there, and" in told)
            assert (it.root / "a.txt").read_text() == text

    asyncio.run(run())


def test_os_paths_that_are_not_utf8_are_found_by_their_uri():
    from steersman.lsp.client import path_of

    assert os.fsencode(path_of("file:///tmp/%FF%41")) == b"/tmp/\xffA"
    assert path_of("untitled:Untitled-1") is None
    assert path_of("file:///a%00b") is None
    assert path_of("file://[broken") is None
