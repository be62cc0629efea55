"""What a provider's error means: HTTP statuses and error bodies become a `StreamFailure` with its kind.

The provider's own code or type decides first, then phrases for the few cases that providers tell apart in prose only,
then the status. It does no I/O.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import orjson

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.secrets import Redactor
from steersman.models.surrogates import whole

MESSAGE_LIMIT: Final = 600
"""Characters of a provider's own message that a failure repeats."""

_CODES: Final[Mapping[str, FailureKind]] = {
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "unauthenticated": "auth",
    "permission_denied": "permission",
    "permission_error": "permission",
    "insufficient_quota": "quota",
    "billing_hard_limit_reached": "quota",
    "billing_error": "quota",
    "insufficient_balance": "quota",
    "credit_balance_too_low": "quota",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "ratelimitreached": "rate_limit",
    "overloaded_error": "overloaded",
    "engine_overloaded": "overloaded",
    "engine_overloaded_error": "overloaded",
    "unavailable": "overloaded",
    "context_length_exceeded": "context_overflow",
    "exceed_context_size_error": "context_overflow",
    "request_too_large": "context_overflow",
    "model_not_found": "not_found",
    "invalid_model": "not_found",
    "not_found_error": "not_found",
    "tool_use_failed": "tool_use_failed",
    "timeout_error": "timeout",
    "invalid_value": "bad_request",
    "unsupported_value": "bad_request",
    "unsupported_parameter": "bad_request",
    "unknown_parameter": "bad_request",
    "content_filter": "refused",
    "content_policy_violation": "refused",
    "responsibleaipolicyviolation": "refused",
    "moderation_blocked": "refused",
}
_VAGUE_CODES: Final[Mapping[str, FailureKind]] = {
    "server_error": "server",
    "internal_server_error": "server",
    "api_error": "server",
    "internal": "server",
    "timeout": "timeout",
    "not_found": "not_found",
    "notfounderror": "not_found",
    "invalid_request_error": "bad_request",
    "badrequesterror": "bad_request",
    "invalid_argument": "bad_request",
}
"""Codes that providers also put on what a phrase tells better."""

_PHRASES: Final[tuple[tuple[re.Pattern[str], FailureKind], ...]] = (
    (
        re.compile(
            r"context (?:length|window|size)|maximum context|too many (?:input )?tokens|prompt is too long"
            r"|input is too long|exceed context limit|token count.{0,40}exceeds"
            r"|exceeds the (?:model's )?max\w* (?:number of )?(?:input )?tokens",
            re.IGNORECASE,
        ),
        "context_overflow",
    ),
    (
        re.compile(
            r"(?:incorrect|invalid) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid)", re.IGNORECASE
        ),
        "auth",
    ),
    (
        re.compile(
            r"exceeded your current quota|insufficient (?:balance|credits?|funds)|credit balance is too low"
            r"|reached your specified .{0,20}usage limits",
            re.IGNORECASE,
        ),
        "quota",
    ),
    (
        re.compile(
            r"model not found|not a valid model|invalid model\b|model .{1,200}(?:does not exist|not found)",
            re.IGNORECASE,
        ),
        "not_found",
    ),
    (re.compile(r"failed to call a function|malformed function call", re.IGNORECASE), "tool_use_failed"),
)
_STATUSES: Final[Mapping[int, FailureKind]] = {
    401: "auth",
    402: "quota",
    403: "permission",
    404: "not_found",
    408: "timeout",
    413: "context_overflow",
    429: "rate_limit",
    451: "refused",
    503: "overloaded",
    524: "timeout",
    529: "overloaded",
}
_HINTS: Final[Mapping[FailureKind, str]] = {
    "auth": "Check the API key (STEERSMAN_API_KEY).",
    "not_found": "Check the model's name (STEERSMAN_MODEL) and the base URL (STEERSMAN_BASE_URL).",
    "quota": "The account's quota or credit is used up; waiting will not help.",
}


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The parts of a provider's error object that say what happened, whatever its shape."""

    message: str
    codes: tuple[str, ...] = ()
    """Its type, code and status words, lower case."""
    status: int | None = None
    """A status that the body itself names."""
    retry_after: float | None = None


