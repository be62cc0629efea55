"""Files on the disk, whole or not at all: read, write by a temporary file and a rename, move, remove.

Blocking functions on absolute paths; they know no workspace, raise OSError and leave no temporary file behind.
"""

import errno
import logging
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from steersman.workspace.regular import require_regular
from steersman.workspace.temporary import temporary_file, write_all

_log = logging.getLogger(__name__)
_COPY_CHUNK = 1024 * 1024
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EXDEV)


def replace_file(path: Path, parts: Iterable[bytes], status: os.stat_result) -> None:
    """Puts the bytes of `parts` in the place of an existing file; mode, extended attributes and, where allowed, owner
    stay.

    Other hard links of the file keep the old bytes: writing through them would change files elsewhere.

    Raises:
        OSError: nothing was changed. What making a part raises is raised, and nothing was changed then either.
    """
    with temporary_file(path.parent, b"") as (temporary, descriptor):
        for part in parts:
            write_all(descriptor, part)
        _keep_owner(descriptor, status)
        _copy_attributes(path, descriptor)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        os.fsync(descriptor)
        temporary.replace(path)
    sync_directory(path.parent)


def create_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Puts a new file at `path`. Raises and permissions: see `write_pieces`."""
    write_pieces(path, (data,), replace=False, mode=mode)


def write_file(path: Path, parts: Iterable[bytes], *, durable: bool = True) -> None:
    """Puts a file of ours at `path`, for its owner only, in the place of what is there. `parts` are its bytes.
    `durable`: it is on the disk at the end; otherwise a machine that loses power may have neither the old nor the new.

    Raises:
        OSError: nothing was changed.
    """
    with temporary_file(path.parent, b"") as (temporary, descriptor):
        for part in parts:
            write_all(descriptor, part)
        if durable:
            os.fsync(descriptor)
        temporary.replace(path)
    if durable:
        sync_directory(path.parent)


def write_pieces(path: Path, pieces: Iterable[bytes], *, replace: bool, mode: int | None = None) -> None:
    """Puts a file at `path` that is made piece by piece, whole or not at all, with the usual permissions or the given
    ones. `replace`: in the place of what is there.

    Raises:
        FileExistsError: something is there; it was not touched, and no piece was asked for.
        OSError: nothing was changed. What making a piece raises is raised, and nothing is left then either.
    """
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    with temporary_file(path.parent, b"", permissions=0o666) as (temporary, descriptor):
        if mode is not None:
            os.fchmod(descriptor, stat.S_IMODE(mode))
        for piece in pieces:
            write_all(descriptor, piece)
        os.fsync(descriptor)
        if replace:
            temporary.replace(path)
        else:
            _place_new(temporary, path)
    sync_directory(path.parent)


def _place_new(temporary: Path, path: Path) -> None:
    """Gives the file its name unless that is taken. A hard link does both in one step."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)


def move_file(source: Path, target: Path) -> None:
    """Moves a file or a symbolic link itself, across devices too. What is at the target is never replaced, unless
    it is the source under another spelling of its name.

    Raises:
        FileExistsError: something is at the target.
        OSError: the source is where it was.
    """
    if os.path.lexists(target) and not _same_entry(source, target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_across(source, target)
        try:
            source.unlink()
        except OSError:
            target.unlink()
            raise
    sync_directory(target.parent)
    if source.parent != target.parent:
        sync_directory(source.parent)


def _copy_across(source: Path, target: Path) -> None:
    status = source.lstat()
    if stat.S_ISLNK(status.st_mode):
        target.symlink_to(source.readlink())
        return
    require_regular(status)
    with temporary_file(target.parent, b"") as (temporary, descriptor):
        with source.open("rb", buffering=0) as original:
            while chunk := original.read(_COPY_CHUNK):
                write_all(descriptor, chunk)
        _keep_owner(descriptor, status)
        _copy_attributes(source, descriptor)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        os.utime(descriptor, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.fsync(descriptor)
        _place_new(temporary, target)


def _same_entry(source: Path, target: Path) -> bool:
    """Whether both names are one directory entry, on a file system that doesn't tell case apart."""
    if source.parent != target.parent or source.name.casefold() != target.name.casefold():
        return False
    if not os.path.samestat(source.lstat(), target.lstat()):
        return False
    names = {name for name in os.listdir(source.parent) if name in (source.name, target.name)}  # noqa: PTH208
    return len(names) == 1


def remove_file(path: Path) -> None:
    """Removes a file or a symbolic link itself.

    Raises:
        OSError: it is still there.
    """
    path.unlink()
    sync_directory(path.parent)


def make_directories(path: Path) -> list[Path]:
    """Makes `path` and what is missing above it; returns what was made, outermost first.

    Raises:
        OSError: a file stands in the way, or the system refused; what had been made is gone again.
    """
    missing: list[Path] = []
    at = path
    while not os.path.lexists(at):
        missing.append(at)
        at = at.parent
    made: list[Path] = []
    try:
        for directory in reversed(missing):
            try:
                directory.mkdir()
            except FileExistsError:
                continue  # another session has just made it: it is theirs to take back
            made.append(directory)
    except OSError:
        remove_directories(made)
        raise
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    return made


def remove_directories(made: list[Path]) -> None:
    """Takes back what `make_directories` made, as far as it is still empty."""
    for directory in reversed(made):
        try:
            directory.rmdir()
        except OSError:
            return  # somebody put something into it: it stays, and so does all above it


def sync_directory(path: Path) -> None:
    """Makes a rename durable, as far as the system can. A failure is no failure of the rename, which has been done."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:  # such as a directory that may be written but not read
        _log.info("%s can't be synced: %s", path, error)
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP):
            _log.warning("%s could not be synced: %s", path, error)
    finally:
        os.close(descriptor)


def _keep_owner(descriptor: int, status: os.stat_result) -> None:
    if (os.geteuid(), os.getegid()) == (status.st_uid, status.st_gid):
        return
    for uid, gid in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
        try:
            os.fchown(descriptor, uid, gid)
        except OSError:
            continue  # only root may give a file away; the group may still be ours to set
        return


def _copy_attributes(path: Path, descriptor: int) -> None:
    """Extended attributes (labels, access lists), where the system has them and lets us."""
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(path)
    except OSError:
        return  # a file system without them
    for name in names:
        try:
            os.setxattr(descriptor, name, os.getxattr(path, name))
        except OSError:
            continue  # such as security labels, which only root may set
