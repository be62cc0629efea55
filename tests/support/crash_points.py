"""Numbers the calls with which a process changes a disk, so that a test can end the process at one of them, or have it
and all later ones fail.

It replaces functions of `os`, and the rename that is not one of them, in its own process for good. It is meant for a
child of a test that does nothing else.
"""

import errno
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steersman.workspace import atomic
from steersman.workspace.renaming import exclusive_rename

CREATING = os.O_CREAT


@dataclass(frozen=True)
class Plan:
    """What happens at which point: the one with the number `at`, from 1, of those of a kind. None: points are only
    counted."""

    kind: str | None = None
    at: int = 0
    how: str = "count"
    """count · kill (before the call) · tear (a write is done by half, then kill) · full (from here on no byte more is
    taken) · read-only (from here on nothing is changed)."""


class Killed(BaseException):
    """Never seen: the process is gone."""


class DiskCalls:
    """Stands before the disk. `notes` is a file that takes a line of JSON for each thing that a later process wants to
    know, at once."""

    def __init__(self, home: Path, workspace: Path, notes: Path, plan: Plan) -> None:
        self._home, self._workspace, self._plan = str(home), str(workspace), plan
        self._os = {
            name: getattr(os, name)
            for name in (
                *("open", "write", "fsync", "ftruncate", "replace", "rename", "link", "symlink"),
                *("unlink", "remove", "mkdir", "rmdir"),
            )
        }
        self._notes = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        self.points: list[str] = []
        self.failing = False
        self.mended = False
        """There is room again."""
        self.on_file: Callable[[], None] = lambda: None
        """Called after each change of the workspace, when points are only counted."""

    def note(self, **values: Any) -> None:
        self._os["write"](self._notes, json.dumps(values).encode() + b"\n")

    def install(self) -> None:
        os.open = self._opening  # type: ignore[assignment]
        os.write = self._writing  # type: ignore[assignment]
        for name, fails_when_full in (("fsync", True), ("ftruncate", False)):
            setattr(os, name, self._on_descriptor(name, fails_when_full))
        for name, fails_when_full in (
            *(("replace", False), ("rename", False), ("unlink", False), ("remove", False), ("rmdir", False)),
            *(("link", True), ("symlink", True), ("mkdir", True)),
        ):
            setattr(os, name, self._on_path(name, fails_when_full))
        atomic.exclusive_rename = lambda: self._renaming

    # The calls

    def _opening(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        def call() -> int:
            return self._os["open"](path, flags, mode, dir_fd=dir_fd)

        kind = self._kind(_resolved(path)) if flags & CREATING and dir_fd is None else None
        return call() if kind is None else self._at(f"{kind}: create", call, takes_room=True)

    def _writing(self, fd: int, data: Any) -> int:
        def call() -> int:
            written = self._os["write"](fd, data)
            if kind == "log":
                self.note(log=Path(place).name, size=os.fstat(fd).st_size)
            return written

        def tear() -> None:
            self._os["write"](fd, bytes(data)[: len(data) // 2])

        place = _place_of(fd)
        kind = self._kind(place)
        if kind is None:
            return call()
        label = f"log: write {_type_of(data)}" if kind == "log" else f"{kind}: write"
        return self._at(label, call, tear, takes_room=True)

    def _on_descriptor(self, name: str, takes_room: bool) -> Callable[..., Any]:
        real = self._os[name]

        def function(fd: int, *rest: Any) -> Any:
            kind = self._kind(_place_of(fd))
            if kind is None:
                return real(fd, *rest)
            return self._at(f"{kind}: {name}", lambda: real(fd, *rest), takes_room=takes_room)

        return function

    def _on_path(self, name: str, takes_room: bool) -> Callable[..., Any]:
        real = self._os[name]

        def function(*paths: Any, **options: Any) -> Any:
            kind = self._kind(_resolved(paths[0] if name == "mkdir" else paths[-1]))
            if kind is None or options.get("dir_fd") is not None:
                return real(*paths, **options)
            label = "link" if name == "symlink" else {"replace": "rename", "remove": "unlink"}.get(name, name)
            return self._at(f"{kind}: {label}", lambda: real(*paths, **options), takes_room=takes_room)

        return function

    def _renaming(self, source: bytes, target: bytes) -> int:
        """As a `renaming.ExclusiveRename`: its point is that of a rename."""
        exclusive = exclusive_rename()
        assert exclusive is not None

        def call() -> int:
            return exclusive(source, target)

        kind = self._kind(_resolved(target))
        try:
            return call() if kind is None else self._at(f"{kind}: rename", call, takes_room=False)
        except OSError as error:
            assert error.errno is not None
            return error.errno

    # The points

    def _at(
        self, label: str, call: Callable[[], Any], tear: Callable[[], None] | None = None, *, takes_room: bool
    ) -> Any:
        plan = self._plan
        with self._lock:
            self.points.append(label)
            self._numbers[label] += 1
            is_it = label == plan.kind and self._numbers[label] == plan.at
        if is_it:
            if plan.how in ("kill", "tear"):
                self.note(killed=label, how=plan.how)
                if plan.how == "tear" and tear is not None:
                    tear()
                os.kill(os.getpid(), signal.SIGKILL)
                raise Killed
            if plan.how in ("full", "read-only"):
                self.note(failed=label, how=plan.how)
                self.failing = True
        if self.failing and not self.mended and (takes_room or plan.how == "read-only"):
            if plan.how == "full" and tear is not None and is_it and not label.startswith("log"):
                tear()  # what still fitted
            code = errno.ENOSPC if plan.how == "full" else errno.EROFS
            raise OSError(code, os.strerror(code))
        done = call()
        if plan.how == "count" and label.startswith("file"):
            self.on_file()
        return done

    def _kind(self, place: str) -> str | None:
        """What is changed there; None: nothing of ours."""
        if place.startswith(f"{self._workspace}/"):
            return "file"
        below = place.removeprefix(f"{self._home}/")
        if below == place:
            return None
        top = below.split("/")[0]
        if top == "sessions":
            return "log" if below.endswith(".jsonl") else "session copy"
        return {"preimages": "pre-image", "outputs": "output"}.get(top, "trust")


def _type_of(line: Any) -> str:
    """Of a record that is written whole."""
    return str(json.loads(bytes(line))["type"])


def _place_of(fd: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{fd}")  # noqa: PTH115 - the path as it is
    except OSError:
        return ""


def _resolved(path: Any) -> str:
    """Without the directories that are held open, and named so."""
    text = os.fsdecode(path) if not isinstance(path, int) else ""
    if text.startswith("/proc/self/fd/"):
        number, _, rest = text.removeprefix("/proc/self/fd/").partition("/")
        text = f"{_place_of(int(number))}/{rest}"
    return text
