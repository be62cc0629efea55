"""A response that can't be used is never history; whether it is asked for again is decided in one place."""

import asyncio

import pytest

from steersman.agent.config import KernelLimits
from steersman.agent.events import MessageDiscarded
from steersman.agent.hooks import GiveUp, Hooks, Retry
from steersman.agent.messages import Text
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, Ping, StreamDone
from support.fake_tools import FakeTool, Gate, ignores_everything
from support.manual_clock import settle
from support.scripted_model import answer, call, failure


class Crash(Exception):
    pass


def retrying(*, after=0.0, times=100):
    asked = []

    async def hook(what, attempt, signal):
        asked.append((what.kind, attempt))
        return Retry(after) if len(asked) <= times else GiveUp()

    return asked, Hooks(on_stream_failure=hook)


BAD = {
    "fails": (failure("server"), "server"),
    "overflows": (failure("context_overflow"), "context_overflow"),
    "breaks half way": (failure("network", after="half"), "network"),
    "breaks in a call": ([*answer("", call("tool"))[:2], *failure("network")], "network"),
    "raises": ([*answer("half")[:2], Crash("hunter2")], "protocol"),
    "is cancelled": ([*answer("half")[:2], asyncio.CancelledError()], "protocol"),
    "ends without its end": (answer("half")[:-1], "protocol"),
    "says nothing": (answer(""), "empty"),
    "only thinks": (answer(thinking="hm"), "empty"),
    "is cut before it says anything": (answer("", stop="length"), "empty"),
    "is filtered before it says anything": (answer("", stop="content_filter"), "refused"),
    "tells more of a block that never began": ([BlockDelta(3, "?"), StreamDone("stop")], "protocol"),
    "ends a block that never began": ([BlockEnd(3), StreamDone("stop")], "protocol"),
    "begins a block twice": ([*answer("a")[:-1], *answer("b")], "protocol"),
}


@pytest.mark.parametrize(("bad", "kind"), BAD.values(), ids=BAD.keys())
async def test_a_response_that_fails_is_told_and_the_run_ends_as_error(harness, bad, kind):
    """13, 26, c"""
    h = harness(bad, tools=[FakeTool()])
    result = await h.prompt()
    assert (result.stop_reason, result.end.error.code) == ("error", kind)
    assert h.roles == ["user"]
    assert [event.reason for event in h.of(MessageDiscarded)] == ["failed"]
    assert "hunter2" not in h.everything


@pytest.mark.parametrize(("bad", "kind"), BAD.values(), ids=BAD.keys())
async def test_a_retried_response_leaves_nothing_in_history_or_in_the_next_request(harness, bad, kind):
    asked, hooks = retrying()
    h = harness(bad, answer("good"), hooks=hooks)
    assert (await h.prompt()).stop_reason == "complete"
    assert asked == [(kind, 1)]
    assert h.asked() == ["user:go"]
    assert h.roles == ["user", "assistant"]
    assert [event.reason for event in h.of(MessageDiscarded)] == ["retried"]
    assert h.end.turns == 1


async def test_a_response_that_was_cut_empty_says_that_asking_again_does_not_help(harness):
    seen = []

    async def hook(what, attempt, signal):
        seen.append(what.cut)
        return Retry() if len(seen) < 3 else GiveUp("Raise max_output_tokens.")

    h = harness(
        answer("", stop="length"), answer(""), answer("", stop="length"), hooks=Hooks(on_stream_failure=hook)
    )
    assert (await h.prompt()).end.error.message == "Raise max_output_tokens."
    assert seen == [True, False, True]


async def test_the_discarded_keep_their_partial_text_and_usage(harness):
    _, hooks = retrying()
    h = harness(failure(after="half"), answer("good"), hooks=hooks)
    end = (await h.prompt()).end
    (discarded,) = h.of(MessageDiscarded)
    assert (discarded.partial, discarded.usage.input) == ((Text("half"),), 10)
    assert discarded.failure.kind == "network"
    assert end.usage.input == 20


async def test_retries_wait_as_long_as_the_hook_says(harness):
    _, hooks = retrying(after=7)
    h = harness(failure(), failure(), answer("ok"), hooks=hooks)
    assert await h.clock.elapse_until(h.start()) == 14


