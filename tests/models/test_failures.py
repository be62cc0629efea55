"""Errors of providers: their kinds, how long to wait, and what their messages must never hold."""

import base64
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.failure_body import read_error_body
from steersman.models.failure_shapes import OVERFLOWS, SHAPES
from steersman.models.failure_wait import limit_reset_seconds, retry_after_seconds
from steersman.models.failures import classify, failure_of_event, failure_of_response
from steersman.models.secrets import MASK, Redactor, secrets_of_url

NOBODY = Redactor([])


def kind_of(status: int | None, /, **error: object) -> str:
    return classify(status, read_error_body({"error": error}))


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, {}, "auth"),
        (400, {"code": "invalid_api_key"}, "auth"),
        (403, {"message": "no"}, "permission"),
        (402, {}, "quota"),
        (429, {"code": "insufficient_quota"}, "quota"),
        (429, {"type": "exceeded_current_quota_error"}, "quota"),
        (429, {"type": "requests"}, "rate_limit"),
        (429, {"type": "engine_overloaded_error"}, "overloaded"),
        (503, {}, "overloaded"),
        (529, {}, "overloaded"),
        (500, {}, "server"),
        (502, {}, "server"),
        (504, {}, "server"),
        (400, {"code": "context_length_exceeded"}, "context_overflow"),
        (400, {"type": "exceed_context_size_error"}, "context_overflow"),
        (400, {"n_ctx": 512, "n_prompt_tokens": 2009}, "context_overflow"),
        (400, {"code": "1261", "message": "Prompt exceeds max length"}, "context_overflow"),
        (400, {"code": "string_above_max_length"}, "context_overflow"),
        (413, {}, "context_overflow"),
        (413, {"code": "rate_limit_exceeded", "type": "tokens"}, "context_overflow"),
        (407, {"code": "rate_limit_exceeded"}, "auth"),
        (400, {"code": 400, "status": "FAILED_PRECONDITION"}, "permission"),
        (404, {}, "not_found"),
        (400, {"type": "invalid_model"}, "not_found"),
        (400, {"code": "tool_use_failed", "message": "Failed to call a function"}, "tool_use_failed"),
        (400, {"code": "content_filter"}, "refused"),
        (400, {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, "refused"),
        (403, {"metadata": {"reasons": ["violence"], "flagged_input": "…"}}, "refused"),
        (451, {}, "refused"),
        (408, {}, "timeout"),
        (400, {}, "bad_request"),
        (422, {}, "bad_request"),
        (307, {}, "bad_request"),
        (None, {"code": 429}, "rate_limit"),
        (None, {"code": "502"}, "server"),
        (None, {"type": "server_error"}, "server"),
        (None, {"type": "invalid_request_error"}, "bad_request"),
        (None, {"message": "?"}, "server"),
    ],
)
def test_an_error_has_its_kind(status, error, kind):
    assert kind_of(status, **error) == kind


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b'"oops"', b'{"error": 7}', b'{"error": null}', b"\xff\xfe", b"{", b"[" * 5000],
)
def test_a_body_of_any_shape_is_a_failure_with_the_status_s_kind(body):
    failure = failure_of_response("host", 500, {}, body, redact=NOBODY)
    assert (failure.kind, failure.status) == ("server", 500)
    assert failure.message.startswith("host answered 500")


def test_the_message_is_the_provider_s_on_one_line():
    body = b'{"error": {"message": "No such\\n  model.", "code": "model_not_found"}}'
    message = failure_of_response("host", 404, {}, body, redact=NOBODY).message
    assert message == "host answered 404: No such model."


def test_what_to_do_about_a_key_names_where_it_comes_from():
    failure = failure_of_response("host", 401, {}, b"", redact=NOBODY, key_source="GROQ_API_KEY")
    assert failure.advice == "Check the API key: it comes from GROQ_API_KEY."
    assert failure_of_response("host", 401, {}, b"", redact=NOBODY).advice == ""
    assert failure_of_response("host", 404, {}, b"", redact=NOBODY, key_source="GROQ_API_KEY").advice == ""


def test_a_proxy_that_wants_a_password_is_not_the_provider():
    failure = failure_of_response("host", 407, {}, b"", redact=NOBODY, key_source="GROQ_API_KEY")
    assert failure.message == "the proxy to host answered 407."
    assert "HTTPS_PROXY" in failure.advice


