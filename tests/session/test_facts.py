"""What a run took, in words: tokens, those from the cache apart, and a cost that is told only where it is known."""

import pytest

from steersman.agent.messages import Usage
from steersman.session.facts import dollars, usage_text


@pytest.mark.parametrize(
    ("usage", "text"),
    [
        (Usage(), ""),
        (Usage(cost=0.0), ""),
        (Usage(1200, 30), "1,200 tokens in, 30 out"),
        (Usage(1200, 30, cache_read=800), "1,200 tokens in (800 from the cache), 30 out"),
        (Usage(1200, 30, cost=0.0), "1,200 tokens in, 30 out, $0.00"),
        (Usage(1200, 30, cost=0.0123), "1,200 tokens in, 30 out, $0.0123"),
    ],
)
def test_what_a_run_took_is_told_as_far_as_it_is_known(usage, text):
    assert usage_text(usage) == text


@pytest.mark.parametrize(
    ("cost", "text"),
    [(0.0, "$0.00"), (0.00003, "<$0.0001"), (0.0042, "$0.0042"), (1.3, "$1.30"), (1234.5, "$1234.50")],
)
def test_a_small_cost_is_never_told_as_none(cost, text):
    assert dollars(cost) == text
