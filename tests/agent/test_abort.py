"""An abort at each instant: nothing that wasn't committed exists, every call has its result, the run ends."""

import asyncio

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.config import Budget
from steersman.agent.events import (
    AgentEnd,
    MessageDiscarded,
    MessageEnd,
    ToolExecutionRunning,
    ToolExecutionStart,
)
from steersman.agent.hooks import Allow, Hooks, NextTurn, Retry
from steersman.agent.inbox import Inbox
from steersman.agent.messages import Text, UserMessage
from steersman.agent.tasks import Strays
from steersman.agent.tool import ProposalSuperseded, ToolError
from support.fake_tools import FakeProposal, FakeTool, Gate, ignores_everything
from support.manual_clock import settle
from support.scripted_model import answer, call, failure


class Crash(Exception):
    pass


async def test_before_the_first_message_nothing_enters_history(harness):
    h = harness(inbox=Inbox(closes=True), messages=[UserMessage("m", (Text("earlier"),))])
    h.agent.steer("and this")
    controller = AbortController()
    controller.abort()
    result = await h.prompt("go", controller)
    assert result.stop_reason == "aborted"
    assert h.types == ["agent_start", "agent_end"]
    assert [item.message.content[0].text for item in result.end.undelivered] == ["go", "and this"]
    assert result.messages == ()
    assert h.roles == ["user"]


async def test_in_mid_stream_the_partial_text_is_told_and_never_sent(harness):
    gate = Gate()
    h = harness([*answer("half an answer")[:3], gate], answer("whole"))
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert (await run).stop_reason == "aborted"
    (discarded,) = h.of(MessageDiscarded)
    assert (discarded.reason, discarded.partial) == ("aborted", (Text("half a"),))
    assert h.roles == ["user"]
    await h.prompt("again")
    assert h.asked() == ["user:go", "user:again"]


async def test_a_subscriber_that_aborts_on_an_update_sees_no_further_one(harness):
    h = harness(answer("many pieces of text"))
    h.agent.subscribe(lambda event: h.agent.abort() if event.type == "message_update" else None)
    await h.prompt()
    assert h.types.count("message_update") == 1


async def test_at_the_very_end_of_a_stream_that_ignored_it_nothing_is_committed(harness):
    h = harness(lambda request, signal: finishes_all_the_same(h))

    async def finishes_all_the_same(h):
        for event in answer("done")[:-1]:
            yield event
        h.agent.abort()
        yield answer("done")[-1]

    assert (await h.prompt()).stop_reason == "aborted"
    assert h.roles == ["user"]


async def test_a_stream_that_fails_because_of_the_abort_is_an_abort(harness):
    asked = []

    async def on_failure(what, attempt, signal):
        asked.append(what)
        return Retry()

    async def fails_on_abort(signal):
        h.agent.abort()

    h = harness([fails_on_abort, *failure("network")], hooks=Hooks(on_stream_failure=on_failure))
    assert (await h.prompt()).stop_reason == "aborted"
    assert asked == []
    assert len(h.model.requests) == 1


async def test_a_stream_that_ignores_its_cancellation_is_left_and_says_nothing_more(harness):
    release, gate = asyncio.Event(), Gate()

    async def deaf(request, signal):
        yield answer("x")[0]
        yield answer("x")[1]
        gate.reached.set()
        await ignores_everything(release)
        for event in answer("x"):
            yield event

    h = harness(deaf)
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    await h.elapse(run)
    told = list(h.events)
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []
    assert h.events == told


@pytest.mark.parametrize("event", [MessageEnd, ToolExecutionStart, ToolExecutionRunning])
async def test_while_the_sink_takes_an_event_no_tool_starts_after_it(harness, event):
    """Between the commit and the dispatch, and before the work"""
    gate, tool = Gate(), FakeTool()
    h = harness(answer("", call("tool"), call("tool")), tools=[tool])
    h.sink.waits = lambda record: (
        gate if isinstance(record, event) and getattr(record, "message", None) not in h.agent.messages
        and getattr(getattr(record, "message", None), "role", "assistant") == "assistant" else None
    )  # fmt: skip
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    gate.open()
    assert (await run).stop_reason == "aborted"
    assert tool.executed == []
    assert h.outcomes == ["aborted", "aborted"]
    assert set(h.texts) == {"Aborted before execution."}