def error_of(shape, message: str | None = None) -> dict[str, object]:
    code = next(iter(shape.codes), None)
    return {"message": message or shape.example, "type": code}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.provider} {shape.kind}")
def test_what_a_provider_tells_in_its_message_only_has_a_shape(shape):
    assert kind_of(shape.status, **error_of(shape)) == shape.kind
    assert kind_of(None, **error_of(shape)) == shape.kind, "inside a stream"


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.provider} {shape.kind}")
def test_the_same_words_elsewhere_are_no_shape(shape):
    quoted = f"messages.3.content: {shape.example}"
    assert kind_of(shape.status, **error_of(shape, quoted)) != shape.kind, "in the middle of a message"
    assert kind_of(500, **error_of(shape)) == "server", "under another status"
    assert kind_of(400, message=shape.example, type="invalid_tool_schema") == "bad_request", "another type"


@given(
    before=st.text(max_size=20),
    after=st.text(max_size=20),
    code=st.sampled_from(["invalid_request_error", None]),
)
def test_a_message_that_merely_speaks_of_a_context_window_is_no_overflow(before, after, code):
    for words in ("context window", "maximum context length", "too many tokens", "prompt is too long"):
        assert kind_of(400, message=f"Unknown tool: {before} {words} {after}", type=code) == "bad_request"


def test_every_provider_of_shapes_names_its_source():
    assert all(shape.source and shape.provider for shape in SHAPES)
    assert len(OVERFLOWS) > 15


def google(*details: dict[str, object], code: int = 429) -> str:
    error = {"code": code, "message": "?", "details": [*details], "status": "INVALID_ARGUMENT"}
    return kind_of(code, **error)


def violated(quota: str, value: str = "10", metric: str = "generate_requests") -> dict[str, object]:
    violation = {"quotaId": quota, "quotaValue": value, "quotaMetric": metric}
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation]}


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ([violated("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")], "rate_limit"),
        ([violated("GenerateRequestsPerDayPerProjectPerModel-FreeTier")], "quota"),
        ([violated("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "0")], "quota"),
        ([violated("GenerateContentPaidTierInputTokensPerModelPerMinute")], "quota"),
        ([{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": "?"}], "rate_limit"),
        ([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "BILLING_DISABLED"}], "quota"),
        ([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "?"}], "rate_limit"),
        ([7, {"reason": "API_KEY_INVALID"}], "rate_limit"),
    ],
)
def test_google_s_details_tell_the_kind(details, kind):
    assert google(*details) == kind


def test_a_key_that_google_does_not_know_is_told_by_its_reason():
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    assert google(info, code=400) == "auth"
    assert classify(400, read_error_body([{"error": {"code": 400, "details": [info]}}])) == "auth", (
        "in a list"
    )


def test_the_error_of_a_provider_behind_a_router_tells_the_kind():
    upstream = json.dumps({"error": {"message": "Too long!", "code": "context_length_exceeded"}})
    error = {"message": "Provider returned error", "code": 400, "metadata": {"raw": upstream}}
    body = read_error_body({"error": error})
    assert (classify(400, body), body.message) == ("context_overflow", "Too long!")
    plain = read_error_body({"error": error | {"metadata": {"raw": "no capacity"}}})
    assert (classify(502, plain), plain.message) == ("server", "Provider returned error: no capacity")


def test_a_byte_order_mark_before_an_error_hides_nothing():
    body = b'\xef\xbb\xbf{"error": {"code": "context_length_exceeded", "message": "Too long!"}}'
    failure = failure_of_response("host", 400, {}, body, redact=NOBODY)
    assert (failure.kind, failure.message) == ("context_overflow", "host answered 400: Too long!")


def test_a_proxy_s_page_is_told_by_its_title():
    page = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>" + b"x" * 9000
    assert (
        failure_of_response("host", 502, {}, page, redact=NOBODY).message
        == "host answered 502: 502 Bad Gateway"
    )


def test_a_long_message_is_cut():
    body = b'{"error": {"message": "' + b"x" * 100_000 + b'"}}'
    assert len(failure_of_response("host", 400, {}, body, redact=NOBODY).message) < 700


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "20"}, 20.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:27:00 GMT"}, 0.0),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers, seconds):
    assert retry_after_seconds(headers, datetime(2026, 10, 21, 7, 28, tzinfo=UTC)) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.66s"}, 7.66),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "soon"}, None),
        ({"x-ratelimit-remaining-tokens": "0"}, None),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-10-21T07:28:40Z",
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-10-21T07:28:10Z",
            },
            40.0,
        ),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "?"}, None),
    ],
)
def test_without_retry_after_the_limits_say_when_they_begin_anew(headers, seconds):
    now = datetime(2026, 10, 21, 7, 28, tzinfo=UTC)
    assert limit_reset_seconds(headers, now) == seconds
    failure = failure_of_response("host", 429, headers, b"", redact=NOBODY, now=now)
    assert failure.retry_after == seconds
    assert failure_of_response("host", 500, headers, b"", redact=NOBODY, now=now).retry_after is None


