"""Code actions that answer a question: where they are offered, and to whom."""

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from support.lsp_client import AnsweredWithError
from support.lsp_workspace import EVENTS, WORKSPACE, desk, edits
from support.scripted_model import answer, call

ANSWERS = ["Accept", "Accept all in this run", "Decline", "Stop"]
TITLES = ["Show diff", *ANSWERS]
FACE = {"initializationOptions": {"steersman": {"version": "1", "eventToken": EVENTS, "approval": True}}}


def titles(actions):
    return [action["title"].partition(":")[0] for action in actions]


async def test_a_question_is_answered_from_the_file_that_it_would_change_however_it_is_spelled(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        path = it.put("a.txt", "two\n")
        other = it.put("b.txt", "")
        opened = it.editor.open(path)
        (tmp_path / "link").symlink_to(it.root)
        await it.start()
        await it.next_question()
        for uri in (opened, (tmp_path / "link" / "a.txt").as_uri(), path.as_uri()[:-1] + "%74"):
            assert titles(await it.code_actions(uri))[: len(TITLES)] == TITLES
        assert await it.code_actions(other.as_uri()) == []
        assert await it.code_actions("untitled:Untitled-1") == []


async def test_a_command_is_answered_from_any_document(tmp_path):
    async with desk(tmp_path, answer("", call("bash", {"command": "true"})), answer("ok")) as it:
        run = await it.start()
        await it.next_question()
        actions = await it.code_actions("untitled:Untitled-1")
        assert titles(actions) == ["Show command", *ANSWERS]
        decline = next(action for action in actions if action["title"] == "Decline: Run true")
        await it.client.request("workspace/executeCommand", decline["command"])
        assert (await it.ended(run))["denied"][0]["by"] == "user"


@pytest.mark.parametrize(
    ("only", "count"),
    [
        (["quickfix"], 4),
        (["steersman"], 1),
        ([""], 5),
        (["quickfix.steersman"], 4),
        (["quickfix.steersman.answer"], 4),
        (["refactor", "quickfix"], 4),
        (["refactor"], 0),
        (["quick"], 0),
        (["quickfix.steersman.answer.more"], 0),
        ([], 0),
    ],
)
async def test_only_narrows_and_hides_no_action_of_the_kinds_that_it_names(tmp_path, only, count):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        path = it.put("a.txt", "two\n")
        await it.start()
        await it.next_question()
        assert len(await it.code_actions(path.as_uri(), only=only)) == count


async def test_a_question_about_files_that_are_not_open_is_answered_from_any_file_that_is(tmp_path):
    async with desk(tmp_path, *edits("todo", ("two", "2"))) as it:
        path = it.put("todo", "two\n")
        uri = it.editor.open(it.put("b.txt", ""))
        run = await it.start()
        await it.next_question()
        actions = await it.code_actions(uri)
        explain = [each["title"] for each in actions].index("Explain this with Steersman")
        assert explain < len(actions) - len(TITLES)
        assert titles(actions[-len(TITLES) :]) == TITLES
        assert [each["title"] for each in await it.code_actions(uri, triggerKind=2)] == []
        assert await it.code_actions("untitled:Untitled-1") == []
        await it.client.request("workspace/executeCommand", actions[-len(ANSWERS)]["command"])
        await it.ended(run)
        assert path.read_text() == "2\n"


async def test_once_its_file_is_open_it_is_answered_there(tmp_path):
    async with desk(tmp_path, *edits("todo", ("two", "2"))) as it:
        path = it.put("todo", "two\n")
        uri = it.editor.open(it.put("b.txt", ""))
        await it.start()
        await it.next_question()
        it.editor.open(path)
        assert "Accept" not in titles(await it.code_actions(uri))
        assert titles(await it.code_actions(path.as_uri()))[: len(TITLES)] == TITLES


async def test_who_has_a_face_of_its_own_for_questions_is_offered_the_answers_in_their_files_only(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2")), **FACE) as it:
        path, uri = it.put("a.txt", "two\n"), it.editor.open(it.put("b.txt", ""))
        it.client.on_request(
            "steersman/requestApproval", lambda _: asyncio.get_running_loop().create_future()
        )
        await it.start()
        await it.event("approval_requested")
        assert "Accept" not in titles(await it.code_actions(uri))
        assert titles(await it.code_actions(path.as_uri())) == ANSWERS


async def test_a_question_is_shown_by_its_action(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        path = it.put("a.txt", "two\n")
        it.client.on_request("window/showDocument", lambda _: {"success": True})
        await it.start()
        await it.next_question()
        shows = (await it.code_actions(path.as_uri()))[0]
        shown = await it.client.request("workspace/executeCommand", shows["command"])
        asked = await it.client.wait_for_method("window/showDocument")
        assert asked["params"]["uri"] == shown["uri"]
        assert Path(unquote(urlsplit(shown["uri"]).path)).read_text().endswith("-two\n+2\n")


async def test_without_a_name_the_question_that_has_waited_the_longest_is_shown(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        it.put("a.txt", "two\n")
        with pytest.raises(AnsweredWithError, match="There is no pending question") as refused:
            await it.command("showQuestion")
        assert refused.value.error["data"]["code"] == "unknownApproval"
        await it.start()
        await it.next_question()
        (waits,) = (await it.command("approvals"))["approvals"]
        assert (await it.command("showQuestion"))["id"] == waits["id"]


async def test_a_question_that_is_answered_before_its_document_is_refused_leaves_no_document(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        it.put("a.txt", "two\n")
        shown = asyncio.get_running_loop().create_future()
        it.client.on_request("window/showDocument", lambda _: shown)
        run = await it.start()
        await it.next_question()
        asked = await it.command("showQuestion")
        await it.client.wait_for_method("window/showDocument")
        await it.command("approve", {"id": asked["id"], "decision": "decline"})
        await it.ended(run)
        shown.set_result({"success": False})
        await it.heard()
        assert list(it.home.diffs.iterdir()) == []
        assert it.client.of_method("window/showMessage") == []


async def test_an_editor_that_shows_no_documents_is_told_the_diff(tmp_path):
    window = {"capabilities": {"workspace": WORKSPACE, "window": {"workDoneProgress": True}}}
    async with desk(tmp_path, *edits("a.txt", ("two", "2")), **window) as it:
        it.put("a.txt", "two\n")
        await it.start()
        await it.next_question()
        await it.command("showQuestion")
        message = (await it.client.wait_for_method("window/showMessage"))["params"]["message"]
        assert message.startswith("Steersman: Edit a.txt (+1 −1)\n")
        assert "-two\n+2\n" in message


async def test_nothing_is_offered_when_nothing_is_asked(tmp_path):
    async with desk(tmp_path) as it:
        assert await it.code_actions(it.put("a.txt", "").as_uri()) == []
