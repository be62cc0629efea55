"""Code actions that answer a question: where they are offered, and to whom."""

import pytest

from support.lsp_workspace import desk, edits
from support.scripted_model import answer, call

TITLES = ["Accept", "Accept all in this run", "Decline", "Stop"]


def titles(actions):
    return [action["title"].partition(":")[0] for action in actions]


async def test_a_question_is_answered_from_the_file_that_it_would_change_however_it_is_spelled(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        path = it.put("a.txt", "two\n")
        other = it.put("b.txt", "")
        (tmp_path / "link").symlink_to(it.root)
        await it.start()
        await it.next_question()
        for uri in (path.as_uri(), (tmp_path / "link" / "a.txt").as_uri(), path.as_uri()[:-1] + "%74"):
            assert titles(await it.code_actions(uri)) == TITLES
        assert await it.code_actions(other.as_uri()) == []
        assert await it.code_actions("untitled:Untitled-1") == []


async def test_a_command_is_answered_from_any_document(tmp_path):
    async with desk(tmp_path, answer("", call("bash", {"command": "true"})), answer("ok")) as it:
        run = await it.start()
        await it.next_question()
        actions = await it.code_actions("untitled:Untitled-1")
        assert titles(actions) == TITLES
        decline = next(action for action in actions if action["title"] == "Decline: Run true")
        await it.client.request("workspace/executeCommand", decline["command"])
        assert (await it.ended(run))["denied"][0]["by"] == "user"


@pytest.mark.parametrize(
    ("only", "count"),
    [
        (["quickfix"], 4),
        ([""], 4),
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


async def test_nothing_is_offered_when_nothing_is_asked(tmp_path):
    async with desk(tmp_path) as it:
        assert await it.code_actions(it.put("a.txt", "").as_uri()) == []
