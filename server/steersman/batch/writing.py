"""Writes `result.json` so that it is there completely or not at all, even after a power failure."""

import contextlib
import os
import secrets

from steersman.batch.order import Data, Place
from steersman.session.jsonlines import encode
from steersman.workspace.atomic import sync_directory


def write_result(place: Place, result: Data) -> None:
    """Writes the result, which makes the task finished unless it was aborted. Patch and transcript are durable first.
    Blocks.

    Raises:
        OSError: it could not be written; the task is unfinished.
    """
    for path in (place.patch, place.transcript):
        with contextlib.suppress(FileNotFoundError):
            _sync(path)
    new = place.root / f".result-{secrets.token_hex(4)}"
    try:
        new.write_bytes(encode(result) + b"\n")
        _sync(new)
        new.rename(place.result)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    sync_directory(place.root)


def _sync(path: os.PathLike[str]) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
