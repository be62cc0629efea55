"""What an extension can do in a session: each hook by itself, several together, and what none of them can."""

import asyncio
import json

import pytest

from steersman.agent.config import Budget
from steersman.agent.hooks import Allow
from steersman.agent.messages import Usage, plain_text
from steersman.agent.model import StreamError, StreamFailure
from steersman.agent.tool import ToolResult
from steersman.extensions import (
    Arguments,
    AssistantMessage,
    BaseTool,
    Block,
    CannotGoOn,
    CustomMessage,
    Extension,
    NextTurn,
    NotPossible,
    Stop,
    Text,
    UserMessage,
    text_result,
)
from steersman.session.approvals import Answer
from steersman.session.wire import usage_data
from support.asking_extension import JUDGE, Judged
from support.fake_tools import FakeTool
from support.scripted_model import ScriptedModel, answer, call
from support.session_harness import Person, elapse

CANARY = "canary-5b1f"


def asked(h, request=-1):
    """What a request of the model held: `role:text` of each message."""
    return [f"{message.role}:{plain_text(message.content)}" for message in h.model.requests[request].messages]


def edit(old="a", new="b"):
    return call("edit", {"path": "a.txt", "edits": [{"oldText": old, "newText": new}]})


# What models see


async def test_what_models_see_is_transformed_in_order_and_the_log_has_it_as_it_was(harness):
    def adding(word, at=0):
        class Adds(Extension):
            order = at

            async def transform_context(self, messages, signal):
                return [*messages, UserMessage(word, (Text(f"{word} after {len(messages)}"),))]

        return Adds

    h = harness(answer("ok"), extensions={"b": adding("b"), "a": adding("a"), "z": adding("z", -1)})
    await h.run()
    assert asked(h) == ["user:go", "user:z after 1", "user:a after 2", "user:b after 3"]
    assert [data["role"] for data in h.of("message_end")] == ["user", "assistant"]


class Notes(Extension):
    """Says a custom message of each kind that it is told, after each turn."""

    kinds = ("note",)

    async def should_stop_after_turn(self, turn):
        for kind in self.kinds:
            self.session.say_custom(kind, f"{kind} {turn.turn}")


class Shown(Notes):
    def show_to_model(self, message):
        return f"<{message.kind}> {plain_text(message.content)}" if message.kind == "note" else None


async def test_a_custom_message_is_kept_and_shown_and_no_model_sees_it(harness):
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool()], extensions={"notes": Notes})
    await h.run()
    assert asked(h) == ["user:go", "assistant:", "tool:tool done"]
    said = [data for data in h.of("message_end") if data["role"] == "custom"]
    assert [(data["kind"], data["content"][0]["text"]) for data in said] == [
        ("note", "note 1"),
        ("note", "note 2"),
    ]
    assert h.types[-4:] == ["turn_end", "message_start", "message_end", "agent_end"]
    assert [message.role for message in h.session.picture.messages][-2:] == ["assistant", "custom"]


async def test_a_custom_message_is_no_reason_for_a_request(harness):
    h = harness(answer("ok"), extensions={"notes": Notes})
    run = await h.run()
    assert (run.end.turns, run.end.stop_reason, len(h.model.requests)) == (1, "complete", 1)


async def test_an_extension_shows_its_custom_messages_to_models_where_they_stand(harness):
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool()], extensions={"notes": Shown})
    await h.run()
    assert asked(h) == ["user:go", "assistant:", "tool:tool done", "user:<note> note 1"]


async def test_custom_messages_outlive_a_restart_and_go_on_being_shown(harness):
    h = harness(answer("ok"), extensions={"notes": Shown})
    run = await h.run()
    await h.close()
    h.restart(answer("yes"))
    await h.run("more", session=run.session)
    assert asked(h) == ["user:go", "assistant:ok", "user:<note> note 1", "user:more"]


async def test_custom_messages_go_with_a_fork(harness):
    h = harness(answer("ok"), answer("yes"), extensions={"notes": Shown})
    run = await h.run()
    made = (await h.manager.library.fork(run.session))["session"]
    await h.run("more", session=made)
    assert asked(h) == ["user:go", "assistant:ok", "user:<note> note 1", "user:more"]


class Kinds(Shown):
    kinds = ("note", "other")


