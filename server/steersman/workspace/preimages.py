"""Pre-images: what was at a path before a run first changed it, kept durably outside the workspace.

Stores bytes and makes records. The session's log says which change belongs to which checkpoint.
"""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from steersman.workspace.atomic import create_file, sync_directory
from steersman.workspace.errors import WorkspaceError
from steersman.workspace.ports import PreImage
from steersman.workspace.uris import path_of
from steersman.workspace.waiting import outlast


class PreImageError(WorkspaceError):
    """A pre-image could not be kept (the change was then not made), or it is lost."""


class BlobStore:
    """Bytes by their SHA-256, one file each, written once and never changed. Blocking."""

    __slots__ = ("_directory",)

    def __init__(self, directory: Path) -> None:
        """`directory` is made for the first blob, readable by its owner only."""
        self._directory = directory

    def put(self, data: bytes) -> str:
        """Keeps `data` durably and returns its SHA-256 in hex.

        Raises:
            PreImageError: it can't be written.
        """
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            if _renewed(path):
                return digest
            self._make(path.parent)
            try:
                create_file(path, data, mode=0o600)
            except FileExistsError:
                if not _renewed(path):  # otherwise another session has just kept the same bytes
                    raise
        except OSError as error:
            raise PreImageError(
                f"Nothing was changed: the file as it is now can't be kept for a revert in {self._directory}: "
                f"{error.strerror or error}."
            ) from error
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a SHA-256 that `put` has returned.

        Raises:
            PreImageError: they are gone or damaged.
        """
        try:
            data = self._path(digest).read_bytes()
        except OSError as error:
            raise PreImageError(f"The kept version {digest[:12]} can't be read: {error.strerror}.") from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise PreImageError(f"The kept version {digest[:12]} is damaged.")
        return data

    def _path(self, digest: str) -> Path:
        return self._directory / digest[:2] / digest[2:]

    def _make(self, directory: Path) -> None:
        # `mode` holds for the last directory only: the store's own is made first.
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
        sync_directory(directory.parent)


def _renewed(path: Path) -> bool:
    """Whether the blob is there. It then gets a new date, since old blobs are deleted one day (retention.py)."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class PreImageRecord:
    """What the log keeps of a pre-image."""

    uri: str
    """`file:` URI of the resolved path. Bytes are percent-encoded, so that every name survives JSON."""
    kind: Literal["absent", "file", "link"]
    sha256: str | None = None
    """The hash of the kept bytes (for a link, of its target); None if nothing was there."""
    mode: int | None = None
    """Permission bits."""
    buffer_sha256: str | None = None
    """The hash of the editor's text in UTF-8, if it differed from the disk."""

    @property
    def path(self) -> Path:
        return path_of(self.uri)

    def to_json(self) -> dict[str, str | int | None]:
        return {
            "uri": self.uri,
            "kind": self.kind,
            "sha256": self.sha256,
            "mode": self.mode,
            "bufferSha256": self.buffer_sha256,
        }


class PreImages:
    """Keeps each path's first pre-image after a user message. `keep` is the workspace's `KeepPreImage`."""

    __slots__ = ("_kept", "_record", "_store")

    def __init__(self, store: BlobStore, record: Callable[[PreImageRecord], Awaitable[None]]) -> None:
        """`record` writes the record durably to the log; if it raises, the change is not made."""
        self._store = store
        self._record = record
        self._kept: set[Path] = set()

    def begin(self) -> None:
        """There is a new user message: from here on, pre-images are kept again."""
        self._kept = set()

    async def keep(self, image: PreImage) -> None:
        """Stores and records the pre-image, unless the path already has one since the last `begin`.

        Raises:
            PreImageError: it can't be kept.
            Exception: what `record` raises.
        """
        kept = self._kept
        if image.path in kept:
            return
        storing = asyncio.ensure_future(asyncio.to_thread(self._store_image, image))
        await outlast(storing)
        await self._record(storing.result())
        kept.add(image.path)

    def _store_image(self, image: PreImage) -> PreImageRecord:
        buffer = None if image.buffer is None else image.buffer.encode("utf-8", "surrogatepass")
        return PreImageRecord(
            uri=image.path.as_uri(),
            kind=image.kind,
            sha256=None if image.data is None else self._store.put(image.data),
            mode=image.mode,
            buffer_sha256=None if buffer is None else self._store.put(buffer),
        )