async def test_during_approval_the_tool_does_not_run_and_the_question_is_withdrawn(harness):
    gate, withdrawn, tool = Gate(), [], FakeTool()

    async def hook(pending, signal):
        gate.reached.set()
        await signal.wait()
        withdrawn.append(pending)
        return Allow()

    h = harness(answer("", call("tool"), call("tool")), tools=[tool], hooks=Hooks(before_tool_call=hook))
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert (await run).stop_reason == "aborted"
    assert (len(withdrawn), tool.executed, h.outcomes) == (1, [], ["aborted", "aborted"])


async def test_an_approval_that_hangs_is_cancelled(harness):
    gate = Gate()
    h = harness(answer("", call("tool")), tools=[FakeTool()], hooks=Hooks(before_tool_call=gate))
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert (await h.elapse(run)).stop_reason == "aborted"
    assert h.outcomes == ["aborted"]


async def test_after_it_nobody_is_asked_again(harness):
    asked = []

    async def hook(pending, signal):
        asked.append(pending)
        return Allow()

    def work(context, arguments):
        h.agent.abort()
        raise ProposalSuperseded(FakeProposal("moved"))

    h = harness(answer("", call("tool")), tools=[FakeTool("tool", work)], hooks=Hooks(before_tool_call=hook))
    await h.prompt()
    assert (len(asked), h.texts) == (1, ["Aborted before execution."])


@pytest.mark.parametrize("mode", ["report", "raise"])
async def test_a_tool_is_asked_to_stop_and_its_real_result_is_kept(harness, mode):
    gate = Gate()

    async def work(context, arguments):
        gate.reached.set()
        await context.signal.wait()
        return "cleaned up, 3 of 5 done"

    tool = FakeTool("tool", work, execution="sequential")
    h = harness(
        answer("", call("tool"), call("tool")), tools=[tool], on_tool_exception=mode, budget=Budget(turns=1)
    )
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert (await run).stop_reason == "aborted"  # and not max_turns
    assert h.texts == ["cleaned up, 3 of 5 done", "Aborted before execution."]
    assert h.outcomes == ["ok", "aborted"]


@pytest.mark.parametrize("error", [ToolError("stopped"), Crash("hunter2"), asyncio.CancelledError()])
async def test_what_a_tool_raises_after_it_is_part_of_it(harness, error):
    gate = Gate()

    async def work(context, arguments):
        gate.reached.set()
        await context.signal.wait()
        raise error

    h = harness(answer("", call("tool")), tools=[FakeTool("tool", work)], on_tool_exception="raise")
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert (await run).stop_reason == "aborted"
    assert h.outcomes == ["aborted"]
    assert "hunter2" not in h.everything


async def test_a_tool_that_ignores_it_is_cancelled_after_the_grace(harness):
    gate = Gate()
    h = harness(answer("", call("tool")), tools=[FakeTool("tool", gate)])
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert await h.clock.elapse_until(run) == h.config.limits.grace
    assert h.texts == ["Operation aborted. Its effects may be partial."]


async def test_a_tool_that_ignores_its_cancellation_too_is_left_and_its_result_says_so(harness):
    release, gate, settled = asyncio.Event(), Gate(), []

    async def work(context, arguments):
        gate.reached.set()
        await ignores_everything(release)
        context.update("too late")
        return "late"

    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", work)])
    h.config.strays = Strays(lambda what, how: settled.append((what, how)))
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    assert await h.clock.elapse_until(run) == 2 * h.config.limits.grace
    assert "still running when the run ended: its effects may be partial" in h.texts[0]
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []
    assert settled == [("tool", "ended by itself")]
    await h.prompt("next")
    assert h.end.stop_reason == "complete"