class Plans(Shown):
    """Says what is to last in the first turns that it sees, and then no more."""

    told = (("note", "the first plan"), ("other", "aside"), ("note", "the plan"))

    async def should_stop_after_turn(self, turn):
        if not any(isinstance(message, AssistantMessage) for message in turn.history[:-1]):
            for kind, text in self.told:
                self.session.say_custom(kind, text)


def customs(h):
    messages = h.session.picture.messages
    return [plain_text(message.content) for message in messages if isinstance(message, CustomMessage)]


async def compact(h, run):
    await h.manager.compact(run.session, h.roots)
    await h.session.operation.task
    assert "summary" in h.of("compaction_end")[-1]


async def test_the_last_custom_message_of_each_kind_outlives_compactions_and_restarts(harness):
    long = "words " * 2000
    h = harness(
        *[answer(long)] * 3,
        answer("sum one"),
        *[answer(long)] * 2,
        answer("sum two"),
        extensions={"p": Plans},
    )
    run = await h.run(long)
    for _ in range(2):
        await h.run(long, session=run.session)
    assert customs(h) == ["the first plan", "aside", "the plan"]
    await compact(h, run)
    assert customs(h) == ["aside", "the plan"]
    for _ in range(2):
        await h.run(long, session=run.session)
    assert "user:<note> the plan" in asked(h)
    await compact(h, run)
    assert "the plan" not in repr(h.model.requests[-1])
    assert customs(h) == ["aside", "the plan"]
    memory = list(h.session.picture.messages)
    assert "sum two" in plain_text(memory[0].content)
    await h.close()
    h.restart(answer("ok"))
    assert list((await h.manager.resume(run.session)).picture.messages) == memory


async def test_going_back_past_a_compaction_finds_the_custom_messages_of_the_branch(harness):
    long = "words " * 2000
    h = harness(*[answer(long)] * 3, answer("sum one"), answer("ok"), extensions={"p": Plans})
    run = await h.run(long)
    for _ in range(2):
        await h.run(long, session=run.session)
    before = list(h.session.picture.messages)
    last = [data["messageId"] for data in h.of("message_end") if data["role"] == "user"][-1]
    await compact(h, run)
    await h.manager.library.go_back(run.session, last)
    kept = [message.id for message in before[:-2] if not isinstance(message, UserMessage)]
    assert [
        message.id for message in h.session.picture.messages if not isinstance(message, UserMessage)
    ] == kept


async def test_a_branch_that_is_read_again_from_the_log_carries_the_same_custom_messages(harness):
    long = "words " * 2000
    h = harness(*[answer(long)] * 3, answer("sum one"), answer("ok"), extensions={"p": Plans})
    run = await h.run(long)
    for _ in range(2):
        await h.run(long, session=run.session)
    first = next(data["messageId"] for data in h.of("message_end") if data["role"] == "user")
    await compact(h, run)
    await h.run("more", session=run.session)
    memory, tip = list(h.session.picture.messages), h.session.picture.tip
    await h.manager.library.go_back(run.session, first)
    assert h.session.picture.messages == []
    await h.manager.library.resume(run.session, tip)
    assert h.session.picture.messages == memory
    assert customs(h) == ["aside", "the plan"]


async def test_what_models_may_not_see_is_in_no_summary_either(harness):
    class Keeps(Extension):
        async def transform_context(self, messages, signal):
            return [
                UserMessage(each.id, (Text(plain_text(each.content).replace(CANARY, "[hidden]")),))
                if each.role == "user"
                else each
                for each in messages
            ]

    h = harness(*[answer("words " * 2000)] * 2, answer("the summary"), extensions={"keeps": Keeps})
    run = await h.run(f"the {CANARY} is this")
    await h.run("second", session=run.session)
    await h.manager.compact(run.session, h.roots)
    await h.session.operation.task
    assert "the [hidden] is this" in asked(h)[0]
    assert CANARY not in repr(h.model.requests)


async def test_a_summary_is_not_made_where_an_extension_fails(harness, caplog):
    class Fails(Extension):
        fails = False

        async def transform_context(self, messages, signal):
            if Fails.fails:
                raise RuntimeError("hunter2")
            return messages

    h = harness(*[answer("words " * 2000)] * 2, extensions={"fails": Fails})
    run = await h.run("words " * 2000)
    await h.run("second", session=run.session)
    Fails.fails = True
    await h.manager.compact(run.session, h.roots)
    await h.session.operation.task
    assert h.of("compaction_end")[-1]["failed"] == "An extension failed; the log says which and how."
    assert "the extension fails raised in transform_context" in caplog.text


