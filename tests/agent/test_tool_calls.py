"""What becomes of tool calls, good and bad: one result each, and what it says."""

import asyncio
import logging

import pytest

from steersman.agent.events import (
    ToolExecutionEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from steersman.agent.hooks import Allow, Block, Hooks, Stop
from steersman.agent.messages import Text
from steersman.agent.tool import ProposalSuperseded, ToolDenied, ToolError, text_result
from support.fake_tools import FakeProposal, FakeTool, Gate
from support.manual_clock import settle
from support.scripted_model import answer, call

SECRET = "hunter2"


class Crash(Exception):
    pass


def raising(error):
    def work(context, arguments):
        raise error

    return work


async def cancels_itself(context, arguments):
    raise asyncio.CancelledError


BAD = {
    "unknown": (call("tol"), "unknownTool"),
    "bad arguments": (call("tool", {"value": "many"}), "badArguments"),
    "not an object": (call("tool", "[1]"), "badArguments"),
    "cut JSON": (call("tool", '{"value": 1'), "badArguments"),
    "half a surrogate pair": (call("tool", '{"note": "\\ud800"}'), "badArguments"),
    "not a number": (call("tool", '{"value": NaN}'), "badArguments"),
    "too large a number": (call("tool", '{"value": 1e999}'), "badArguments"),
    "expected failure": (call("mended"), "failed"),
    "exception": (call("crashes"), "failed"),
    "cancels itself": (call("cancels"), "failed"),
    "returns nothing": (call("nothing"), "failed"),
    "denied": (call("denied"), "denied"),
}


@pytest.mark.parametrize(("bad", "outcome"), BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("execution", ["auto", "sequential"])
async def test_a_bad_call_gets_one_error_result_and_the_others_still_run(harness, bad, outcome, execution):
    tool = FakeTool("tool")
    tools = [
        tool,
        FakeTool("mended", raising(ToolError("no such file"))),
        FakeTool("crashes", raising(Crash(SECRET))),
        FakeTool("cancels", cancels_itself),
        FakeTool("nothing", lambda context, arguments: None),
        FakeTool("denied"),
    ]
    hooks = Hooks(before_tool_call=_denies("denied"))
    h = harness(
        answer("", call("tool"), bad, call("tool")),
        answer("ok"),
        tools=tools,
        hooks=hooks,
        execution=execution,
    )
    assert (await h.prompt()).stop_reason == "complete"
    assert h.outcomes == ["ok", outcome, "ok"]
    assert len(tool.executed) == 2
    assert {end.result.outcome for end in h.of(ToolExecutionEnd)} == {"ok", outcome}
    assert SECRET not in h.everything


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (call("Tool-One"), "Did you mean tool_one? Available: tool_one"),
        (call("tool_one", {"value": "many"}), "value: expected an integer, got 'many'"),
        (call("tool_one", '{"value": '), "not valid JSON"),
        (call("tool_one", "7"), "expected a JSON object, got a number"),
    ],
)
async def test_error_results_say_what_to_do(harness, bad, says):
    h = harness(answer("", bad), answer("ok"), tools=[FakeTool("tool_one")])
    await h.prompt()
    assert says in h.texts[0]


async def test_without_any_tool_an_unknown_call_says_so(harness):
    h = harness(answer("", call("tool")), answer("ok"))
    await h.prompt()
    assert "There are no tools in this run" in h.texts[0]


async def test_the_text_of_an_exception_is_only_in_the_application_log(harness, caplog):
    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", raising(Crash(SECRET)))])
    await h.prompt()
    assert h.texts == ["Tool execution failed."]
    assert SECRET not in h.everything
    assert SECRET in caplog.text


@pytest.mark.parametrize("execution", ["parallel", "sequential"])
async def test_raise_mode_closes_the_rest_and_gives_the_caller_the_original(harness, execution):
    error = Crash(SECRET)
    bad = FakeTool("bad", raising(error), execution="sequential")
    h = harness(
        answer("", call("good"), call("bad"), call("good")),
        tools=[FakeTool("good"), bad],
        on_tool_exception="raise",
    )
    with pytest.raises(Crash) as raised:
        await h.prompt()
    assert raised.value is error
    assert h.texts == ["good done", "Tool execution failed.", "Not executed after an earlier failure."]
    assert h.outcomes == ["ok", "failed", "notExecuted"]
    assert (h.end.stop_reason, h.end.error.code) == ("error", "toolFailed")
    assert SECRET not in h.everything


async def test_two_failing_parallel_tools_in_raise_mode_both_have_results_and_one_is_raised(harness):
    first, second = Crash("first"), Crash("second")
    h = harness(
        answer("", call("a"), call("b"), call("c")),
        tools=[FakeTool("a", raising(first)), FakeTool("b", raising(second)), FakeTool("c")],
        on_tool_exception="raise",
    )
    with pytest.raises(Crash) as raised:
        await h.prompt()
    assert raised.value is first
    assert h.outcomes == ["failed", "failed", "ok"]


