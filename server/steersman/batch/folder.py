"""The output folder of a batch: a lock, a folder for each task, and `predictions.jsonl` with a line for each finished
task.
"""

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from steersman.batch.copying import remove_tree
from steersman.batch.errors import BatchError
from steersman.batch.locking import Held, take
from steersman.batch.order import Data, Place
from steersman.batch.preparing import drop_base, finished, read_result
from steersman.session.jsonlines import decode, encode
from steersman.workspace.atomic import sync_directory

PREDICTIONS = "predictions.jsonl"


class OutputFolder:
    """Locked from `open` to `close`. All methods block."""

    def __init__(self, root: Path, lock: int) -> None:
        self.root = root
        self._lock = lock

    @classmethod
    def open(cls, root: Path) -> "OutputFolder":
        """Makes the folder if it isn't there, and locks it.

        Raises:
            BatchError: another batch works in it, it can't be written, or it has predictions that no batch has made.
        """
        try:
            root.mkdir(parents=True, exist_ok=True)
            if (root / PREDICTIONS).exists() and not (root / ".lock").exists() and not _has_results(root):
                raise BatchError(_foreign(root / PREDICTIONS))
            return cls(root, take(root / ".lock"))
        except Held as holder:
            raise BatchError(
                f"Another batch works in {root} (process {holder}). Wait until it ends, or name another folder with -o."
            ) from None
        except OSError as error:
            raise BatchError(f"{root} can't be used: {error.strerror}.") from error

    def close(self) -> None:
        """Lets the next batch in."""
        os.close(self._lock)

    def place(self, task_id: str) -> Place:
        return Place(self.root / task_id)

    def refuse_foreign(self, places: Iterable[Place]) -> None:
        """An attempt at a task sets aside what is in its place, or removes it: that must be an earlier attempt's.

        Raises:
            BatchError: in one of the places is something that no batch has made.
            OSError: one can't be read.
        """
        for place in places:
            if place.lock.exists() or read_result(place) is not None or not os.path.lexists(place.root):
                continue
            if not place.root.is_dir() or any(place.root.iterdir()):
                raise BatchError(_foreign(place.root))

    def base(self, name: str) -> Path:
        """Where the copy of the workspace `name` is that its tasks begin with."""
        return self.root / ".bases" / hashlib.sha256(os.fsencode(name)).hexdigest()[:16]

    def drop(self, base: Path) -> None:
        """Removes a base that no task needs any more.

        Raises:
            OSError: something of it is still there.
        """
        drop_base(base)
        try:
            (self.root / ".bases").rmdir()
        except OSError:
            return  # other bases are there, or none was made

    def tidy(self, place: Place, result: Data) -> None:
        """Removes what a killed batch did not get to.

        Raises:
            OSError: something of it is still there.
        """
        if result.get("workspace") is None:
            remove_tree(place.workspace)

    def settle(self, again: Iterable[str] = ()) -> None:
        """Makes the predictions agree with the folders: one line for each finished task. Existing lines keep their
        order, torn lines and lines of unfinished tasks are dropped, missing lines are added.

        Args:
            again: ids of tasks that are about to be done again; their lines are dropped.

        Raises:
            OSError: a file can't be read or written.
        """
        path = self.root / PREDICTIONS
        there = path.read_bytes() if path.exists() else b""
        lines: dict[str, bytes] = {}
        leaving = set(again)
        for line in there.splitlines():
            name = _id_of(line)
            if name is not None and name not in leaving and finished(self.place(name)) is not None:
                lines.setdefault(name, line + b"\n")
        for found in sorted(self.root.iterdir()):
            if found.name.startswith(".") or found.name in leaving or found.name in lines:
                continue
            if (result := finished(Place(found))) is not None:
                lines[found.name] = self._line(result)
        wanted = b"".join(lines.values())
        if wanted != there:
            new = self.root / f".{PREDICTIONS}-{secrets.token_hex(4)}"
            new.write_bytes(wanted)
            new.rename(path)
            sync_directory(self.root)

    def add(self, result: Data) -> None:
        """Appends the prediction of a task that has just been finished.

        Raises:
            OSError: it could not be written, or not all of it. The next `settle` mends that.
        """
        line = self._line(result)
        descriptor = os.open(
            self.root / PREDICTIONS, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666
        )
        try:
            while line:
                line = line[os.write(descriptor, line) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _line(self, result: Data) -> bytes:
        place = self.place(result["id"])
        patch = place.patch.read_bytes().decode() if place.patch.exists() else ""
        prediction: dict[str, Any] = {
            "instance_id": result["id"],
            "model_name_or_path": result["model"],
            "model_patch": patch,
        }
        return encode(prediction) + b"\n"


def _foreign(path: Path) -> str:
    return f"{path} was made by no batch. Move it away, or name another folder with -o."


def _has_results(root: Path) -> bool:
    return any(read_result(Place(found)) is not None for found in root.iterdir())


def _id_of(line: bytes) -> str | None:
    try:
        prediction = decode(line)
    except ValueError:
        return None
    name = prediction.get("instance_id") if isinstance(prediction, dict) else None
    return name if isinstance(name, str) else None
