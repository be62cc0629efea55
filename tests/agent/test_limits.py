"""Ceilings of one run: turns, time, tokens and cost."""

from math import nan

import pytest

from steersman.agent.config import Budget
from steersman.agent.hooks import Hooks, Retry
from steersman.agent.inbox import Inbox
from steersman.agent.messages import Usage
from support.fake_tools import FakeTool
from support.scripted_model import answer, call, failure


def calls(count, usage=None):
    return [answer("", call("tool"), usage=usage)] * count


async def test_max_turns_ends_the_run_and_continue_goes_on_with_a_count_of_its_own(harness):
    h = harness(*calls(2), *calls(1), answer("done"), tools=[FakeTool()], budget=Budget(turns=2))
    end = (await h.prompt()).end
    assert (end.stop_reason, end.limit, end.turns, end.last_call.name) == ("max_turns", "turns", 2, "tool")
    assert (await h.continue_()).stop_reason == "complete"


async def test_an_answer_in_the_last_permitted_turn_is_complete(harness):
    h = harness(answer("done"), budget=Budget(turns=1))
    assert (await h.prompt()).stop_reason == "complete"


async def test_turns_are_counted_anew_for_each_follow_up(harness):
    h = harness(
        answer("", call("tool")),
        answer("one"),
        answer("", call("tool")),
        answer("two"),
        tools=[FakeTool()],
        budget=Budget(turns=2),
    )
    h.agent.follow_up("and then")
    assert (await h.prompt()).end.turns == 4


async def test_a_retried_request_is_the_same_turn(harness):

    async def hook(what, attempt, signal):
        return Retry()

    h = harness(
        failure(), failure(), answer("done"), hooks=Hooks(on_stream_failure=hook), budget=Budget(turns=1)
    )
    assert (await h.prompt()).stop_reason == "complete"


async def test_a_follow_up_that_reaches_the_ceiling_ends_the_run_and_the_queue_comes_back(harness):
    h = harness(
        answer("one"), *calls(1), tools=[FakeTool()], budget=Budget(turns=1), inbox=Inbox(closes=True)
    )
    for text in ("second", "third"):
        h.agent.follow_up(text)
    end = (await h.prompt()).end
    assert end.stop_reason == "max_turns"
    assert [item.message.content[0].text for item in end.undelivered] == ["third"]
    assert h.agent.inbox.items == ()


@pytest.mark.parametrize(
    ("budget", "limit"),
    [(Budget(tokens=30), "tokens"), (Budget(cost=0.02), "cost"), (Budget(seconds=10), "seconds")],
)
async def test_budgets_end_a_run_before_its_next_turn(harness, budget, limit):

    def work(context, arguments):
        h.clock.advance(6)
        return "ok"

    h = harness(
        *calls(9, Usage(input=10, output=5, cost=0.01)), tools=[FakeTool("tool", work)], budget=budget
    )
    end = (await h.prompt()).end
    assert (end.stop_reason, end.limit, end.turns) == ("budget", limit, 2)


async def test_a_ceiling_of_cost_ends_a_run_whose_cost_is_not_known(harness):
    usage = Usage(input=10, output=5)
    h = harness(*calls(9, usage), tools=[FakeTool()], budget=Budget(cost=100))
    end = (await h.prompt()).end
    assert (end.stop_reason, end.limit, end.turns, end.usage.cost) == ("budget", "cost", 1, None)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (Usage(1, 1, cost=0.25), Usage(2, 2, cost=0.5), 0.75),
        (Usage(1, 1, cost=0.0), Usage(2, 2, cost=0.0), 0.0),
        (Usage(1, 1, cost=0.25), Usage(2, 2), None),
        (Usage(1, 1, cost=0.25), Usage(), 0.25),
        (Usage(), Usage(), None),
    ],
    ids=["known", "free", "a part is not known", "a request that was never counted", "nothing"],
)
def test_a_cost_is_known_where_it_is_known_of_every_part(one, other, together):
    assert (one + other).cost == together
    assert (other + one).cost == together


@pytest.mark.parametrize("nothing", [0, -1, nan])
@pytest.mark.parametrize("name", ["turns", "seconds", "tokens", "cost"])
def test_a_budget_of_nothing_is_refused(name, nothing):
    with pytest.raises(ValueError, match=name):
        Budget(**{name: nothing})