HOOKS = ("transform_context", "on_stream_failure", "prepare_next_turn", "should_stop_after_turn")


@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("how", ["returns", "hangs", "raises"])
async def test_in_a_hook_no_further_request_is_made(harness, name, how):
    good = {"on_stream_failure": Retry(), "prepare_next_turn": NextTurn()}

    async def hook(*args):
        h.agent.abort()
        if how == "hangs":
            await asyncio.Event().wait()
        if how == "raises":
            raise Crash("hunter2")
        return [] if name == "transform_context" else good.get(name)

    h = harness(
        failure() if name == "on_stream_failure" else answer("", call("tool")),
        tools=[FakeTool()],
        hooks=Hooks(**{name: hook}),
    )
    result = await h.elapse(h.start())
    assert result.stop_reason == "aborted"
    assert len(h.model.requests) == (0 if name == "transform_context" else 1)


async def test_in_a_retrys_wait_no_further_request_is_made(harness):
    waiting = Gate()

    async def hook(what, attempt, signal):
        waiting.reached.set()
        return Retry(after=60)

    h = harness(failure(), hooks=Hooks(on_stream_failure=hook))
    run = h.start()
    await waiting.reached.wait()
    await settle()
    h.agent.abort()
    assert (await run).stop_reason == "aborted"
    assert len(h.model.requests) == 1
    assert h.clock.now == 1000


async def test_a_dead_turn_eats_no_steer(harness):
    gate = Gate()

    async def work(context, arguments):
        gate.reached.set()
        await context.signal.wait()
        return "stopped"

    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", work)], inbox=Inbox(closes=True)
    )
    run = h.start()
    await gate.reached.wait()
    h.agent.steer("and also this")
    h.agent.abort()
    result = await run
    assert [item.message.content[0].text for item in result.end.undelivered] == ["and also this"]
    assert h.agent.inbox.items == ()
    await h.prompt("next")
    assert h.asked() == ["user:go", "assistant:", "tool:stopped", "user:next"]


async def test_twice_idle_and_at_the_end_it_is_harmless(harness):
    gate = Gate()
    h = harness([gate, *answer("never said")], answer("ok"))
    h.agent.abort()
    run = h.start()
    await gate.reached.wait()
    h.agent.abort("first")
    h.agent.abort("second")
    assert (await run).stop_reason == "aborted"
    h.agent.subscribe(lambda event: h.agent.abort() if isinstance(event, AgentEnd) else None)
    assert (await h.prompt("next")).stop_reason == "complete"
    h.agent.abort()
    await h.agent.wait_idle()


async def test_cancelling_the_runs_task_is_an_abort_that_keeps_the_real_result(harness):
    gate = Gate()

    async def work(context, arguments):
        gate.reached.set()
        await context.signal.wait()
        return "cleaned up"

    h = harness(answer("", call("tool")), answer("ok"), tools=[FakeTool("tool", work)])
    run = h.start()
    await gate.reached.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert (h.end.stop_reason, h.texts) == ("aborted", ["cleaned up"])
    assert (await h.prompt("next")).stop_reason == "complete"


async def test_cancelling_while_the_sink_takes_an_event_does_not_tear_it(harness):
    gate = Gate()
    h = harness(answer("done"), answer("ok"))
    h.sink.waits = lambda event: (
        gate if getattr(getattr(event, "message", None), "role", "") == "assistant" else None
    )
    run = h.start()
    await gate.reached.wait()
    run.cancel()
    await settle()
    gate.open()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert h.roles == ["user", "assistant"]
    assert h.sink.kept == [event for event in h.events if event.type != "message_update"]