@pytest.mark.parametrize("mode", ["report", "raise"])
@pytest.mark.parametrize("approval", ["raises", "answers nonsense"])
async def test_an_approval_that_fails_never_means_yes(harness, mode, approval):
    tool = FakeTool()

    async def hook(pending, signal):
        if approval == "raises":
            raise Crash(SECRET)
        return True

    h = harness(
        answer("", call("tool"), call("tool")),
        tools=[tool],
        hooks=Hooks(before_tool_call=hook),
        on_tool_exception=mode,
    )
    with pytest.raises((Crash, TypeError)):
        await h.prompt()
    assert tool.executed == []
    assert h.texts == ["Tool execution failed.", "Not executed after an earlier failure."]
    assert SECRET not in h.everything


async def test_arguments_are_put_right_before_approval(harness):
    tool, asked = FakeTool(), []

    async def hook(pending, signal):
        asked.append(dict(pending.arguments))
        return Allow()

    h = harness(
        answer("", call("tool", {"val": "42"})),
        answer("ok"),
        tools=[tool],
        hooks=Hooks(before_tool_call=hook),
    )
    await h.prompt()
    assert asked == tool.executed == [{"value": 42}]
    assert h.of(ToolExecutionStart)[0].arguments == {"value": 42}


async def test_no_arguments_at_all_are_an_empty_object(harness):
    tool = FakeTool()
    h = harness(answer("", call("tool", "")), answer("ok"), tools=[tool])
    await h.prompt()
    assert h.outcomes == ["ok"]


async def test_parallel_tools_run_at_once_and_end_in_the_order_of_completion(harness):
    gates = {"a": Gate(), "b": Gate()}

    async def work(context, arguments):
        await gates[arguments["note"]]()
        return arguments["note"]

    h = harness(
        answer("", call("tool", {"note": "a"}), call("tool", {"note": "b"})),
        answer("ok"),
        tools=[FakeTool("tool", work)],
    )
    run = h.start()
    await gates["a"].reached.wait()
    await gates["b"].reached.wait()
    gates["b"].open()
    await settle()
    gates["a"].open()
    await run
    assert [end.result.text for end in h.of(ToolExecutionEnd)] == ["b", "a"]
    assert h.texts == ["a", "b"]


@pytest.mark.parametrize("how", ["a sequential tool", "the setting"])
async def test_a_sequential_batch_proposes_each_call_on_what_the_one_before_left(harness, how):
    file = ["0"]

    async def propose(arguments, signal):
        return FakeProposal(f"after {file[-1]}")

    def work(context, arguments):
        file.append(context.proposal.title)
        return context.proposal.title

    edit = FakeTool("edit", work, proposes=propose, execution="sequential" if "tool" in how else "parallel")
    h = harness(
        answer("", call("read"), call("edit"), call("edit")),
        answer("ok"),
        tools=[edit, FakeTool("read")],
        execution="auto" if "tool" in how else "sequential",
    )
    await h.prompt()
    assert h.texts[1:] == ["after 0", "after after 0"]


async def test_stop_at_the_third_call_keeps_the_first_two(harness):
    asked = []

    async def hook(pending, signal):
        asked.append(pending)
        return Stop("stopped by the user") if len(asked) == 3 else Allow()

    tool = FakeTool(execution="sequential")
    h = harness(answer("", *[call("tool")] * 4), tools=[tool], hooks=Hooks(before_tool_call=hook))
    assert (await h.prompt()).stop_reason == "aborted"
    assert h.outcomes == ["ok", "ok", "aborted", "aborted"]
    assert (len(tool.executed), len(asked)) == (2, 3)
    assert h.texts[2] == "stopped by the user"


async def test_stop_in_a_parallel_batch_runs_none_of_it(harness):
    asked = []

    async def hook(pending, signal):
        asked.append(pending)
        return Stop("enough") if len(asked) == 2 else Allow()

    tool = FakeTool()
    h = harness(answer("", *[call("tool")] * 3), tools=[tool], hooks=Hooks(before_tool_call=hook))
    assert (await h.prompt()).stop_reason == "aborted"
    assert h.outcomes == ["aborted"] * 3
    assert (tool.executed, len(asked)) == ([], 2)


async def test_updates_after_the_result_are_dropped(harness):
    kept = []

    def work(context, arguments):
        context.update("in time 𝒂")
        context.update("!")
        kept.append(context.update)
        return "done"

    gate = Gate()
    h = harness(answer("", call("tool")), [gate, *answer("ok")], tools=[FakeTool("tool", work)])
    run = h.start()
    await gate.reached.wait()
    kept[0]("too late")
    gate.open()
    await run
    assert [(update.offset, update.text) for update in h.of(ToolExecutionUpdate)] == [
        (0, "in time 𝒂"),
        (10, "!"),
    ]


