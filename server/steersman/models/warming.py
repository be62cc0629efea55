"""Loads what the first request to an HTTP API needs, while nobody waits for it."""

import importlib
import logging
from typing import Final

from steersman.models.trusted import read_certificates

log = logging.getLogger(__name__)

_BACKEND: Final = "anyio._backends._asyncio"
"""What anyio imports with the first connection."""


def warm_up(base_url: str) -> None:
    """Takes up to 0.1 s, so it is for a thread. What it loads depends on where requests go: servers of this machine
    are asked without httpx, others over TLS need certificates. An empty `base_url` is a provider's own."""
    from steersman.models.local_client import is_local  # noqa: PLC0415 - as late as in `http`

    if is_local(base_url):
        return
    import httpcore  # noqa: F401, PLC0415 - what httpx imports with its first client

    import steersman.models.lean_httpx  # noqa: F401, PLC0415 - as costly as in `http`

    try:
        importlib.import_module(_BACKEND)
    except ModuleNotFoundError:
        log.debug("There is no %s any more; the first request imports what is in its place.", _BACKEND)
    if not base_url.startswith("http:"):
        read_certificates()
