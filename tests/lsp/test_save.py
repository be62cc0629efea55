"""Saving through the editor, for a client that negotiated `save` and nothing else: what was approved is on the disk
before anything looks at it, and what the user typed never is."""

import asyncio
import re
from contextlib import asynccontextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.lsp.schema import json_schema
from support import editor_client as editors
from support import saving
from support.apart_editor import ApartEditor
from support.editor_client import EditorClient
from support.editor_files import Files
from support.json_schema import faults
from support.lsp_workspace import LIMITS, desk, edit_call
from support.scripted_model import answer, call

ONLY_THIS = {"initializationOptions": {"steersman": {"version": "1", "save": True}}}
TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"
EDITED = TEXT.replace("two", "2")
SCHEMA = json_schema()


@asynccontextmanager
async def saving_files(tmp_path, behaviour=saving.saves, **options):
    async with desk(tmp_path, **{**ONLY_THIS, **options}) as it:
        files = Files(it)
        files.asked = saving.saving(files.editor, behaviour)
        files.path = it.put("a.txt", TEXT)
        files.uri = it.editor.open(files.path)
        await files.heard()
        yield files


async def test_it_is_among_the_features_that_are_used(tmp_path):
    async with desk(tmp_path, **ONLY_THIS, initialize=False) as it:
        answered = await it.client.initialize(**ONLY_THIS)
        assert answered["capabilities"]["experimental"]["steersman"]["uses"] == ["save"]


# After an edit


async def test_an_edit_of_a_clean_document_is_saved_at_once(tmp_path):
    async with saving_files(tmp_path) as files:
        applied = await files.edit("two", "2")
        assert (applied.source, applied.unsaved, applied.text) == ("buffer", False, None)
        assert files.path.read_text() == EDITED
        assert await files.workspace.unsaved_files() == []
        assert files.asked == [[files.uri]]
        (request,) = files.desk.client.of_method(saving.REQUEST)
        assert faults(request["params"], {"$ref": "#/$defs/SaveRequest"}, SCHEMA) == []
        assert applied.sha256 == (await files.snapshot()).sha256
        again = await files.edit("three", "3")
        assert (again.unsaved, files.path.read_text()) == (False, EDITED.replace("three", "3"))


async def test_without_the_feature_nothing_is_asked_and_the_file_is_named(tmp_path):
    async with saving_files(tmp_path, initializationOptions={}) as files:
        assert (await files.edit("two", "2")).unsaved
        await files.workspace.save_own()
        assert (files.asked, await files.workspace.unsaved_files()) == ([], ["a.txt"])


async def test_the_users_unsaved_typing_is_never_saved(tmp_path):
    async with saving_files(tmp_path) as files:
        files.editor.replace(files.uri, "six", "6, typed")
        await files.heard()
        assert (await files.edit("two", "2")).unsaved
        await files.workspace.save_own()
        assert (files.asked, files.path.read_text()) == ([], TEXT)
        assert await files.workspace.unsaved_files() == ["a.txt"]


async def test_typing_that_comes_with_the_edit_is_not_saved(tmp_path):
    async with saving_files(tmp_path) as files:
        files.editor.behaviour = editors.bundled(("six", "6, typed"))
        applied = await files.edit("two", "2")
        assert applied.unsaved
        assert "6, typed" in applied.text
        await files.workspace.save_own()
        assert (files.asked, files.path.read_text()) == ([], TEXT)


async def test_an_edit_that_was_computed_anew_on_what_the_user_typed_is_not_saved(tmp_path):
    async with saving_files(tmp_path) as files:
        files.editor.behaviour = editors.stale(("six", "6, typed"))
        assert (await files.edit("two", "2")).unsaved
        assert files.asked == []


async def test_what_the_user_types_back_after_a_save_of_their_own_is_theirs(tmp_path):
    async with saving_files(tmp_path, saving.says({"saved": []})) as files:
        await files.edit("two", "2")
        files.editor.save(files.uri)
        files.editor.replace(files.uri, "six", "6")
        files.editor.save(files.uri)
        files.editor.set_text(files.uri, EDITED)
        await files.heard()
        files.asked.clear()
        await files.workspace.save_own()
        assert files.asked == []


async def test_a_file_that_another_program_wrote_meanwhile_is_not_overwritten_by_a_save(tmp_path):
    async with saving_files(tmp_path, saving.says({"saved": []})) as files:
        await files.edit("two", "2")
        files.desk.put("a.txt", "by another program\n")
        files.asked.clear()
        await files.workspace.save_own()
        assert (files.asked, files.path.read_text()) == ([], "by another program\n")
        files.path.unlink()
        await files.workspace.save_own()
        assert files.asked == []


async def test_a_formatter_that_runs_on_the_save_has_the_last_word(tmp_path):
    async with saving_files(tmp_path, saving.formats("three", "  three")) as files:
        applied = await files.edit("two", "2")
        formatted = EDITED.replace("three", "  three")
        assert (applied.text, applied.unsaved, applied.changed_by_saving) == (formatted, False, True)
        assert files.path.read_text() == formatted
        assert (await files.edit("four", "4")).unsaved is False, "its next edit does not fail"


