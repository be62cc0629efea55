"""Documents that are open in the editor and not attached to this server, for a client that negotiated `openDocuments`
and nothing else: they are read, edited and left alone like those that are attached."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from steersman.lsp.schema import json_schema
from steersman.workspace.changes import creation, deletion, relocation
from steersman.workspace.errors import ChangeRefused, DeniedPath
from steersman.workspace.ports import BaseMoved
from support import editor_client as editors
from support import saving
from support.apart_editor import CHANGED, REQUEST, ApartEditor
from support.editor_files import Files
from support.json_schema import faults
from support.lsp_client import NO_ANSWER, AnsweredWithError
from support.lsp_workspace import LIMITS, WORKSPACE, desk, edit_call
from support.scripted_model import answer, call

ONLY_THIS = {"initializationOptions": {"steersman": {"version": "1", "openDocuments": True}}}
WITH_SAVE = {"initializationOptions": {"steersman": {"openDocuments": True, "save": True}}}
TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"
EDITED = TEXT.replace("two", "2")
SCHEMA = json_schema()


@asynccontextmanager
async def apart(tmp_path, text=None, **options):
    """Files at an editor that has `a.txt` open, with `text` in it if that is not what was saved."""
    async with desk(tmp_path, editor=ApartEditor, **{**ONLY_THIS, **options}) as it:
        files = Files(it)
        files.path = it.put("a.txt", TEXT)
        files.uri = it.editor.open(files.path, text)
        await files.heard()
        yield files


@asynccontextmanager
async def only_answering(tmp_path):
    """Files at an editor that has nothing open yet, and never tells by itself what it has."""
    async with desk(tmp_path, editor=ApartEditor, **ONLY_THIS) as it:
        it.editor.tells = False
        await it.has_heard(REQUEST, times=1)
        await it.heard()
        files = Files(it)
        files.path = it.put("a.txt", TEXT)
        yield files


@pytest.fixture
async def files(tmp_path):
    async with apart(tmp_path) as it:
        yield it


def fails(editor, uris):
    raise AnsweredWithError({"code": -32603, "message": "not now"})


def is_silent(editor, uris):
    return NO_ANSWER


NONSENSE = [None, {}, [], "text", {"documents": None}, {"documents": [{"uri": 1, "dirty": False}]}]


# What is asked, and when


async def test_a_client_that_only_answers_is_asked_again_for_each_thing_that_depends_on_it(tmp_path):
    async with desk(tmp_path, editor=ApartEditor, initialize=False) as it:
        it.editor.tells = False
        uri = it.editor.open(it.put("a.txt", TEXT), TEXT + "typed\n")
        answered = await it.client.initialize(
            **ONLY_THIS,
            capabilities={"workspace": WORKSPACE},
            workspaceFolders=[{"name": "", "uri": it.root.as_uri()}],
        )
        assert answered["capabilities"]["experimental"]["steersman"]["uses"] == ["openDocuments"]
        await it.heard()
        files = Files(it)
        assert await files.read() == TEXT + "typed\n"
        assert await files.workspace.unsaved_files() == ["a.txt"]
        assert it.editor.questions == [[], [uri], []]
        await files.edit("two", "2")
        assert it.editor.questions[3:5] == [[uri], []], (
            "the look holds for a moment, for the edit it is made anew"
        )
        it.editor.questions.clear()
        it.clock.advance(LIMITS.listed + 0.1)
        await files.read()
        assert it.editor.questions == [[], [uri]]
        for message in it.client.of_method(REQUEST):
            assert faults(message["params"], {"$ref": "#/$defs/OpenDocumentsRequest"}, SCHEMA) == []


async def test_a_client_that_says_twice_that_it_is_initialized_is_asked_once(tmp_path):
    async with only_answering(tmp_path) as files:
        it = files.desk
        it.client.notify("initialized", {})
        await it.heard()
        assert len(it.client.of_method(REQUEST)) == 1


async def test_a_client_that_tells_by_itself_is_asked_for_its_list_no_more(files):
    files.editor.questions.clear()
    files.desk.clock.advance(LIMITS.listed + 0.1)
    await files.edit("two", "2")
    assert await files.workspace.unsaved_files() == ["a.txt"]
    assert [] not in files.editor.questions


async def test_what_was_opened_and_typed_after_the_client_had_been_asked_is_found(tmp_path):
    async with only_answering(tmp_path) as files:
        assert await files.workspace.unsaved_files() == []
        files.editor.open(files.path, TEXT + "typed\n")
        assert await files.workspace.unsaved_files() == ["a.txt"]
        other = files.editor.open(files.desk.put("b.txt", TEXT))
        change = await files.change("two", "2", "b.txt")
        await files.workspace.apply(change)
        assert files.editor.buffers[other].text == EDITED
        files.editor.close(other)
        files.editor.open(files.desk.root / "new.txt", "typed\n")
        files.desk.clock.advance(LIMITS.listed + 0.1)
        assert await files.workspace.exists(files.workspace.resolve("new.txt"))
        assert await files.workspace.unsaved_files() == ["a.txt", "new.txt"]


async def test_an_edit_that_was_computed_before_the_file_was_opened_and_typed_into_is_not_made(tmp_path):
    async with only_answering(tmp_path) as files:
        change = await files.change("two", "2")
        files.editor.open(files.path, TEXT + "typed\n")
        with pytest.raises(BaseMoved) as raised:
            await files.workspace.apply(change)
        assert raised.value.current.as_text().text == TEXT + "typed\n"
        assert (files.path.read_text(), files.editor.asked) == (TEXT, [])


@pytest.mark.parametrize("said", [*NONSENSE, fails, is_silent])
async def test_where_a_later_list_does_not_come_the_last_one_stands(tmp_path, said):
    async with only_answering(tmp_path) as files:
        files.editor.open(files.path, TEXT + "typed\n")
        assert await files.workspace.unsaved_files() == ["a.txt"]
        files.editor.answers.append(said)
        asking = asyncio.ensure_future(files.workspace.unsaved_files())
        if said is is_silent:
            await files.desk.clock.let_pass(LIMITS.open_documents)
        assert await asking == ["a.txt"]


async def test_a_question_that_was_on_its_way_before_is_not_enough_and_many_at_once_share_the_next(tmp_path):
    async with only_answering(tmp_path) as files:
        files.editor.questions.clear()
        await asyncio.gather(*(files.workspace.unsaved_files() for _ in range(5)))
        assert files.editor.questions == [[], []]


async def test_a_client_without_the_feature_is_never_asked_and_its_list_is_ignored(tmp_path):
    async with desk(tmp_path, editor=ApartEditor) as it:
        it.editor.open(it.put("a.txt", TEXT), TEXT + "typed\n")
        await it.heard()
        files = Files(it)
        assert await files.read() == TEXT
        assert (it.editor.questions, await files.workspace.unsaved_files()) == ([], [])


@pytest.mark.parametrize("said", [*NONSENSE, fails, is_silent])
async def test_a_client_that_can_not_say_what_is_open_has_nothing_open(tmp_path, said):
    async with desk(tmp_path, editor=ApartEditor, initialize=False) as it:
        path = it.put("a.txt", TEXT)
        it.editor.answers.append(said)
        await it.client.initialize(**ONLY_THIS, workspaceFolders=[{"name": "", "uri": it.root.as_uri()}])
        files = Files(it)
        editing = asyncio.ensure_future(files.edit("two", "2"))
        if said is is_silent:
            await it.clock.let_pass(LIMITS.open_documents)
        assert (await editing).source == "disk"
        assert path.read_text() == EDITED
        it.editor.open(it.put("b.txt", TEXT), TEXT + "typed\n")
        await it.heard()
        assert await files.read("b.txt") == TEXT + "typed\n", "it is believed as soon as it tells"


@pytest.mark.parametrize("params", [*NONSENSE, {"documents": [{"uri": "file:///a", "dirty": "yes"}]}])
async def test_a_list_that_can_not_be_used_changes_nothing(files, params):
    files.editor.replace(files.uri, "six", "6")
    files.desk.client.notify(CHANGED, params)
    await files.heard()
    assert await files.workspace.unsaved_files() == ["a.txt"]


async def test_what_is_no_file_or_lies_elsewhere_is_no_business_of_a_session(files, tmp_path):
    documents = [
        {"uri": "untitled:Untitled-1", "dirty": True},
        {"uri": (tmp_path / "other.txt").as_uri(), "dirty": True},
        {"uri": "http://[", "dirty": True},
    ]
    files.desk.client.notify(CHANGED, {"documents": documents})
    await files.heard()
    assert await files.workspace.unsaved_files() == []


# Reading


async def test_unsaved_text_is_what_is_read_and_the_file_is_named(files):
    files.editor.replace(files.uri, "six", "6, typed")
    await files.heard()
    snapshot = await files.snapshot()
    assert (snapshot.as_text().text, snapshot.dirty, snapshot.source, snapshot.conflict) == (
        TEXT.replace("six", "6, typed"),
        True,
        "buffer",
        False,
    )
    assert await files.workspace.unsaved_files() == ["a.txt"]
    files.editor.replace(files.uri, "five", "5, typed")
    assert "5, typed" in await files.read(), "it is asked for each time"
    files.editor.save(files.uri)
    await files.heard()
    assert await files.workspace.unsaved_files() == []
    assert (await files.snapshot()).source == "disk"


async def test_a_clean_document_is_read_from_the_disk_also_after_it_has_changed_there(files):
    assert (await files.snapshot()).source == "disk"
    files.desk.put("a.txt", TEXT + "seven\n")
    snapshot = await files.snapshot()
    assert (snapshot.as_text().text, snapshot.dirty) == (TEXT + "seven\n", False)


async def test_a_new_file_that_was_never_saved_exists(files):
    files.editor.open(files.desk.root / "new.txt", "typed\n")
    await files.heard()
    assert await files.workspace.exists(files.workspace.resolve("new.txt"))
    assert await files.read("new.txt") == "typed\n"
    with pytest.raises(BaseMoved):
        await files.workspace.apply(creation(files.workspace.resolve("new.txt", for_write=True), "mine\n"))
    assert not (files.desk.root / "new.txt").exists()


async def test_text_typed_into_what_another_program_has_changed_is_a_conflict(files):
    await files.read()
    files.editor.replace(files.uri, "six", "6, typed")
    await files.read()
    files.desk.put("a.txt", "by another program\n")
    assert (await files.snapshot()).conflict


async def test_a_change_on_the_disk_after_the_typing_began_is_a_conflict_at_the_first_look_too(files):
    files.editor.replace(files.uri, "six", "6, typed")
    await files.heard()
    files.desk.put("a.txt", "by another program, with more in it\n")
    assert (await files.snapshot()).conflict


async def test_a_document_that_was_closed_without_a_word_is_none(files):
    files.editor.replace(files.uri, "six", "6, typed")
    await files.heard()
    files.editor.tells = False
    files.editor.close(files.uri)
    assert await files.read() == TEXT
    assert await files.workspace.unsaved_files() == []


async def test_of_two_answers_the_one_to_the_later_question_stands(files):
    files.editor.replace(files.uri, "six", "6")
    held = asyncio.get_running_loop().create_future()
    files.editor.answers.append(held)
    early = asyncio.ensure_future(files.read())
    await files.heard()
    first = files.editor.shown([files.uri])
    files.editor.replace(files.uri, "five", "5")
    newer = await files.read()
    held.set_result(first)
    assert newer == await early == TEXT.replace("six", "6").replace("five", "5")


async def test_a_denied_file_is_never_asked_for(files):
    files.editor.open(files.desk.put(".env", "KEY=1\n"), "KEY=2\n")
    await files.heard()
    with pytest.raises(DeniedPath):
        await files.read(".env")
    assert all("env" not in uri for uris in files.editor.questions for uri in uris)


async def test_an_attached_document_goes_before_what_the_list_says(files):
    files.editor.replace(files.uri, "six", "6, typed")
    files.editor.attach(files.uri)
    await files.heard()
    files.editor.questions.clear()
    assert "6, typed" in await files.read()
    files.editor.replace(files.uri, "five", "5, typed")
    await files.edit("two", "2")
    assert files.editor.questions == []
    files.editor.client.notify("textDocument/didClose", {"textDocument": {"uri": files.uri}})
    files.editor.attached.clear()
    await files.heard()
    assert "5, typed" in await files.read()
    assert files.editor.questions == [[files.uri]]


# Text that can't be had


@pytest.mark.parametrize("said", [*NONSENSE, fails, is_silent])
async def test_unsaved_text_that_is_not_shown_is_not_written_over(files, said):
    files.editor.replace(files.uri, "six", "6, typed")
    await files.heard()
    change = await files.change("two", "2")
    files.editor.answers.append(said)
    editing = asyncio.ensure_future(files.workspace.apply(change))
    if said is is_silent:
        await files.desk.clock.let_pass(LIMITS.open_documents)
    with pytest.raises(ChangeRefused, match="its text is not known"):
        await editing
    assert files.path.read_text() == TEXT
    await files.edit("two", "2")
    assert files.editor.buffers[files.uri].text == EDITED.replace("six", "6, typed")


async def test_a_clean_document_that_is_not_shown_is_written_on_the_disk(files):
    change = await files.change("two", "2")
    files.editor.answers.append({"documents": [{"uri": files.uri, "dirty": False}]})
    assert (await files.workspace.apply(change)).source == "disk"
    assert files.path.read_text() == EDITED


# Editing


async def test_an_edit_goes_through_the_editor_as_one_undo_step(files):
    applied = await files.edit("two", "2")
    assert (applied.source, applied.unsaved, applied.text) == ("buffer", True, None)
    buffer = files.editor.buffers[files.uri]
    assert (buffer.text, buffer.undo, files.path.read_text()) == (EDITED, [TEXT], TEXT)
    (asked,) = files.editor.asked
    assert asked["edit"]["documentChanges"][0]["textDocument"] == {"uri": files.uri, "version": 1}
    assert files.images[0].data == TEXT.encode()
    assert await files.workspace.unsaved_files() == ["a.txt"]
    assert (await files.edit("three", "3")).unsaved


async def test_unsaved_text_is_kept_when_the_document_is_edited(files):
    files.editor.replace(files.uri, "six", "6, typed")
    await files.heard()
    await files.edit("two", "2")
    assert files.editor.buffers[files.uri].text == EDITED.replace("six", "6, typed")
    assert files.images[0].buffer == TEXT.replace("six", "6, typed")


async def test_versions_are_not_needed(tmp_path):
    async with apart(tmp_path, versioned=False) as files:
        await files.edit("two", "2")
        assert files.editor.buffers[files.uri].text == EDITED


async def test_an_edit_in_a_long_file_is_seen(tmp_path):
    async with apart(tmp_path) as files:
        text = "".join(f"line {number}\n" for number in range(8000))
        uri = files.editor.open(files.desk.put("long.txt", text))
        await files.heard()
        assert (await files.edit("line 4000\n", "LINE 4000\n", "long.txt")).text is None
        assert "LINE 4000" in files.editor.buffers[uri].text


async def test_what_the_user_typed_meanwhile_is_theirs(files):
    files.editor.behaviour = editors.bundled(("six", "6, typed"))
    applied = await files.edit("two", "2")
    assert applied.text == EDITED.replace("six", "6, typed")


async def test_an_edit_without_an_answer_is_found_in_the_text(files):
    files.editor.behaviour = editors.edits_and(NO_ANSWER)
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.desk.clock.let_pass(LIMITS.apply_edit)
    assert (await editing).text is None


def makes_it_late(files):
    """The editor says at once that it has made an edit, and makes it when `files.gone` is set."""
    files.gone = asyncio.Event()

    def later(editor, params):
        async def make():
            await files.gone.wait()
            editors.honest(editor, params)

        files.making = asyncio.ensure_future(make())
        return {"applied": True}

    files.editor.behaviour = later


@pytest.mark.parametrize("tells", [True, False])
async def test_an_edit_that_is_made_after_the_answer_is_seen_when_the_client_tells_or_the_time_is_over(
    files, tells
):
    makes_it_late(files)
    files.editor.tells = tells
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.desk.clock.until_asleep(LIMITS.verify)
    files.gone.set()
    await files.making
    if not tells:
        await files.desk.clock.let_pass(LIMITS.verify)
    assert (await editing).text is None


async def test_news_of_another_document_do_not_end_the_wait_for_an_edit(files):
    other = files.editor.open(files.desk.put("b.txt", "hello\n"))
    await files.heard()
    makes_it_late(files)
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.desk.clock.until_asleep(LIMITS.verify)
    files.editor.questions.clear()
    files.editor.replace(other, "hello", "hello, typed")
    await files.desk.has_heard(REQUEST, times=len(files.desk.client.of_method(REQUEST)) + 1)
    await files.desk.clock.until_asleep(LIMITS.verify)
    assert files.editor.questions == [[files.uri]]
    files.gone.set()
    await files.making
    assert (await editing).text is None


async def test_what_others_ask_of_a_client_that_only_answers_takes_nothing_of_the_time_for_an_edit(tmp_path):
    async with only_answering(tmp_path) as files:
        files.uri = files.editor.open(files.path)
        makes_it_late(files)
        editing = asyncio.ensure_future(files.edit("two", "2"))
        await files.desk.clock.until_asleep(LIMITS.listed)
        for _ in range(10):
            assert await files.read() == TEXT
        await files.heard()
        assert not editing.done()
        files.gone.set()
        await files.making
        await files.desk.clock.let_pass(LIMITS.listed)
        assert (await editing).text is None


async def test_an_edit_that_is_not_in_the_text_is_not_believed(files):
    files.editor.behaviour = editors.claims
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    assert "not known whether the edit was made" in await refused
    assert "is not changed again until" in await files.refusal("two", "2")
    assert await files.read() == TEXT, "a look alone frees nothing"
    assert "is not changed again until" in await files.refusal("two", "2")
    files.editor.behaviour = editors.honest
    files.editor.replace(files.uri, "six", "6")
    await files.heard()
    await files.edit("two", "2")


async def test_a_refused_edit_says_why(files):
    files.editor.behaviour = editors.refuses("read-only buffer")
    assert "read-only buffer. Nothing was changed" in await files.refusal("two", "2")


async def test_a_user_who_types_first_gets_the_edit_computed_anew(files):
    files.editor.behaviour = editors.stale(("six", "6, typed"))
    applied = await files.edit("two", "2")
    assert applied.text == EDITED.replace("six", "6, typed")


async def test_a_misplaced_edit_is_taken_out_again(files):
    files.editor.behaviour = editors.misplaces_once()
    refused = asyncio.ensure_future(files.refusal("two", "2"))
    await files.desk.clock.let_pass(LIMITS.verify)
    assert "It was undone" in await refused
    assert files.editor.buffers[files.uri].text == TEXT


async def test_typing_while_the_preimage_is_kept_is_a_new_base(files):
    def types():
        files.while_keeping = None
        files.editor.replace(files.uri, "two", "two, typed")

    files.while_keeping = types
    with pytest.raises(BaseMoved) as raised:
        await files.edit("two", "2")
    assert "two, typed" in raised.value.current.as_text().text
    assert files.editor.asked == []


async def test_an_edit_waits_until_the_editor_has_loaded_what_is_on_the_disk(files):
    files.desk.put("a.txt", TEXT + "seven\n")
    editing = asyncio.ensure_future(files.edit("two", "2"))
    await files.heard()
    assert files.editor.asked == []
    files.editor.reload(files.uri)
    await editing
    assert files.editor.buffers[files.uri].text == EDITED + "seven\n"


async def test_news_that_come_while_the_text_is_asked_for_are_not_missed(files):
    def is_overtaken(editor, uris):
        said = editor.shown(uris)
        editor.reload(files.uri)
        return said

    files.desk.put("a.txt", TEXT + "seven\n")
    files.editor.answers = [files.editor.shown([files.uri]), is_overtaken]
    await files.edit("two", "2")
    assert files.editor.buffers[files.uri].text == EDITED + "seven\n"


async def test_an_editor_that_only_answers_is_asked_now_and_then_whether_it_has_loaded_the_file(tmp_path):
    async with only_answering(tmp_path) as files:
        uri = files.editor.open(files.path)
        await files.read()
        files.desk.put("a.txt", TEXT + "seven\n")
        change = await files.change("two", "2")
        editing = asyncio.ensure_future(files.workspace.apply(change))
        await files.desk.clock.let_pass(LIMITS.listed)
        await files.desk.clock.until_asleep(LIMITS.listed)
        files.editor.reload(uri)
        files.desk.clock.advance(LIMITS.listed + 1e-6)
        await editing
        assert files.editor.buffers[uri].text == EDITED + "seven\n"


async def test_a_document_that_is_closed_during_the_edit_is_to_be_read_again(files):
    files.editor.behaviour = editors.closes
    assert "was closed in the editor while it was edited" in await files.refusal("two", "2")


async def test_a_document_that_is_attached_by_the_edit_is_verified_all_the_same(files):
    def attaches(editor, params):
        said = editors.honest(editor, params)
        editor.attach(files.uri)
        return said

    files.editor.behaviour = attaches
    assert (await files.edit("two", "2")).text is None
    assert await files.read() == EDITED


async def test_without_apply_edit_clean_files_are_written_and_dirty_ones_are_not(tmp_path):
    async with apart(tmp_path, workspace={}) as files:
        await files.edit("two", "2")
        assert files.path.read_text() == EDITED
        files.editor.reload(files.uri)
        files.editor.replace(files.uri, "six", "6, typed")
        await files.heard()
        assert "unsaved changes" in await files.refusal("three", "3")


# Deleting and moving

OPERATIONS = {
    "applyEdit": True,
    "workspaceEdit": {"documentChanges": True, "resourceOperations": ["delete", "rename"]},
}


async def delete(files):
    return await files.workspace.apply(deletion(await files.snapshot()))


async def move(files):
    target = files.workspace.resolve("b.txt", for_write=True)
    return await files.workspace.apply(relocation(await files.snapshot(), target))


@pytest.mark.parametrize("do", [delete, move])
@pytest.mark.parametrize("workspace", [WORKSPACE, OPERATIONS])
async def test_unsaved_text_is_neither_deleted_nor_moved(tmp_path, do, workspace):
    async with apart(tmp_path, TEXT + "typed\n", workspace=workspace) as files:
        with pytest.raises(ChangeRefused, match="unsaved changes"):
            await do(files)
        assert (files.path.read_text(), files.editor.asked) == (TEXT, [])


@pytest.mark.parametrize("do", [delete, move])
async def test_a_clean_document_is_deleted_and_moved_by_the_editor_if_it_can(tmp_path, do):
    async with apart(tmp_path, workspace=OPERATIONS) as files:
        files.editor.behaviour = editors.operates()
        assert (await do(files)).notes == ()
        assert len(files.editor.asked) == 1
        assert sorted(files.desk.hashes()) == (["b.txt"] if do is move else [])


@pytest.mark.parametrize("do", [delete, move])
async def test_typing_while_the_preimage_is_kept_keeps_the_file_where_it_is(tmp_path, do):
    async with apart(tmp_path, workspace=OPERATIONS) as files:
        files.while_keeping = lambda: files.editor.set_text(files.uri, TEXT + "typed\n")
        files.editor.tells = False
        with pytest.raises(ChangeRefused, match="changed or closed in the editor meanwhile"):
            await do(files)
        assert (files.path.read_text(), files.editor.asked) == (TEXT, [])


async def test_nothing_is_moved_onto_an_open_document(files):
    files.editor.open(files.desk.root / "b.txt", "typed\n")
    await files.heard()
    with pytest.raises(ChangeRefused, match="open in the editor"):
        await move(files)


# Together with `save`


async def test_an_edit_is_saved_and_only_the_disk_proves_it(tmp_path):
    async with apart(tmp_path, **WITH_SAVE) as files:
        saving.saving(files.editor, saving.saves)
        assert (await files.edit("two", "2")).unsaved is False
        assert (files.path.read_text(), await files.workspace.unsaved_files()) == (EDITED, [])


async def test_a_client_that_only_says_that_it_is_saved_is_not_believed(tmp_path):
    def lies(editor, uris):
        editor.saved[uris[0]] = editor.buffers[uris[0]].text
        return {"saved": uris}

    async with apart(tmp_path, **WITH_SAVE) as files:
        saving.saving(files.editor, lies)
        editing = asyncio.ensure_future(files.edit("two", "2"))
        await files.desk.clock.let_pass(LIMITS.verify)
        assert (await editing).unsaved
        assert await files.workspace.unsaved_files() == ["a.txt"]


async def test_typing_since_the_edit_is_found_before_it_would_be_saved(tmp_path):
    async with apart(tmp_path, **WITH_SAVE) as files:
        asked = saving.saving(files.editor, saving.says(None))
        await files.edit("two", "2")
        files.editor.replace(files.uri, "six", "6, typed")
        asked.clear()
        await files.workspace.save_own()
        assert asked == []


# In whole runs


async def test_a_run_hears_at_its_start_and_at_its_command_what_is_open_now(tmp_path):
    script = [answer("", call("bash", {"command": "cat a.txt"})), answer("done")]
    async with desk(tmp_path, *script, editor=ApartEditor, **ONLY_THIS) as it:
        it.editor.tells = False
        uri = it.editor.open(it.put("a.txt", TEXT))
        run = await it.start()
        question = await it.next_question()
        assert "unsaved" not in question.message
        assert it.model.requests[0].messages[-1].content[-1].text == "Open in the editor: a.txt."
        it.editor.replace(uri, "six", "6")
        question.choose("Accept")
        await it.floor_ended(run)
        assert "unsaved text of a.txt" in it.model.requests[1].messages[-1].text


async def test_a_run_edits_the_open_file_and_its_command_names_what_it_does_not_see(tmp_path):
    script = [
        answer("", call("read", {"path": "a.txt"})),
        answer("", edit_call("a.txt", "two", "2")),
        answer("", call("bash", {"command": "cat a.txt"})),
        answer("done"),
    ]
    async with desk(tmp_path, *script, mode="full-auto", editor=ApartEditor, **ONLY_THIS) as it:
        uri = it.editor.open(it.put("a.txt", TEXT), TEXT + "typed\n")
        await it.floor_ended(await it.start())
        read, edited, command = (request.messages[-1].text for request in it.model.requests[1:])
        assert read.startswith(TEXT + "typed\n")
        assert "not saved yet" in edited
        assert command.startswith(TEXT)
        assert "unsaved text of a.txt" in command
        assert it.editor.buffers[uri].text == EDITED + "typed\n"
