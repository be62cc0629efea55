"""Reads from the disk: a file as a snapshot, a directory as entries, and system errors in words for the model.

Blocking; knows no rules, no locks and no editor.
"""

import errno
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from steersman.workspace.errors import FileAccessError, FileNotFound, PathError, WorkspaceError
from steersman.workspace.pinning import Replaced, pinned
from steersman.workspace.ports import Entry, EntryKind, Listing, Snapshot
from steersman.workspace.regular import NotRegular, TooLarge, read_regular, require_regular
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.text import Text, TextError, decode, view

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are not read, so tools can't edit, delete or move them."""


def read_file(path: ResolvedPath, known: Snapshot | None = None) -> Snapshot:
    """A regular file. If its bytes are still those of `known`, they are not decoded again.

    Raises:
        OSError: see `explain`.
    """
    with pinned(path.path.parent) as directory:
        file = directory / path.path.name
        require_regular(file.stat())
        data, status = read_regular(file, MAX_FILE_BYTES)
    if known is not None and known.source == "disk" and not known.is_link and known.data == data:
        return replace(known, mode=status.st_mode, mtime_ns=status.st_mtime_ns)
    text: Text | None = None
    failure: TextError | None = None
    try:
        text = decode(data)
    except TextError as error:
        failure = error
    return Snapshot(path, data, sha256(data), text, failure, mode=status.st_mode, mtime_ns=status.st_mtime_ns)


def buffer_snapshot(
    path: ResolvedPath, raw: str, *, dirty: bool, version: int | None, mode: int | None = None
) -> Snapshot:
    """A document of the editor: `raw` is its text with original line ends, `mode` that of the file on the disk."""
    data = raw.encode("utf-8", "surrogatepass")
    text = view(raw)
    return Snapshot(path, data, sha256(data), text, source="buffer", dirty=dirty, version=version, mode=mode)


def link_snapshot(path: ResolvedPath, status: os.stat_result) -> Snapshot:
    """A symbolic link that is meant itself."""
    target = os.readlink(os.fsencode(path.path))  # noqa: PTH115  (a Path would change the text)
    failure = TextError(f"This is a symbolic link to {printable(os.fsdecode(target))}.")
    return Snapshot(path, target, sha256(target), None, failure, mode=status.st_mode)


def list_entries(path: Path, limit: int, denied: Callable[[Sequence[str]], Sequence[str]]) -> Listing:
    """The first `limit` entries of a directory, by name, without those that `denied` returns. Only these are looked at:
    there may be very many.

    Raises:
        OSError: see `explain`.
    """
    with pinned(path) as directory, _opened(directory) as descriptor, os.scandir(descriptor) as found:
        by_name = {entry.name: entry for entry in found}
        left_out = denied(list(by_name))
        for name in left_out:
            del by_name[name]
        first = sorted(by_name)[:limit]
        return Listing([_entry(by_name[name]) for name in first], len(by_name), len(left_out))


@contextmanager
def _opened(directory: Path) -> Iterator[int]:
    """Entries listed from a descriptor don't each carry the directory's path."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _entry(entry: os.DirEntry[str]) -> Entry:
    kind: EntryKind = "other"
    if entry.is_symlink():
        return Entry(entry.name, "link", _leads_to_directory(entry))
    if entry.is_dir(follow_symlinks=False):
        kind = "directory"
    elif entry.is_file(follow_symlinks=False):
        kind = "file"
    return Entry(entry.name, kind)


def _leads_to_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # links in a circle


def sha256(data: bytes) -> str:
    """The hash in hex."""
    return hashlib.sha256(data).hexdigest()


def explain(error: OSError, path: ResolvedPath) -> WorkspaceError:
    """A system error as one that says what is wrong and what to do."""
    name = path.display
    match error:
        case NotRegular() if error.errno == errno.EISDIR:
            return PathError(f"{name} is a directory, not a file. Use ls to see what is in it.")
        case NotRegular():
            return PathError(
                f"{name} is a {error.strerror}, not a regular file: it can't be read or changed."
            )
        case Replaced():
            return PathError(f"{name}: a directory of the path was replaced meanwhile.")
        case TooLarge():
            return FileAccessError(
                f"{name} is too large ({error.size:,} bytes; the limit is {MAX_FILE_BYTES:,}). Search it with grep, "
                f"or take a part of it with bash: sed -n '1,200p', head -c, tail -n."
            )
        case FileNotFoundError() if path.link is not None:
            return FileNotFound(
                f"{printable(path.given)} is a symbolic link to {name}, which does not exist."
            )
        case FileNotFoundError():
            return FileNotFound(f"File not found: {name}.")
    messages = {
        errno.EISDIR: f"{name} is a directory, not a file.",
        errno.ENOTDIR: f"{name}: a part of the path is a file, not a directory.",
        errno.ELOOP: f"{name}: the symbolic links of the path form a circle.",
        errno.ENAMETOOLONG: f"{name}: the name is too long for the file system.",
    }
    if error.errno in messages:
        return PathError(messages[error.errno])
    reasons = {
        errno.ENOSPC: "no space is left on the disk",
        errno.EDQUOT: "the disk quota is used up",
        errno.EFBIG: "the file would be larger than the system allows",
        errno.EROFS: "the file system is read-only",
        errno.EACCES: "permission denied",
        errno.EPERM: "the system does not permit it",
        errno.EBUSY: "the file is in use by the system",
    }
    return FileAccessError(f"{name}: {reasons.get(error.errno or 0, error.strerror or str(error))}.")
