"""Changes of files on the disk, made completely or not at all: a temporary file is written and then renamed.

Blocking functions on absolute paths; they know no workspace, raise OSError and leave no temporary file behind.
"""

import errno
import logging
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from steersman.workspace.regular import NotRegular, describe_kind, require_regular
from steersman.workspace.renaming import exclusive_rename, rename_new
from steersman.workspace.temporary import temporary_file, write_all
from steersman.workspace.untouched import WrittenMeanwhile, require_untouched

_log = logging.getLogger(__name__)
_COPY_CHUNK = 1024 * 1024
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EXDEV)


def replace_file(path: Path, parts: Iterable[bytes], status: os.stat_result) -> None:
    """Replaces an existing file by one with the bytes of `parts`. It keeps the mode, the extended attributes and, where
    allowed, the owner.

    Other hard links keep the old bytes: writing through them would change files elsewhere.

    Raises:
        OSError, or what iterating `parts` raises: nothing was changed.
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
    """Makes a new file. For permissions and errors see `write_pieces`."""
    write_pieces(path, (data,), replace=False, mode=mode)


def write_file(path: Path, parts: Iterable[bytes], *, durable: bool = True) -> None:
    """Writes a file of our own, readable by its owner only, replacing what is there. `parts` are its bytes. Unless
    `durable`, a power failure may leave neither the old nor the new file.

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
    """Writes a file piece by piece, with the usual permissions or those of `mode`. With `replace`, it replaces a file
    that is there, or a link.

    Raises:
        FileExistsError: something is there. It was not touched, and `pieces` were not iterated.
        NotRegular: what is there is no file and no link to one, and was not touched either.
        OSError, or what iterating `pieces` raises: nothing was changed.
    """
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    _require_file_or_nothing(path)
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


def _require_file_or_nothing(path: Path) -> None:
    """Raises NotRegular for a device, say: a rename would put a file in its place, for all programs that use it."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # nothing is there, or a link that leads nowhere
    if not stat.S_ISREG(mode):
        raise NotRegular(errno.EINVAL, f"it is a {describe_kind(mode)}, not a file", str(path))


def _place_new(temporary: Path, path: Path) -> None:
    """Gives the file its name unless that is taken. A hard link checks and names in one step."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        rename_new(temporary, path, exclusive_rename())


def move_file(source: Path, target: Path) -> None:
    """Moves a file or a symbolic link itself, also to another device. Nothing at the target is replaced, except the
    source itself under another spelling of its name.

    Raises:
        FileExistsError: something is at the target.
        WrittenMeanwhile: somebody else has written the source while it was copied to another device; it is where it
            was.
        OSError: the source is where it was.
    """
    try:
        if os.path.lexists(target) and _same_entry(source, target):
            source.rename(target)
        else:
            rename_new(source, target, exclusive_rename())
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        status = source.lstat()
        _copy_across(source, target, status)
        try:
            require_untouched(source, status)  # the copy may have taken seconds
            source.unlink()
        except (OSError, WrittenMeanwhile):
            target.unlink()
            raise
    sync_directory(target.parent)
    if source.parent != target.parent:
        sync_directory(source.parent)


def _copy_across(source: Path, target: Path, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(source), target)  # noqa: PTH115, PTH211  (a Path would change the text)
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
    """Whether both names are the same directory entry, on a file system that ignores case."""
    if source.parent != target.parent or source.name.casefold() != target.name.casefold():
        return False
    if not os.path.samestat(source.lstat(), target.lstat()):
        return False
    names = {name for name in os.listdir(source.parent) if name in (source.name, target.name)}  # noqa: PTH208  (names only)
    return len(names) == 1


def remove_file(path: Path) -> None:
    """Removes a file or a symbolic link itself.

    Raises:
        OSError: it is still there.
    """
    path.unlink()
    sync_directory(path.parent)


def make_directories(path: Path) -> list[Path]:
    """Makes `path` and any missing directories above it. Returns those made, outermost first.

    Raises:
        OSError: a file is in the way, or the system refused. What had been made is removed again.
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
                continue  # somebody else has just made it, and may use it
            made.append(directory)
    except OSError:
        remove_directories(made)
        raise
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    return made


def remove_directories(made: list[Path]) -> None:
    """Removes what `make_directories` made, as far as it is still empty."""
    for directory in reversed(made):
        try:
            directory.rmdir()
        except OSError:
            return  # somebody has put something into it: it stays, and so do those above it


def sync_directory(path: Path) -> None:
    """Makes a rename durable if the system can. A failure is only logged: the rename itself has been done."""
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
            continue  # only root may give a file away, but we may be able to set the group
        return


def _copy_attributes(path: Path, descriptor: int) -> None:
    """Copies extended attributes (labels, access lists) as far as the system has them and lets us."""
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
            continue  # such as a security label, which only root may set