async def test_cancelling_again_cuts_the_grace_short_and_still_closes_everything(harness):
    gate, release = Gate(), asyncio.Event()

    async def work(context, arguments):
        gate.reached.set()
        await ignores_everything(release)
        return "late"

    tool = FakeTool("tool", work, execution="sequential")
    h = harness(answer("", call("tool"), call("tool")), answer("ok"), tools=[tool])
    run = h.start()
    await gate.reached.wait()
    for _ in range(3):
        run.cancel()
        await settle()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert h.clock.now == 1000
    assert h.texts == [
        "Interrupted while running: its result is lost and its effects may be partial.",
        "Aborted before execution.",
    ]
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []


async def test_cancelling_again_leaves_no_parallel_call_without_its_result(harness):
    gates, release = [Gate(), Gate()], asyncio.Event()

    async def work(context, arguments):
        gates[arguments["value"]].reached.set()
        await ignores_everything(release)
        return "late"

    calls = [call("tool", {"value": 0}), call("tool", {"value": 1})]
    h = harness(answer("", *calls), answer("ok"), tools=[FakeTool("tool", work)])
    run = h.start()
    for gate in gates:
        await gate.reached.wait()
    for _ in range(3):
        run.cancel()
        await settle()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert h.clock.now == 1000
    assert h.texts == ["Interrupted while running: its result is lost and its effects may be partial."] * 2
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []


async def test_cancelling_again_while_the_sink_takes_an_answer_ends_the_run_as_not_kept(harness):
    """Nobody knows what the sink has kept by then, so nothing more is given to it, and nothing is history."""
    gate = Gate()
    h = harness(answer("done"))
    h.sink.waits = lambda event: (
        gate if getattr(getattr(event, "message", None), "role", "") == "assistant" else None
    )
    run = h.start()
    await gate.reached.wait()
    for _ in range(2):
        run.cancel()
        await settle()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert (h.end.stop_reason, h.end.error.code) == ("error", "logFailed")
    assert (h.roles, h.sink.kept[-1].type) == (["user"], "message_start")


@pytest.mark.parametrize(
    ("late", "how"),
    [
        (Crash("hunter2"), "ended with an error"),
        (asyncio.CancelledError(), "ended by cancellation"),
    ],
)
async def test_how_a_tool_ended_that_was_left_running_is_told(harness, late, how, caplog):
    release, gate, settled = asyncio.Event(), Gate(), []

    async def work(context, arguments):
        gate.reached.set()
        await ignores_everything(release)
        raise late

    h = harness(answer("", call("tool")), tools=[FakeTool("tool", work)])
    h.config.strays = Strays(lambda what, how: settled.append((what, how)))
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    await h.elapse(run)
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []
    assert settled == [("tool", how)]
    assert ("tool failed after its run had ended" in caplog.text) == (how == "ended with an error")
    assert "hunter2" not in h.everything


async def test_a_callback_that_raises_keeps_the_abort_from_nobody(caplog):
    controller, told = AbortController(), []

    def bad():
        raise Crash("hunter2")

    controller.signal.on_abort(bad)
    controller.signal.on_abort(lambda: told.append(controller.signal.reason))
    assert controller.abort("enough")
    assert told == ["enough"]
    assert not controller.abort("again")
    assert "hunter2" in caplog.text


async def test_while_a_finished_stream_closes_its_answer_is_not_committed(harness):
    gate = Gate()

    async def stream(request, signal):
        try:
            for event in answer("done"):
                yield event
        finally:
            await gate()

    h = harness(stream)
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    await settle()
    gate.open()
    assert (await run).stop_reason == "aborted"
    assert h.roles == ["user"]


async def test_while_a_failing_tools_result_is_kept_nothing_is_raised_any_more(harness):
    gate = Gate()

    def work(context, arguments):
        raise Crash("hunter2")

    h = harness(answer("", call("tool")), tools=[FakeTool("tool", work)], on_tool_exception="raise")
    h.sink.waits = lambda event: gate if event.type == "tool_execution_end" else None
    run = h.start()
    await gate.reached.wait()
    h.agent.abort()
    gate.open()
    assert (await run).stop_reason == "aborted"