@pytest.mark.parametrize("stop", ["length", "content_filter", "refusal"])
async def test_no_call_of_a_cut_response_runs(harness, stop):
    tool = FakeTool()
    h = harness(
        answer("I will", call("tool"), call("tool", ""), call("tool", '{"value": 1'), stop=stop),
        answer("again"),
        tools=[tool],
    )
    assert (await h.prompt()).stop_reason == "complete"
    assert h.outcomes == ["truncated"] * 3
    assert "may be incomplete" in h.texts[0]
    assert tool.executed == []
    assert not h.end.truncated


async def test_a_superseded_proposal_is_asked_about_again(harness):
    asked = []

    async def hook(pending, signal):
        asked.append(pending.proposal and pending.proposal.title)
        return Allow()

    def work(context, arguments):
        context.update("x")
        if context.proposal is None:
            raise ProposalSuperseded(FakeProposal("moved"))
        return context.proposal.title

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool("tool", work)],
        hooks=Hooks(before_tool_call=hook),
    )
    await h.prompt()
    assert asked == [None, "moved"]
    assert h.texts == ["moved"]
    assert len(h.of(ToolExecutionRunning)) == 1
    assert [update.offset for update in h.of(ToolExecutionUpdate)] == [0, 1]


async def test_a_proposal_that_is_superseded_for_ever_fails(harness):
    asked = []

    async def hook(pending, signal):
        asked.append(pending)
        return Allow()

    tool = FakeTool("tool", raising(ProposalSuperseded(FakeProposal("again"))))
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool], hooks=Hooks(before_tool_call=hook))
    await h.prompt()
    assert h.outcomes == ["failed"]
    assert "kept changing" in h.texts[0]
    assert len(asked) == 4  # once, and three times again


async def test_an_approval_may_put_another_proposal_in_place(harness):
    async def hook(pending, signal):
        return Allow(FakeProposal("edited by the user"))

    tool = FakeTool("tool", lambda context, arguments: context.proposal.title)
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool], hooks=Hooks(before_tool_call=hook))
    await h.prompt()
    assert h.texts == ["edited by the user"]


async def test_a_proposal_that_cannot_be_made_is_a_failed_call_that_never_ran(harness):
    async def propose(arguments, signal):
        raise ToolError("Text not found. Read the file again.")

    tool = FakeTool(proposes=propose)
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool])
    await h.prompt()
    assert (h.outcomes, h.texts) == (["failed"], ["Text not found. Read the file again."])
    assert h.of(ToolExecutionRunning) == []
    assert tool.executed == []


@pytest.mark.parametrize("where", ["bind", "propose", "execute"])
async def test_what_a_rule_forbids_is_denied_wherever_the_tool_finds_out(harness, where):
    denied = ToolDenied("secret.env is denied by a rule.")

    async def propose(arguments, signal):
        raise denied

    class Strict(FakeTool):
        def bind(self, arguments):
            raise denied

    tool = {
        "bind": Strict(),
        "propose": FakeTool(proposes=propose),
        "execute": FakeTool("tool", raising(denied)),
    }[where]
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool])
    await h.prompt()
    assert (h.outcomes, h.texts) == (["denied"], ["secret.env is denied by a rule."])


async def test_details_of_a_result_are_kept_beside_its_content(harness):
    tool = FakeTool("tool", lambda context, arguments: text_result("ok", details={"lines": 3}))
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool])
    await h.prompt()
    assert h.agent.messages[2].details == {"lines": 3}
    assert h.agent.messages[2].content == (Text("ok"),)


async def test_a_work_that_takes_time_says_how_long(harness):
    gate = Gate()

    async def work(context, arguments):
        await gate()
        return "done"

    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", work)])
    run = h.start()
    await gate.reached.wait()
    h.clock.advance(1.5)
    gate.open()
    await run
    assert h.of(ToolExecutionEnd)[0].duration == 1.5


async def test_the_time_that_a_user_takes_to_answer_is_not_the_work_s(harness):
    gate = Gate()

    async def ask(pending, signal):
        await gate()
        return Block("no")

    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool("tool")], hooks=Hooks(before_tool_call=ask)
    )
    run = h.start()
    await gate.reached.wait()
    h.clock.advance(60)
    gate.open()
    await run
    assert h.of(ToolExecutionEnd)[0].duration == 0


async def test_an_expected_failure_is_not_an_error_of_the_log(harness, caplog):
    caplog.set_level(logging.WARNING)
    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", raising(ToolError("no such file")))]
    )
    await h.prompt()
    assert caplog.records == []


def _denies(name):
    async def hook(pending, signal):
        return Block("not now") if pending.call.name == name else Allow()

    return hook
