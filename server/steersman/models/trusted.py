"""Whom a TLS connection trusts, read when the first one is made: it takes longer than a request to one's own server.

What is trusted is httpx's own choice; here is only when it is read.
"""

import functools
import os
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

_NAMED_BY = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@functools.cache
def _shared() -> "_LateContext":
    return _LateContext()


def trusted_context() -> ssl.SSLContext:
    """The context for a client of httpx: one for the process, or what the environment names.

    Raises:
        OSError: the environment names certificates that can't be read.
    """
    # What a user has set is looked at before anything is sent.
    named = _named()
    return _context_of(named) if named else _shared()


def read_certificates() -> None:
    """Reads them now: in a thread, before they are needed. What can't be read is told of when it is needed."""
    named = _named()
    if not named:
        _shared().load()
        return
    with suppress(OSError):
        _context_of(named)


def _named() -> tuple[str, ...]:
    """What the environment says of certificates; empty where that is nothing."""
    values = tuple(os.environ.get(name, "") for name in _NAMED_BY)
    return values if any(values) else ()


@functools.cache
def _context_of(_environment: tuple[str, ...]) -> ssl.SSLContext:
    """httpx's own, with what the environment names now; read once, for it may take as long as ten requests."""
    from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - as costly as in `http`

    return httpx.create_ssl_context()


class _LateContext(ssl.SSLContext):
    """Becomes httpx's default context at the first connection."""

    def __new__(cls) -> "_LateContext":
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        self._protocols: list[str] | None = None

    def set_alpn_protocols(self, alpn_protocols: Iterable[str]) -> None:
        self._protocols = list(alpn_protocols)

    def wrap_bio(self, *arguments: Any, **options: Any) -> ssl.SSLObject:
        return self.load().wrap_bio(*arguments, **options)

    def wrap_socket(self, *arguments: Any, **options: Any) -> ssl.SSLSocket:
        return self.load().wrap_socket(*arguments, **options)

    def load(self) -> ssl.SSLContext:
        """The real context; reads the certificates at the first call."""
        from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - as costly as in `http`

        with self._lock:
            if self._context is None:
                self._context = httpx.create_ssl_context()
            if self._protocols is not None:
                self._context.set_alpn_protocols(self._protocols)
            return self._context
