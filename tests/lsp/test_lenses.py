"""Code lenses: over what a question would change, over what a live run has edited, and for whom."""

import pytest

from support.lsp_workspace import WORKSPACE, desk, edit_call, edits
from support.scripted_model import answer, call

ONE_EDIT = edits("a.txt", ("two", "2"))
REFRESH = "workspace/codeLens/refresh"


def sees_lenses(refreshes=True, **more):
    capabilities = {
        "workspace": {**WORKSPACE, "codeLens": {"refreshSupport": refreshes}},
        "textDocument": {"codeLens": {}},
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    }
    return {"capabilities": capabilities, **more}


async def lenses(it, path):
    params = {"textDocument": {"uri": path.as_uri()}}
    found = await it.client.request("textDocument/codeLens", params)
    return [(each["range"]["start"]["line"], each["command"]["title"]) for each in found]


async def run_lens(it, path, title):
    found = await it.client.request("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})
    (command,) = [each["command"] for each in found if each["command"]["title"] == title]
    return await it.client.command(command["command"], *command["arguments"])


@pytest.mark.parametrize(
    ("text_document", "options", "advertised"),
    [
        ({"codeLens": {}}, {}, True),
        ({"codeLens": {"dynamicRegistration": True}}, {"eventToken": "t"}, True),
        ({}, {}, False),
        ({"codeLens": {}}, {"approval": True}, False),
    ],
)
async def test_they_are_for_clients_that_show_them_and_have_no_face_of_their_own(
    tmp_path, text_document, options, advertised
):
    async with desk(tmp_path, initialize=False) as it:
        result = await it.client.initialize(
            capabilities={"textDocument": text_document},
            initializationOptions={"steersman": {"version": "1", **options}},
        )
        assert ("codeLensProvider" in result["capabilities"]) is advertised


async def test_a_question_is_answered_over_the_lines_that_it_would_change(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses()) as it:
        path = it.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\ntwo\n")
        other = it.put("b.txt", "")
        it.editor.open(path)
        run = await it.start()
        await it.next_question()
        assert await lenses(it, path) == [
            (5, "Steersman waits: Show diff"),
            (5, "Accept"),
            (5, "Decline"),
        ]
        assert await lenses(it, other) == []
        await run_lens(it, path, "Accept")
        await it.ended(run)
        assert it.editor.buffers[path.as_uri()].text.endswith("8\n2\n")
        assert await lenses(it, path) == []


async def test_the_diff_is_shown_by_a_lens_and_the_question_stays(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses()) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": True})
        path = it.put("a.txt", "two\n")
        run = await it.start()
        question = await it.next_question()
        shown = await run_lens(it, path, "Steersman waits: Show diff")
        told = await it.client.wait_for_method("window/showDocument")
        assert told["params"]["uri"] == shown["uri"]
        (diff,) = it.home.diffs.iterdir()
        assert diff.as_uri() == shown["uri"]
        assert path.read_text() == "two\n"
        question.choose("Decline")
        await it.ended(run)
        assert list(it.home.diffs.iterdir()) == []


@pytest.mark.parametrize("virtual", [True, False])
async def test_a_question_is_answered_in_its_own_document(tmp_path, virtual):
    capabilities = sees_lenses()["capabilities"]
    if virtual:
        capabilities["workspace"]["textDocumentContent"] = {}
    async with desk(tmp_path, *ONE_EDIT, capabilities=capabilities) as it:
        path = it.put("a.txt", "one\ntwo\n")
        run = await it.start()
        await it.next_question()
        shown = (await it.command("showQuestion"))["uri"]
        assert shown.startswith("steersman:" if virtual else "file:")
        found = await it.client.request("textDocument/codeLens", {"textDocument": {"uri": shown}})
        assert [(each["range"]["start"]["line"], each["command"]["title"]) for each in found] == [
            (0, title) for title in ("Accept", "Accept all in this run", "Decline", "Stop")
        ]
        await it.client.request("workspace/executeCommand", found[0]["command"])
        await it.floor_ended(run)
        assert path.read_text() == "one\n2\n"
        assert await it.client.request("textDocument/codeLens", {"textDocument": {"uri": shown}}) == []


async def test_a_line_that_is_gone_by_now_has_its_lens_on_the_last_one(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses()) as it:
        path = it.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\ntwo\n")
        uri = it.editor.open(path)
        await it.start()
        await it.next_question()
        it.editor.set_text(uri, "all else is gone")
        await it.heard()
        assert {line for line, _ in await lenses(it, path)} == {0}


async def test_a_file_that_a_live_run_has_edited_says_so_until_the_run_ends(tmp_path):
    script = [answer("", edit_call("a.txt", "one", "1")), answer("", call("bash", {"command": "true"}))]
    async with desk(tmp_path, *script, mode="auto-edit", **sees_lenses()) as it:
        path = it.put("a.txt", "one\n")
        run = await it.start()
        await it.next_question()
        assert await lenses(it, path) == [(0, "Steersman is editing: Stop")]
        assert await run_lens(it, path, "Steersman is editing: Stop") == {"aborted": True}
        await it.ended(run)
        assert await lenses(it, path) == []


async def test_the_client_is_told_to_ask_again_when_there_are_others(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses()) as it:
        it.client.on_request(REFRESH, lambda _: None)
        it.put("a.txt", "two\n")
        run = await it.start()
        question = await it.next_question()
        await it.has_heard(REFRESH, times=1)
        question.choose("Accept")
        await it.ended(run)
        await it.has_heard(REFRESH, times=2)


async def test_a_client_that_can_not_be_told_is_not(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses(refreshes=False)) as it:
        it.put("a.txt", "two\n")
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        await it.heard()
        assert it.client.of_method(REFRESH) == []


async def test_other_documents_have_none(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, **sees_lenses()) as it:
        it.put("a.txt", "two\n")
        await it.start()
        await it.next_question()
        params = {"textDocument": {"uri": "untitled:a.txt"}}
        assert await it.client.request("textDocument/codeLens", params) == []
