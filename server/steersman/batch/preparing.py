"""Prepares the folder of a task: sets aside what an earlier attempt left, copies the workspace. Blocks."""

import os
import secrets
import time
from pathlib import Path

from steersman.batch.copying import copy_tree, remove_tree
from steersman.batch.locking import Held, take
from steersman.batch.order import Data, Order, Place
from steersman.session.jsonlines import decode
from steersman.workspace.atomic import sync_directory

TAKEN = ".taken"
"""Ending of the file beside a base that says when copying began. It is there once the base is complete."""


def finished(place: Place) -> Data | None:
    """The result of a finished task; None if it never began, was cut off, or was aborted."""
    result = read_result(place)
    return None if result is None or result["status"] == "aborted" else result


def read_result(place: Place) -> Data | None:
    """`result.json`; None if there is no complete one."""
    try:
        result = decode(place.result.read_bytes())
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and {"id", "status"} <= result.keys() else None


def set_aside(place: Place) -> int:
    """Moves what an earlier attempt left to `earlier/N` and removes its workspace. Returns the highest N, 0 if none.

    The result is moved first: if this is cut off, the task counts as unfinished and only its workspace is lost.

    Raises:
        OSError: something could not be moved.
    """
    kept = (place.earlier.name, place.lock.name)
    names = [] if not place.root.is_dir() else [path.name for path in place.root.iterdir()]
    left = sorted((name for name in names if name not in kept), key=lambda name: name != place.result.name)
    numbers = [int(path.name) for path in place.earlier.glob("*") if path.name.isdecimal()]
    number = max(numbers, default=0)
    if left and left != [place.workspace.name]:
        number += 1
        aside = place.earlier / str(number)
        aside.mkdir(parents=True)
        for name in left:
            if name != place.workspace.name:
                (place.root / name).rename(aside / name)
    remove_tree(place.workspace)
    return number


def take_base(order: Order) -> int:
    """Copies the workspace to its base unless that is there. Returns when copying began, in nanoseconds since 1970.

    If several processes need the same base, one copies and the others wait. A copy that was cut off is made anew.

    Raises:
        OSError: something could not be copied.
    """
    base = Path(order.base)
    base.parent.mkdir(parents=True, exist_ok=True)
    lock = _take_patiently(base.with_name(f"{base.name}.lock"))
    try:
        mark = base.with_name(base.name + TAKEN)
        if not mark.exists():
            remove_tree(base)
            begun = time.time_ns()
            copy_tree(Path(order.workspace), base)
            new = mark.with_name(f"{mark.name}-{secrets.token_hex(4)}")
            new.write_text(str(begun))
            new.rename(mark)
            sync_directory(mark.parent)
        return int(mark.read_text())
    finally:
        os.close(lock)


def _take_patiently(path: Path) -> int:
    while True:
        try:
            return take(path)
        except Held:
            time.sleep(0.1)  # another process is copying; this is a thread of its own


def drop_base(base: Path) -> None:
    """Removes a base that no task needs any more.

    Raises:
        OSError: something is still there.
    """
    base.with_name(base.name + TAKEN).unlink(missing_ok=True)
    remove_tree(base)
    base.with_name(f"{base.name}.lock").unlink(missing_ok=True)
