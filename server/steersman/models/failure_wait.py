"""How long a provider asks to wait, by the headers of its response. No I/O."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

_COUNTED: Final = ("requests", "tokens", "input-tokens", "output-tokens")
_DURATION: Final = re.compile(
    r"(?:(?P<h>\d{1,4})h)?(?:(?P<m>\d{1,6})m)?(?:(?P<s>\d{1,9}(?:\.\d{1,9})?)s)?(?:(?P<ms>\d{1,9})ms)?"
)


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds by `retry-after-ms`, else by `Retry-After` (RFC 9110, 10.2.3: seconds or a date); None without either."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to load, and few servers send a date

    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return _until(date, now)


def limit_reset_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until every exhausted rate limit is reset, by the rate limit headers; None if none is exhausted.

    OpenAI and Groq: `x-ratelimit-remaining-requests: 0`, `x-ratelimit-reset-requests: 6m0s`. Anthropic:
    `anthropic-ratelimit-tokens-remaining: 0`, `anthropic-ratelimit-tokens-reset: 2026-01-01T00:00:00Z`.
    """
    waits: list[float | None] = []
    for what in _COUNTED:
        if headers.get(f"x-ratelimit-remaining-{what}") == "0":
            waits.append(_duration(headers.get(f"x-ratelimit-reset-{what}", "")))
        if headers.get(f"anthropic-ratelimit-{what}-remaining") == "0":
            waits.append(_instant(headers.get(f"anthropic-ratelimit-{what}-reset", ""), now))
    return max((wait for wait in waits if wait is not None), default=None)


def _duration(text: str) -> float | None:
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        return None
    hours, minutes, seconds, milliseconds = (float(match[unit] or 0) for unit in ("h", "m", "s", "ms"))
    return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000


def _instant(text: str, now: datetime | None) -> float | None:
    try:
        return _until(datetime.fromisoformat(text), now)
    except ValueError:
        return None


def _until(date: datetime, now: datetime | None) -> float:
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _number(value: str | None) -> float | None:
    return float(value) if value is not None and re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", value) else None
