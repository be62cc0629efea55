"""What a person says while a run is going on: steering joins the next request, follow-ups wait for the end."""

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.config import Budget, LoopConfig
from steersman.agent.events import AgentEnd, Input
from steersman.agent.hooks import Allow, Hooks, Retry
from steersman.agent.inbox import Inbox, InboxClosed, NotQueued
from steersman.agent.loop import run_loop
from steersman.agent.messages import Text, UserMessage
from support.agent_harness import MemorySink
from support.event_checker import check
from support.fake_tools import FakeTool, Gate
from support.scripted_model import ScriptedModel, answer, call, failure


def texts(items):
    return [item.message.content[0].text for item in items]


async def test_steering_comes_after_the_batch_and_before_the_next_request(harness):

    def work(context, arguments):
        h.agent.steer("look here")
        return "ok"

    h = harness(
        answer("", call("tool"), call("other")),
        answer("ok"),
        tools=[FakeTool("tool", work), FakeTool("other")],
    )
    await h.prompt()
    assert h.asked() == ["user:go", "assistant:", "tool:ok", "tool:other done", "user:look here"]


@pytest.mark.parametrize(("mode", "requests"), [("one", [["a"], ["b"]]), ("all", [["a", "b"]])])
async def test_steering_is_delivered_one_by_one_or_all_at_once(harness, mode, requests):

    def work(context, arguments):
        h.agent.steer("a")
        h.agent.steer("b")
        return "ok"

    h = harness(
        answer("", call("tool")),
        *[answer("ok")] * len(requests),
        tools=[FakeTool("tool", work)],
        inbox=Inbox(steering=mode),
    )
    await h.prompt()
    for number, added in enumerate(requests, 1):
        assert h.asked(number)[-len(added) :] == [f"user:{text}" for text in added]


@pytest.mark.parametrize(("mode", "count"), [("one", 3), ("all", 2)])
async def test_follow_ups_are_delivered_one_by_one_or_all_at_once(harness, mode, count):
    h = harness(*[answer("ok")] * count, inbox=Inbox(follow_up=mode))
    h.agent.follow_up("a")
    h.agent.follow_up("b")
    await h.prompt()
    assert len(h.model.requests) == count


async def test_steering_goes_before_follow_ups(harness):
    gate = Gate()
    h = harness([gate, *answer("one")], answer("two"), answer("three"))
    run = h.start()
    await gate.reached.wait()
    h.agent.follow_up("later")
    h.agent.steer("now")
    gate.open()
    await run
    assert [h.asked(n)[-1] for n in (1, 2)] == ["user:now", "user:later"]


async def test_a_steer_during_the_last_answer_still_gets_a_turn(harness):
    gate = Gate()
    h = harness([*answer("one")[:2], gate, *answer("one")[2:]], answer("two"))
    run = h.start()
    await gate.reached.wait()
    h.agent.steer("wait")
    gate.open()
    await run
    assert h.asked() == ["user:go", "assistant:one", "user:wait"]


async def test_a_follow_up_runs_when_the_run_would_end(harness):
    h = harness(answer("", call("tool")), answer("one"), answer("two"), tools=[FakeTool()])
    h.agent.follow_up("then")
    await h.prompt()
    assert h.asked()[-2:] == ["assistant:one", "user:then"]


async def test_steering_from_before_the_run_joins_the_first_request(harness):
    h = harness(answer("ok"))
    h.agent.steer("and mind this")
    await h.prompt()
    assert h.asked() == ["user:go", "user:and mind this"]


@pytest.mark.parametrize("mode", ["one", "all"])
@pytest.mark.parametrize(
    "name",
    [
        "transform_context",
        "before_tool_call",
        "after_tool_call",
        "prepare_next_turn",
        "should_stop_after_turn",
    ],
)
async def test_steering_during_a_hook_joins_the_next_request_once(harness, name, mode):
    said = []

    async def hook(*args):
        if not said:
            said.append("steer")
            h.agent.steer("meanwhile")
        return {"transform_context": args[0], "before_tool_call": Allow()}.get(name)

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool()],
        hooks=Hooks(**{name: hook}),
        inbox=Inbox(steering=mode),
    )
    await h.prompt()
    first = name == "transform_context"
    assert h.asked(0) == ["user:go", "user:meanwhile"][: 1 + first]
    assert h.asked(1).count("user:meanwhile") == 1
    assert len(h.model.requests) == 2


async def test_in_mode_all_a_second_steer_joins_the_request_that_is_being_made(harness):

    async def transform(messages, signal):
        if len(h.model.requests) == 1 and "b" not in texts_of(messages):
            h.agent.steer("b")
        return messages

    def texts_of(messages):
        return [message.content[0].text for message in messages if message.role == "user"]

    def work(context, arguments):
        h.agent.steer("a")
        return "ok"

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool("tool", work)],
        hooks=Hooks(transform_context=transform),
        inbox=Inbox(steering="all"),
    )
    await h.prompt()
    assert h.asked()[-2:] == ["user:a", "user:b"]
    assert len(h.model.requests) == 2


