"""What an answer costs, from its tokens and the price of a million of them."""

import httpx
import pytest

from steersman.agent.abort import AbortController
from steersman.agent.messages import Usage
from steersman.agent.model import ModelRequest, StreamDone, StreamError, StreamFailure
from steersman.models.catalog import Catalog
from steersman.models.pricing import PricedModel, priced
from steersman.models.provider import Price
from steersman.models.provider_file import user_providers
from support.model_server import Canned, events_of
from support.scripted_model import ScriptedModel, answer
from support.sse import sse, text

PRICE = Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        (Usage(1_000_000, 0), PRICE, 3.0),
        (Usage(0, 1_000_000, reasoning=400_000), PRICE, 15.0),
        (Usage(1_000_000, 0, cache_read=600_000, cache_write=100_000), PRICE, 0.9 + 0.18 + 0.375),
        (Usage(1_000_000, 0, cache_read=500_000), Price(3.0, 15.0), 3.0),
        (Usage(1_000_000, 0, cache_write=500_000), Price(3.0, 15.0), None),
        (Usage(10, 10), Price(input=3.0), None),
        (Usage(10, 0), Price(input=3.0), 0.00003),
        (Usage(10, 10), Price(0.0, 0.0), 0.0),
        (Usage(10, 10), None, None),
        (Usage(), PRICE, None),
        (Usage(10, 10, cost=0.5), PRICE, 0.5),
        (Usage(10, 0, cache_read=20), PRICE, 0.000006),
    ],
    ids=[
        "input",
        "reasoning is output",
        "what a cache gave and took has prices of its own",
        "a cache without a price costs at most what its tokens cost",
        "writing a cache may cost more than its tokens",
        "an output without a price",
        "nothing that has no price",
        "free",
        "no price at all",
        "nothing was counted",
        "the provider told it",
        "more from the cache than there was",
    ],
)
def test_the_cost_is_known_where_every_price_is(usage, price, cost):
    assert priced(usage, price).cost == (None if cost is None else pytest.approx(cost))


async def test_a_model_with_a_price_tells_it_with_the_last_event_and_changes_nothing_else():
    usage = Usage(input=1000, output=100)
    good = answer("Hello.", usage=usage)
    bad = [*answer("Hel")[:-1], StreamError(StreamFailure("server", "It broke."), usage)]
    model = PricedModel(ScriptedModel(good, bad), PRICE)
    for steps, kind in ((good, StreamDone), (bad, StreamError)):
        *events, last = [
            event async for event in model.stream(ModelRequest("", []), AbortController().signal)
        ]
        assert events == steps[:-1]
        assert isinstance(last, kind)
        assert last.usage.cost == pytest.approx(0.0045)


async def test_a_stream_that_nobody_reads_on_is_closed():
    closed = []

    async def one_event(request, signal):
        try:
            yield answer("Hello.")[0]
            yield answer("Hello.")[-1]
        finally:
            closed.append(True)

    stream = PricedModel(ScriptedModel(one_event), PRICE).stream(
        ModelRequest("", []), AbortController().signal
    )
    await anext(stream)
    await stream.aclose()
    assert closed == [True]


@pytest.mark.parametrize(
    ("table", "cost"),
    [
        ({"local": True}, 0.0),
        ({"models": [{"match": "*", "price": {"input": 2, "output": 10}}]}, 0.0021),
        ({"models": [{"match": "other-*", "price": {"input": 2, "output": 10}}]}, None),
        ({"local": True, "models": [{"match": "m", "price": {"input": 2, "output": 10}}]}, 0.0021),
    ],
    ids=["on this machine", "by the user's rule", "of another model", "a rule goes before the machine"],
)
async def test_the_catalog_makes_models_that_know_their_price(table, cost):
    server = {"api": "openai-chat", "base_url": "http://model.test/v1", **table}
    counted = {"prompt_tokens": 1000, "completion_tokens": 10}
    answered = sse(text("Hello.", "stop"), {"choices": [], "usage": counted})
    client = httpx.AsyncClient(transport=Canned([answered]))
    model = Catalog(user_providers({"mine": server})).model("mine:m", client=client)
    [*_, last] = await events_of(model)
    assert isinstance(last, StreamDone)
    assert last.usage == Usage(1000, 10, cost=None if cost is None else pytest.approx(cost))
