"""One question about several files at an editor: how it is put, answered, and carried out through the editor."""

import asyncio

import pytest

from support import editor_client as editors
from support.approval_face import at_desk
from support.lsp_workspace import LIMITS, TEXTS, WINDOW, WORKSPACE, desk
from support.scripted_model import answer, call

NAMES = ("a.txt", "b.txt", "c.txt")
TEXT = "one\ntwo\nthree\n"
THREE = [
    answer(
        "",
        call(
            "edit",
            {"path": "a.txt", "edits": [{"path": name, "oldText": "two", "newText": "2"} for name in NAMES]},
        ),
    ),
    answer("done"),
]
EDITED = TEXT.replace("two", "2")
TITLE = "Edit 3 files (+3 −3): a.txt, b.txt, c.txt"


def files(it):
    return [it.put(name, TEXT) for name in NAMES]


def texts(paths):
    return [path.read_text() for path in paths]


# By window/showMessageRequest


async def test_the_floors_question_names_the_files_and_one_diff_shows_all(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": True})
        paths = files(it)
        run = await it.start()
        question = await it.next_question()
        assert question.message.startswith(f"Steersman: {TITLE}\n")
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        (diff,) = it.home.diffs.iterdir()
        shown = diff.read_text()
        assert [shown.count(f"--- a/{name}\n+++ b/{name}\n") for name in NAMES] == [1, 1, 1]
        uri = it.editor.open(diff)
        accept = next(each for each in await it.code_actions(uri) if each["title"] == f"Accept: {TITLE}")
        await it.client.request("workspace/executeCommand", accept["command"])
        await it.ended(run)
        assert texts(paths) == [EDITED] * 3
        assert list(it.home.diffs.iterdir()) == []


@pytest.mark.parametrize("which", NAMES)
async def test_it_is_answered_by_a_code_action_in_any_of_the_files(tmp_path, which):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        uri = it.editor.open(it.root / which)
        run = await it.start()
        await it.next_question()
        titles = [each["title"] for each in await it.code_actions(uri)]
        assert titles[:5] == [
            f"{title}: {TITLE}"
            for title in ("Show diff", "Accept", "Accept all in this run", "Decline", "Stop")
        ]
        decline = next(each for each in await it.code_actions(uri) if each["title"].startswith("Decline"))
        await it.client.request("workspace/executeCommand", decline["command"])
        await it.ended(run)
        assert texts(paths) == [TEXT] * 3


async def test_a_lens_says_to_how_many_files_it_is_a_yes(tmp_path):
    sees = {
        "capabilities": {"workspace": WORKSPACE, "window": WINDOW, "textDocument": {**TEXTS, "codeLens": {}}}
    }
    async with desk(tmp_path, *THREE, **sees) as it:
        paths = files(it)
        run = await it.start()
        question = await it.next_question()
        for path in paths:
            found = await it.client.request("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})
            titles = [each["command"]["title"] for each in found]
            assert titles == ["Steersman waits: Show diff", "Accept all 3 files", "Decline all 3 files"]
        question.choose("Decline")
        await it.ended(run)


async def test_progress_names_the_first_file_and_how_many_there_are_beside_it(tmp_path):
    async with desk(tmp_path, *THREE, rich=False) as it:
        files(it)
        run = await it.start()
        question = await it.next_question()
        waiting = f"turn 1 · {TITLE} · waiting for you"
        await it.client.wait_for(lambda _: waiting in [value.get("message") for value in it.progress(run)])
        question.choose("Decline")
        await it.floor_ended(run)


# By steersman/requestApproval


async def test_a_face_of_the_clients_gets_each_file_with_hunks_of_its_own(tmp_path):
    async with at_desk(tmp_path, *THREE) as (it, face):
        paths = files(it)
        run = await it.start()
        question = await face.next()
        changes = question.params["changes"]
        assert [change["uri"] for change in changes] == [path.as_uri() for path in paths]
        ids = [hunk["id"] for change in changes for hunk in change["hunks"]]
        assert len(set(ids)) == 3
        found = await it.client.request("steersman/approvalTexts", {"id": question.params["id"]})
        assert [each["newText"] for each in found["changes"]] == [EDITED] * 3
        question.decide("accept", hunks=[ids[0], ids[2]])
        await it.floor_ended(run)
        assert texts(paths) == [EDITED, TEXT, EDITED]
        assert "The user did not want the change of b.txt" in face.told()
        assert face.pickers == []


async def test_it_takes_texts_of_some_of_the_files(tmp_path):
    async with at_desk(tmp_path, *THREE) as (it, face):
        paths = files(it)
        run = await it.start()
        question = await face.next()
        question.decide("accept", edited=[{"uri": paths[1].as_uri(), "newText": "mine\n"}])
        await it.floor_ended(run)
        assert texts(paths) == [EDITED, "mine\n", EDITED]
        assert face.told().count("The user changed your text") == 1


async def test_what_fits_no_file_puts_the_question_again(tmp_path):
    async with at_desk(tmp_path, *THREE) as (it, face):
        paths = files(it)
        run = await it.start()
        (await face.next()).decide("accept", hunks=[])
        (await it.next_question()).choose("Accept")
        await it.floor_ended(run)
        assert texts(paths) == [EDITED] * 3


# Through the editor


async def test_open_files_are_edited_in_the_editor_and_the_others_on_the_disk(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        opened = [it.editor.open(paths[0]), it.editor.open(paths[2], TEXT + "unsaved\n")]
        run = await it.start()
        (await it.next_question()).choose("Accept")
        end = await it.ended(run)
        assert [it.editor.buffers[uri].text for uri in opened] == [EDITED, EDITED + "unsaved\n"]
        assert paths[1].read_text() == EDITED
        assert len(it.editor.asked) == 2
        assert [each["uri"] for each in end["files"]] == [path.as_uri() for path in paths]
        assert [event["data"]["via"] for event in it.events("edit_applied")] == ["editor", "disk", "editor"]


async def test_an_editor_that_refuses_the_second_file_leaves_the_first_and_the_model_hears_of_each(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        uris = [it.editor.open(path) for path in paths]

        def refuses_b(editor, params):
            uri, _, _ = editor.edits_of(params)
            honest_or_not = editors.refuses("b is locked") if uri == uris[1] else editors.honest
            return honest_or_not(editor, params)

        it.editor.behaviour = refuses_b
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        assert [it.editor.buffers[uri].text for uri in uris] == [EDITED, TEXT, TEXT]
        (text,) = it.result_texts()
        assert text.startswith(
            "Only 1 of 3 files changed as approved (+1 −1). The others:\n- The editor did not make the edit of b.txt"
        )
        assert "b is locked" in text
        assert "- c.txt was not tried after that; it is unchanged." in text
        assert it.results()[0]["outcome"] == "failed"


async def test_of_an_edit_that_the_editor_does_not_answer_nothing_is_claimed(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        it.editor.open(paths[0])
        it.editor.behaviour = editors.is_silent
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.clock.let_pass(LIMITS.apply_edit)
        await it.ended(run)
        (text,) = it.result_texts()
        assert "It is not known whether the edit was made." in text
        assert "Nothing was changed" not in text
        assert text.endswith("The other 2 files were not tried after that: unchanged.")
        assert texts(paths)[1:] == [TEXT, TEXT]


async def test_a_misplaced_edit_of_the_second_file_is_taken_out_again(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        uris = [it.editor.open(path) for path in paths]

        def misplaces_b(editor, params):
            uri, _, _ = editor.edits_of(params)
            if uri != uris[1]:
                return editors.honest(editor, params)
            return editors.misplaces_once()(editor, params)

        it.editor.behaviour = misplaces_b
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.clock.let_pass(LIMITS.verify)
        await it.ended(run)
        assert [it.editor.buffers[uri].text for uri in uris] == [EDITED, TEXT, TEXT]
        assert "in the wrong place. It was undone there" in it.result_texts()[0]


async def test_a_frozen_file_among_them_keeps_all_from_being_changed(tmp_path):
    freezing = answer("", call("edit", {"path": "b.txt", "edits": [{"oldText": "three", "newText": "3"}]}))
    async with desk(tmp_path, freezing, *THREE, mode="auto-edit") as it:
        paths = files(it)
        uris = [it.editor.open(path) for path in paths]
        it.editor.behaviour = editors.is_silent
        run = await it.start()
        await it.clock.let_pass(LIMITS.apply_edit)
        await it.ended(run)
        assert len(it.editor.asked) == 1
        assert [it.editor.buffers[uri].text for uri in uris] == [TEXT] * 3
        text = it.result_texts()[1]
        assert text.startswith("Nothing was changed in any of the 3 files")
        assert "The last change of b.txt did not come out as approved" in text


async def test_where_the_editor_makes_no_edits_unsaved_text_in_one_file_keeps_all_as_they_are(tmp_path):
    async with desk(tmp_path, *THREE, workspace={}) as it:
        paths = files(it)
        it.editor.open(paths[2], TEXT + "unsaved\n")
        before = it.hashes()
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        text = it.result_texts()[0]
        assert text.startswith("Nothing was changed in any of the 3 files")
        assert "c.txt has unsaved changes in the editor" in text
        assert it.hashes() == before


async def test_a_file_that_came_into_conflict_while_the_question_waited_is_asked_about_with_all(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        uri = it.editor.open(paths[1])
        run = await it.start()
        question = await it.next_question()
        it.editor.replace(uri, "one", "typed")
        paths[1].write_text(TEXT + "theirs\n")
        await it.heard()
        question.choose("Accept")
        again = await it.next_question()
        assert again.message.startswith(f"Steersman: {TITLE}\nThe file has unsaved changes in the editor")
        assert "This holds for b.txt." in again.message
        assert paths[0].read_text() == TEXT
        again.choose("Decline")
        await it.ended(run)
        assert [path.read_text() for path in (paths[0], paths[2])] == [TEXT, TEXT]


async def test_an_abort_while_the_second_edit_is_on_its_way_leaves_the_third(tmp_path):
    async with desk(tmp_path, *THREE) as it:
        paths = files(it)
        uri = it.editor.open(paths[1])
        asked = asyncio.Event()

        def waits(editor, params):
            asked.set()
            return editors.is_silent(editor, params)

        it.editor.behaviour = waits
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await asked.wait()
        await it.command("abort", {"run": run})
        await it.clock.let_pass(LIMITS.grace + LIMITS.margin)
        end = await it.ended(run)
        assert end["stopReason"] == "aborted"
        assert it.editor.buffers[uri].text == TEXT
        assert texts(paths) == [EDITED, TEXT, TEXT]
        assert [each["uri"] for each in end["files"]] == [paths[0].as_uri()]
        text = it.result_texts()[0]
        assert "- b.txt: Operation aborted while it was being changed. Read it to see whether it was." in text
        assert "- c.txt was not tried after that; it is unchanged." in text
        assert text.endswith("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three")
        assert it.results()[0]["outcome"] == "aborted"
