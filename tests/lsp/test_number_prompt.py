"""Editors whose prompt takes what is typed into the buffer: no choice decides, the answer is a code action."""

import asyncio

import pytest

from support.lsp_workspace import desk, edits
from support.scripted_model import answer, call

ONE_EDIT = edits("a.txt", ("two", "2"))
NEOVIM = {"name": "Neovim", "version": "0.11.4"}


async def accepted(it, uri):
    """Accepts the question by a code action in this document."""
    actions = await it.code_actions(uri)
    accept = next(action for action in actions if action["title"].startswith("Accept: "))
    await it.client.request("workspace/executeCommand", accept["command"])


async def test_nothing_that_can_be_chosen_decides_anything(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, clientInfo=NEOVIM) as it:
        path = it.put("a.txt", "one\ntwo\n")
        run = await it.start()
        question = await it.next_question()
        assert question.titles == ["Show diff", "Answer later"]
        question.choose("Answer later")
        said = await it.client.wait_for_method("window/showMessage")
        assert "waits" in said["params"]["message"]
        assert path.read_text() == "one\ntwo\n"
        await accepted(it, path.as_uri())
        await it.ended(run)
        assert path.read_text() == "one\n2\n"


@pytest.mark.parametrize("reply", [None, {}, {"title": "Accept"}, "Accept", {"title": "Decline"}, 2])
async def test_what_typing_may_have_answered_leaves_the_question_open(tmp_path, reply):
    async with desk(tmp_path, *ONE_EDIT, clientInfo=NEOVIM) as it:
        path = it.put("a.txt", "one\ntwo\n")
        run = await it.start()
        (await it.next_question()).reply(reply)
        await it.client.wait_for_method("window/showMessage")
        assert len((await it.client.command("steersman.approvals"))["approvals"]) == 1
        await accepted(it, path.as_uri())
        await it.ended(run)


async def test_when_the_diff_is_closed_the_question_is_put_again(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, clientInfo=NEOVIM) as it:
        shown = asyncio.Event()
        it.client.on_request("window/showDocument", lambda _: shown.set() or {"success": True})
        it.put("a.txt", "one\ntwo\n")
        run = await it.start()
        (await it.next_question()).choose("Show diff")
        await shown.wait()
        (diff,) = it.home.diffs.iterdir()
        uri = it.editor.open(diff)
        await it.heard()
        it.editor.close(uri)
        assert (await it.next_question()).titles == ["Show diff", "Answer later"]
        it.editor.open(diff)
        await accepted(it, uri)
        await it.ended(run)


async def test_a_question_without_a_diff_has_a_document_too(tmp_path):
    async with desk(
        tmp_path, answer("", call("read", {"path": "/etc/hostname"})), answer("done"), clientInfo=NEOVIM
    ) as it:
        shown = asyncio.Event()
        it.client.on_request("window/showDocument", lambda _: shown.set() or {"success": True})
        run = await it.start()
        question = await it.next_question()
        assert question.titles == ["Show question", "Answer later"]
        question.choose("Show question")
        await shown.wait()
        (document,) = it.home.diffs.iterdir()
        assert "/etc/hostname" in document.read_text()
        uri = it.editor.open(document)
        await accepted(it, uri)
        await it.ended(run)