# Tool calls


class Forbids(Extension):
    async def before_tool_call(self, pending, signal):
        return Block("not on Fridays") if pending.call.name == "edit" else None


async def test_a_veto_holds_in_full_auto_mode_and_the_run_goes_on(harness):
    h = harness(answer("", edit()), answer("ok"), mode="full-auto", extensions={"friday": Forbids})
    h.put("a.txt", "a\n")
    run = await h.run()
    assert (h.text("a.txt"), h.outcomes, run.end.stop_reason) == ("a\n", ["denied"], "complete")
    assert h.results() == ["The extension friday forbids this: not on Fridays"]
    (denial,) = h.end["denied"]
    assert (denial["by"], denial["title"]) == ("extension", "Edit a.txt (+1 −1)")


async def test_a_veto_comes_before_the_question(harness):
    person = Person()
    h = harness(answer("", edit()), answer("ok"), person=person, extensions={"friday": Forbids})
    h.put("a.txt", "a\n")
    await h.run()
    assert person.asked == []


async def test_a_veto_can_stop_the_run(harness):
    class Stops(Extension):
        async def before_tool_call(self, pending, signal):
            return Stop("enough")

    h = harness(answer("", edit()), mode="full-auto", extensions={"friday": Stops})
    h.put("a.txt", "a\n")
    assert (await h.run()).end.stop_reason == "aborted"
    assert h.text("a.txt") == "a\n"


async def test_no_veto_allows_nothing(harness):
    class Permits(Extension):
        async def before_tool_call(self, pending, signal):
            return None

    h = harness(answer("", edit()), answer("ok"), mode="read-only", extensions={"p": Permits})
    h.put("a.txt", "a\n")
    await h.run()
    assert (h.text("a.txt"), h.outcomes) == ("a\n", ["denied"])


@pytest.mark.parametrize("said", [Allow(), True, "yes", RuntimeError("hunter2")])
async def test_a_veto_that_raises_or_says_something_else_never_means_yes(harness, caplog, said):
    class Odd(Extension):
        async def before_tool_call(self, pending, signal):
            if isinstance(said, Exception):
                raise said
            return said

    h = harness(answer("", edit()), mode="full-auto", extensions={"odd": Odd})
    h.put("a.txt", "a\n")
    run = await h.run()
    assert (h.text("a.txt"), run.end.stop_reason) == ("a\n", "error")
    assert "the extension odd raised in before_tool_call" in caplog.text
    assert "hunter2" not in json.dumps(h.records())


async def test_what_the_user_made_of_a_proposal_is_looked_at_too(harness):
    class NoSecrets(Extension):
        async def before_tool_call(self, pending, signal):
            changes = pending.proposal.changes if pending.proposal else ()
            return Block("no secrets") if any(CANARY in (each.new_text or "") for each in changes) else None

    async def types(question):
        return Answer("accept", edited={question.changes[0].uri: f"{CANARY}\n"})

    h = harness(answer("", edit()), answer("ok"), person=Person(types), extensions={"n": NoSecrets})
    h.put("a.txt", "a\n")
    await h.run()
    assert (h.text("a.txt"), h.outcomes) == ("a\n", ["denied"])
    assert h.results() == ["The extension n forbids this: no secrets"]


class Hides(Extension):
    """Takes the canary out of what tools return."""

    async def after_tool_call(self, pending, result, signal):
        return text_result(result.text.replace(CANARY, "[hidden]"), is_error=result.is_error)


class Shortens(Extension):
    redacts = False

    async def after_tool_call(self, pending, result, signal):
        return text_result(result.text[:12], is_error=result.is_error)


async def test_results_pass_through_each_extension_before_they_are_recorded(harness):
    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool(work=lambda *_: f"it is {CANARY} and more")],
        extensions={"a": Hides, "b": Shortens},
    )
    await h.run()
    assert h.results() == ["it is [hidde"]
    assert CANARY not in json.dumps(h.records())


