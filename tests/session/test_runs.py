"""A run as a session tells it: its events, its end, what can be said to it meanwhile."""

import asyncio
from pathlib import Path

import pytest

from steersman.agent.messages import Usage
from steersman.session.approvals import Answer, Question
from steersman.session.errors import Refused
from steersman.session.trust import TrustStore
from steersman.workspace.changes import creation
from support.fake_tools import FakeTool, Gate, ignores_everything
from support.scripted_model import answer, call, failure
from support.session_harness import Person, SessionHarness, budget


def edit(path: str, old: str, new: str) -> call:
    return call("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


def write(path: str, content: str = "x\n") -> call:
    return call("write", {"path": path, "content": content})


# The end


async def test_a_run_ends_with_its_text_and_what_it_did(harness, guard):
    steps = [
        answer("Looking.", edit("a.txt", "one", "two")),
        answer("", call("bash", {"command": "true"}), write("b.txt", "x\ny\n")),
        answer("Done: it says two."),
    ]
    h: SessionHarness = harness(*steps, mode="full-auto", guard=guard)
    h.put("a.txt", "one\n")
    await h.run("say two")
    end = h.end
    assert end["stopReason"] == "complete"
    assert end["text"] == "Done: it says two."
    assert end["message"] == "2 files changed (+3 −1), 1 command run."
    assert end["files"] == [
        {"uri": (h.root / "a.txt").as_uri(), "added": 1, "removed": 1},
        {"uri": (h.root / "b.txt").as_uri(), "added": 2, "removed": 0},
    ]
    assert end["commands"] == ["true"]
    assert end["denied"] == end["undelivered"] == []
    assert end["lastAction"] == "write b.txt"
    assert end["turns"] == 3
    assert end["usage"] | {} == {
        "input": 30,
        "output": 15,
        "cacheRead": 0,
        "cacheWrite": 0,
        "reasoning": 0,
        "cost": pytest.approx(0.03),
    }
    assert end["cost"] == pytest.approx(0.03)


async def test_what_a_call_changes_that_was_left_running_is_not_taken_for_the_work_of_a_later_one(harness):
    working, release, changed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def left(*_: object) -> str:
        working.set()
        await ignores_everything(release)
        workspace = h.session._parts.workspace
        await workspace.apply(creation(workspace.resolve("late.txt", for_write=True), "late\n"))
        changed.set()
        return "done"

    async def other(*_: object) -> str:
        release.set()
        await changed.wait()
        return "done"

    tools = [FakeTool("left", left, execution="sequential"), FakeTool("other", other, execution="sequential")]
    h: SessionHarness = harness(
        answer("", call("left")), answer("", call("other")), answer("done"), tools=tools
    )
    first = await h.start("first")
    await working.wait()
    h.manager.abort()
    await h.elapsed(first)
    await h.run("second", session=first.session)
    for kind in ("edit_start", "edit_applied"):
        assert [data["toolCallId"] for data in h.of(kind)] == [None]


async def test_a_cost_that_is_not_known_is_not_nothing(harness):
    h: SessionHarness = harness(
        answer("", call("ls", {"path": "."}), usage=Usage(input=10, output=5)), answer("Hm.")
    )
    await h.run(budget=budget(cost=1.0))
    assert (h.end["cost"], h.end["usage"]["cost"], h.end["session"]["usage"]["cost"]) == (None, None, None)
    assert h.end["limit"] == "cost"
    assert "the model's price is not known" in h.end["message"]


async def test_the_window_is_told_where_it_is_known(harness):
    h = harness(answer("Hello."), context_window=32_000)
    await h.run()
    assert [h.of(kind)[-1]["contextWindow"] for kind in ("agent_start", "agent_end")] == [32_000, 32_000]
    unknown = harness(answer("Hello."))
    await unknown.run()
    assert "contextWindow" not in {**unknown.of("agent_start")[-1], **unknown.end}


async def test_a_run_that_changes_nothing_says_so(harness):
    h = harness(answer("Hello."))
    await h.run()
    assert h.end["message"] == "Done; nothing was changed."
    assert "lastAction" not in h.end


async def test_a_cut_answer_says_how_to_go_on_and_continue_does(harness):
    h = harness(answer("half", stop="length"), answer("the rest"))
    run = await h.run()
    assert h.end["truncated"] is True
    assert "continue asks for the rest" in h.end["message"]
    await h.run(None, session=run.session)
    assert "cut off" in h.model.requests[1].messages[-1].content[0].text
    assert h.end["text"] == "the rest"


@pytest.mark.parametrize(
    ("ceiling", "reason"), [("turns", "max_turns"), ("tokens", "budget"), ("cost", "budget")]
)
async def test_a_ceiling_ends_a_run_with_what_was_last_done_and_how_to_go_on(harness, ceiling, reason):
    looking = answer("", call("ls", {"path": "."}))
    h = harness(looking, looking)
    h.put("a.txt")
    run = await h.run(budget=budget(**{ceiling: {"turns": 1, "tokens": 10, "cost": 0.01}[ceiling]}))
    assert h.end["stopReason"] == reason
    assert h.end["limit"] == ceiling
    assert h.end["lastAction"] == "ls ."
    assert "The last call was `ls .`." in h.end["message"]
    assert "Continue goes on from here" in h.end["message"]
    h.model.fallback = answer("finished")
    await h.run(None, session=run.session)
    assert h.end["stopReason"] == "complete"


async def test_a_follow_up_has_its_own_turns_and_one_that_reaches_the_ceiling_hands_the_rest_back(harness):
    gate = Gate()
    looking = answer("", call("ls", {"path": "."}))
    h = harness([gate, *looking], answer("first done"), looking, looking)
    run = await h.start(budget=budget(turns=2))
    await gate.reached.wait()
    h.manager.add("followUp", "second")
    h.manager.add("followUp", "third")
    gate.open()
    await run.wait()
    assert h.end["stopReason"] == "max_turns"
    assert h.end["turns"] == 4
    assert h.end["undelivered"] == [{"kind": "followUp", "text": "third"}]


async def test_what_a_call_did_is_told_without_control_characters(harness):
    h = harness(answer("", call("read", {"path": "a\x1b[31m.txt"})), answer("ok"))
    await h.run()
    assert "\x1b" not in h.end["lastAction"]


async def test_a_failed_response_ends_the_run_with_its_kind(harness):
    h = harness(failure("auth", "The key was refused."))
    await h.run()
    assert h.end["stopReason"] == "error"
    assert h.end["error"] == {"code": "auth", "message": "The key was refused. Check the API key."}
    assert h.end["message"] == h.end["error"]["message"]


async def test_a_retry_is_told_and_the_failed_try_is_not_in_the_models_context(harness):
    h = harness(failure("overloaded", "Too busy.", after="half an ans"), answer("whole"))
    run = await h.start()
    await h.elapsed(run)
    assert h.of("retry") == [{"attempt": 1, "afterMs": 1000, "kind": "overloaded", "message": "Too busy."}]
    discarded = next(data for data in h.of("message_end") if "discarded" in data)
    assert discarded["discarded"] == "retried"
    assert discarded["partial"] == [{"type": "text", "text": "half an ans"}]
    assert [message.role for message in h.model.requests[1].messages] == ["user"]
    assert "retrying" in [data["state"] for data in h.of("state")]
    assert h.end["usage"]["input"] == 20


async def test_a_denied_path_is_denied_by_rule_and_named_in_the_end(harness):
    h = harness(answer("", call("read", {"path": ".env"})), answer("I may not."))
    h.put(".env", "SECRET=1")
    await h.run()
    assert h.outcomes == ["denied"]
    (denied,) = h.end["denied"]
    assert denied["by"] == "rule"
    assert denied["title"] == "read .env"
    assert "SECRET" not in repr(h.records())


async def test_the_text_of_an_unexpected_exception_is_nowhere_in_the_session(harness):
    def fails(*_: object) -> str:
        raise RuntimeError("the password is hunter2")

    h = harness(answer("", call("work")), answer("ok"), tools=[FakeTool("work", fails)])
    await h.run()
    assert h.results() == ["Tool execution failed."]
    assert "hunter2" not in h.path().read_text() + repr(h.events) + repr(h.model.requests)


async def test_a_run_that_fails_before_its_loop_is_told_to_its_end_and_hands_its_prompt_back(harness):
    class Unreadable(TrustStore):
        def answer(self, folder: Path) -> bool | None:
            raise RuntimeError("unexpected")

    h = harness(mode="full-auto", trusts_all=False)
    h.services.trust = Unreadable(h.home)
    run = await h.run("the task")
    assert h.types == ["session", "agent_start", "agent_end"]
    assert h.end["error"]["code"] == "internal"
    assert h.end["undelivered"] == [{"kind": "prompt", "text": "the task"}]
    assert isinstance(run.error, RuntimeError)
    h.services.trust = TrustStore(h.home)
    h.model.fallback = answer("fine")
    await h.run("again", session=run.session)
    assert h.end["stopReason"] == "complete"


async def test_two_runs_that_edit_one_file_at_once_both_change_it(harness):
    lines = [f"line {number}\n" for number in range(20)]
    both = asyncio.Barrier(2)
    start = [answer("", edit("a.txt", f"line {number}\n", f"changed {number}\n")) for number in (3, 15)]

    async def together(_: Question) -> Answer:
        await both.wait()
        return Answer("accept")

    h = harness(*start, person=Person(together, together, otherwise="accept"))
    h.model.fallback = answer("done")
    h.put("a.txt", "".join(lines))
    one, two = await h.start("one"), await h.start("two")
    await asyncio.gather(one.wait(), two.wait())
    lines[3], lines[15] = "changed 3\n", "changed 15\n"
    assert h.text("a.txt") == "".join(lines)


# The log


async def test_a_session_begins_with_its_header_and_a_run_with_what_it_uses(harness):
    h = harness(answer("Hello."))
    run = await h.run("hi")
    session, start, config, *_ = h.records()
    assert session["type"] == "session"
    assert session["data"]["roots"] == [h.root.as_uri()]
    assert start["type"] == "agent_start"
    assert start["data"] == {
        "model": "test:scripted",
        "mode": "ask",
        "inputs": [{"kind": "prompt", "text": "hi"}],
    }
    assert config["data"] | {"id": ""} == {"id": "", "parent": None, "model": "test:scripted", "mode": "ask"}
    assert all(record["run"] == run.id for record in h.records()[1:])


async def test_messages_are_linked_to_the_node_before_them(harness):
    h = harness(answer("", call("ls", {"path": "."})), answer("one"), answer("two"))
    run = await h.run("first")
    h.models["test:other"] = h.model
    await h.run("second", session=run.session, model="test:other")
    nodes = [
        (data.get("id") or data["messageId"], data["parent"])
        for event in h.events
        if event.type in ("config", "message_end")
        for data in [event.data]
    ]
    assert len(nodes) == 7
    assert [parent for _, parent in nodes] == [None, *(node for node, _ in nodes[:-1])]


async def test_the_model_that_was_used_last_is_used_again_and_named_as_the_user_did(harness):
    h = harness(answer("one"), answer("two"), answer("three"))
    h.models["test:other"] = h.model
    run = await h.run("first", model="test:other")
    await h.run("second", session=run.session)
    assert h.specs[-1] == "test:other"
    await h.close()
    h.restart(answer("three"))
    h.models["test:other"] = h.model
    await h.run("third", session=run.session)
    assert h.specs[-1] == "test:other"


async def test_every_change_keeps_a_way_back_for_its_user_message(harness):
    h = harness(
        answer("", edit("a.txt", "one", "two"), edit("a.txt", "two", "three")),
        answer("done"),
        answer("", edit("a.txt", "three", "four")),
        answer("done"),
        mode="full-auto",
    )
    h.put("a.txt", "one\n")
    run = await h.run("first")
    await h.run("second", session=run.session)
    first, second = h.of("checkpoint")
    prompts = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    assert [first["checkpoint"], second["checkpoint"]] == prompts
    assert len(h.of("edit_applied")) == 3
    store = h.home.preimages
    kept = [(store / d["sha256"][:2] / d["sha256"][2:]).read_text() for d in (first, second)]
    assert kept == ["one\n", "three\n"]
    edits = [data["toolCallId"] for data in h.of("edit_applied")]
    assert edits == [data["toolCallId"] for data in h.of("tool_execution_end")]


async def test_a_change_whose_way_back_cant_be_kept_is_not_made(harness):
    h = harness(answer("", edit("a.txt", "one", "two")), answer("It can't be done."), mode="full-auto")
    h.put("a.txt", "one\n")
    h.home.root.mkdir()
    h.home.preimages.write_text("in the way")
    await h.run()
    assert h.text("a.txt") == "one\n"
    assert h.outcomes == ["failed"]
    assert "Nothing was changed" in h.results()[0]
    assert h.end["stopReason"] == "complete"
    assert h.end["files"] == []


async def test_without_a_log_a_session_works_and_leaves_nothing(harness):
    h = harness(answer("one"), answer("two"), keep_logs=False)
    run = await h.run("first")
    await h.run("second", session=run.session)
    assert len(h.model.requests[1].messages) == 3
    assert len(h.of("config")) == 1, "only a change makes a node"
    assert not h.home.sessions.exists()


# While it goes on


async def test_steering_joins_the_next_request_and_follow_ups_wait_for_the_end(harness):
    gate = Gate()
    looking = FakeTool("look", lambda *_: gate())
    h = harness(answer("", call("look")), answer("one"), answer("two"), tools=[looking])
    looking.work = lambda *_: _after(gate)
    run = await h.start()
    await gate.reached.wait()
    h.manager.add("followUp", "and then that", run.id)
    h.manager.add("steer", "rather this")
    assert [item.kind for item in h.session.queue.items] == ["steer", "followUp"]
    gate.open()
    await run.wait()
    texts = [m.content[0].text for m in h.model.requests[-1].messages if m.role == "user"]
    assert texts == ["go", "rather this", "and then that"]
    sizes = [[item["kind"] for item in data["items"]] for data in h.of("queue_update")]
    assert sizes == [["followUp"], ["steer", "followUp"], ["followUp"], []]


async def _after(gate: Gate) -> str:
    await gate()
    return "seen"


async def test_what_is_queued_before_the_release_is_told_after_the_start(harness):
    h = harness(answer("one"))
    run = await h.manager.start(h.request())
    h.manager.add("steer", "quickly")
    assert h.types == ["session"]
    run.release()
    await run.wait()
    assert h.types[1:4] == ["agent_start", "queue_update", "config"]
    assert [message.content[0].text for message in h.model.requests[0].messages] == ["go", "quickly"]


async def test_nothing_of_a_run_is_told_before_its_release(harness):
    h = harness(answer("one"))
    run = await h.manager.start(h.request())
    await asyncio.sleep(0)
    assert h.types == ["session"]
    run.release()
    await run.wait()


async def test_an_abort_hands_back_what_was_not_delivered_once(harness):
    gate = Gate()
    h = harness([gate, *answer("late")])
    run = await h.start("go")
    await gate.reached.wait()
    h.manager.add("steer", "this")
    h.manager.add("followUp", "that")
    assert h.manager.abort() is True
    await run.wait()
    assert h.end["stopReason"] == "aborted"
    assert h.end["undelivered"] == [{"kind": "steer", "text": "this"}, {"kind": "followUp", "text": "that"}]
    assert h.session.queue.items == ()
    assert h.manager.abort() is False
    assert h.manager.abort(run.id) is False


async def test_an_abort_before_the_first_message_tells_start_and_end_only(harness):
    h = harness()
    run = await h.manager.start(h.request("the task"))
    h.manager.abort()
    run.release()
    await run.wait()
    assert h.types == ["session", "agent_start", "agent_end"]
    assert h.end["stopReason"] == "aborted"
    assert h.end["undelivered"] == [{"kind": "prompt", "text": "the task"}]
    assert h.session.picture.messages == []


async def test_a_message_to_an_aborting_run_is_refused_with_its_text(harness):
    gate = Gate()

    async def stubborn(*_: object) -> str:
        await gate()
        return "done all the same"

    h = harness(answer("", call("work")), tools=[FakeTool("work", stubborn)])
    run = await h.start()
    await gate.reached.wait()
    h.manager.abort()
    assert run.state == "aborting"
    for kind in ("steer", "followUp"):
        with pytest.raises(Refused) as refused:
            h.manager.add(kind, "too late")
        assert refused.value.code == "aborting"
        assert refused.value.data["text"] == "too late"
    with pytest.raises(Refused, match="live") as refused:
        await h.start(session=run.session)
    assert refused.value.code == "busy"
    gate.open()
    await run.wait()
    assert h.outcomes == ["ok"]


async def test_the_message_that_is_being_streamed_can_be_seen_as_far_as_it_is(harness):
    gate = Gate()
    whole = answer("Hello world")
    h = harness(answer("before"), [*whole[:3], gate, *whole[3:]])
    before = await h.run()
    run = await h.start(session=before.session)
    await gate.reached.wait()
    seen = await h.manager.events(run.session, run=None, after=0, limit=None)
    assert seen["streaming"]["blocks"] == [{"index": 0, "kind": "text", "text": "Hello "}]
    assert seen["events"][-1]["data"]["messageId"] == seen["streaming"]["messageId"]
    of_run = await h.manager.events(run.session, run=before.id, after=0, limit=None)
    assert of_run["streaming"] is None, "it is of another run"
    gate.open()
    await run.wait()
    assert (await h.manager.events(run.session, run=None, after=0, limit=None))["streaming"] is None


async def test_while_a_tool_runs_nothing_is_being_streamed(harness):
    gate = Gate()
    h = harness(
        answer("On it.", call("work")), answer("ok"), tools=[FakeTool("work", lambda *_: _after(gate))]
    )
    run = await h.start()
    await gate.reached.wait()
    seen = await h.manager.events(run.session, run=None, after=0, limit=None)
    assert seen["streaming"] is None
    gate.open()
    await run.wait()


async def test_a_start_right_after_the_end_is_not_refused(harness):
    h = harness(answer("one"), answer("two"))
    starts = []

    def at_the_end(event):
        if event.type == "agent_end" and not starts:
            starts.append(asyncio.ensure_future(h.start("next", session=event.session)))

    h.services.bus.listen(at_the_end)
    await h.run("first")
    run = await starts[0]
    await run.wait()
    assert [data["text"] for data in h.of("agent_end")] == ["one", "two"]


async def test_a_listener_that_raises_changes_nothing_for_the_others(harness):
    h = harness(answer("one"))

    def broken(event):
        raise RuntimeError(event.type)

    h.services.bus._listeners.insert(0, broken)
    await h.run()
    assert h.end["stopReason"] == "complete"


async def test_an_accepted_change_is_told_in_the_order_of_the_protocol(harness):
    h = harness(answer("", write("a.txt")), answer("done"), person=Person("accept"))
    await h.run()
    kept = [event.type for event in h.events if event.seq is not None]
    at = kept.index("tool_execution_start")
    assert kept[at : at + 8] == [
        "tool_execution_start",
        "approval_requested",
        "approval_resolved",
        "tool_execution_running",
        "edit_start",
        "checkpoint",
        "edit_applied",
        "tool_execution_end",
    ]
    states = [data["state"] for data in h.of("state")]
    assert states == ["streaming", "waitingApproval", "tool", "streaming"]