async def test_retries_are_bounded_whatever_the_hook_says(harness):
    asked, hooks = retrying()
    h = harness(*[failure("server", "the server is down")] * 3, hooks=hooks, limits=KernelLimits(attempts=3))
    end = (await h.prompt()).end
    assert (end.error.code, end.error.message) == ("server", "the server is down")
    assert len(asked) == 2


async def test_each_answer_has_its_own_attempts(harness):
    asked, hooks = retrying()
    h = harness(failure(), answer("", call("tool")), failure(), answer("ok"), tools=[FakeTool()], hooks=hooks)
    await h.prompt()
    assert [attempt for _, attempt in asked] == [1, 1]


async def test_a_retried_request_is_transformed_and_converted_again(harness):
    seen = []

    async def transform(messages, signal):
        seen.append("transform")
        return messages

    def convert(messages):
        seen.append("convert")
        return messages

    _, hooks = retrying()
    hooks.transform_context, hooks.convert_to_llm = transform, convert
    h = harness(failure(), answer("ok"), hooks=hooks)
    await h.prompt()
    assert seen == ["transform", "convert"] * 2


async def test_a_stream_that_stalls_is_given_up(harness):
    h = harness([*answer("half")[:2], lambda signal: asyncio.Event().wait()])
    run = h.start()
    assert await h.clock.elapse_until(run) == h.config.limits.stall
    assert (h.end.error.code, h.types.count("message_end")) == ("timeout", 2)


async def test_pings_keep_a_slow_stream_alive(harness):
    gates = [Gate(), Gate()]
    h = harness([gates[0], Ping(), gates[1], *answer("at last")])
    run = h.start()
    for gate in gates:
        await gate.reached.wait()
        h.clock.advance(h.config.limits.stall - 1)
        await settle()
        gate.open()
    assert (await h.elapse(run)).stop_reason == "complete"


async def test_what_comes_after_a_stall_changes_nothing(harness):
    async def late(request, signal):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for event in answer("here I am"):
                yield event

    h = harness(late)
    result = await h.elapse(h.start())
    assert (result.stop_reason, h.roles) == ("error", ["user"])
    assert h.types.count("message_update") == 0


@pytest.mark.parametrize("how", ["hangs", "ignores its cancellation", "raises"])
async def test_a_stream_that_can_not_close_does_not_hold_its_answer(harness, how):
    release = asyncio.Event()

    async def stream(request, signal):
        try:
            for event in answer("done"):
                yield event
        finally:
            if how == "raises":
                raise Crash("hunter2")
            await (asyncio.Event().wait() if how == "hangs" else ignores_everything(release))

    h = harness(stream)
    run = h.start()
    assert await h.clock.elapse_until(run) <= 2 * h.config.limits.grace
    assert h.roles == ["user", "assistant"]
    release.set()
    assert await h.config.strays.close(h.clock, 5) == []


async def test_a_good_streams_signal_is_not_aborted_when_it_has_ended(harness):
    signals = []

    async def stream(request, signal):
        try:
            for event in answer("done"):
                yield event
        finally:
            signals.append(signal.aborted)

    await harness(stream).prompt()
    assert signals == [False]


async def test_every_stream_is_closed(harness):
    h = harness(answer("", call("tool")), [*answer("x")[:-1], Crash()], tools=[FakeTool()])
    await h.prompt()
    assert h.model.closed == 2


async def test_a_plain_iterator_is_a_stream_too(harness):
    class Plain:
        def __init__(self):
            self.left = answer("done")

        def __aiter__(self):
            return self

        async def __anext__(self):
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

    h = harness(lambda request, signal: Plain())
    await h.prompt()
    assert h.agent.messages[-1].text == "done"


async def test_a_late_name_of_a_call_counts(harness):
    h = harness(
        [
            BlockStart(0, "toolCall"),
            BlockDelta(0, "{}"),
            BlockEnd(0, name="tool", signature="s"),
            StreamDone("stop"),
        ],
        answer("ok"),
        tools=[FakeTool()],
    )
    await h.prompt()
    assert h.outcomes == ["ok"]
    assert h.agent.messages[1].tool_calls[0].signature == "s"


async def test_a_stream_has_time_to_close_after_its_last_event(harness):
    gate, closed = Gate(), []

    async def stream(request, signal):
        try:
            for event in answer("done"):
                yield event
        finally:
            await gate()
            closed.append(True)

    h = harness(stream)
    run = h.start()
    await gate.reached.wait()
    await settle()
    gate.open()
    assert (await run).stop_reason == "complete"
    assert closed == [True]