def read_error_body(body: object) -> ErrorBody:
    """Reads the parsed JSON of an error, as bodies and as events inside a stream carry it."""
    outer: Mapping[str, object] = body if isinstance(body, dict) else {}
    inner = outer.get("error", body)
    if isinstance(inner, str):
        return ErrorBody(inner, _codes(outer), _status(outer), None)
    if not isinstance(inner, dict):
        return ErrorBody("", (), _status(outer), None)
    message = next(
        (inner[key] for key in ("message", "detail", "msg") if isinstance(inner.get(key), str)), ""
    )
    return ErrorBody(str(message), _codes(inner), _status(inner), _retry_delay(inner.get("details")))


def classify(status: int | None, error: ErrorBody) -> FailureKind:
    """The kind of a failure, from the HTTP status (None inside a stream) and the error body."""
    for code in error.codes:
        if code in _CODES:
            return _CODES[code]
    for phrase, kind in _PHRASES:
        if phrase.search(error.message[:4000]):
            return kind
    status = status if status is not None else error.status
    if status is not None:
        if status in _STATUSES:
            return _STATUSES[status]
        if status >= 500:
            return "server"
        if 300 <= status < 500:
            return "bad_request"
    for code in error.codes:
        if code in _VAGUE_CODES:
            return _VAGUE_CODES[code]
    return "server"


def failure_of_response(
    who: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    redact: Redactor,
    now: datetime | None = None,
) -> StreamFailure:
    """The failure that a response other than 2xx tells.

    Args:
        who: the server, for the message; no URL with a query or credentials.
        headers: with lower-case names, or a mapping that ignores case.
        now: for a `Retry-After` that is a date; the current time if None.
    """
    try:
        error = read_error_body(orjson.loads(body))
    except orjson.JSONDecodeError:
        error = ErrorBody(_plain_text(body))
    kind = classify(status, error)
    said = error.message or _plain_text(body)
    if 300 <= status < 400:
        said = "the server redirects; redirects are not followed, because the key is for this base URL only"
    retry_after = retry_after_seconds(headers, now)
    if retry_after is None:
        retry_after = error.retry_after
    return StreamFailure(
        kind, failure_message(f"{who} answered {status}", said, kind, redact), retry_after, status
    )


def failure_of_event(who: str, body: object, redact: Redactor) -> StreamFailure:
    """The failure that an error inside a stream (HTTP 200) tells."""
    error = read_error_body(body)
    kind = classify(None, error)
    message = failure_message(f"{who} failed during the answer", error.message, kind, redact)
    return StreamFailure(kind, message, error.retry_after, error.status)


def failure_message(what: str, said: str, kind: FailureKind, redact: Redactor) -> str:
    said = " ".join(redact(whole(said)).split())
    if len(said) > MESSAGE_LIMIT:
        said = said[:MESSAGE_LIMIT] + "…"
    message = f"{what}: {said}" if said else f"{what}."
    hint = _HINTS.get(kind)
    return f"{message} {hint}" if hint else message


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """`Retry-After` (RFC 9110, 10.2.3: seconds or a date) or the finer `retry-after-ms`; None without a usable one."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def _number(value: str | None) -> float | None:
    return float(value) if value is not None and re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", value) else None


def _codes(error: Mapping[str, object]) -> tuple[str, ...]:
    words = [error.get("code"), error.get("type"), error.get("status")]
    inner = error.get("innererror")
    if isinstance(inner, dict):
        words.append(inner.get("code"))
    return tuple(word.lower() for word in words if isinstance(word, str) and word)


def _status(error: Mapping[str, object]) -> int | None:
    for key in ("code", "status", "status_code", "raw_status_code"):
        value = error.get(key)
        if isinstance(value, str) and re.fullmatch(r"[1-5]\d\d", value):
            value = int(value)
        if isinstance(value, int) and 300 <= value < 600:
            return value
    return None


def _retry_delay(details: object) -> float | None:
    """Google's RetryInfo: `{"retryDelay": "48s"}` among the details."""
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _number(delay[:-1])
    return None


def _plain_text(body: bytes) -> str:
    """What of a body that is no error object a person can read: not the markup of a proxy's error page."""
    text = body[:20_000].decode("utf-8", "replace")
    if "<" in text and re.match(r"\s*<(?:!doctype|html|\?xml)", text, re.IGNORECASE):
        title = re.search(r"<title[^>]*>([^<]+)", text, re.IGNORECASE)
        return title.group(1) if title else "an HTML page instead of an API's answer"
    return text
