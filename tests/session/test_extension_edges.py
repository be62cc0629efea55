"""Extensions at the edge of what they may: tools that can't be used, output that two of them pass on, too much said."""

import pytest

from steersman.agent.messages import plain_text
from steersman.agent.tool import ToolResult
from steersman.extensions import Extension, NextTurn, NotPossible
from steersman.session.errors import Refused
from steersman.session.extension_session import MAX_SAID
from support.fake_tools import FakeTool
from support.scripted_model import answer, call
from support.session_harness import failing_log


async def test_tools_that_can_not_be_used_are_left_out_one_by_one(harness):
    class Adds(Extension):
        def tools(self):
            yield FakeTool("two words")
            yield FakeTool("x" * 65)
            yield FakeTool("slow", execution="sometimes")
            undescribed = FakeTool("mute")
            undescribed.description = None
            yield undescribed
            yield FakeTool("fine")
            raise ValueError("hunter2")

    h = harness(answer("ok"), extensions={"odd": Adds})
    await h.run()
    assert [tool.name for tool in h.model.requests[0].tools][-1] == "fine"
    notices = [data["message"] for data in h.of("notice")]
    name = "its name has other characters than letters, digits, _ and -, or too many."
    assert notices == [
        f"The tool two words of the extension odd is left out: {name}",
        f"The tool {'x' * 65} of the extension odd is left out: {name}",
        "The tool slow of the extension odd is left out: its execution is neither parallel nor sequential.",
        "The tool mute of the extension odd is left out: its description is no text.",
        "The extension odd adds no more tools: it failed with ValueError; the log says how.",
    ]


async def test_tools_that_a_turn_can_not_have_are_left_out_and_the_user_is_told_once(harness):
    own = FakeTool("own")

    class Brings(Extension):
        def tools(self):
            return [own]

        async def prepare_next_turn(self, turn, signal):
            (found,) = (tool for tool in self.session.tools if tool.name == "find")
            return NextTurn(tools=[FakeTool("two words"), FakeTool("Read"), found, own, FakeTool("OWN")])

    h = harness(*[answer("", call("own"))] * 2, answer("ok"), extensions={"odd": Brings})
    run = await h.run()
    assert (run.end.stop_reason, h.outcomes, len(own.executed)) == ("complete", ["ok"] * 2, 2)
    assert [tool.name for tool in h.model.requests[-1].tools] == ["find", "own"]
    name = "its name has other characters than letters, digits, _ and -, or too many."
    assert [data["message"] for data in h.of("notice")] == [
        f"The tool two words of the extension odd is left out: {name}",
        "The tool Read of the extension odd is left out: another tool has its name.",
        "The tool OWN of the extension odd is left out: another tool has its name.",
    ]


async def test_a_result_that_no_log_can_keep_is_a_failed_call_and_the_session_goes_on(harness):
    class Adds(Extension):
        def tools(self):
            return [FakeTool("careless", lambda context, arguments: ToolResult("done"))]

    h = harness(answer("", call("careless")), answer("ok"), answer("again"), extensions={"odd": Adds})
    run = await h.run()
    assert run.end.stop_reason == "complete"
    assert h.of("tool_execution_end")[-1]["outcome"] == "failed"
    assert (await h.run("and now", session=run.session)).end.stop_reason == "complete"


async def test_what_one_keeps_back_of_live_output_the_next_is_not_shown(harness):
    seen = []

    def passing(name, keeps):
        class Passes(Extension):
            def transform_update(self, call, text):
                seen.append((name, text))
                return None if text in keeps else text.upper()

        return Passes

    def work(context, arguments):
        for text in ("one", "secret", "two"):
            context.update(text)
        return "done"

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool("tool", work)],
        extensions={"a": passing("a", ["secret"]), "b": passing("b", [])},
    )
    await h.run()
    assert seen == [("a", "one"), ("b", "ONE"), ("a", "secret"), ("a", "two"), ("b", "TWO")]
    assert "".join(data["text"] for data in h.of("tool_execution_update")) == "ONETWO"


async def test_an_extension_that_fails_to_close_does_not_keep_the_session_from_it(harness, caplog):
    class Stuck(Extension):
        async def close(self):
            raise ValueError("hunter2")

    h = harness(answer("ok"), extensions={"stuck": Stuck})
    await h.run()
    await h.close()
    assert "the extension stuck failed to close" in caplog.text


async def test_what_a_session_shows_its_extensions(harness):
    seen = {}

    class Looks(Extension):
        async def should_stop_after_turn(self, turn):
            session = self.session
            seen.update(
                folders=list(session.folders),
                text=(await session.workspace.read(session.workspace.resolve("a.txt"))).as_text().text,
                messages=[plain_text(message.content) for message in session.messages],
            )
            session.notice("I have looked.")

    h = harness(answer("done"), extensions={"looks": Looks})
    h.put("a.txt", "one\n")
    await h.run()
    assert seen == {"folders": [h.root], "text": "one\n", "messages": ["go", "done"]}
    assert [data["message"] for data in h.of("notice")] == ["looks: I have looked."]


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_SAID + 1)])
async def test_nothing_and_too_much_can_not_be_said(harness, text):
    refused = []

    class Says(Extension):
        async def should_stop_after_turn(self, turn):
            session = self.session
            for say in (session.steer, session.follow_up, lambda said: session.say_custom("x", said)):
                with pytest.raises(NotPossible) as caught:
                    say(text)
                refused.append(str(caught.value))

    h = harness(answer("done"), extensions={"says": Says})
    await h.run()
    assert refused == [f"A text of 1 to {MAX_SAID:,} characters can be said."] * 3
    assert len(h.model.requests) == 1


async def test_what_is_no_text_to_steer_with_ends_the_run_and_names_the_extension(harness):
    class Says(Extension):
        def get_steering_messages(self):
            return [" "]

    h = harness(answer("never"), extensions={"says": Says})
    await h.run()
    assert (h.end["stopReason"], h.end["error"]["code"]) == ("error", "hookFailed")
    assert "says" in h.end["error"]["message"]


async def test_after_the_last_empty_poll_a_run_takes_nothing_more(harness):
    """Its queue closes in the step that decides its end; what is kept then is no reason for another turn."""
    made, refused = [], []

    class Late(Extension):
        def __init__(self, session):
            super().__init__(session)
            made.append(session)

        async def should_stop_after_turn(self, turn):
            self.session.say_custom("note", "I have looked.")

    h = harness(answer("done"), extensions={"late": Late})

    def on_event(event):
        if event.type == "message_end" and event.data.get("role") == "custom":
            for say in (made[0].steer, made[0].follow_up):
                with pytest.raises(NotPossible) as caught:
                    say("one more thing")
                refused.append(str(caught.value))

    h.services.bus.listen(on_event)
    await h.run()
    assert refused == ["The run takes nothing more: it has ended, or is about to."] * 2
    with pytest.raises(NotPossible, match="No run is live"):
        made[0].steer("one more thing")
    assert (h.end["stopReason"], len(h.model.requests)) == ("complete", 1)


async def test_an_extension_is_closed_once_however_often_its_session_can_not_be_opened_again(harness):
    closed = []

    class Closes(Extension):
        async def close(self):
            closed.append(self.session.id)

    h = harness(
        answer("ok"),
        extensions={"closes": Closes},
        log_class=failing_log(lambda record: record["type"] == "turn_end"),
    )
    run = await h.run()
    for _ in range(2):
        with pytest.raises(Refused):
            await h.manager.resume(run.session)
    assert closed == [run.session]
