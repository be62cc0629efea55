"""The four states of a file in whole runs: each is read, edited, written and seen by a command as it should be."""

import asyncio

import pytest

from support.lsp_workspace import desk, edit_call
from support.scripted_model import answer, call

TEXT = "one\ntwo\nthree\nfour\n"
TYPED = TEXT.replace("four", "four, not saved")
NEWER = TEXT.replace("four", "four, by another program")
TRUTH = {"same": TEXT, "dirty": TYPED, "diskNewer": NEWER, "bothChanged": TYPED}
"""What is read."""
ON_DISK = {"same": TEXT, "dirty": TEXT, "diskNewer": NEWER, "bothChanged": NEWER}

states = pytest.mark.parametrize("state", list(TRUTH))


async def prepare(it, state):
    path = it.put("a.txt", TEXT)
    uri = it.editor.open(path)
    if TRUTH[state] == TYPED:
        it.editor.set_text(uri, TYPED)
    await it.heard()
    if ON_DISK[state] == NEWER:
        it.put("a.txt", NEWER)
    return path, uri


async def finish(it, state, uri, run):
    """The rest of a run that changes the file: the editor loads it again, the user accepts a conflict."""
    if state == "diskNewer":
        await it.client.wait_for(lambda _: len(it.events("tool_execution_running")) == 2)
        await it.heard()
        assert it.editor.asked == []
        it.editor.reload(uri)
    if state == "bothChanged":
        question = await it.next_question()
        (approval,) = (await it.command("approvals"))["approvals"]
        assert approval["kind"] == "conflict"
        question.choose("Accept")
    await it.ended(run)


@states
async def test_reading(tmp_path, state):
    async with desk(tmp_path, answer("", call("read", {"path": "a.txt"})), answer("ok")) as it:
        _, uri = await prepare(it, state)
        await it.ended(await it.start())
        (text,) = it.result_texts()
        assert text.startswith(TRUTH[state])
        assert ("not saved yet" in text) == (TRUTH[state] == TYPED)
        assert len(it.editor.buffers[uri].undo) == (1 if TRUTH[state] == TYPED else 0)


@states
@pytest.mark.parametrize("tool", ["edit", "write"])
async def test_editing_and_writing(tmp_path, state, tool):
    wanted = TRUTH[state].replace("two", "2")
    changing = (
        edit_call("a.txt", "two", "2")
        if tool == "edit"
        else call("write", {"path": "a.txt", "content": wanted})
    )
    script = [answer("", call("read", {"path": "a.txt"})), answer("", changing), answer("ok")]
    async with desk(tmp_path, *script, mode="full-auto") as it:
        path, uri = await prepare(it, state)
        await finish(it, state, uri, await it.start())
        assert [result["outcome"] for result in it.results()] == ["ok", "ok"]
        assert "-two\n+2\n" in it.result_texts()[1]
        assert it.editor.buffers[uri].text == wanted
        assert path.read_text() == ON_DISK[state]
        assert it.questions.empty()
        assert len(it.editor.asked) == 1


@states
async def test_a_command_sees_the_disk_and_is_told_what_it_does_not_see(tmp_path, state):
    script = [answer("", call("bash", {"command": "cat a.txt"})), answer("ok")]
    async with desk(tmp_path, *script, mode="full-auto") as it:
        await prepare(it, state)
        await it.ended(await it.start())
        (text,) = it.result_texts()
        assert text.startswith(ON_DISK[state])
        assert ("unsaved text of a.txt" in text) == (TRUTH[state] == TYPED)


async def test_a_file_that_the_user_changes_after_it_was_read_is_not_overwritten_but_can_be_edited(tmp_path):
    typed = asyncio.Event()

    async def once_typed(request, signal):
        await typed.wait()
        for step in answer("", call("write", {"path": "a.txt", "content": "mine\n"})):
            yield step

    script = [
        answer("", call("read", {"path": "a.txt"})),
        once_typed,
        answer("", edit_call("a.txt", "two", "2")),
        answer("ok"),
    ]
    async with desk(tmp_path, *script, mode="auto-edit") as it:
        _, uri = await prepare(it, "same")
        run = await it.start()
        await it.event("turn_end")
        it.editor.replace(uri, "four", "4")
        await it.heard()
        typed.set()
        await it.ended(run)
        assert "has changed since it was read" in it.result_texts()[1]
        assert it.editor.buffers[uri].text == "one\n2\nthree\n4\n"


async def test_a_format_on_save_does_not_make_the_next_edit_fail(tmp_path):
    formatted = asyncio.Event()

    async def once_formatted(request, signal):
        await formatted.wait()
        for step in answer("", edit_call("a.txt", "three", "3")):
            yield step

    script = [answer("", edit_call("a.txt", "two", "2")), once_formatted, answer("ok")]
    async with desk(tmp_path, *script, mode="auto-edit") as it:
        path, uri = await prepare(it, "same")
        run = await it.start()
        await it.event("turn_end")
        it.editor.set_text(uri, it.editor.buffers[uri].text.replace("one", "    one"))
        it.editor.save(uri)
        await it.heard()
        formatted.set()
        await it.ended(run)
        assert [result["outcome"] for result in it.results()] == ["ok", "ok"]
        assert it.editor.buffers[uri].text == "    one\n2\n3\nfour\n"
        assert path.read_text() == "    one\n2\nthree\nfour\n"


async def test_starting_and_reading_change_no_buffer_and_no_file(tmp_path):
    async with desk(tmp_path, answer("", call("read", {"path": "a.txt"})), answer("ok")) as it:
        _, uri = await prepare(it, "dirty")
        before = it.hashes()
        await it.ended(await it.start())
        assert it.editor.asked == [] and it.hashes() == before
        assert it.editor.buffers[uri].text == TYPED


async def test_typing_while_the_question_is_open_is_kept_and_the_same_hunks_are_not_asked_again(tmp_path):
    script = [answer("", edit_call("a.txt", "two", "2")), answer("ok")]
    async with desk(tmp_path, *script) as it:
        _, uri = await prepare(it, "same")
        run = await it.start()
        question = await it.next_question()
        it.editor.replace(uri, "four", "4")
        await it.heard()
        question.choose("Accept")
        await it.ended(run)
        assert it.questions.empty()
        assert it.editor.buffers[uri].text == "one\n2\nthree\n4\n"


async def test_typing_in_the_same_place_while_the_question_is_open_is_never_overwritten(tmp_path):
    script = [answer("", edit_call("a.txt", "two", "2")), answer("ok")]
    async with desk(tmp_path, *script) as it:
        _, uri = await prepare(it, "same")
        run = await it.start()
        question = await it.next_question()
        it.editor.replace(uri, "two", "zwei")
        await it.heard()
        question.choose("Accept")
        await it.ended(run)
        assert it.results()[0]["outcome"] == "failed"
        assert it.editor.buffers[uri].text == TEXT.replace("two", "zwei")
