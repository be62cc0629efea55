"""Reads a provider's error object, whatever its shape, for the few things that say what happened. No I/O."""

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
"""By the `reason` of a `google.rpc.ErrorInfo` (googleapis, google/api/error_reason.proto)."""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The parts of an error object that say what happened."""

    message: str
    codes: tuple[str, ...] = ()
    """Its code, type and status, where they are words, in lower case."""
    status: int | None = None
    """The HTTP status that the body itself names."""
    retry_after: float | None = None
    told: FailureKind | None = None
    """The kind, if the error has fields that only one kind of failure has."""


def read_error_body(body: object) -> ErrorBody:
    """Reads the parsed JSON of an error: a response's body, or an event inside a stream."""
    error = _read(body)
    inner = _upstream(body)
    if inner is None:
        return error
    # A router's error, which wraps that of the provider it asked.
    above = _read(inner) if not isinstance(inner, str) else ErrorBody(f"{error.message}: {inner}")
    return replace(
        error,
        message=above.message or error.message,
        codes=above.codes + error.codes,
        told=above.told or error.told,
    )


def _read(body: object) -> ErrorBody:
    if isinstance(body, list) and body:
        body = body[0]  # Google sends it in the place of a list of answers
    outer: Mapping[str, object] = body if isinstance(body, dict) else {}
    inner = outer.get("error", body)
    if isinstance(inner, str):
        return ErrorBody(inner, _codes(outer), _status(outer))
    if not isinstance(inner, dict):
        return ErrorBody("", (), _status(outer))
    message = next(
        (inner[key] for key in ("message", "detail", "msg") if isinstance(inner.get(key), str)), ""
    )
    return ErrorBody(
        str(message),
        _codes(inner),
        _status(inner),
        _retry_delay(inner.get("details")),
        _told(inner),
    )


def _upstream(body: object) -> object:
    """OpenRouter's `error.metadata.raw`: the provider's own answer, as JSON or text; None if there is none."""
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
    """Whether waiting a minute may not help: the limit is for a day, or the request itself may exceed it."""
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
    """Google's RetryInfo: `{"retryDelay": "48s"}`. For a daily limit it is far too short, so it is ignored."""
    if any(_is_daily(violation) for violation in _violations(details)):
        return None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?s", delay):
            return float(delay[:-1])
    return None


def _details(details: object, kind: str) -> Iterator[Mapping[str, object]]:
    """Google's error details of one type. `@type` is a URL that ends with the type's name."""
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict) and str(detail.get("@type")).endswith(f"/{kind}"):
            yield detail
