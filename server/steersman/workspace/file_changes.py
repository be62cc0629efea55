"""The changes of single files on the disk, each in directories that are held fast while it is made.

Blocking; they raise OSError, and then nothing was changed.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from steersman.workspace import atomic
from steersman.workspace.pinning import pinned


def replace(path: Path, parts: Iterable[bytes], status: os.stat_result) -> None:
    with pinned(path.parent) as directory:
        atomic.replace_file(directory / path.name, parts, status)


def remove(path: Path) -> None:
    with pinned(path.parent) as directory:
        atomic.remove_file(directory / path.name)


def create(path: Path, data: bytes, mode: int | None, is_link: bool) -> list[Path]:
    made = atomic.make_directories(path.parent)
    try:
        with pinned(path.parent) as directory:
            if is_link:
                (directory / path.name).symlink_to(os.fsdecode(data))
            else:
                atomic.create_file(directory / path.name, data, mode)
    except OSError:
        atomic.remove_directories(made)
        raise
    return made


def move(source: Path, target: Path) -> list[Path]:
    made = atomic.make_directories(target.parent)
    try:
        with pinned(source.parent) as old, pinned(target.parent) as other:
            new = old if source.parent == target.parent else other
            atomic.move_file(old / source.name, new / target.name)
    except OSError:
        atomic.remove_directories(made)
        raise
    return made
