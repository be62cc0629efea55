"""Loads what the first request to an HTTP API needs, while nobody waits for it."""

import importlib
import logging
from typing import Final

from steersman.models.trusted import read_certificates

log = logging.getLogger(__name__)

_BACKEND: Final = "anyio._backends._asyncio"
"""What anyio imports with the first connection."""


def warm_up(*, tls: bool) -> None:
    """Takes about 0.05 s, so it is for a thread. `tls`: the certificates too, which takes as long again."""
    import httpcore  # noqa: F401, PLC0415 - what httpx imports with its first client

    import steersman.models.lean_httpx  # noqa: F401, PLC0415 - as costly as in `http`

    try:
        importlib.import_module(_BACKEND)
    except ModuleNotFoundError:
        log.debug("There is no %s any more; the first request imports what is in its place.", _BACKEND)
    if tls:
        read_certificates()
