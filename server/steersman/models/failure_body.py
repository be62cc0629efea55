"""A provider's error object, whatever its shape, as the few things that say what happened. It does no I/O."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import orjson

from steersman.agent.model import FailureKind

_REASONS: Final[Mapping[str, FailureKind]] = {
    "API_KEY_INVALID": "auth",
    "ACCESS_TOKEN_EXPIRED": "auth",
    "CREDENTIALS_MISSING": "auth",
    "API_KEY_SERVICE_BLOCKED": "permission",
    "API_KEY_HTTP_REFERRER_BLOCKED": "permission",
    "API_KEY_IP_ADDRESS_BLOCKED": "permission",
    "SERVICE_DISABLED": "permission",
    "CONSUMER_SUSPENDED": "permission",
    "IAM_PERMISSION_DENIED": "permission",
    "BILLING_DISABLED": "quota",
    "RATE_LIMIT_EXCEEDED": "rate_limit",
}
"""`reason` of a `google.rpc.ErrorInfo` (googleapis, google/api/error_reason.proto)."""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The parts of a provider's error object that say what happened, whatever its shape."""

    message: str
    codes: tuple[str, ...] = ()
    """Its code, type and status words, lower case."""
    status: int | None = None
    """A status that the body itself names."""
    retry_after: float | None = None
    param: str = ""
    """The part of the request that it is about."""
    told: FailureKind | None = None
    """What fields tell that only one kind of failure has."""


def read_error_body(body: object) -> ErrorBody:
    """Reads the parsed JSON of an error, as bodies and as events inside a stream carry it."""
    error = _read(body)
    inner = _upstream(body)
    if inner is None:
        return error
    # A router's error around that of the provider it asked.
    above = _read(inner) if not isinstance(inner, str) else ErrorBody(f"{error.message}: {inner}")
    return replace(
        error,
        message=above.message or error.message,
        codes=above.codes + error.codes,
        param=above.param or error.param,
        told=above.told or error.told,
    )


def _read(body: object) -> ErrorBody:
    if isinstance(body, list) and body:
        body = body[0]  # Google's, from what is otherwise a list of answers
    outer: Mapping[str, object] = body if isinstance(body, dict) else {}
    inner = outer.get("error", body)
    if isinstance(inner, str):
        return ErrorBody(inner, _codes(outer), _status(outer))
    if not isinstance(inner, dict):
        return ErrorBody("", (), _status(outer))
    message = next(
        (inner[key] for key in ("message", "detail", "msg") if isinstance(inner.get(key), str)), ""
    )
    param = inner.get("param")
    return ErrorBody(
        str(message),
        _codes(inner),
        _status(inner),
        _retry_delay(inner.get("details")),
        param if isinstance(param, str) else "",
        _told(inner),
    )


def _upstream(body: object) -> object:
    """OpenRouter's `error.metadata.raw`: what the provider answered, as JSON or text; None without it."""
    error = body.get("error") if isinstance(body, dict) else None
    metadata = error.get("metadata") if isinstance(error, dict) else None
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if not isinstance(raw, str) or not raw:
        return None
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw


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


def _told(error: Mapping[str, object]) -> FailureKind | None:
    if isinstance(error.get("n_ctx"), int) and isinstance(error.get("n_prompt_tokens"), int):
        return "context_overflow"  # llama.cpp, README of tools/server
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("flagged_input"), str):
        return "refused"  # OpenRouter's ModerationErrorMetadata
    quotas = list(_violations(error.get("details")))
    if quotas:
        return "quota" if any(_takes_long(quota) for quota in quotas) else "rate_limit"
    for detail in _details(error.get("details"), "google.rpc.ErrorInfo"):
        reason = detail.get("reason")
        if isinstance(reason, str) and reason in _REASONS:
            return _REASONS[reason]
    return None


def _takes_long(violation: Mapping[str, object]) -> bool:
    """Whether a request may well fail once more after a minute: for a limit of tokens, it may be too large itself."""
    name = f"{violation.get('quotaId')}{violation.get('quotaMetric')}".lower().replace("_", "")
    return _is_daily(violation) or "token" in name or violation.get("quotaValue") == "0"


def _is_daily(violation: Mapping[str, object]) -> bool:
    return "PerDay" in str(violation.get("quotaId"))


def _violations(details: object) -> Iterator[Mapping[str, object]]:
    for detail in _details(details, "google.rpc.QuotaFailure"):
        violations = detail.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, dict) and violation.get("quotaId"):
                yield violation


def _retry_delay(details: object) -> float | None:
    """Google's RetryInfo: `{"retryDelay": "48s"}`. Of a limit for a day it is too short, and no help."""
    if any(_is_daily(violation) for violation in _violations(details)):
        return None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?s", delay):
            return float(delay[:-1])
    return None


def _details(details: object, kind: str) -> Iterator[Mapping[str, object]]:
    """Google's error details of one type; `@type` is a URL that ends with its name."""
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and str(detail.get("@type")).endswith(f"/{kind}"):
            yield detail
