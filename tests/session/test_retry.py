"""Which failed responses are asked for again, and when."""

from typing import get_args

import pytest

from steersman.agent.hooks import GiveUp, Retry
from steersman.agent.model import FailureKind, StreamFailure
from steersman.session.retry import ATTEMPTS, POLICIES, RetryPolicy
from support.scripted_model import answer, failure

POLICY = RetryPolicy(jitter=lambda: 1.0)
NEVER = {"refused", "not_found", "auth", "permission", "quota", "bad_request", "context_overflow"}


def test_every_kind_has_a_policy_and_says_in_a_sentence_what_to_do():
    assert set(POLICIES) == set(get_args(FailureKind))
    for policy in POLICIES.values():
        assert policy.advice[0].isupper()
        assert policy.advice[-1] in ".?"
        assert policy.means


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_giving_up_says_what_to_do(kind):
    last = POLICIES[kind].attempts
    tried = f" It was tried {last} times." if last > 1 else ""
    given_up = POLICY.decide(StreamFailure(kind, "It failed"), last)
    assert given_up == GiveUp(f"It failed.{tried} {POLICIES[kind].advice}")
    known = StreamFailure(kind, "It failed", advice="Do this.")
    assert POLICY.decide(known, 99).message.endswith(" Do this.")


def test_used_up_credit_is_asked_for_again_only_where_the_provider_says_when():
    assert isinstance(POLICY.decide(StreamFailure("quota", "x"), 1), GiveUp)
    assert POLICY.decide(StreamFailure("quota", "x", retry_after=48), 1) == Retry(48)
    assert isinstance(POLICY.decide(StreamFailure("quota", "x", retry_after=48), 2), GiveUp)


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_by_its_kind_a_failure_is_tried_again_a_few_times_or_never(kind):
    tries = 1
    while isinstance(POLICY.decide(StreamFailure(kind, "Failed."), tries), Retry):
        tries += 1
    assert tries == (1 if kind in NEVER else ATTEMPTS[kind])
    assert tries <= 6


def test_tool_use_failed_is_retried_twice():
    assert ATTEMPTS["tool_use_failed"] == 3


def test_waits_double_up_to_the_ceiling_with_jitter_in_their_second_half():
    waits = [POLICY.decide(StreamFailure("overloaded", "x"), attempt).after for attempt in (1, 2, 3)]
    assert waits == [1, 2, 4]
    least = RetryPolicy(jitter=lambda: 0.0)
    assert least.decide(StreamFailure("overloaded", "x"), 3).after == 2
    short = RetryPolicy(ceiling=3, jitter=lambda: 1.0)
    assert short.decide(StreamFailure("overloaded", "x"), 5).after == 3


def test_what_the_provider_asks_for_is_waited_unless_it_is_too_long():
    assert POLICY.decide(StreamFailure("rate_limit", "x", retry_after=7), 1) == Retry(7)
    given_up = POLICY.decide(StreamFailure("rate_limit", "Too many.", retry_after=600), 1)
    assert given_up == GiveUp("Too many. The provider asks to wait 10 minutes.")


@pytest.mark.parametrize("told", [0.0, 0.02])
def test_a_provider_that_asks_for_next_to_no_time_is_not_asked_again_at_once(told):
    failed = StreamFailure("rate_limit", "x", retry_after=told)
    assert [POLICY.decide(failed, attempt).after for attempt in (1, 2, 3)] == [1, 2, 4]
    assert POLICY.decide(StreamFailure("quota", "x", retry_after=told), 1) == Retry(1)
    eager = RetryPolicy(jitter=lambda: 0.0)
    assert eager.decide(StreamFailure("rate_limit", "x", retry_after=0.9), 1) == Retry(0.9), (
        "nor sooner than asked"
    )


def test_an_empty_answer_that_was_cut_is_never_asked_for_again():
    assert isinstance(POLICY.decide(StreamFailure("empty", "x", cut=True), 1), GiveUp)


def test_giving_up_says_how_often_it_was_tried():
    given_up = POLICY.decide(StreamFailure("timeout", "Silence."), 3)
    assert given_up.message.startswith("Silence. It was tried 3 times. ")


async def test_an_abort_during_the_wait_ends_the_run_without_another_request(harness):
    h = harness(failure("rate_limit"), answer("never"))
    h.services.bus.listen(
        lambda event: event.type == "message_end" and "discarded" in event.data and h.manager.abort()
    )
    await h.run()
    assert h.end["stopReason"] == "aborted"
    assert len(h.model.requests) == 1
