"""What went wrong between us and a server: exceptions of the HTTP clients become a `StreamFailure` with its kind."""

import logging
from typing import Final

from steersman.agent.model import FailureKind, StreamFailure
from steersman.models.failures import failure_message
from steersman.models.secrets import Redactor

CONNECT_SECONDS: Final = 10.0
"""How long both clients wait for a connection, as a failure says."""


def transport_failure(error: Exception, host: str, redact: Redactor) -> StreamFailure:
    """The failure of a client's exception. Only the texts of connection errors are repeated: others hold headers."""
    from steersman.models.local_client import LocalFailure  # noqa: PLC0415 - as late as in `http`

    if isinstance(error, LocalFailure):
        what = error.what.format(host=host)
        return StreamFailure(error.kind, failure_message(what, error.said, error.kind, redact))

    from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - as late as in `http`

    kind: FailureKind = "network"
    said = ""
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        kind, what = "timeout", f"no connection to {host} within {CONNECT_SECONDS:g} seconds"
    elif isinstance(error, httpx.TimeoutException):
        kind, what = "timeout", f"{host} did not take the request in time"
    elif isinstance(error, httpx.ConnectError):
        what, said = f"can't connect to {host}", str(error)
    elif isinstance(error, httpx.ProxyError):
        what, said = f"the proxy did not connect to {host}", str(error)
    elif isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
        what = f"the connection to {host} broke before the answer was complete"
    elif isinstance(error, httpx.DecodingError):
        kind, what = "protocol", f"{host} sent a body that does not match its content-encoding"
    elif isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        kind, what = "bad_request", f"the request to {host} is malformed; check the base URL and the key"
    else:
        logging.getLogger(__name__).error("unexpected %s in a request to %s", type(error).__name__, host)
        what = f"the request to {host} failed ({type(error).__name__})"
    return StreamFailure(kind, failure_message(what, said, kind, redact))
