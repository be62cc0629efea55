"""Changes of single files on the disk, made in directories that are pinned meanwhile.

Blocking. An OSError, or `WrittenMeanwhile`, means that nothing was changed.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from steersman.workspace import atomic
from steersman.workspace.locks import alone_on
from steersman.workspace.pinning import pinned
from steersman.workspace.untouched import WrittenMeanwhile, require_untouched

_Args = TypeVarTuple("_Args")
_T = TypeVar("_T")


def if_untouched(path: Path, status: os.stat_result, function: Callable[[*_Args], _T], *args: *_Args) -> _T:
    """Calls `function` if the file is still in the state `status`, and keeps other Steersman processes away meanwhile.

    Raises:
        WrittenMeanwhile: it isn't; `function` was not called.
        OSError: the file is gone, or what `function` raises.
    """
    with alone_on(path):
        require_untouched(path, status)
        return function(*args)


def replace(path: Path, parts: Iterable[bytes], status: os.stat_result) -> None:
    """See `atomic.replace_file`."""
    with pinned(path.parent) as directory:
        atomic.replace_file(directory / path.name, parts, status)


def remove(path: Path) -> None:
    """Removes a file or a symbolic link itself."""
    with pinned(path.parent) as directory:
        atomic.remove_file(directory / path.name)


def create(path: Path, data: bytes, mode: int | None, is_link: bool) -> list[Path]:
    """Makes a file or, with `data` as its target, a symbolic link. Returns the directories made for it, outermost
    first.

    Raises:
        FileExistsError: something is there.
    """
    made = atomic.make_directories(path.parent)
    try:
        with pinned(path.parent) as directory:
            if is_link:
                os.symlink(data, directory / path.name)  # noqa: PTH211 - a Path would change the text
            else:
                atomic.create_file(directory / path.name, data, mode)
    except OSError:
        atomic.remove_directories(made)
        raise
    return made


def move(source: Path, target: Path) -> list[Path]:
    """Moves a file or a symbolic link itself. Returns the directories made for it, outermost first.

    Raises:
        FileExistsError: something is at the target.
        WrittenMeanwhile: somebody else has written the file while it was copied to another device.
    """
    made = atomic.make_directories(target.parent)
    try:
        with pinned(source.parent) as old, pinned(target.parent) as other:
            new = old if source.parent == target.parent else other
            atomic.move_file(old / source.name, new / target.name)
    except (OSError, WrittenMeanwhile):
        atomic.remove_directories(made)
        raise
    return made
