"""The floor's question: what is asked, which answers mean yes, and that nothing changes without one."""

import asyncio
import os
import platform
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.approvals import titles_of
from steersman.session.approvals import Question
from support.editor_client import is_silent
from support.lsp_client import NO_ANSWER, AnsweredWithError
from support.lsp_workspace import LIMITS, WORKSPACE, desk, edit_call, edits
from support.scripted_model import answer, call

FLOOR = ["Show diff", "Accept", "Accept all in this run", "Decline", "Stop"]


async def proposed(it, text="one\ntwo\nthree\n"):
    """A run that wants to change a.txt, and its question."""
    path = it.put("a.txt", text)
    run = await it.start()
    return path, run, await it.next_question()


ONE_EDIT = edits("a.txt", ("two", "2"))


async def test_the_question_names_the_change_and_its_first_choice_is_harmless(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        _, run, question = await proposed(it)
        assert question.titles == FLOOR
        assert question.message.startswith("Steersman: Edit a.txt (+1 −1)\n")
        question.choose("Accept")
        await it.ended(run)


async def test_accept_makes_the_change_and_only_then(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        assert path.read_text() == "one\ntwo\nthree\n"
        question.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        order = [
            event["type"]
            for event in it.events()
            if event["type"].startswith(("tool_", "approval_", "edit_"))
        ]
        assert order == [
            "tool_execution_start",
            "approval_requested",
            "approval_resolved",
            "tool_execution_running",
            "edit_start",
            "edit_applied",
            "tool_execution_end",
        ]


async def test_the_answer_may_be_the_title_alone(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        question.reply("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    "reply",
    [
        None,
        {},
        [],
        False,
        "",
        {"title": "Decline"},
        {"title": "accept"},
        {"title": "Accept "},
        {"title": ["Accept"]},
        "Yes",
        {"title": "Accept: all"},
        0,
    ],
    ids=repr,
)
@pytest.mark.parametrize("open_dirty", [False, True], ids=["closed", "dirty"])
async def test_whatever_is_not_exactly_a_yes_is_a_no_and_the_tree_is_unchanged(tmp_path, reply, open_dirty):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path = it.put("a.txt", "one\ntwo\nthree\n")
        if open_dirty:
            uri = it.editor.open(path, "one\ntwo\nthree\nunsaved\n")
        before = it.hashes()
        run = await it.start()
        (await it.next_question()).reply(reply)
        await it.ended(run)
        assert it.hashes() == before
        assert it.editor.asked == []
        assert it.results()[0]["outcome"] == "denied"
        assert "The user declined this" in it.result_texts()[0]
        if open_dirty:
            assert it.editor.buffers[uri].text == "one\ntwo\nthree\nunsaved\n"


async def test_an_error_is_a_no(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        question.fail()
        await it.ended(run)
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_a_client_that_can_not_be_asked_is_a_no_that_names_the_setting(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, capabilities={"workspace": WORKSPACE}) as it:
        path, run, question = await proposed(it)
        question.fail(-32601)
        denied = (await it.ended(run))["denied"]
        assert (denied[0]["by"], denied[0]["setting"]) == (
            "nobody",
            "--mode auto-edit, with --trust if the folder is not trusted yet",
        )
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_a_client_without_prompts_is_told_what_is_asked_and_answers_by_a_code_action(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        question.fail(-32601)
        told = (await it.client.wait_for_method("window/showMessage"))["params"]["message"]
        assert told.startswith("Steersman: Edit a.txt (+1 −1)\n--- a/a.txt")
        assert "-two\n+2\n" in told
        assert told.endswith("by the command steersman.approve.")
        assert path.read_text() == "one\ntwo\nthree\n"
        actions = await it.code_actions(path.as_uri())
        (accept,) = [each for each in actions if each["title"].startswith("Accept: ")]
        await it.client.request("workspace/executeCommand", accept["command"])
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        assert list(it.home.diffs.iterdir()) == []


async def test_who_still_sees_the_old_text_of_a_changed_file_reads_so_in_the_question(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, window={}) as it:
        uri = it.editor.open(it.put("a.txt", "two\n"))
        await it.heard()
        it.put("a.txt", "one\ntwo\n")
        await it.start()
        question = await it.next_question()
        assert question.message.endswith(
            "\na.txt has changed on the disk, and the editor still shows its old text: reload it there first."
        )
        it.editor.reload(uri)
        question.choose("Show diff")
        assert "reload" not in (await it.next_question()).message


@pytest.mark.parametrize("typed", ["", "typed\n"])
async def test_who_sees_what_there_is_reads_nothing_of_it(tmp_path, typed):
    async with desk(tmp_path, *ONE_EDIT) as it:
        uri = it.editor.open(it.put("a.txt", "two\n"))
        it.editor.set_text(uri, f"two\n{typed}")
        await it.start()
        assert (await it.next_question()).message.endswith("Changes are asked about in this mode.")


async def test_stop_ends_the_run(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        question.choose("Stop")
        assert (await it.ended(run))["stopReason"] == "aborted"
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_accept_all_in_this_run_asks_no_more_about_edits_but_about_commands(tmp_path):
    script = [
        answer("", edit_call("a.txt", "one", "1"), edit_call("a.txt", "two", "2")),
        answer("", call("bash", {"command": "touch x"})),
        answer("done"),
    ]
    async with desk(tmp_path, *script) as it:
        path, run, question = await proposed(it)
        question.choose("Accept all in this run")
        command = await it.next_question()
        assert path.read_text() == "1\n2\nthree\n"
        assert command.titles[0] == "Show command"
        command.choose("Decline")
        await it.ended(run)
        assert not (it.root / "x").exists()


async def test_a_client_that_is_lost_has_said_nothing(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        _, run, _ = await proposed(it)
        before = it.hashes()
        it.client.close_output()
        await it.client.wait_for_end()
        resolved = it.events("approval_resolved")[0]["data"]
        assert (resolved["decision"], resolved["by"]) == ("withdrawn", "withdrawn")
        assert (await it.ended(run))["stopReason"] == "interrupted"
        assert it.hashes() == before


async def test_a_client_that_is_lost_during_an_edit_keeps_nobody_waiting(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        it.editor.behaviour = is_silent
        it.editor.open(it.put("a.txt", "one\ntwo\nthree\n"))
        before = it.hashes()
        run = await it.start()
        (await it.next_question()).choose("Accept")
        await it.client.wait_for_method("workspace/applyEdit")
        it.client.close_output()
        await it.client.wait_for_end()  # though the clock stands still
        assert (await it.ended(run))["stopReason"] == "interrupted"
        assert "did not say whether" in it.result_texts()[0]
        assert it.hashes() == before


# Answered elsewhere


async def test_an_answer_by_command_takes_the_picker_away_and_a_late_choice_changes_nothing(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        asked = (await it.client.wait_for_method("window/showMessageRequest"))["id"]
        (approval,) = (await it.command("approvals"))["approvals"]
        await it.command("approve", {"id": approval["id"], "decision": "decline", "feedback": "use 3"})
        cancelled = await it.client.wait_for_method("$/cancelRequest")
        assert cancelled["params"] == {"id": asked}
        question.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\ntwo\nthree\n"
        assert "use 3" in it.result_texts()[0]
        with pytest.raises(AnsweredWithError) as raised:
            await it.command("approve", {"id": approval["id"], "decision": "accept"})
        assert raised.value.data == {"code": "alreadyAnswered", "id": approval["id"]}


async def test_a_question_that_waits_its_turn_can_be_answered_and_is_then_never_put(tmp_path):
    script = [answer("", edit_call("a.txt", "two", "2"))] * 2 + [answer("done")] * 2
    async with desk(tmp_path, *script) as it:
        it.put("a.txt", "one\ntwo\nthree\n")
        runs = [await it.start("first"), await it.start("second")]
        await it.event("approval_requested", number=2)
        question = await it.next_question()
        second = next(each for each in (await it.command("approvals"))["approvals"] if each["run"] == runs[1])
        await it.command("approve", {"id": second["id"], "decision": "decline"})
        await it.ended(runs[1])
        question.choose("Decline")
        await it.ended(runs[0])
        assert len(it.client.of_method("window/showMessageRequest")) == 1


@pytest.mark.parametrize(
    ("answer_", "code", "says"),
    [
        ({"decision": "yes"}, -32602, "decision"),
        ({"decision": "accept", "id": 5}, -32602, "id"),
        ({}, -32602, "decision"),
        ({"decision": "accept", "sure": True}, -32602, "sure"),
        ({"decision": "accept", "id": "apr_other"}, -32803, "apr_other"),
    ],
)
async def test_a_malformed_approve_names_the_schema_and_leaves_the_question_open(
    tmp_path, answer_, code, says
):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, question = await proposed(it)
        (approval,) = (await it.command("approvals"))["approvals"]
        with pytest.raises(AnsweredWithError) as raised:
            await it.command("approve", {"id": approval["id"], **answer_})
        assert (raised.value.code, says in raised.value.message) == (code, True)
        if code == -32602:
            assert "decision" in raised.value.data["schema"]["properties"]
        assert [each["id"] for each in (await it.command("approvals"))["approvals"]] == [approval["id"]]
        question.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


async def test_a_title_that_the_question_does_not_have_is_a_no(tmp_path):
    async with desk(tmp_path, answer("", call("delete", {"path": "a.txt"})), answer("done")) as it:
        path, run, question = await proposed(it)
        question.reply("Accept all in this run")
        await it.ended(run)
        assert path.exists()


async def test_a_decision_that_the_question_does_not_take_leaves_it_open(tmp_path):
    async with desk(tmp_path, answer("", call("delete", {"path": "a.txt"})), answer("done")) as it:
        path, run, question = await proposed(it)
        assert question.titles == ["Show diff", "Accept", "Decline", "Stop"]
        (approval,) = (await it.command("approvals"))["approvals"]
        with pytest.raises(AnsweredWithError) as raised:
            await it.command("approve", {"id": approval["id"], "decision": "acceptForSession"})
        assert raised.value.data["decisions"] == ["accept", "decline", "cancel"]
        question.choose("Accept")
        await it.ended(run)
        assert not path.exists()


async def test_a_run_that_is_aborted_withdraws_its_question(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path, run, _ = await proposed(it)
        await it.command("abort")
        ended = await it.ended(run)
        await it.client.wait_for_method("$/cancelRequest")
        assert ended["stopReason"] == "aborted"
        assert it.events("approval_resolved")[0]["data"]["decision"] == "withdrawn"
        assert (await it.command("approvals"))["approvals"] == []
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_never_two_questions_at_once_on_one_connection(tmp_path):
    def by_prompt(request, signal):
        name = "b.txt" if "b" in request.messages[0].content[0].text else "a.txt"
        has_result = len(request.messages) > 1

        async def stream():
            edit = edit_call("a.txt", "two", "2") if name == "a.txt" else edit_call("b.txt", "x", "y")
            for step in answer("done") if has_result else answer("", edit):
                yield step

        return stream()

    async with desk(tmp_path, by_prompt, by_prompt, by_prompt, by_prompt) as it:
        a, b = it.put("a.txt", "two\n"), it.put("b.txt", "x\n")
        runs = [await it.start("a"), await it.start("b")]
        await it.event("approval_requested", number=2)
        first = await it.next_question()
        assert len((await it.command("approvals"))["approvals"]) == 2  # each is visible
        assert len(it.client.of_method("window/showMessageRequest")) == 1
        first.choose("Accept")
        second = await it.next_question()
        second.choose("Accept")
        for run in runs:
            await it.ended(run)
        assert (a.read_text(), b.read_text()) == ("2\n", "y\n")


# Show diff


async def test_the_diff_is_a_private_file_that_goes_with_the_question(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        shown = asyncio.get_running_loop().create_future()
        it.client.on_request(
            "window/showDocument", lambda params: shown.set_result(params) or {"success": True}
        )
        path, run, question = await proposed(it)
        question.choose("Show diff")
        params = await shown
        (diff,) = it.home.diffs.iterdir()
        assert params == {"uri": diff.as_uri(), "takeFocus": True}
        assert "-two\n+2\n" in diff.read_text()
        modes = [stat.S_IMODE(each.stat().st_mode) for each in (it.home.diffs, diff)]
        assert [oct(mode) for mode in modes] == ["0o700", "0o600"]
        uri = it.editor.open(diff)
        await it.heard()
        assert it.questions.empty()  # it waits while the diff is looked at
        it.editor.close(uri)
        (await it.next_question()).choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        assert list(it.home.diffs.iterdir()) == []


async def test_a_diff_that_can_not_be_deleted_does_not_spoil_the_answer(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        it.client.on_request("window/showDocument", lambda _: {"success": False})
        path, run, question = await proposed(it)
        question.choose("Show diff")
        question = await it.next_question()
        (diff,) = it.home.diffs.iterdir()
        diff.unlink()
        (diff / "in the way").mkdir(parents=True)
        question.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


async def test_the_diff_can_be_looked_at_twice(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        shown: asyncio.Queue = asyncio.Queue()
        it.client.on_request(
            "window/showDocument", lambda params: shown.put_nowait(params) or {"success": True}
        )
        _, run, question = await proposed(it)
        for _ in range(2):
            question.choose("Show diff")
            await shown.get()
            (diff,) = it.home.diffs.iterdir()
            uri = it.editor.open(diff)
            await it.heard()
            assert it.questions.empty()
            it.editor.close(uri)
            question = await it.next_question()
        question.choose("Decline")
        await it.ended(run)


async def test_a_show_document_that_is_never_answered_though_the_diff_opens_waits_for_its_end(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        it.client.on_request("window/showDocument", lambda params: NO_ANSWER)
        _, run, question = await proposed(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        (diff,) = it.home.diffs.iterdir()
        uri = it.editor.open(diff)
        await it.heard()
        await it.clock.let_pass(LIMITS.show_document)
        await it.heard()
        assert it.questions.empty()
        it.editor.close(uri)
        (await it.next_question()).choose("Decline")
        await it.ended(run)


@pytest.mark.parametrize(
    "shows", [lambda params: NO_ANSWER, lambda params: {"success": True}], ids=["silent", "unattached"]
)
async def test_a_diff_that_is_not_known_to_be_open_is_named_and_the_question_put_again(tmp_path, shows):
    async with desk(tmp_path, *ONE_EDIT) as it:
        it.client.on_request("window/showDocument", shows)
        path, run, question = await proposed(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        await it.heard()
        await it.clock.let_pass(LIMITS.show_document)
        again = await it.next_question()
        assert again.titles == FLOOR
        (diff,) = it.home.diffs.iterdir()
        assert str(diff) in it.client.of_method("window/showMessage")[0]["params"]["message"]
        again.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize("window", [{}, {"showDocument": {"support": True}}], ids=["unsupported", "refused"])
async def test_a_client_that_can_not_show_the_diff_has_it_in_the_question(tmp_path, window):
    async with desk(tmp_path, *ONE_EDIT, window=window) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": False})
        path, run, question = await proposed(it)
        assert "-two\n" not in question.message
        question.choose("Show diff")
        again = await it.next_question()
        (diff,) = it.home.diffs.iterdir()
        assert again.message.startswith("Steersman: Edit a.txt (+1 −1)\n--- ")
        assert again.message.endswith(f" one\n-two\n+2\n three\n(also in {diff})")
        again.choose("Accept")
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


async def test_of_a_diff_too_long_for_a_question_the_rest_is_counted_and_what_can_not_be_seen_is_escaped(
    tmp_path,
):
    long = edits("a.txt", ("two", "\u202e" + "x" * 5_000))
    async with desk(tmp_path, *long, window={}) as it:
        _, run, question = await proposed(it)
        question.choose("Show diff")
        again = await it.next_question()
        assert "\u202e" not in again.message
        assert "more characters in " in again.message
        assert len(again.message) < 2_300
        again.choose("Decline")
        await it.ended(run)


@pytest.mark.parametrize("window", [{}, {"showDocument": {"support": True}}], ids=["unsupported", "refused"])
async def test_whoever_always_takes_the_first_choice_is_asked_no_more_than_three_times(tmp_path, window):
    async with desk(tmp_path, *ONE_EDIT, window=window) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": False})
        it.client.on_request("window/showMessageRequest", lambda params: params["actions"][0])
        path = it.put("a.txt", "one\ntwo\nthree\n")
        run = await it.start()
        await it.client.wait_for(
            lambda m: (
                m.get("method") == "window/showMessage" and "steersman.approve" in m["params"]["message"]
            )
        )
        await it.heard()
        assert len(it.client.of_method("window/showMessageRequest")) == 3
        (approval,) = (await it.command("approvals"))["approvals"]  # pending, and visible
        assert path.read_text() == "one\ntwo\nthree\n"
        await it.command("approve", {"id": approval["id"], "decision": "accept"})
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"


async def test_a_diff_that_can_not_be_written_is_said_and_the_question_put_again(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        _, run, question = await proposed(it)
        it.home.diffs.parent.mkdir(exist_ok=True)
        it.home.diffs.write_text("a file in its place")
        question.choose("Show diff")
        (await it.next_question()).choose("Decline")
        await it.ended(run)
        assert "can't be shown" in it.client.of_method("window/showMessage")[0]["params"]["message"]


@pytest.mark.parametrize("place", ["diff", "file"])
async def test_the_question_is_answered_by_a_code_action_in_the_diff_or_the_file(tmp_path, place):
    async with desk(tmp_path, *ONE_EDIT) as it:
        it.client.on_request("window/showDocument", lambda params: {"success": True})
        path, run, question = await proposed(it)
        question.choose("Show diff")
        await it.client.wait_for_method("window/showDocument")
        (diff,) = it.home.diffs.iterdir()
        it.editor.open(diff)
        uri = diff.as_uri() if place == "diff" else path.as_uri()
        actions = await it.code_actions(uri)
        accept = next(action for action in actions if action["title"] == "Accept: Edit a.txt (+1 −1)")
        await it.client.request("workspace/executeCommand", accept["command"])
        await it.ended(run)
        assert path.read_text() == "one\n2\nthree\n"
        assert list(it.home.diffs.iterdir()) == []
        assert await it.code_actions(uri) == []


# What a question shows


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo " + "a" * 100 + "; rm -rf ~", "; rm -rf ~\n"),
        ("echo one\nrm two", "\n$ echo one\n> rm two\n"),
        ("echo " + "b" * 600, "… (105 more characters: Show command)\n"),
        ("echo \u202etxt.exe \x1b[2J\n", "echo \\u202etxt.exe \\x1b[2J"),
    ],
)
async def test_no_part_of_a_command_is_accepted_unseen(tmp_path, command, shown):
    async with desk(tmp_path, answer("", call("bash", {"command": command})), answer("done")) as it:
        run = await it.start()
        question = await it.next_question()
        assert shown in question.message
        assert all(char == "\n" or char.isprintable() for char in question.message)
        assert question.titles == ["Show command", "Accept", "Accept all in this run", "Decline", "Stop"]
        question.choose("Decline")
        await it.ended(run)


@pytest.mark.parametrize(
    "decisions", [("accept", "decline", "cancel"), ("accept", "acceptForRun", "decline", "cancel")]
)
def test_a_question_that_has_nothing_to_show_begins_with_a_no(decisions):
    question = Question("apr_1", "s", "r", "c", "outside", "Read /etc/hosts", "why", "digest", decisions)
    assert titles_of(question)[0] == "Decline"
    trust = Question("apr_1", "s", "r", "", "trust", "Trust?", "why", "digest", ("accept", "decline"))
    assert titles_of(trust) == ["Don't trust", "Trust"]


async def test_a_folder_that_is_not_trusted_is_asked_about_once_and_the_answer_kept(tmp_path):
    async with desk(tmp_path, answer("hi"), answer("hi"), trusted=False) as it:
        it.put("AGENTS.md", "always shout")
        run = await it.start()
        question = await it.next_question()
        assert question.titles == ["Don't trust", "Trust"]
        question.choose("Trust")
        await it.ended(run)
        assert "always shout" in it.model.requests[0].system
        await it.ended(await it.start())
        assert it.questions.empty()


# Modes and conflicts


async def test_a_file_that_changed_on_both_sides_is_asked_about_in_full_auto_too(tmp_path):
    async with desk(tmp_path, *ONE_EDIT, mode="full-auto") as it:
        path = it.put("a.txt", "one\ntwo\nthree\n")
        uri = it.editor.open(path)
        it.editor.replace(uri, "three", "3, unsaved")
        await it.heard()
        it.put("a.txt", "one\ntwo\nthree, by another program\n")
        run = await it.start()
        question = await it.next_question()
        (approval,) = (await it.command("approvals"))["approvals"]
        assert approval["kind"] == "conflict"
        question.choose("Decline")
        await it.ended(run)
        assert it.editor.buffers[uri].text == "one\ntwo\n3, unsaved\n"
        assert path.read_text() == "one\ntwo\nthree, by another program\n"


@pytest.mark.parametrize("opened", [False, True])
async def test_a_file_that_another_editor_has_open_is_asked_about_in_full_auto_if_it_is_not_open_here(
    tmp_path, opened
):
    async with desk(tmp_path, *ONE_EDIT, mode="full-auto") as it:
        path = it.put("a.txt", "one\ntwo\nthree\n")
        path.with_name(".#a.txt").symlink_to(f"ada@{platform.node()}.{os.getpid()}")
        if opened:
            it.editor.open(path)
        run = await it.start()
        if not opened:
            question = await it.next_question()
            (approval,) = (await it.command("approvals"))["approvals"]
            assert approval["kind"] == "conflict"
            assert approval["reason"].startswith("Another editor has it open (Emacs: ada on")
            question.choose("Accept")
        await it.ended(run)
        assert it.questions.empty()
        assert (path.read_text() == "one\n2\nthree\n") == (not opened)


async def test_an_editor_that_opens_the_file_while_the_question_waits_is_asked_about_next_time(tmp_path):
    async with desk(tmp_path, *ONE_EDIT) as it:
        path = it.put("a.txt", "one\ntwo\nthree\n")
        run = await it.start()
        question = await it.next_question()
        path.with_name(".#a.txt").symlink_to(f"ada@{platform.node()}.{os.getpid()}")
        question.choose("Accept")
        await it.ended(run)
        assert "Another editor has opened a.txt meanwhile" in it.result_texts()[0]
        assert path.read_text() == "one\ntwo\nthree\n"


async def test_two_runs_that_edit_one_file_at_once_both_leave_their_edit(tmp_path):
    def by_prompt(request, signal):
        first = "one" in request.messages[0].content[0].text
        has_result = len(request.messages) > 1

        async def stream():
            edit = edit_call("a.txt", "one", "1") if first else edit_call("a.txt", "five", "5")
            for step in answer("done") if has_result else answer("", edit):
                yield step

        return stream()

    async with desk(tmp_path, *[by_prompt] * 6) as it:
        uri = it.editor.open(it.put("a.txt", "one\ntwo\nthree\nfour\nfive\n"))
        runs = [await it.start("one"), await it.start("five")]
        await it.event("approval_requested", number=2)
        for _ in runs:
            (await it.next_question()).choose("Accept")
        for run in runs:
            await it.ended(run)
        assert it.editor.buffers[uri].text == "1\ntwo\nthree\nfour\n5\n"


async def test_a_command_after_an_accepted_edit_names_the_unsaved_file(tmp_path):
    script = [
        answer("", edit_call("a.txt", "two", "2")),
        answer("", call("bash", {"command": "cat a.txt"})),
        answer("done"),
    ]
    async with desk(tmp_path, *script, mode="full-auto") as it:
        it.editor.open(it.put("a.txt", "two\n"))
        await it.ended(await it.start())
        edited, ran = it.result_texts()
        assert "-two\n+2" in edited and "not saved yet" in edited
        assert "two\n" in ran and "unsaved text of a.txt" in ran


# Any order

ANSWERS = {"Accept": "accept", "Accept all in this run": "accept", "Decline": "decline", "Stop": "cancel"}
MOVES = st.one_of(
    st.tuples(st.just("pick"), st.sampled_from([*ANSWERS, "Show diff", "nonsense", None])),
    st.tuples(st.just("approve"), st.sampled_from(["accept", "decline", "cancel", "nonsense"])),
    st.tuples(st.sampled_from(["close", "abort"]), st.none()),
)


@settings(max_examples=40, deadline=None)
@given(moves=st.lists(MOVES, max_size=6))
def test_whoever_answers_in_whatever_order_the_first_valid_answer_counts_and_is_the_only_one(
    tmp_path_factory, moves
):
    async def run():
        async with desk(tmp_path_factory.mktemp("x"), *ONE_EDIT) as it:
            it.client.on_request("window/showDocument", lambda params: {"success": True})
            path, run, picker = await proposed(it)
            approval = it.events("approval_requested")[0]["data"]["id"]
            diff, decided, shown = None, None, 0
            for what, value in [*moves, ("approve", "decline")]:
                if what == "pick" and picker is not None:
                    picker.reply(value)
                    if value != "Show diff":
                        decided, picker = ANSWERS.get(value, "decline"), None
                    else:
                        picker = None
                        shown += 1
                        await it.has_heard("window/showDocument", times=shown)
                        diff = it.editor.open(next(it.home.diffs.iterdir()))
                elif what == "close" and diff is not None:
                    await it.heard()
                    it.editor.close(diff)
                    diff, picker = None, await it.next_question()
                elif what == "approve" and value == "nonsense":
                    with pytest.raises(AnsweredWithError):
                        await it.command("approve", {"id": approval, "decision": value})
                elif what == "approve":
                    await it.command("approve", {"id": approval, "decision": value})
                    decided = value
                elif what == "abort":
                    await it.command("abort")
                    decided = "withdrawn"
                if decided is not None:
                    break
            await it.ended(run)
            (resolved,) = it.events("approval_resolved")
            expected = {"accept": {"accept", "acceptForRun"}}.get(decided, {decided})
            assert resolved["data"]["decision"] in expected
            changed = "one\n2\nthree\n" if decided == "accept" else "one\ntwo\nthree\n"
            assert path.read_text() == changed
            assert not it.home.diffs.exists() or not list(it.home.diffs.iterdir())
            assert (await it.command("approvals"))["approvals"] == []

    asyncio.run(run())
