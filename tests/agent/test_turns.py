"""How turns follow one another, and what a run tells, keeps and asks."""

import pytest

from steersman.agent.agent import GO_ON, Agent, Busy, NothingToDo
from steersman.agent.config import LoopConfig
from steersman.agent.events import MessageEnd, TurnEnd
from steersman.agent.hooks import Hooks
from steersman.agent.messages import CustomMessage, Refusal, Text, UserMessage
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, StreamDone
from steersman.agent.tool import text_result
from support.fake_tools import FakeTool, Gate
from support.scripted_model import ScriptedModel, answer, call


async def test_an_answer_without_calls_is_one_turn(harness):
    h = harness(answer("done", piece=2))
    result = await h.prompt()
    assert result.stop_reason == "complete"
    assert h.types == [
        "agent_start",
        "turn_start",
        "message_start",
        "message_end",
        "message_start",
        "message_update",
        "message_update",
        "message_end",
        "turn_end",
        "agent_end",
    ]
    assert h.roles == ["user", "assistant"]
    assert result.messages == tuple(h.agent.messages)


@pytest.mark.parametrize("said", [{"text": "let me"}, {}, {"thinking": "hm"}])
async def test_a_call_is_executed_though_the_stop_reason_says_stop(harness, said):
    tool = FakeTool()
    h = harness(answer(said.pop("text", ""), call("tool"), stop="stop", **said), answer("done"), tools=[tool])
    await h.prompt()
    assert len(tool.executed) == 1


async def test_text_that_looks_like_a_call_runs_nothing(harness):
    tool = FakeTool()
    text = '<tool_call>{"name": "tool", "arguments": {}}</tool_call>'
    h = harness(answer(text, stop="tool_calls"), tools=[tool])
    assert (await h.prompt()).stop_reason == "complete"
    assert tool.executed == []


async def test_three_calls_are_one_turn_and_their_results_follow_in_declared_order(harness):
    h = harness(
        answer("", call("a"), call("b"), call("a")), answer("ok"), tools=[FakeTool("a"), FakeTool("b")]
    )
    await h.prompt()
    assert len(h.of(TurnEnd)) == 2
    assert h.asked() == ["user:go", "assistant:", "tool:a done", "tool:b done", "tool:a done"]
    assert h.roles == ["user", "assistant", "tool", "tool", "tool", "assistant"]


async def test_calls_have_our_ids_and_keep_the_providers_beside(harness):
    h = harness(
        answer("", call("tool", provider_id="same"), call("tool", provider_id="same")),
        answer("ok"),
        tools=[FakeTool()],
    )
    await h.prompt()
    first, second = h.agent.messages[1].tool_calls
    assert first.id != second.id
    assert first.provider_id == second.provider_id == "same"


async def test_usage_of_all_requests_is_in_the_end(harness):
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool()])
    end = (await h.prompt()).end
    assert (end.usage.input, end.usage.output, end.turns) == (20, 10, 2)


async def test_a_refusal_is_an_answer(harness):
    h = harness([BlockStart(0, "refusal"), BlockDelta(0, "I can't."), BlockEnd(0), StreamDone("stop")])
    await h.prompt()
    assert h.agent.messages[-1].content == (Refusal("I can't."),)


async def test_blocks_come_in_the_order_of_their_indices(harness):
    h = harness(
        [
            BlockStart(1, "text"),
            BlockStart(0, "thinking"),
            BlockDelta(1, "b"),
            BlockDelta(0, "𝒂"),
            BlockDelta(0, "!"),
            BlockEnd(0, signature="s"),
            BlockEnd(1),
            StreamDone("stop"),
        ]
    )
    await h.prompt()
    assert [block.text for block in h.agent.messages[-1].content] == ["𝒂!", "b"]


async def test_a_prompt_during_a_run_is_refused_with_a_pointer_to_the_queues(harness):
    gate = Gate()
    h = harness([gate, *answer("done")])
    first, second = h.start("one"), h.start("two")
    await gate.reached.wait()
    with pytest.raises(Busy, match=r"steer.*follow_up"):
        await second
    gate.open()
    await first
    assert h.asked() == ["user:one"]


async def test_an_empty_prompt_is_an_error(harness):
    h = harness()
    for empty in (" \n", UserMessage("m", ()), UserMessage("m", (Text(" "),))):
        with pytest.raises(ValueError, match="empty"):
            await h.prompt(empty)
    assert h.events == []