async def test_a_redacted_canary_is_nowhere_not_even_in_the_file_for_long_output(harness, guard):
    command = f"for i in $(seq 20000); do echo {CANARY[:6]}''{CANARY[6:]} $i; done"
    h = harness(
        answer("", call("bash", {"command": command})),
        answer("ok"),
        mode="full-auto",
        guard=guard,
        extensions={"hides": Hides},
    )
    await h.run()
    (result,) = h.results()
    assert "[hidden] 20000" in result
    assert "The rest is lost" in result
    assert h.of("tool_execution_update") == []
    told = b"".join(event.line for event in h.events) + repr(h.model.requests).encode()
    kept = b"".join(path.read_bytes() for path in h.base.rglob("*") if path.is_file())
    assert CANARY.encode() not in told + kept


async def test_live_output_is_told_as_the_extension_transforms_it(harness):
    class Live(Hides):
        def transform_update(self, call, text):
            return text.replace(CANARY, "[hidden]")

    async def work(context, arguments):
        context.update(f"now {CANARY}")
        return "done"

    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool(work=work)], extensions={"live": Live}
    )
    await h.run()
    assert [data["text"] for data in h.of("tool_execution_update")] == ["now [hidden]"]


async def test_one_that_only_shortens_withholds_no_live_output(harness):
    async def work(context, arguments):
        context.update("working")
        return "done"

    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool(work=work)], extensions={"s": Shortens}
    )
    await h.run()
    assert [data["text"] for data in h.of("tool_execution_update")] == ["working"]


async def test_a_result_whose_redaction_fails_is_withheld(harness, caplog):
    class Fails(Extension):
        async def after_tool_call(self, pending, result, signal):
            raise RuntimeError("no")

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool(work=lambda *_: CANARY)],
        extensions={"fails": Fails},
    )
    await h.run()
    assert CANARY not in json.dumps(h.records())
    assert "the extension fails raised in after_tool_call" in caplog.text


# Tools


class _Where(Arguments):
    where: str


class Publish(BaseTool[_Where]):
    name = "publish"
    description = "Publishes."
    arguments = _Where

    def __init__(self):
        super().__init__()
        self.done = []

    async def execute(self, args, context):
        assert context.proposal is None
        self.done.append(args.where)
        return text_result("published")


class Count(BaseTool[_Where]):
    name = "count"
    description = "Counts."
    arguments = _Where
    execution = "parallel"

    async def execute(self, args, context):
        return text_result("3")


class Tools(Extension):
    def tools(self):
        return [Publish(), Count()]


@pytest.mark.parametrize(
    ("mode", "outcomes"),
    [("read-only", ["denied", "ok"]), ("ask", ["ok", "ok"]), ("full-auto", ["ok", "ok"])],
)
async def test_a_tool_with_effects_needs_leave_and_one_without_does_not(harness, mode, outcomes):
    person = Person("accept")
    h = harness(
        answer("", call("publish", {"where": "x"}), call("count", {"where": "y"})),
        answer("ok"),
        person=person,
        mode=mode,
        extensions={"shop": Tools},
    )
    await h.run()
    assert h.outcomes == outcomes
    asked_for = ['Call publish of the extension shop: {"where": "x"}'] if mode == "ask" else []
    assert person.titles == asked_for


async def test_a_tool_that_takes_anothers_name_is_left_out_and_the_user_is_told(harness):
    class Twice(Extension):
        def tools(self):
            return [FakeTool("read"), FakeTool("Publish"), FakeTool("fine")]

    h = harness(answer("ok"), extensions={"a": Tools, "b": Twice})
    await h.run()
    names = [tool.name for tool in h.model.requests[0].tools]
    assert names[-3:] == ["publish", "count", "fine"]
    assert [data["message"] for data in h.of("notice")] == [
        "The tool read of the extension b is left out: another tool has its name.",
        "The tool Publish of the extension b is left out: another tool has its name.",
    ]


# Turns


async def test_a_stop_of_any_extension_stops_the_run_and_says_why_and_all_see_the_turn(harness):
    seen = []

    def stopping(reason):
        class Stopping(Extension):
            async def should_stop_after_turn(self, turn):
                seen.append(self.session.extension)
                return reason

        return Stopping

    h = harness(
        answer("", call("tool")),
        tools=[FakeTool()],
        extensions={"a": stopping("enough."), "b": stopping(None)},
    )
    await h.run()
    assert (h.end["stopReason"], h.end["endedBy"], seen) == ("complete", "hook", ["a", "b"])
    assert [data["message"] for data in h.of("notice")] == ["Stopped by a: enough."]


