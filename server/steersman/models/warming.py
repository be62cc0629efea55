"""Loads what the first request to an HTTP API needs, before anybody waits for it."""

import importlib
import logging
from typing import Final

from steersman.models.trusted import read_certificates

log = logging.getLogger(__name__)

_BACKEND: Final = "anyio._backends._asyncio"
"""What anyio imports with the first connection."""


def warm_up(base_url: str) -> None:
    """Loads what requests to `base_url` will need; empty: those to some provider. Takes up to 0.1 s: for a thread.

    Servers on this machine need no httpx; others need certificates too if they are asked over TLS.
    """
    from steersman.models.local_client import is_local  # noqa: PLC0415 - as late as in `http`

    if is_local(base_url):
        return
    import httpcore  # noqa: F401, PLC0415 - what httpx imports with its first client

    import steersman.models.lean_httpx  # noqa: F401, PLC0415 - as costly as in `http`

    try:
        importlib.import_module(_BACKEND)
    except ModuleNotFoundError:
        log.debug("There is no %s any more; the first request will import what replaced it.", _BACKEND)
    if not base_url.startswith("http:"):
        read_certificates()
