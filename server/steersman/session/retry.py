"""Which failed responses are asked for again, and when: by the kind of the failure, never by its text."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from steersman.agent.hooks import GiveUp, Retry
from steersman.agent.model import FailureKind, StreamFailure

ATTEMPTS: dict[FailureKind, int] = {
    "rate_limit": 6,
    "overloaded": 6,
    "server": 4,
    "network": 4,
    "timeout": 3,
    "protocol": 3,
    "empty": 3,
    "tool_use_failed": 3,
}
"""Requests in all, the first included. A kind that isn't here is never tried again."""


_HINTS: dict[FailureKind, str] = {
    "network": " Is the model's server running, and the base URL right (http or https, host, port)?",
}
"""What to do, for failures whose own words rarely say it."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    base: float = 1.0
    """Seconds before the second attempt; doubled for each one after."""
    ceiling: float = 60.0
    """Seconds, the most that is waited. A provider that asks for more is taken as a no."""
    jitter: Callable[[], float] = random.random
    """Between 0 and 1: how much of the second half of a wait is waited."""

    def decide(self, failure: StreamFailure, attempt: int) -> Retry | GiveUp:
        """`attempt` requests have been made for this response."""
        allowed = 0 if failure.cut else ATTEMPTS.get(failure.kind, 0)
        if attempt >= allowed:
            tried = f" It was tried {attempt} times." if attempt > 1 else ""
            return GiveUp(f"{sentence(failure.message)}{_HINTS.get(failure.kind, '')}{tried}")
        if failure.retry_after is not None:
            if failure.retry_after > self.ceiling:
                minutes = failure.retry_after / 60
                return GiveUp(f"{sentence(failure.message)} The provider asks to wait {minutes:.0f} minutes.")
            return Retry(failure.retry_after)
        wait = min(self.ceiling, self.base * 2 ** (attempt - 1))
        return Retry(wait / 2 + wait / 2 * self.jitter())


def sentence(text: str) -> str:
    """`text` as a whole sentence: other programs' messages come without a full stop."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