async def test_a_run_begins_and_goes_on_with_what_extensions_want(harness):
    class Prepares(Extension):
        async def prepare_run(self, inputs, signal):
            reading = [tool for tool in self.session.tools if tool.execution == "parallel"]
            return NextTurn(system=f"{self.session.system}\n\nRead only.", tools=reading, thinking="low")

        async def prepare_next_turn(self, turn, signal):
            return NextTurn(model=self.session.model("test:other"), system=self.session.system)

    h = harness(answer("", call("ls", {"path": "."})), extensions={"p": Prepares})
    h.models["test:other"] = other = ScriptedModel(answer("ok"), name="other")
    await h.run()
    first, second = h.model.requests[0], other.requests[0]
    assert first.system == f"{second.system}\n\nRead only."
    assert [tool.name for tool in first.tools] == ["read", "ls", "find", "grep"]
    assert (first.thinking, second.thinking, len(second.tools)) == ("low", "low", 4)


async def test_of_several_changes_the_last_word_counts_for_each_thing(harness):
    def saying(**change):
        class Saying(Extension):
            async def prepare_run(self, inputs, signal):
                return NextTurn(**change)

        return Saying

    one, two = saying(system="one", thinking="high"), saying(system="two")
    h = harness(answer("ok"), extensions={"a": one, "b": two, "c": saying()})
    await h.run()
    (request,) = h.model.requests
    assert (request.system, request.thinking) == ("two", "high")


async def test_a_tool_that_an_extension_brings_between_turns_is_under_the_policy_too(harness):
    publish = Publish()

    class Brings(Extension):
        async def prepare_run(self, inputs, signal):
            return NextTurn(tools=[publish])

    h = harness(
        answer("", call("publish", {"where": "x"})), answer("ok"), mode="read-only", extensions={"b": Brings}
    )
    await h.run()
    assert (h.outcomes, publish.done) == (["denied"], [])


async def test_the_context_that_an_extension_puts_in_place_of_the_history_stays_for_the_run(harness):
    class Forgets(Extension):
        async def prepare_next_turn(self, turn, signal):
            return (
                NextTurn(context=[UserMessage("x", (Text("all that matters"),))]) if turn.turn == 1 else None
            )

    h = harness(*[answer("", call("tool"))] * 2, answer("ok"), tools=[FakeTool()], extensions={"f": Forgets})
    await h.run()
    assert asked(h) == ["user:all that matters", "assistant:", "tool:tool done"]


async def test_that_context_stays_through_a_compaction(harness):
    class Forgets(Extension):
        async def prepare_next_turn(self, turn, signal):
            return (
                NextTurn(context=[UserMessage("x", (Text("all that matters"),))]) if turn.turn == 1 else None
            )

    asks = []

    async def work(context, arguments):
        if asks.append(1) or len(asks) == 2:
            await h.manager.compact(h.session.id, h.roots)
        return "done"

    h = harness(
        answer("words " * 2000, call("tool")),
        answer("", call("tool")),
        answer("the summary"),
        answer("ok"),
        tools=[FakeTool(work=work)],
        extensions={"f": Forgets},
    )
    await h.run("words " * 2000)
    assert len(h.model.requests) == 4
    assert asked(h) == ["user:all that matters", "assistant:", "tool:done"]


# What extensions say


class Says(Extension):
    def __init__(self, session):
        super().__init__(session)
        self.steering, self.follow_ups = ["be quick"], ["one", "two"]

    def get_steering_messages(self):
        taken, self.steering = self.steering, []
        return taken

    def get_follow_up_messages(self):
        return [self.follow_ups.pop(0)] if self.follow_ups else []


async def test_what_an_extension_says_is_queued_like_a_users_and_marked_with_its_source(harness):
    h = harness(*[answer("ok")] * 3, extensions={"says": Says})
    await h.run()
    said = [
        (data["content"][0]["text"], data.get("source"))
        for data in h.of("message_end")
        if data["role"] == "user"
    ]
    assert said == [("go", None), ("be quick", "says"), ("one", "says"), ("two", "says")]
    queued = [[(item["text"], item["source"]) for item in data["items"]] for data in h.of("queue_update")]
    assert [("be quick", "says")] in queued
    await h.close()
    h.restart()
    session = await h.manager.resume(h.events[0].data["session"])
    assert [message.source for message in session.picture.messages if message.role == "user"] == [
        None,
        "says",
        "says",
        "says",
    ]


