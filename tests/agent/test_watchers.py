"""Subscribers and the sink: who watches changes nothing, and who keeps decides what is committed."""

import asyncio

import pytest

from steersman.agent.events import AgentEnd, MessageDiscarded
from steersman.agent.inbox import Inbox
from support.fake_tools import FakeTool
from support.scripted_model import answer, call

SECRET = "hunter2"
SCRIPT = [answer("reading", call("tool"), call("tool")), answer("done")]
DURABLE = 24
"""Records of that script and a follow-up: three turns, from agent_start to agent_end."""


class Crash(Exception):
    pass


@pytest.mark.parametrize("error", [Crash(SECRET), asyncio.CancelledError()])
async def test_a_subscriber_that_raises_on_everything_changes_nothing(harness, error):

    def bad(event):
        raise error

    h = harness(*SCRIPT, tools=[FakeTool()])
    calm = harness(*SCRIPT, tools=[FakeTool()])
    others = []
    h.agent.subscribe(bad)
    h.agent.subscribe(others.append)
    await h.prompt()
    await calm.prompt()
    assert others == h.events == calm.events
    assert h.agent.messages == calm.agent.messages


async def test_a_subscription_ends_once_and_again(harness):
    h, seen = harness(answer("one")), []
    unsubscribe = h.agent.subscribe(seen.append)
    unsubscribe()
    unsubscribe()
    await h.prompt()
    assert seen == []


async def test_the_script_has_as_many_records_as_the_next_tests_fail_at(harness):
    h = harness(*SCRIPT, answer("next"), tools=[FakeTool()])
    h.agent.follow_up("later")
    await h.prompt()
    assert h.sink.records == DURABLE


@pytest.mark.parametrize("closes", [True, False])
@pytest.mark.parametrize("at", range(1, DURABLE + 1))
async def test_when_the_sink_fails_at_any_record_everything_is_closed_and_the_run_says_so(
    harness, at, closes
):
    h = harness(*SCRIPT, answer("next"), tools=[FakeTool()], inbox=Inbox(closes=closes))
    h.sink.fails = lambda event: h.sink.records == at
    h.agent.follow_up("later")
    end = (await h.prompt()).end
    assert (end.stop_reason, end.error.code) == ("error", "logFailed")
    assert h.sink.records == at, "nothing is kept after a failure"
    assert h.types.count("agent_end") == 1
    assert "secret.txt" not in h.everything
    kept = {event.message.id for event in h.sink.kept if event.type == "message_end"}
    assert {message.id for message in h.agent.messages if message.role != "tool"} == kept


async def test_a_result_that_could_not_be_kept_does_not_claim_that_nothing_was_done(harness):
    h = harness(answer("", call("tool"), call("tool")), tools=[FakeTool(execution="sequential")])
    h.sink.fails = lambda event: event.type == "tool_execution_end"
    await h.prompt()
    assert h.texts == [
        "Interrupted while running: its result is lost and its effects may be partial.",
        "Not executed after an earlier failure.",
    ]


async def test_after_a_failure_of_the_sink_an_abort_is_still_the_logs_failure(harness):
    h = harness(answer("never"))

    def fails(event):
        if isinstance(event, MessageDiscarded):
            return True
        if event.type == "message_start" and event.role == "assistant":
            h.agent.abort()
        return False

    h.sink.fails = fails
    assert (await h.prompt()).end.error.code == "logFailed"


async def test_a_sink_that_cancels_itself_has_failed(harness):
    h = harness(answer("done"))

    def fails(event):
        if event.type == "turn_end":
            raise asyncio.CancelledError
        return False

    h.sink.fails = fails
    assert (await h.prompt()).end.error.code == "logFailed"


async def test_a_sink_that_raises_on_being_told_is_not_asked_for_more(harness):
    h, tell = harness(answer("done")), []
    keep = h.sink.tell

    def bad(event):
        keep(event)
        tell.append(event)
        raise Crash(SECRET)

    h.sink.tell = bad
    assert (await h.prompt()).stop_reason == "complete"
    assert tell


async def test_what_is_no_exception_closes_everything_before_it_goes_on(harness):
    class Fatal(BaseException):
        pass

    def work(context, arguments):
        raise Fatal

    h = harness(answer("", call("tool"), call("tool")), tools=[FakeTool("tool", work)])
    with pytest.raises(Fatal):
        await h.prompt()
    assert isinstance(h.events[-1], AgentEnd)
    assert (h.end.stop_reason, h.end.error.code) == ("error", "internal")
