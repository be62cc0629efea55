"""The user's limits for a provider: requests wait their turn, and no span of a minute has more than is allowed."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.abort import AbortController, AbortSignal
from steersman.agent.messages import Usage
from steersman.agent.model import Ping, StreamDone, StreamError
from steersman.models.http_model import HttpModel
from steersman.models.keys import Key
from steersman.models.making import make_model
from steersman.models.provider import Provider, RateLimits
from steersman.models.routes import Route
from steersman.models.throttle import (
    LOOK_SECONDS,
    WINDOW,
    Throttle,
    ThrottledModel,
    estimated_tokens,
    shared_throttle,
)
from support.manual_clock import ManualClock, settle
from support.model_server import ask, raw_server


class Recorded:
    """A model that keeps when each request began and ended, by the clock; each takes `seconds`."""

    id = "test:recorded"

    def __init__(self, clock: ManualClock, seconds: float = 0, usage: Usage | None = None) -> None:
        self.clock, self.seconds, self.usage = clock, seconds, usage or Usage()
        self.spans: list[list[float]] = []
        self.prompts: list[str] = []

    async def stream(self, request, signal):
        span = [self.clock.now, float("inf")]
        self.spans.append(span)
        self.prompts.append(request.messages[0].content[0].text)
        try:
            if self.seconds:
                await self.clock.sleep(self.seconds)
            yield StreamDone("stop", self.usage)
        finally:
            span[1] = self.clock.now


@pytest.fixture
def clock():
    return ManualClock()


def throttled(model, clock, **limits) -> ThrottledModel:
    rates = RateLimits(**limits)
    return ThrottledModel(model, "somebody", rates, Throttle(rates, clock))


async def read(model, request=None, signal=None):
    return [event async for event in model.stream(request or ask(), signal or AbortSignal())]


async def begun(model, *prompts):
    """A task for each, in this order."""
    tasks = [asyncio.create_task(read(model, ask(prompt))) for prompt in prompts]
    await settle()
    return tasks


async def test_within_the_limits_nothing_waits(clock):
    model = throttled(Recorded(clock), clock, concurrent=1, requests_per_minute=1, tokens_per_minute=100)
    assert [type(event) for event in await read(model)] == [StreamDone]


async def test_no_more_run_at_a_time_and_the_next_begins_when_one_ends(clock):
    model = Recorded(clock, seconds=7)
    tasks = await begun(throttled(model, clock, concurrent=2), *"abc")
    assert model.prompts == ["a", "b"]
    clock.advance(7)
    await settle()
    assert model.prompts == ["a", "b", "c"]
    await clock.elapse_until(asyncio.gather(*tasks))


async def test_a_request_above_the_minute_s_limit_begins_when_the_oldest_is_a_minute_old(clock):
    model = Recorded(clock)
    tasks = await begun(throttled(model, clock, requests_per_minute=2), *"ab")
    clock.advance(10)
    tasks += await begun(throttled(model, clock), "x")  # another provider's
    assert await clock.elapse_until(asyncio.gather(*tasks)) == 0
    limited = throttled(model, clock, requests_per_minute=1)
    tasks = await begun(limited, *"cd")
    assert await clock.elapse_until(asyncio.gather(*tasks)) == WINDOW


async def test_a_prompt_that_fits_no_minute_goes_alone(clock):
    model = Recorded(clock, usage=Usage(input=1000, output=10))
    limited = throttled(model, clock, tokens_per_minute=20)
    tasks = await begun(limited, "small", "x" * 4000)
    assert await clock.elapse_until(asyncio.gather(*tasks)) == WINDOW
    assert [start for start, _ in model.spans] == [1000.0, 1000.0 + WINDOW]


async def test_what_the_provider_has_counted_takes_the_place_of_the_estimate(clock):
    large = ask("x" * 400)
    estimate = estimated_tokens(large)
    for counted, waits in ((1, 0), (estimate + 1, WINDOW)):
        model = throttled(Recorded(clock, usage=Usage(input=counted)), clock, tokens_per_minute=2 * estimate)
        await read(model, large)
        assert await clock.elapse_until(asyncio.create_task(read(model, large))) == waits, counted


async def test_they_go_in_the_order_in_which_they_came_the_small_behind_the_large(clock):
    model = Recorded(clock)
    limited = throttled(model, clock, tokens_per_minute=200)
    tasks = await begun(limited, "a" * 400, "b" * 600, "c")
    assert [prompt[0] for prompt in model.prompts] == ["a"]
    await clock.elapse_until(asyncio.gather(*tasks))
    assert [prompt[0] for prompt in model.prompts] == ["a", "b", "c"]


async def test_who_waits_pings_so_that_it_counts_as_no_stall_and_the_user_hears_of_it_once(clock):
    told = []
    limited = throttled(Recorded(clock), clock, requests_per_minute=1)
    await read(limited)
    events, last = [], [clock.now]

    async def reading():
        async for event in limited.stream(ask(on_wait=told.append), AbortSignal()):
            events.append(event)
            last.append(clock.now)

    task = asyncio.create_task(reading())
    await clock.elapse_until(task)
    assert [type(event) for event in events] == [Ping] * (len(events) - 1) + [StreamDone]
    assert max(later - earlier for earlier, later in pairwise(last)) <= LOOK_SECONDS
    assert told == ["The request waits for 60 seconds: config.toml limits what is asked of somebody."]


async def test_of_a_wait_of_which_nobody_knows_the_end_the_user_hears_after_a_while(clock):
    told = []
    limited = throttled(Recorded(clock, seconds=100), clock, concurrent=1)
    first = asyncio.create_task(read(limited))
    await settle()
    second = asyncio.create_task(read(limited, ask(on_wait=told.append)))
    await settle()
    assert told == []
    await clock.elapse_until(asyncio.gather(first, second))
    assert told == [
        "The request waits for other requests to end: config.toml limits what is asked of somebody."
    ]


async def test_a_short_wait_is_not_told(clock):
    told = []
    limited = throttled(Recorded(clock, seconds=2), clock, concurrent=1)
    tasks = [asyncio.create_task(read(limited, ask(on_wait=told.append))) for _ in range(2)]
    await clock.elapse_until(asyncio.gather(*tasks))
    assert told == []


async def test_an_abort_ends_the_wait_at_once_and_gives_the_place_away(clock):
    model = Recorded(clock, seconds=50)
    limited = throttled(model, clock, concurrent=1)
    controller = AbortController()
    [first] = await begun(limited, "a")
    aborted = asyncio.create_task(read(limited, ask("b"), controller.signal))
    await settle()
    [third] = await begun(limited, "c")
    controller.abort()
    await settle()
    assert aborted.done()
    assert isinstance(aborted.result()[-1], StreamError)
    await clock.elapse_until(asyncio.gather(first, third))
    assert model.prompts == ["a", "c"]


@pytest.mark.parametrize("while_waiting", [True, False])
async def test_who_is_cancelled_holds_no_place(clock, while_waiting):
    model = Recorded(clock, seconds=50)
    limited = throttled(model, clock, concurrent=1)
    first, second, third = await begun(limited, *"abc")
    (second if while_waiting else first).cancel()
    await settle()
    left = [first, third] if while_waiting else [second, third]
    await clock.elapse_until(asyncio.gather(*left))
    assert model.prompts == (["a", "c"] if while_waiting else ["a", "b", "c"])


async def test_a_request_that_was_aborted_before_it_came_is_not_made(clock):
    model = Recorded(clock)
    controller = AbortController()
    controller.abort()
    events = await read(throttled(model, clock, concurrent=1), signal=controller.signal)
    assert isinstance(events[-1], StreamError)
    assert model.spans == []


async def test_all_models_of_a_provider_share_its_limits():
    limits = RateLimits(concurrent=1)
    assert shared_throttle("a", limits) is shared_throttle("a", RateLimits(concurrent=1))
    assert shared_throttle("a", limits) is not shared_throttle("b", limits)


async def test_what_a_provider_s_table_limits_and_where_its_key_is_from_reach_its_models():
    """`limits` of the user's file, over real connections: the second request waits for the first one's end."""
    at_work, most = 0, 0

    async def answer(reader, writer):
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await all_here.wait()
        at_work -= 1
        writer.write(b"HTTP/1.1 401 -\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    async with raw_server(answer) as url:
        for limits, together in ((RateLimits(), 3), (RateLimits(concurrent=1), 1)):
            most, all_here = 0, asyncio.Barrier(together)
            provider = Provider("own", "Own", "openai-chat", url, limits=limits)
            route = Route(provider, "m", url, "the test", Key("k-1234567", "OWN_KEY"))
            models = [make_model(route, "k-1234567") for _ in range(3)]
            assert isinstance(models[0], HttpModel if together > 1 else ThrottledModel)
            last = [events[-1] for events in await asyncio.gather(*map(read, models))]
            assert [each.failure.advice for each in last] == ["Check the API key: it comes from OWN_KEY."] * 3
            assert most == together


@given(
    arrivals=st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 90), st.integers(1, 120)), min_size=1, max_size=25
    ),
    concurrent=st.none() | st.integers(1, 4),
    requests=st.none() | st.integers(1, 5),
    tokens=st.none() | st.integers(1, 150),
)
@settings(max_examples=150, deadline=None)
async def test_no_span_of_a_minute_has_more_than_the_limits(arrivals, concurrent, requests, tokens):
    """Arrivals: seconds since the one before, seconds that it takes, tokens of it."""
    clock = ManualClock()
    throttle = Throttle(RateLimits(concurrent, requests, tokens), clock)
    spans: list[tuple[float, float, int]] = []
    order: list[int] = []

    async def one(number: int, lasts: int, size: int) -> None:
        turn = throttle.queue(size)
        try:
            while (left := turn.try_begin()) > 0:
                await turn.pause(min(left, 1000), AbortSignal())
            order.append(number)
            start = clock.now
            await clock.sleep(lasts)
            spans.append((start, clock.now, size))
        finally:
            turn.leave()

    async def all_of_them() -> None:
        tasks = []
        for number, (gap, lasts, size) in enumerate(arrivals):
            await clock.sleep(gap)
            tasks.append(asyncio.create_task(one(number, lasts, size)))
        await asyncio.gather(*tasks)

    await clock.elapse_until(asyncio.create_task(all_of_them()), at_most=100_000)
    assert order == list(range(len(arrivals)))
    for start, _, _ in spans:
        within = [span for span in spans if start - WINDOW < span[0] <= start]
        at_work = [span for span in spans if span[0] <= start < span[1]]
        assert requests is None or len(within) <= requests
        assert concurrent is None or len(at_work) <= concurrent
        assert tokens is None or sum(size for *_, size in within) <= tokens or len(within) == 1