async def test_steering_during_a_retrys_wait_joins_the_retried_request(harness):

    async def hook(what, attempt, signal):
        h.agent.steer("meanwhile")
        return Retry(after=5)

    h = harness(failure(), answer("ok"), hooks=Hooks(on_stream_failure=hook))
    await h.elapse(h.start())
    assert h.asked() == ["user:go", "user:meanwhile"]
    assert h.end.turns == 1


def _stops():
    async def hook(summary):
        return "hook"

    return Hooks(should_stop_after_turn=hook)


ENDINGS = {
    "abort": (lambda h: h.agent.abort(), {}),
    "error": (lambda h: h.model.responses.__setitem__(1, failure()), {}),
    "max_turns": (lambda h: None, {"budget": Budget(turns=1)}),
    "budget": (lambda h: None, {"budget": Budget(tokens=1)}),
    "a stopping hook": (lambda h: None, {"hooks": _stops()}),
}


@pytest.mark.parametrize("closes", [True, False], ids=["product", "library"])
@pytest.mark.parametrize(("interfere", "config"), ENDINGS.values(), ids=ENDINGS.keys())
async def test_what_is_not_delivered_is_handed_back_once_or_kept(harness, interfere, config, closes):

    def work(context, arguments):
        h.agent.follow_up("later")
        h.agent.steer("now")
        interfere(h)
        return "ok"

    h = harness(
        answer("", call("tool")),
        answer("never"),
        tools=[FakeTool("tool", work)],
        inbox=Inbox(closes=closes),
        **config,
    )
    end = (await h.prompt()).end
    delivered = [message.content[0].text for message in h.agent.messages if message.role == "user"][1:]
    assert delivered == (["now"] if end.stop_reason == "error" else [])
    left = [text for text in ("now", "later") if text not in delivered]
    assert texts(end.undelivered) == (left if closes else [])
    assert texts(h.agent.inbox.items) == ([] if closes else left)


async def test_the_last_empty_poll_closes_the_run_and_a_later_steer_comes_back_with_its_text(harness):
    refused = []

    def at_the_end(event):
        if isinstance(event, AgentEnd):
            for say in (h.agent.steer, h.agent.follow_up):
                with pytest.raises(InboxClosed) as closed:
                    say("too late")
                refused.append(closed.value.item.message.content[0].text)

    h = harness(answer("done"), inbox=Inbox(closes=True))
    h.agent.subscribe(at_the_end)
    end = (await h.prompt()).end
    assert refused == ["too late"] * 2
    assert end.undelivered == ()


async def test_a_library_keeps_what_comes_while_the_end_is_told(harness):
    gate = Gate()
    h = harness(answer("done"), answer("and that"))
    h.sink.waits = lambda event: gate if isinstance(event, AgentEnd) else None
    run = h.start()
    await gate.reached.wait()
    h.agent.follow_up("one more thing")
    gate.open()
    assert (await run).stop_reason == "complete"
    assert texts(h.agent.inbox.items) == ["one more thing"]
    await h.continue_()
    assert h.agent.inbox.items == ()


@pytest.mark.parametrize("how", ["raises", "answers nonsense"])
async def test_a_hand_back_that_fails_loses_neither_the_end_nor_what_was_said(how):
    def hand_back(undelivered):
        if how == "raises":
            raise RuntimeError("hunter2")

    sink, controller = MemorySink(), AbortController()
    controller.abort()
    prompt = Input("prompt", UserMessage("m", (Text("go"),)))
    config = LoopConfig(ScriptedModel(), hooks=Hooks(hand_back=hand_back))
    result = await run_loop([prompt], [], config, sink, controller.signal)
    check(sink.told, result=result)
    assert (result.end.error.code, result.end.undelivered) == ("hookFailed", (prompt,))


def queued(*names: str) -> Inbox:
    """An inbox with a steer or a follow-up for each name: `s…`, or another."""
    inbox = Inbox()
    for name in names:
        kind = "steer" if name.startswith("s") else "followUp"
        inbox.add(Input(kind, UserMessage(f"msg_{name}", (Text(name),)), name))
    return inbox


def test_what_waits_is_edited_moved_and_taken_out_by_its_id():
    inbox = queued("s1", "s2", "f1", "f2")
    inbox.edit("s2", UserMessage("msg_new", (Text("new"),)))
    inbox.move("f2", to=0)
    inbox.move("f1", to=1, kind="steer")
    inbox.move("s1")
    assert inbox.remove("f2").message.id == "msg_f2"
    assert [(item.id, item.kind) for item in inbox.items] == [
        ("f1", "steer"),
        ("s2", "steer"),
        ("s1", "steer"),
    ]
    assert texts(inbox.items) == ["f1", "new", "s1"]
    assert texts(inbox.take_steering()) == ["f1"]


@pytest.mark.parametrize("item_id", ["s1", "none", ""])
def test_what_does_not_wait_cannot_be_changed(item_id):
    inbox = queued("s1", "f1")
    inbox.add(Input("steer", UserMessage("msg_s0", (Text("without an id"),))))
    inbox.take_steering()
    before = inbox.items
    for change in (
        lambda: inbox.edit(item_id, UserMessage("msg_x", (Text("x"),))),
        lambda: inbox.remove(item_id),
        lambda: inbox.move(item_id, to=0, kind="steer"),
    ):
        with pytest.raises(NotQueued) as refused:
            change()
        assert refused.value.id == item_id
    assert inbox.items == before
