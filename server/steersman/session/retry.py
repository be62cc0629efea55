"""What follows from a failed response: whether and when it is asked for again, and what the user can do.

The kind of the failure decides, never its text.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from steersman.agent.hooks import GiveUp, Retry
from steersman.agent.model import FailureKind, StreamFailure


@dataclass(frozen=True, slots=True)
class Policy:
    """Of one kind of failure."""

    means: str
    attempts: int
    """Requests in all, the first included."""
    advice: str
    """What the user can do, as a sentence."""
    if_told: bool = False
    """It is asked for again only if the provider says when."""


POLICIES: Final[Mapping[FailureKind, Policy]] = {
    "auth": Policy("the key is missing or not taken", 1, "Check the API key."),
    "permission": Policy(
        "the key may not do this",
        1,
        "Check at the provider what this key may use: the model, the region, the project.",
    ),
    "quota": Policy(
        "credit or a limit is used up",
        2,
        "Add credit or raise the limit at the provider, or choose another model.",
        if_told=True,
    ),
    "rate_limit": Policy(
        "too many requests or tokens in a short time",
        6,
        "Wait a little, or set limits for this provider in config.toml.",
    ),
    "overloaded": Policy("the provider has too much to do", 6, "Wait a little, or choose another model."),
    "server": Policy(
        "the provider failed", 4, "The fault is the server's: see its log or status page, or try again later."
    ),
    "context_overflow": Policy(
        "the conversation is longer than the model's context",
        1,
        "Shorten the conversation (compact), or choose a model with a larger context.",
    ),
    "bad_request": Policy(
        "the server does not take such a request",
        1,
        "Check that the base URL, the API and the options of this provider fit the model.",
    ),
    "not_found": Policy(
        "there is no such model, or no such address",
        1,
        "Check the model's name and the base URL: steersman models lists what there is.",
    ),
    "tool_use_failed": Policy(
        "the model wrote a call that its server could not read",
        3,
        "Ask again in other words, or choose another model.",
    ),
    "refused": Policy(
        "the provider withholds the answer", 1, "Put the request in other words, or choose another model."
    ),
    "network": Policy(
        "no connection, or one that broke",
        4,
        "Is the model's server running, and the base URL right (http or https, host, port)?",
    ),
    "timeout": Policy(
        "silence for too long",
        3,
        "Try again; for a slow server, set longer timeouts for this provider in config.toml.",
    ),
    "protocol": Policy(
        "what came is no whole answer of this API",
        3,
        "Try again; if it stays so, check that the base URL is that of this API.",
    ),
    "empty": Policy(
        "neither text nor tool calls came", 3, "Ask again in other words, or choose another model."
    ),
}
ATTEMPTS: Final[Mapping[FailureKind, int]] = {
    kind: policy.attempts for kind, policy in POLICIES.items() if policy.attempts > 1 and not policy.if_told
}
"""Requests in all, the first included, of the kinds that are tried again whatever the provider says."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    base: float = 1.0
    """Seconds before the second attempt; doubled for each one after. Shorter waits are not taken from a provider."""
    ceiling: float = 60.0
    """Seconds: the longest wait. If a provider asks for more, there is no further try."""
    jitter: Callable[[], float] = random.random
    """Between 0 and 1: the part of the second half of a wait that is waited."""

    def decide(self, failure: StreamFailure, attempt: int) -> Retry | GiveUp:
        """`attempt` requests have been made for this response."""
        policy = POLICIES[failure.kind]
        again = not failure.cut and (failure.retry_after is not None or not policy.if_told)
        if not again or attempt >= policy.attempts:
            tried = f" It was tried {attempt} times." if attempt > 1 else ""
            return GiveUp(f"{sentence(failure.message)}{tried} {advice_of(failure)}")
        told = failure.retry_after or 0.0
        if told > self.ceiling:
            return GiveUp(f"{sentence(failure.message)} The provider asks to wait {told / 60:.0f} minutes.")
        if told >= self.base:
            return Retry(told)
        # Nothing, or next to nothing: a date that has passed by our clock, a server that says 0 whatever happens. All
        # attempts would be used up before anything can have changed.
        wait = min(self.ceiling, self.base * 2 ** (attempt - 1))
        return Retry(max(told, wait / 2 + wait / 2 * self.jitter()))


def advice_of(failure: StreamFailure) -> str:
    """What the user can do, as a sentence."""
    return failure.advice or POLICIES[failure.kind].advice


def sentence(text: str) -> str:
    """`text` as a whole sentence: other programs' messages come without a full stop."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
