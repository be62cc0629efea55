"""Errors of providers: their kinds, how long to wait, and what their messages must never hold."""

import base64
from datetime import UTC, datetime

import pytest

from steersman.models.failures import (
    classify,
    failure_of_event,
    failure_of_response,
    read_error_body,
    retry_after_seconds,
)
from steersman.models.secrets import MASK, Redactor, secrets_of_url

NOBODY = Redactor([])


def kind_of(status: int | None, **error: object) -> str:
    return classify(status, read_error_body({"error": error}))


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, {}, "auth"),
        (400, {"code": "invalid_api_key"}, "auth"),
        (400, {"message": "API key not valid. Please pass a valid API key."}, "auth"),
        (403, {"message": "no"}, "permission"),
        (402, {}, "quota"),
        (429, {"code": "insufficient_quota"}, "quota"),
        (429, {"message": "You exceeded your current quota"}, "quota"),
        (429, {"type": "requests"}, "rate_limit"),
        (429, {"type": "engine_overloaded_error"}, "overloaded"),
        (503, {}, "overloaded"),
        (529, {}, "overloaded"),
        (500, {}, "server"),
        (502, {}, "server"),
        (504, {}, "server"),
        (400, {"code": "context_length_exceeded"}, "context_overflow"),
        (400, {"type": "exceed_context_size_error"}, "context_overflow"),
        (400, {"message": "This model's maximum context length is 10 tokens"}, "context_overflow"),
        (413, {}, "context_overflow"),
        (404, {}, "not_found"),
        (400, {"type": "invalid_model"}, "not_found"),
        (400, {"code": "tool_use_failed", "message": "Failed to call a function"}, "tool_use_failed"),
        (400, {"code": "content_filter"}, "refused"),
        (400, {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, "refused"),
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


def test_the_message_is_the_provider_s_with_what_to_do():
    body = b'{"error": {"message": "No such\\n  model.", "code": "model_not_found"}}'
    message = failure_of_response("host", 404, {}, body, redact=NOBODY).message
    assert message.startswith("host answered 404: No such model. Check the model's name (STEERSMAN_MODEL)")


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


def test_the_wait_may_stand_in_the_body():
    body = b'{"error": {"code": 429, "details": [{"@type": "t"}, {"retryDelay": "48.5s"}]}}'
    assert failure_of_response("host", 429, {}, body, redact=NOBODY).retry_after == 48.5


@pytest.mark.parametrize("key", ["sk-canary-1234567890", 'odd"key<&>\\', "k:e/y=+%", "schlüssel"])
def test_a_key_is_masked_in_every_spelling(key):
    import html
    import json
    from urllib.parse import quote, quote_plus

    redact = Redactor([key])
    for spelling in (key, quote(key, safe=""), quote_plus(key), html.escape(key), json.dumps(key)[1:-1]):
        shown = redact(f"your key {spelling} is wrong")
        assert spelling not in shown
        assert MASK in shown


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