def test_a_wait_that_google_gives_for_a_limit_of_a_day_is_not_believed():
    delay = {"retryDelay": "48s"}
    for quota, seconds in (("RequestsPerMinute", 48.0), ("RequestsPerDay", None)):
        body = json.dumps({"error": {"code": 429, "details": [violated(quota), delay]}}).encode()
        assert failure_of_response("host", 429, {}, body, redact=NOBODY).retry_after == seconds


def test_the_wait_may_stand_in_the_body():
    body = b'{"error": {"code": 429, "details": [{"@type": "t"}, {"retryDelay": "48.5s"}]}}'
    assert failure_of_response("host", 429, {}, body, redact=NOBODY).retry_after == 48.5


@pytest.mark.parametrize("key", ["sk-canary-1234567890", 'odd"key<&>\\', "k:e/y=+%", "schlüssel"])
def test_a_key_is_masked_in_every_spelling(key):
    import html
    from urllib.parse import quote, quote_plus

    redact = Redactor([key])
    for spelling in (key, quote(key, safe=""), quote_plus(key), html.escape(key), json.dumps(key)[1:-1]):
        shown = redact(f"your key {spelling} is wrong")
        assert spelling not in shown
        assert MASK in shown


def test_a_secret_that_is_no_text_is_masked_and_spoils_no_other_text():
    """As Python gives a variable of the environment that holds other bytes than UTF-8."""
    secret = b"canary-\xff-4711".decode("utf-8", "surrogateescape")
    redact = Redactor([secret])
    assert redact("nothing of it") == "nothing of it"
    assert redact(f"a {secret} b") == f"a {MASK} b"


def test_what_looks_like_a_key_is_masked_too():
    redact = Redactor([])
    assert "abcdef" not in redact("used sk-proj-abcdefghijklmnopqrstuvwxyz")
    assert "abcdef" not in redact("Authorization: Bearer abcdefghijkl")
    assert redact("the task-list of sk-8") == "the task-list of sk-8"


def test_the_secrets_of_a_url_are_its_credentials_and_query_values():
    found = secrets_of_url("https://us%3Aer:pa%20ss@host/v1?api-version=1&key=a%2Fb")
    assert {"pa%20ss", "pa ss", "us:er", "a/b", "a%2Fb"} <= set(found)
    assert secrets_of_url("http://host/v1") == []


def test_an_error_inside_a_stream_is_redacted():
    error = {"error": {"message": "bad key canary-0123456789", "code": 401}}
    failure = failure_of_event("host", error, Redactor(["canary-0123456789"]))
    assert (failure.kind, failure.status) == ("auth", 401)
    assert "canary" not in failure.message


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_a_key_in_base64_is_masked_wherever_it_begins_in_what_was_encoded(before):
    key = "canary/key?>4711"
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        echoed = encode(f"{before}{key}".encode()).decode()
        told = Redactor([key])(f"You sent Basic {echoed}.")
        assert MASK in told
        assert len(told) < len("You sent Basic .") + len(MASK) + 2 * len(before) + 6


def test_a_key_in_the_title_of_an_error_page_is_masked_and_then_cut():
    page = f"<html><title>{'x' * 195}canary-key-4711</title></html>".encode()
    failure = failure_of_response("host", 502, {}, page, redact=Redactor(["canary-key-4711"]))
    assert "canary" not in failure.message