# What the client says is not believed


@pytest.mark.parametrize("behaviour", [saving.saves_without_a_word, saving.saves_late])
async def test_saved_is_what_is_on_the_disk_or_was_told_of_however_it_was_done(tmp_path, behaviour):
    async with saving_files(tmp_path, behaviour) as files:
        applied = await files.edit("two", "2")
        assert (applied.unsaved, files.path.read_text()) == (False, EDITED)
        assert await files.workspace.unsaved_files() == []


NOT_SAVED = [None, {}, [], "yes", {"saved": None}, {"saved": "all"}, {"saved": [1]}, {"saved": []}, 7]


@pytest.mark.parametrize("behaviour", [*map(saving.says, NOT_SAVED), saving.fails])
async def test_an_answer_that_says_nothing_of_a_save_is_none(tmp_path, behaviour):
    async with saving_files(tmp_path, behaviour) as files:
        assert (await files.edit("two", "2")).unsaved
        assert await files.workspace.unsaved_files() == ["a.txt"]
        assert (files.path.read_text(), files.editor.buffers[files.uri].text) == (TEXT, EDITED)


async def test_a_client_that_never_answers_is_waited_for_so_long_and_no_longer(tmp_path):
    async with saving_files(tmp_path, saving.is_silent) as files:
        editing = asyncio.ensure_future(files.edit("two", "2"))
        await files.desk.clock.let_pass(LIMITS.save)
        assert (await editing).unsaved
        await files.desk.client.wait_for_method("$/cancelRequest")


async def test_a_claim_without_a_trace_of_it_is_not_believed(tmp_path):
    async with saving_files(tmp_path, saving.claims) as files:
        editing = asyncio.ensure_future(files.edit("two", "2"))
        await files.desk.clock.let_pass(LIMITS.verify)
        assert (await editing).unsaved
        assert await files.workspace.unsaved_files() == ["a.txt"]


async def test_what_was_saved_counts_though_the_client_answers_with_an_error(tmp_path):
    def saves_and_fails(editor, uris):
        saving.saves(editor, uris)
        return saving.fails(editor, uris)

    async with saving_files(tmp_path, saves_and_fails) as files:
        assert (await files.edit("two", "2")).unsaved is False


async def test_a_user_who_types_right_after_the_save_leaves_the_edit_saved_and_their_typing_not(tmp_path):
    def saves_while_typing(editor, uris):
        said = saving.saves(editor, uris)
        editor.replace(uris[0], "six", "6, typed")
        return said

    async with saving_files(tmp_path, saves_while_typing) as files:
        applied = await files.edit("two", "2")
        assert (applied.unsaved, files.path.read_text()) == (True, EDITED)
        files.asked.clear()
        await files.workspace.save_own()
        assert (files.asked, files.path.read_text()) == ([], EDITED)


async def test_a_document_that_is_closed_while_it_is_saved_is_told_of_as_it_is(tmp_path):
    def saves_and_closes(editor, uris):
        saving.saves(editor, uris)
        editor.close(uris[0])
        return {"saved": uris}

    async with saving_files(tmp_path, saves_and_closes) as files:
        assert (await files.edit("two", "2")).unsaved is False
        assert await files.read() == EDITED


# Before a command


async def test_what_could_not_be_saved_is_tried_once_more_all_together(tmp_path):
    async with saving_files(tmp_path, saving.says(None)) as files:
        other = files.editor.open(files.desk.put("b.txt", TEXT))
        theirs = files.editor.open(files.desk.put("c.txt", TEXT), TEXT + "typed\n")
        await files.heard()
        for name in ("a.txt", "b.txt"):
            await files.edit("two", "2", name)
        asked = saving.saving(files.editor, saving.saves_some(lambda uri: uri == other))
        await files.workspace.save_own()
        assert [sorted(uris) for uris in asked] == [[files.uri, other]]
        assert sorted(await files.workspace.unsaved_files()) == ["a.txt", "c.txt"]
        assert files.editor.buffers[theirs].path.read_text() == TEXT


async def test_files_of_another_folder_are_left_alone(tmp_path):
    async with saving_files(tmp_path, saving.says(None)) as files:
        await files.edit("two", "2")
        (files.desk.root / "sub").mkdir()
        inner = Files(files.desk, root=files.desk.root / "sub")
        files.asked.clear()
        await inner.workspace.save_own()
        assert files.asked == []


SCRIPT = [
    answer("", edit_call("a.txt", "two", "2")),
    answer("", call("bash", {"command": "cat a.txt"})),
    answer("done"),
]


def told(it):
    """What the model was told of its last call."""
    return it.model.requests[-1].messages[-1].text


