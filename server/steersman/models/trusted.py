"""The certificates that TLS connections trust. They are read at the first connection, since that takes a while.

By default they are httpx's own. The environment may replace them: `SSL_CERT_FILE` and `SSL_CERT_DIR` (OpenSSL's
variables), or, if neither is set, `REQUESTS_CA_BUNDLE` (a file or a folder), which many companies set for all Python
programs. Those of `NODE_EXTRA_CA_CERTS` (a file), which is often set for editors, are trusted in addition.
"""

import functools
import logging
import os
import ssl
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple


class _Named(NamedTuple):
    """What the environment says about certificates; empty: nothing."""

    file: str
    folder: str
    bundle: str
    more: str


@functools.cache
def _shared() -> "_LateContext":
    return _LateContext()


def trusted_context() -> ssl.SSLContext:
    """The context for an httpx client: the process's own, or that of the certificates that the environment names.

    Raises:
        OSError: the environment names certificates that can't be read.
    """
    # The user's settings are checked before anything is sent.
    named = _named()
    return _context_of(named) if any(named) else _shared()


def read_certificates() -> None:
    """Reads the certificates before they are needed; call it in a thread. Errors are raised when they are needed."""
    named = _named()
    if not any(named):
        _shared().load()
        return
    with suppress(OSError):
        _context_of(named)


def _named() -> _Named:
    variables = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    return _Named(*(os.environ.get(name, "") for name in variables))


@functools.cache
def _context_of(named: _Named) -> ssl.SSLContext:
    """Cached, since reading certificates may take as long as ten requests."""
    file, folder = named.file, named.folder
    if named.bundle and not (file or folder):
        file, folder = ("", named.bundle) if Path(named.bundle).is_dir() else (named.bundle, "")
    for each in filter(None, folder.split(os.pathsep)):
        os.stat(each)  # noqa: PTH116 - raises for a missing folder, which OpenSSL would take for an empty one
    if file or folder:
        context = ssl.create_default_context(cafile=file or None, capath=folder or None)
    else:
        from steersman.models.lean_httpx import httpx  # noqa: PLC0415 - as costly as in `http`

        context = httpx.create_ssl_context(trust_env=False)
    if named.more:
        try:
            context.load_verify_locations(cafile=named.more)
        except OSError as error:
            # It was set for other programs, and Node ignores it too if it can't be read.
            logging.getLogger(__name__).warning("NODE_EXTRA_CA_CERTS can't be read: %s", error.strerror)
    return context


class _LateContext(ssl.SSLContext):
    """Becomes httpx's default context at its first connection."""

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