async def test_a_users_follow_up_comes_before_those_of_extensions(harness):
    async def say(signal):
        h.manager.add("followUp", "the user's")

    h = harness([say, *answer("ok")], *[answer("ok")] * 3, extensions={"says": Says})
    await h.run()
    texts = [data["content"][0]["text"] for data in h.of("message_end") if data["role"] == "user"]
    assert texts == ["go", "be quick", "the user's", "one", "two"]


async def test_what_an_extension_said_is_handed_back_with_its_source_when_the_run_is_aborted(harness):
    class Late(Extension):
        async def should_stop_after_turn(self, turn):
            self.session.follow_up("later")

    async def abort(signal):
        h.manager.abort()

    h = harness(
        answer("", call("tool")), [abort, *answer("x")], tools=[FakeTool()], extensions={"late": Late}
    )
    await h.run()
    assert h.end["undelivered"] == [{"kind": "followUp", "text": "later", "source": "late"}]


async def test_nothing_can_be_said_without_a_run(harness):
    made = []

    class Keeps(Extension):
        def __init__(self, session):
            super().__init__(session)
            made.append(session)

    h = harness(answer("ok"), extensions={"k": Keeps})
    await h.run()
    (session,) = made
    for say in (session.steer, session.follow_up, lambda text: session.say_custom("note", text)):
        with pytest.raises(NotPossible, match="No run is live"):
            say("too late")
    with pytest.raises(NotPossible, match="There is no model"):
        session.model("no:such")


# Their own requests


ASKED = Usage(1000, 100, cost=2.0)
SPENT = Usage(10, 5, cost=0.5)


async def test_what_an_extension_asks_a_model_counts_as_the_run_s_and_towards_its_budget(harness):
    h = harness(answer("", call("tool"), usage=SPENT), tools=[FakeTool()], extensions={"j": Judged})
    h.models[JUDGE] = ScriptedModel(answer("yes", usage=ASKED), name="judge")
    run = await h.run(budget=Budget(cost=1.0))
    assert (run.end.stop_reason, run.end.limit, run.end.turns) == ("budget", "cost", 1)
    assert run.end.usage == Usage(1010, 105, cost=2.5)
    assert h.of("agent_end")[-1]["session"]["usage"] == usage_data(run.end.usage)
    (request,) = h.of("extension_request")
    assert request == {"extension": "j", "model": JUDGE, "usage": usage_data(ASKED)}


async def test_what_failed_counts_too_and_each_request_only_in_its_run(harness):
    h = harness(answer("one", usage=SPENT), answer("two", usage=SPENT), extensions={"j": Judged})
    failed = [StreamError(StreamFailure("quota", "No money"), Usage(300, 1))]
    h.models[JUDGE] = ScriptedModel(failed, answer("yes", usage=ASKED), name="judge")
    first = await h.run()
    again = await h.run("more", session=first.session)
    assert (first.end.usage.input, again.end.usage.input) == (310, 1010)
    assert h.session.picture.usage.input == 1320


@pytest.mark.parametrize("wrapped", [False, True])
async def test_a_model_that_answers_for_the_run_counts_only_once(harness, wrapped):
    class Routes:
        id = "own:router"

        def __init__(self, model):
            self.stream = model.stream

    class Prepares(Extension):
        async def prepare_run(self, inputs, signal):
            model = self.session.model("test:other")
            return NextTurn(model=Routes(model) if wrapped else model)

    h = harness(extensions={"p": Prepares})
    h.models["test:other"] = ScriptedModel(answer("ok", usage=SPENT), name="other")
    run = await h.run()
    assert (run.end.usage, h.of("extension_request")) == (SPENT, [])


# Failures


HOOKS = {
    "prepare_run": (),
    "prepare_next_turn": (),
    "transform_context": (),
    "should_stop_after_turn": (),
}


@pytest.mark.parametrize("hook", [*HOOKS, "get_steering_messages", "get_follow_up_messages", "show_to_model"])
async def test_a_hook_that_raises_ends_the_run_and_the_log_names_the_extension(harness, caplog, hook):
    def fails(self, *_):
        raise RuntimeError("hunter2")

    async def fails_later(self, *_):
        raise RuntimeError("hunter2")

    broken = type("Broken", (Shown,), {hook: fails_later if hook in HOOKS else fails})
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool()], extensions={"broken": broken})
    run = await h.run()
    assert (run.end.stop_reason, run.end.error.code) == ("error", "hookFailed")
    assert f"the extension broken raised in {hook}" in caplog.text
    assert "hunter2" not in json.dumps(h.records())


