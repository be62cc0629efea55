"""What a provider's error means: turns HTTP statuses and error bodies into a `StreamFailure` with its kind. No I/O.

Fields and codes decide, then the status. Where only a provider's message tells kinds apart, its fixed wording decides
(`failure_shapes`).
"""

import codecs
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import orjson

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.failure_body import ErrorBody, read_error_body
from steersman.models.failure_codes import ABOVE_CODES, CODES, STATUSES, VAGUE_CODES
from steersman.models.failure_shapes import SHAPES
from steersman.models.failure_wait import limit_reset_seconds, retry_after_seconds
from steersman.models.secrets import Redactor
from steersman.models.surrogates import whole

MESSAGE_LIMIT: Final = 600
"""Characters of a provider's own message that a failure repeats."""
PROXY_ADVICE: Final = (
    "Put the proxy's user and password into HTTP_PROXY and HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT."
)


def classify(status: int | None, error: ErrorBody) -> FailureKind:
    """The kind of a failure, by the HTTP status (None inside a stream) and the error body."""
    status = status if status is not None else error.status
    if status is not None and status in ABOVE_CODES:
        return ABOVE_CODES[status]
    if error.told is not None:
        return error.told
    for shape in SHAPES:
        if shape.fits(status, error):
            return shape.kind
    for code in error.codes:
        if code in CODES:
            return CODES[code]
    if status is not None:
        if status in STATUSES:
            return STATUSES[status]
        if status >= 500:
            return "server"
        if 300 <= status < 500:
            return "bad_request"
    for code in error.codes:
        if code in VAGUE_CODES:
            return VAGUE_CODES[code]
    return "server"


def failure_of_response(
    who: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    redact: Redactor,
    key_source: str = "",
    now: datetime | None = None,
) -> StreamFailure:
    """The failure of a response whose status is not 2xx.

    Args:
        who: the server's name for the message, without a query or credentials.
        headers: with lower-case names, or a mapping that ignores case.
        key_source: where the key comes from, for the advice; empty: not known.
        now: for a `Retry-After` that is a date; None: the current time.
    """
    try:
        error = read_error_body(orjson.loads(body.removeprefix(codecs.BOM_UTF8)))
    except orjson.JSONDecodeError:
        error = ErrorBody(_plain_text(body))
    kind = classify(status, error)
    said = error.message or _plain_text(body)
    if 300 <= status < 400:
        said = "the server redirects; redirects are not followed, because the key is for this base URL only"
    retry_after = retry_after_seconds(headers, now)
    if retry_after is None:
        retry_after = error.retry_after
    if retry_after is None and kind == "rate_limit":
        retry_after = limit_reset_seconds(headers, now)
    what, advice = f"{who} answered {status}", key_advice(kind, key_source)
    if status == 407:
        what, advice = f"the proxy to {who} answered 407", PROXY_ADVICE
    return StreamFailure(kind, failure_message(what, said, redact), retry_after, status, advice=advice)


def failure_of_event(who: str, body: object, redact: Redactor, key_source: str = "") -> StreamFailure:
    """The failure of an error inside a stream, whose HTTP status is 200."""
    error = read_error_body(body)
    kind = classify(None, error)
    message = failure_message(f"{who} failed during the answer", error.message, redact)
    return StreamFailure(kind, message, error.retry_after, error.status, advice=key_advice(kind, key_source))


def failure_of_page(who: str, body: bytes, redact: Redactor) -> StreamFailure:
    """The failure of a web page with status 200, from a proxy, a portal, or some other program."""
    message = failure_message(f"{who} answered with a web page", _plain_text(body), redact)
    return StreamFailure("protocol", message, status=200)


def failure_message(what: str, said: str, redact: Redactor) -> str:
    """What happened and what was said about it, on one line, with secrets masked, cut to `MESSAGE_LIMIT`."""
    said = " ".join(redact(whole(said)).split())
    if len(said) > MESSAGE_LIMIT:
        said = said[:MESSAGE_LIMIT] + "…"
    return f"{what}: {said}" if said else f"{what}."


def key_advice(kind: FailureKind, key_source: str) -> str:
    """Advice on a refused key, if it is known where the key comes from; else empty: the usual advice for the kind."""
    return f"Check the API key: it comes from {key_source}." if kind == "auth" and key_source else ""


def _plain_text(body: bytes) -> str:
    """The readable part of a body that is not an error object: of a proxy's error page, only its title."""
    text = body[:20_000].decode("utf-8", "replace")
    if "<" in text and re.match(r"\s*<(?:!doctype|html|\?xml)", text, re.IGNORECASE):
        title = re.search(r"<title[^>]{0,200}>([^<]+)", text, re.IGNORECASE)
        return title.group(1) if title else "an HTML page instead of an API's answer"
    return text