async def test_continue_goes_on_from_a_users_tail(harness):
    h = harness(answer("hi"), messages=[UserMessage("m", (Text("hello"),))])
    await h.continue_()
    assert h.asked() == ["user:hello"]
    assert h.roles == ["user", "assistant"]


async def test_continue_goes_on_from_results(harness):
    h = harness(
        answer("", call("tool")),
        answer("done"),
        tools=[FakeTool()],
        hooks=Hooks(should_stop_after_turn=_once("hook")),
    )
    await h.prompt()
    await h.continue_()
    assert h.asked() == ["user:go", "assistant:", "tool:tool done"]


async def test_continue_from_an_answer_takes_what_is_queued_steering_first(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    await h.prompt()
    h.agent.follow_up("later")
    h.agent.steer("first")
    await h.continue_()
    assert h.asked(1)[-1] == "user:first"
    assert h.asked(2)[-1] == "user:later"


async def test_continue_from_an_answer_with_nothing_queued_is_refused(harness):
    h = harness(answer("one"))
    await h.prompt()
    with pytest.raises(NothingToDo, match="prompt"):
        await h.continue_()


@pytest.mark.parametrize("messages", [[], [CustomMessage("c", "note", (Text("n"),))]])
async def test_continue_without_a_conversation_is_refused(harness, messages):
    with pytest.raises(NothingToDo):
        await harness(messages=messages).continue_()


async def test_a_cut_text_is_kept_and_continue_asks_for_the_rest(harness):
    h = harness(answer("half of", stop="length"), answer(" it"))
    assert (await h.prompt()).end.truncated
    assert not (await h.continue_()).end.truncated
    assert h.asked() == ["user:go", "assistant:half of", f"user:{GO_ON}"]


async def test_custom_messages_are_kept_and_not_sent(harness):
    h = harness(answer("one"), answer("two"))
    h.agent.steer(CustomMessage("c", "note", (Text("a note"),)))
    await h.prompt()
    assert h.roles == ["user", "custom", "assistant"]
    assert [end.message.role for end in h.of(MessageEnd)] == ["user", "custom", "assistant"]
    assert h.asked() == ["user:go"]


async def test_a_request_is_a_copy_of_its_moment(harness):
    h = harness(
        answer("", call("tool")),
        answer("done"),
        tools=[FakeTool()],
        hooks=Hooks(convert_to_llm=lambda messages: messages),
    )
    await h.prompt()
    assert len(h.model.requests[0].messages) == 1


async def test_all_terminating_results_end_the_run(harness):
    h = harness(answer("", call("end"), call("end")), tools=[_terminating("end")])
    result = await h.prompt()
    assert (result.stop_reason, result.end.ended_by) == ("complete", "terminate")


async def test_one_result_that_does_not_terminate_goes_on(harness):
    h = harness(
        answer("", call("end"), call("tool")), answer("ok"), tools=[_terminating("end"), FakeTool("tool")]
    )
    assert (await h.prompt()).end.ended_by is None
    assert len(h.model.requests) == 2


async def test_a_failed_call_beside_a_terminating_one_goes_on(harness):
    h = harness(answer("", call("end"), call("nothing")), answer("ok"), tools=[_terminating("end")])
    await h.prompt()
    assert len(h.model.requests) == 2


async def test_steering_and_follow_ups_still_run_after_terminate(harness):
    h = harness(answer("", call("end")), answer("steered"), answer("followed"))
    h.config.tools = [_terminating("end", lambda: (h.agent.follow_up("then"), h.agent.steer("but")))]
    assert (await h.prompt()).end.ended_by is None
    assert [h.asked(n)[-1] for n in (1, 2)] == ["user:but", "user:then"]


async def test_an_agent_works_with_nothing_but_a_model():
    agent = Agent(LoopConfig(ScriptedModel(answer("hi"))))
    assert (await agent.prompt("hello")).stop_reason == "complete"
    assert [message.role for message in agent.messages] == ["user", "assistant"]


def _terminating(name, before=lambda: None):
    def work(context, arguments):
        before()
        result = text_result("the end")
        return type(result)(result.content, terminate=True)

    return FakeTool(name, work)


def _once(reason):
    reasons = [reason]

    async def should_stop(summary):
        return reasons.pop() if reasons else None

    return should_stop