async def test_a_command_after_an_accepted_edit_sees_it(tmp_path):
    async with desk(tmp_path, *SCRIPT, mode="full-auto", **ONLY_THIS) as it:
        asked = saving.saving(it.editor, saving.saves)
        it.editor.open(it.put("a.txt", TEXT))
        await it.floor_ended(await it.start())
        assert told(it).startswith(EDITED)
        assert "unsaved" not in told(it)
        assert "not saved" not in it.model.requests[1].messages[-1].text
        assert len(asked) == 1


async def test_a_command_before_which_the_save_works_at_last_sees_it(tmp_path):
    def works_the_second_time(editor, uris):
        return saving.saves(editor, uris) if len(asked) == 2 else None

    async with desk(tmp_path, *SCRIPT, mode="full-auto", **ONLY_THIS) as it:
        asked = saving.saving(it.editor, works_the_second_time)
        it.editor.open(it.put("a.txt", TEXT))
        await it.floor_ended(await it.start())
        assert "not saved yet" in it.model.requests[1].messages[-1].text
        assert told(it).startswith(EDITED)
        assert "unsaved" not in told(it)


async def test_a_command_that_does_not_see_an_edit_is_asked_about_with_the_files_name_and_says_so(tmp_path):
    async with desk(tmp_path, *SCRIPT, mode="auto-edit", **ONLY_THIS) as it:
        saving.saving(it.editor, saving.says({"saved": []}))
        it.editor.open(it.put("a.txt", TEXT))
        run = await it.start()
        question = await it.next_question()
        assert "not saved yet: a.txt" in question.message
        question.choose("Accept")
        await it.floor_ended(run)
        assert told(it).startswith(TEXT)
        assert "unsaved text of a.txt" in told(it)


async def test_the_model_hears_what_a_formatter_made_of_its_edit(tmp_path):
    async with desk(tmp_path, *SCRIPT[:1], answer("done"), mode="full-auto", **ONLY_THIS) as it:
        saving.saving(it.editor, saving.formats("three", "  three"))
        it.editor.open(it.put("a.txt", TEXT))
        await it.floor_ended(await it.start())
        assert "The editor changed the text further when it saved it" in told(it)
        assert "+  three" in told(it)


# Whatever is done, in whatever order

LINES = [f"line {number}" for number in range(12)]
BEHAVIOURS = {
    "saves": saving.saves,
    "says nothing": saving.says(None),
    "saves without a word": saving.saves_without_a_word,
    "fails": saving.fails,
    "formats": None,
}
STEPS = st.one_of(
    st.tuples(st.sampled_from(["type", "edit"]), st.integers(0, len(LINES) - 1)),
    st.tuples(st.sampled_from(["save", "undo", "before a command"]), st.just(0)),
)


def typed_in(text: str) -> set[str]:
    return set(re.findall(r"typed \d+", text))


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(STEPS, min_size=2, max_size=9),
    behaviours=st.lists(st.sampled_from(sorted(BEHAVIOURS)), min_size=9, max_size=9),
    editor=st.sampled_from([EditorClient, ApartEditor]),
)
def test_nothing_that_the_user_typed_or_took_back_is_saved_for_them_and_what_is_unsaved_is_known(
    tmp_path_factory, steps, behaviours, editor
):
    options = {"save": True, "openDocuments": editor is ApartEditor}

    async def run():
        async with desk(
            tmp_path_factory.mktemp("x"), editor=editor, initializationOptions={"steersman": options}
        ) as it:
            files, path = Files(it), it.put("a.txt", "".join(f"{line}\n" for line in LINES))
            uri = it.editor.open(path)
            behaviour = ["saves"]

            def save(client, uris):
                text = client.buffers[uri].text
                assert typed_in(text) == typed_in(path.read_text())
                if behaviour[0] == "formats":
                    client.set_text(uri, f"{text.rstrip()}\n")
                    return saving.saves(client, uris)
                return BEHAVIOURS[behaviour[0]](client, uris)

            saving.saving(it.editor, save)
            for number, (step, at) in enumerate(steps):
                behaviour[0] = behaviours[number]
                await it.heard()
                buffer = it.editor.buffers[uri]
                line = buffer.text.splitlines()[at]
                if step == "type":
                    it.editor.replace(uri, f"{line}\n", f"{line} typed {number}\n")
                elif step == "undo" and buffer.undo:
                    it.editor.set_text(uri, buffer.undo[-1])
                elif step == "save":
                    it.editor.save(uri)
                elif step == "before a command":
                    await files.workspace.save_own()
                elif step == "edit":
                    applied = await files.edit(f"{line}\n", f"{line} edit {number}  \n")
                    assert applied.unsaved == (path.read_text() != it.editor.buffers[uri].text)
                await it.heard()
                there = await files.read()
                assert there == it.editor.buffers[uri].text
                assert await files.workspace.unsaved_files() == (
                    ["a.txt"] if path.read_text() != there else []
                )

    asyncio.run(run())
