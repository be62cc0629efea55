"""Exceptions of the HTTP clients, as a `StreamFailure` with its kind: what went wrong between us and a server."""

import logging
import ssl
from collections.abc import Iterator
from typing import Final

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.content_encoding import Undecodable
from steersman.models.failures import PROXY_ADVICE, failure_message
from steersman.models.secrets import Redactor

CONNECT_SECONDS: Final = 10.0
"""How long both clients wait for a connection, unless a provider has a timeout of its own."""
CERTIFICATE_ADVICE: Final = (
    "If a proxy or your company signs connections, name the file of its certificates in SSL_CERT_FILE."
)
NO_TLS_ADVICE: Final = "If it is a server without https, write http:// in its base URL; else check the port."
_NO_TLS: Final = frozenset(
    {"WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"}
)
"""OpenSSL's reasons, which vary with its version, for first bytes that are not TLS: most likely plain HTTP."""


def transport_failure(
    error: Exception, host: str, redact: Redactor, *, connect: float = CONNECT_SECONDS
) -> StreamFailure:
    """The failure for a client's exception. Only connection errors have their text repeated: others may hold headers.

    Args:
        connect: how many seconds the client waits for a connection.
    """
    if isinstance(error, Undecodable):
        return StreamFailure("protocol", failure_message(error.what.format(host=host), error.said, redact))

    from steersman.models.local_client import LocalFailure  # noqa: PLC0415 - as late as in `http`

    if isinstance(error, LocalFailure):
        what = error.what.format(host=host)
        return StreamFailure(error.kind, failure_message(what, error.said, redact))

    from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - as late as in `http`

    kind: FailureKind = "network"
    said = advice = ""
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        kind, what = "timeout", f"no connection to {host} within {connect:g} seconds"
    elif isinstance(error, httpx.TimeoutException):
        kind, what = "timeout", f"{host} did not take the request in time"
    elif (distrust := _distrust(error)) is not None:
        # Not `network`: asking again would give the same.
        kind, advice = "bad_request", CERTIFICATE_ADVICE
        what, said = f"{host} shows a certificate that is not trusted", distrust.verify_message
    elif _speaks_no_tls(error):
        # Here too.
        kind, advice = "bad_request", NO_TLS_ADVICE
        what = f"{host} does not answer with TLS, which https needs"
    elif isinstance(error, httpx.ConnectError):
        what, said = f"can't connect to {host}", str(error)
    elif isinstance(error, httpx.ProxyError):
        what, said = f"the proxy did not connect to {host}", str(error)
        if said.startswith("407"):
            kind, advice = "auth", PROXY_ADVICE
    elif isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        what = f"the connection to {host} broke before the answer was complete"
    elif isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        kind, what = "bad_request", f"the request to {host} is malformed; check the base URL and the key"
    else:
        logging.getLogger(__name__).error("unexpected %s in a request to %s", type(error).__name__, host)
        what = f"the request to {host} failed ({type(error).__name__})"
    return StreamFailure(kind, failure_message(what, said, redact), advice=advice)


def _distrust(error: BaseException) -> ssl.SSLCertVerificationError | None:
    """What TLS said of the server's certificate, if that is the cause."""
    return next((each for each in _causes(error) if isinstance(each, ssl.SSLCertVerificationError)), None)


def _speaks_no_tls(error: BaseException) -> bool:
    return any(isinstance(each, ssl.SSLError) and each.reason in _NO_TLS for each in _causes(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error itself, and those that caused it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
