"""`result.json` on the disk: whole or not at all, and there after a loss of power."""

import contextlib
import os
import secrets

from steersman.batch.order import Data, Place
from steersman.session.jsonlines import encode
from steersman.workspace.atomic import sync_directory


def write_result(place: Place, result: Data) -> None:
    """Makes the task finished, or says that it was aborted. What was written before is durable then. Blocks.

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
