"""Comments that say what is to be done: one action does it, and the comment is gone with the work; never before, never
without being asked where the mode asks, and no instruction is lost.
"""

import asyncio
from dataclasses import replace

import pytest

from steersman.agent.hooks import Block
from steersman.extensions import Extension
from steersman.session.extensions import Extensions, LoadedExtension
from support.light_bulb import bulb
from support.lsp_client import AnsweredWithError
from support.lsp_workspace import desk, edit_call
from support.scripted_model import answer, call

ASKS = "# steersman: return 2\n"
CODE = "def f():\n    return 1\n"
DONE = "def f():\n    return 2\n"
WORK = answer("", edit_call("a.py", "return 1", "return 2"))
DO = "Do what this comment says"


class Held:
    """A response that waits."""

    def __init__(self, *responses):
        self.begun, self.go = asyncio.Event(), asyncio.Event()
        self._then = answer(*responses)

    async def __call__(self, request, signal):
        self.begun.set()
        waits = [asyncio.ensure_future(self.go.wait()), asyncio.ensure_future(signal.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        for step in self._then:
            yield step


def text_of(it, uri):
    return it.editor.buffers[uri].text


@pytest.mark.parametrize(
    "work",
    [
        pytest.param([edit_call("a.py", "return 1", "return 2")], id="the model leaves it"),
        pytest.param([edit_call("a.py", ASKS + CODE, DONE)], id="the model takes it out itself"),
        pytest.param([edit_call("a.py", ASKS + CODE, ASKS + DONE)], id="the model writes it again"),
        pytest.param(
            [call("read", {"path": "a.py"}), call("write", {"path": "a.py", "content": ASKS + DONE})],
            id="the model writes the whole file",
        ),
    ],
)
async def test_the_comment_is_gone_with_the_work_in_one_proposal(tmp_path, work):
    async with desk(tmp_path, answer("", *work), answer("done")) as it:
        light = bulb(it, ASKS + CODE)
        started = await light.choose(f"{DO}: return 2", "# steersman")
        assert started["disposition"] == "started"
        question = await it.next_question()
        assert question.message.startswith("Steersman: Edit a.py (+1 −2)")
        assert text_of(it, light.uri) == ASKS + CODE
        question.choose("Accept")
        assert (await it.ended(started["run"]))["message"] == "1 file changed (+1 −2)."
        assert text_of(it, light.uri) == DONE
        assert it.questions.empty()


async def test_the_model_is_told_the_place_and_the_code_around_it_and_sees_what_became_of_the_comment(
    tmp_path,
):
    async with desk(tmp_path, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, "import os\n\n" + ASKS + CODE)
        started = await light.choose(DO, "# steersman")
        await it.ended(started["run"])
        typed, told = it.model.requests[0].messages[-1].content
        assert typed.text == "return 2"
        assert "a comment in a.py, line 3" in told.text
        assert f"import os\n\n{ASKS}{CODE}" in told.text
        assert told.attached == "a.py#L3"
        assert "-# steersman: return 2" in it.result_texts()[0]


async def test_after_a_question_it_is_taken_out_in_a_proposal_of_its_own(tmp_path):
    async with desk(tmp_path, answer("because")) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        question = await it.next_question()
        assert question.message.startswith("Steersman: Take the instruction out of a.py (+0 −1)")
        question.choose("Accept")
        ended = await it.ended(started["run"])
        assert (ended["stopReason"], ended["text"]) == ("complete", "because")
        assert text_of(it, light.uri) == CODE
        assert len(it.events("edit_applied")) == 1


async def test_who_sees_no_events_reads_the_answer_before_that_question_and_once(tmp_path):
    async with desk(tmp_path, answer("because"), rich=False) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        question = await it.next_question()
        shown = [m["params"]["message"] for m in it.client.of_method("window/showMessage")]
        assert shown == ["because"]
        question.choose("Accept")
        await it.floor_ended(started["run"])
        await it.heard()
        assert len(it.client.of_method("window/showMessage")) == 1


async def test_a_no_leaves_it_and_it_is_not_asked_about_again(tmp_path):
    async with desk(tmp_path, answer("because"), answer("as I said")) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        (await it.next_question()).choose("Decline")
        await it.ended(started["run"])
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE
        await it.ended(await it.start("and?", session=started["session"]))
        assert it.questions.empty()


async def test_a_stop_there_ends_the_run(tmp_path):
    async with desk(tmp_path, answer("because")) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        (await it.next_question()).choose("Stop")
        assert (await it.ended(started["run"]))["stopReason"] == "aborted"
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE


async def test_an_abort_withdraws_that_question(tmp_path):
    async with desk(tmp_path, answer("because")) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        await it.next_question()
        await it.command("abort", started["run"])
        assert (await it.ended(started["run"]))["stopReason"] == "aborted"
        assert (await it.event("approval_resolved"))["decision"] == "withdrawn"
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE


async def test_where_nothing_may_be_changed_it_stays_and_the_user_hears_why(tmp_path):
    async with desk(tmp_path, answer("because"), mode="read-only") as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        assert (await it.ended(started["run"]))["stopReason"] == "complete"
        assert (await it.event("notice"))["message"].startswith("The instruction stays in a.py:")
        assert it.questions.empty()


async def test_where_edits_are_allowed_nobody_is_asked(tmp_path):
    async with desk(tmp_path, answer("because"), mode="auto-edit") as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        await it.ended(started["run"])
        assert text_of(it, light.uri) == CODE
        assert it.events("approval_requested") == []


async def test_what_is_typed_while_it_is_asked_stays(tmp_path):
    async with desk(tmp_path, answer("because")) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        question = await it.next_question()
        it.editor.replace(light.uri, "return 1", "return 1  # sic")
        question.choose("Accept")
        await it.ended(started["run"])
        assert text_of(it, light.uri) == CODE.replace("return 1", "return 1  # sic")


@pytest.mark.parametrize("gone", ["by hand", "with its file"])
async def test_what_is_gone_by_then_is_not_asked_about(tmp_path, gone):
    held = Held("because")
    async with desk(tmp_path, held) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        await held.begun.wait()
        if gone == "by hand":
            it.editor.replace(light.uri, "# steersman: why 1?\n", "")
        else:
            it.editor.close(light.uri)
            (it.root / "a.py").unlink()
        await it.heard()
        held.go.set()
        assert (await it.ended(started["run"]))["stopReason"] == "complete"
        assert it.questions.empty()
        assert it.events("notice") == []


async def test_it_goes_with_a_file_that_is_moved(tmp_path):
    async with desk(tmp_path, answer("", call("move", {"from": "a.py", "to": "b.py"})), answer("done")) as it:
        light = bulb(it, "# steersman: call this file b.py\n" + CODE)
        action = await light.offered(DO, "# steersman")
        started = await light.give(action)
        (await it.next_question()).choose("Accept")
        question = await it.next_question()
        assert question.message.startswith("Steersman: Take the instruction out of b.py (+0 −1)")
        question.choose("Accept")
        await it.ended(started["run"])
        assert (it.root / "b.py").read_text() == CODE


async def test_it_comes_back_with_a_revert(tmp_path):
    async with desk(tmp_path, answer("because"), mode="auto-edit") as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        await it.ended(started["run"])
        it.editor.save(light.uri)
        since = {"session": started["session"], "checkpoint": started["run"], "preview": False}
        await it.command("revert", since)
        await it.event("revert_end")
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE


async def test_an_extension_may_forbid_it(tmp_path):
    class Frozen(Extension):
        async def before_tool_call(self, pending, signal):
            return Block(f"{pending.arguments['path']} is frozen") if pending.call.name == "edit" else None

    frozen = Extensions((LoadedExtension("frozen", Frozen),))
    async with desk(tmp_path, answer("because"), mode="auto-edit", extensions=frozen) as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        started = await light.choose(DO, "# steersman")
        assert (await it.ended(started["run"]))["stopReason"] == "complete"
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE
        told = [event["data"]["message"] for event in it.events("notice")]
        assert told == ["The instruction stays in a.py: The extension frozen forbids this: a.py is frozen"]


async def test_of_comments_that_say_the_same_the_one_that_was_meant_goes(tmp_path):
    other = "def g():\n    return 3\n"
    work = answer("", edit_call("a.py", "return 3", "return 4"))
    async with desk(tmp_path, work, answer("done"), mode="auto-edit") as it:
        light = bulb(it, f"# steersman: add 1\n{CODE}\n# steersman: add 1\n{other}")
        started = await light.choose(DO, "\n# steersman: add 1\ndef g", "# steersman: add 1\ndef g")
        await it.ended(started["run"])
        assert text_of(it, light.uri) == f"# steersman: add 1\n{CODE}\n{other.replace('3', '4')}"


async def test_several_comments_are_one_task_and_all_go(tmp_path):
    async with desk(tmp_path, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, f"# steersman: return 2\n{CODE}# steersman: and no more\n")
        titles = await light.titles("# steersman: return", "and no more")
        assert titles[:3] == [f"{DO}: return 2", f"{DO}: and no more", "Do what these 2 comments say"]
        started = await light.choose("Do what these 2 comments say", "# steersman: return", "and no more")
        await it.ended(started["run"])
        assert it.model.requests[0].messages[-1].content[0].text == "return 2\n\nand no more"
        assert text_of(it, light.uri) == DONE


async def test_an_instruction_during_a_run_steers_it_or_follows_it(tmp_path):
    held = Held("so far")
    responses = (held, WORK, answer("done"), answer("", edit_call("a.py", "f()", "g()")), answer("renamed"))
    async with desk(tmp_path, *responses, mode="auto-edit") as it:
        light = bulb(it, f"{ASKS}{CODE}\n# steersman: call it g\n")
        run = await it.start("talk")
        await held.begun.wait()
        steer, follow = "Steer the run with this comment: ", "Queue this comment as a follow-up: "
        assert (await light.titles("# steersman: return"))[:2] == [f"{steer}return 2", f"{follow}return 2"]
        assert (await light.choose(steer, "# steersman: return"))["disposition"] == "steered"
        queued = await light.choose(follow, "# steersman: call")
        assert (queued["disposition"], queued["run"]) == ("queued", run)
        held.go.set()
        await it.ended(run)
        assert text_of(it, light.uri) == DONE.replace("f()", "g()") + "\n"
        first, second = (event["data"] for event in it.events("edit_applied"))
        assert (first["added"], first["removed"]) == (1, 2), "the comment that waits is left to its own work"
        assert (second["added"], second["removed"]) == (1, 2)


async def test_what_is_being_worked_on_is_not_offered_and_not_begun_twice(tmp_path):
    held = Held("done")
    async with desk(tmp_path, held, mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        action = await light.offered(DO, "# steersman")
        started = await light.give(action)
        assert not [title for title in await light.titles("# steersman") if "comment" in title]
        with pytest.raises(AnsweredWithError) as again:
            await light.give(action)
        assert again.value.data == {"code": "busy", "session": started["session"], "run": started["run"]}
        held.go.set()
        await it.ended(started["run"])


async def test_a_start_that_comes_too_late_waits_for_the_end_of_the_run(tmp_path):
    held = Held("so far")
    async with desk(tmp_path, held, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        action = await light.offered(DO, "# steersman")
        run = await it.start("talk")
        await held.begun.wait()
        assert (await light.give(action))["disposition"] == "queued"
        held.go.set()
        await it.ended(run)
        assert text_of(it, light.uri) == DONE


async def test_two_at_once_are_one_run_and_what_follows_it(tmp_path):
    async with desk(tmp_path, answer("one"), answer("two"), mode="auto-edit") as it:
        light = bulb(it, "# steersman: one\n\n# steersman: two\n")
        one, two = await light.offered(DO, "# steersman: one"), await light.offered(DO, "# steersman: two")
        first, second = await asyncio.gather(light.give(one), light.give(two))
        assert (first["disposition"], second["disposition"]) == ("started", "queued")
        await it.ended(first["run"])
        assert text_of(it, light.uri) == "\n"


async def test_one_that_meets_a_run_that_is_about_to_begin_is_queued(tmp_path):
    asked, go = asyncio.Event(), asyncio.Event()

    async def prepare(_):
        asked.set()
        await go.wait()

    async with desk(tmp_path, answer("one"), WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        action = await light.offered(DO, "# steersman")
        it.server.services.prepare_model = prepare
        starting = it.client.command("steersman.start", "talk")
        await asked.wait()
        giving = asyncio.ensure_future(light.give(action))
        await it.heard()
        go.set()
        assert (await giving)["disposition"] == "queued"
        await it.ended((await starting)["run"])
        assert text_of(it, light.uri) == DONE


@pytest.mark.parametrize("title", ["Steer the run", "Queue this comment"])
async def test_a_steer_that_comes_too_late_begins_a_run(tmp_path, title):
    held = Held("so far")
    async with desk(tmp_path, held, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        run = await it.start("talk")
        await held.begun.wait()
        action = await light.offered(title, "# steersman")
        held.go.set()
        await it.ended(run)
        started = await light.give(action)
        assert started["disposition"] == "started"
        await it.ended(started["run"])
        assert text_of(it, light.uri) == DONE


async def test_an_instruction_that_was_never_delivered_is_still_in_its_file(tmp_path):
    held = Held("", edit_call("a.py", "return 1", "return 2"))
    async with desk(tmp_path, held, mode="auto-edit") as it:
        light = bulb(it, f"{CODE}# steersman: more\n")
        run = await it.start("talk")
        await held.begun.wait()
        await light.choose("Queue this comment", "# steersman")
        await it.command("abort", run)
        assert [item["text"] for item in (await it.ended(run))["undelivered"]] == ["more"]
        assert text_of(it, light.uri) == f"{CODE}# steersman: more\n"


async def test_a_run_that_was_cut_short_keeps_it_and_the_one_that_goes_on_takes_it_out(tmp_path):
    look = answer("", call("read", {"path": "a.py"}))
    async with desk(tmp_path, look, answer("because"), mode="auto-edit") as it:
        light = bulb(it, "# steersman: why 1?\n" + CODE)
        action = await light.offered(DO, "# steersman")
        it.server.services.settings = replace(it.server.services.settings, max_turns=1)
        started = await light.give(action)
        assert (await it.ended(started["run"]))["stopReason"] == "max_turns"
        assert text_of(it, light.uri) == "# steersman: why 1?\n" + CODE
        continued = await light.choose("Continue the run", "def")
        assert continued["session"] == started["session"]
        await it.ended(continued["run"])
        assert text_of(it, light.uri) == CODE


async def test_another_task_leaves_what_an_aborted_one_has_left(tmp_path):
    held = Held("never")
    async with desk(tmp_path, held, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        started = await light.choose(DO, "# steersman")
        await held.begun.wait()
        await it.command("abort", started["run"])
        await it.ended(started["run"])
        await it.ended(await it.start("go on", session=started["session"]))
        assert text_of(it, light.uri) == ASKS + DONE


async def test_it_is_found_where_it_has_moved_to(tmp_path):
    async with desk(tmp_path, WORK, answer("done"), mode="auto-edit") as it:
        light = bulb(it, ASKS + CODE)
        action = await light.offered(DO, "# steersman")
        it.editor.replace(light.uri, ASKS, "# steersman: another\n\n\n" + ASKS)
        started = await light.give(action)
        await it.ended(started["run"])
        assert text_of(it, light.uri) == "# steersman: another\n\n\n" + DONE


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"text": "something else"}, "unknownComment"),
        (
            {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}},
            "unknownComment",
        ),
        ({"uri": "file:///not/open.py"}, "unsyncedDocument"),
        ({"uri": "untitled:1"}, "unsupported"),
    ],
)
async def test_what_can_not_be_done_is_refused_with_its_reason(tmp_path, params, code):
    async with desk(tmp_path) as it:
        light = bulb(it, ASKS + CODE)
        item = {"uri": "untitled:1", "languageId": "python", "version": 1, "text": ASKS}
        it.client.notify("textDocument/didOpen", {"textDocument": item})
        with pytest.raises(AnsweredWithError) as refused:
            await it.command("doComment", {"uri": light.uri, "range": light.span(0, 1), **params})
        assert refused.value.data["code"] == code
        assert it.model.requests == []


async def test_a_file_that_no_model_may_see_is_refused_and_the_text_comes_back(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, ASKS, name=".env", language="shellscript")
        with pytest.raises(AnsweredWithError) as refused:
            await light.choose(DO, "# steersman")
        assert refused.value.data["code"] == "denied"
        assert refused.value.data["text"] == "return 2"


async def test_saving_begins_nothing(tmp_path):
    async with desk(tmp_path) as it:
        light = bulb(it, CODE)
        it.editor.replace(light.uri, CODE, ASKS + CODE)
        it.editor.save(light.uri)
        await it.heard()
        assert it.model.requests == []
        assert (await it.command("status"))["sessions"] == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_positions_are_as_negotiated(tmp_path, encoding):
    async with desk(tmp_path, answer("ok"), mode="auto-edit", encoding=encoding) as it:
        text = "x = '𝄞ä'  # steersman: 𝄞 is it?\r\n"
        light = bulb(it, text)
        action = await light.offered(DO, "# steersman")
        (at,) = action["command"]["arguments"]
        first, last = (it.editor.offset(text, at["range"][name]) for name in ("start", "end"))
        assert text[first:last] == "steersman: 𝄞 is it?"
        await it.ended((await light.give(action))["run"])
        assert text_of(it, light.uri) == "x = '𝄞ä'\r\n"