@pytest.mark.parametrize(
    ("hook", "answered"),
    [
        ("prepare_run", "a"),
        ("prepare_next_turn", 1),
        ("prepare_next_turn", NextTurn(model="test:other")),
        ("prepare_run", NextTurn(thinking="max")),
        ("prepare_run", NextTurn(tools="read")),
        ("prepare_run", NextTurn(tools=["read"])),
        ("prepare_run", NextTurn(system=b"Be brief.")),
        ("prepare_run", NextTurn(context=["a"])),
        ("prepare_run", NextTurn(context=[UserMessage("x", "text")])),
        ("transform_context", None),
        ("transform_context", ["a"]),
        ("transform_context", [UserMessage("x", "text")]),
        ("transform_context", [UserMessage("x", (Text(5),))]),
        ("should_stop_after_turn", True),
        ("after_tool_call", "text"),
        ("after_tool_call", ToolResult("text")),
        ("after_tool_call", ToolResult((Text(5),))),
    ],
)
async def test_a_hook_that_answers_something_else_is_one_that_raises(harness, caplog, hook, answered):
    async def odd(self, *_):
        return answered

    broken = type("Broken", (Extension,), {hook: odd})
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool()], extensions={"broken": broken})
    run = await h.run()
    assert f"the extension broken raised in {hook}" in caplog.text
    if hook == "after_tool_call":
        assert h.outcomes == ["failed"]
    else:
        assert (run.end.stop_reason, run.end.error.code) == ("error", "hookFailed")


async def test_an_expected_failure_of_a_hook_is_told_as_it_says(harness, caplog):
    class Expected(Extension):
        async def prepare_run(self, inputs, signal):
            raise CannotGoOn("There is no ticket for this.")

    h = harness(extensions={"e": Expected})
    run = await h.run()
    assert (run.end.error.code, run.end.error.message) == ("hookFailed", "e: There is no ticket for this.")


@pytest.mark.parametrize("hook", list(HOOKS))
async def test_a_hook_that_never_answers_is_aborted_with_the_run(harness, hook):
    entered = asyncio.Event()

    async def hangs(self, *_):
        entered.set()
        await asyncio.Event().wait()

    hanging = type("Hanging", (Extension,), {hook: hangs})
    h = harness(answer("", call("tool")), tools=[FakeTool()], extensions={"hanging": hanging})
    run = await h.start()
    await entered.wait()
    h.manager.abort(run.id)
    await h.elapsed(run)
    assert run.end.stop_reason == "aborted"


async def test_one_that_cannot_be_made_is_left_out_and_told_once(harness, caplog):
    class Unmade(Extension):
        def __init__(self, session):
            raise ValueError("hunter2")

    h = harness(answer("ok"), answer("ok"), extensions={"unmade": Unmade, "notes": Notes})
    run = await h.run()
    await h.run("again", session=run.session)
    text = "The extension unmade is left out of this session: it failed with ValueError; the log says how."
    assert [data["message"] for data in h.of("notice")] == [text]


async def test_each_session_has_an_object_of_its_own_and_closes_it(harness, caplog):
    events = []

    class Counts(Extension):
        def __init__(self, session):
            super().__init__(session)
            events.append(f"made {session.id}")

        async def close(self):
            events.append(f"closed {self.session.id}")
            raise RuntimeError("too late to matter")

    h = harness(answer("ok"), answer("ok"), extensions={"counts": Counts})
    one, two = await h.run(), await h.run()
    await h.close()
    assert sorted(events) == sorted(
        f"{what} {run.session}" for what in ("made", "closed") for run in (one, two)
    )
    assert "the extension counts failed to close" in caplog.text


async def test_what_does_not_close_holds_nobody_up(harness, caplog):
    class Holds(Extension):
        async def close(self):
            await asyncio.Event().wait()

    h = harness(answer("ok"), extensions={"holds": Holds})
    await h.run()
    closing = asyncio.ensure_future(h.close())
    await elapse(h.clock, closing)
    assert "the extension holds did not close and was cut off" in caplog.text
