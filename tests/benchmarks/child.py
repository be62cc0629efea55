"""A process under measurement: read in large pieces, searched and not decoded while the clock runs."""

import fcntl
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from support.load_figures import Cost, cost_of

PATIENCE = 60.0
"""Seconds after which a wait is given up."""
PIPE = 1 << 20
NAP = 0.0003
"""Seconds. A reader that wakes for each small piece takes, on few cores, the time that it measures."""
SMALL = 1 << 14


class WrongWork(Exception):
    """What was measured is not what was asked for: its figure would mean nothing. The text says what was wrong."""


class Child:
    """What a process writes gathers in `buffer`; `at` is where the next message begins."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], errors: Path
    ) -> None:
        self._errors = errors
        self.begun = time.perf_counter()
        with errors.open("ab") as file:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                bufsize=0,
            )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin, self.process.stdout.fileno()
        fcntl.fcntl(self._out, fcntl.F_SETPIPE_SZ, PIPE)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self.buffer = bytearray()
        self.at = 0

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._in.write(left) :]

    def fill(self, *, gather: bool = False) -> None:
        """Reads what is there, or waits for it. `gather`: small pieces may come together.

        Raises:
            WrongWork: nothing comes, or never will.
        """
        if not self._poll.poll(PATIENCE * 1000):
            raise self.wrong(f"nothing came for {PATIENCE:g} s")
        piece = os.read(self._out, PIPE)
        if not piece:
            raise self.wrong("it has gone")
        self.buffer += piece
        if gather and len(piece) < SMALL:
            time.sleep(NAP)

    def find(self, mark: bytes, start: int, *, gather: bool = False) -> int:
        """Where `mark` is, from `start` on, once it has come."""
        while (found := self.buffer.find(mark, start)) < 0:
            start = max(start, len(self.buffer) - len(mark))
            self.fill(gather=gather)
            self.glance()
        return found

    def glance(self) -> None:
        """Looks, after each piece, whether something has to be answered."""

    def cost(self) -> Cost:
        return cost_of(self.process.pid)

    def wrong(self, why: str) -> WrongWork:
        said = self._errors.read_text(errors="replace")[-400:].strip()
        return WrongWork(f"{why}; last it wrote {bytes(self.buffer[-200:])!r}; {said}")

    def close(self) -> None:
        """Ends it, in order or not."""
        try:
            self._in.close()
            self.process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Agent(Child):
    """A process that does what a prompt says: ours or the peer."""

    def ready(self) -> float:
        """Waits until it takes prompts; the seconds since it was started."""
        raise NotImplementedError

    def prompt(self, text: str) -> None:
        """Begins a run, in the one session of this process."""
        raise NotImplementedError

    def first_delta(self) -> float:
        """When the first text of the run is here, on the clock of `time.perf_counter`."""
        raise NotImplementedError

    def settled(self, *, gather: bool = False) -> float:
        """When the run's end is here."""
        raise NotImplementedError

    def abort(self) -> float:
        """Aborts the run; when its end is here."""
        raise NotImplementedError

    def outcome(self) -> "Outcome":
        """What came of the run that has settled."""
        raise NotImplementedError


class Outcome:
    """What a run has told."""

    def __init__(self, characters: int, succeeded: int, stop: str, output: int) -> None:
        self.characters = characters
        """Of the texts of all its answers."""
        self.succeeded = succeeded
        """Tool calls that ended well."""
        self.stop = stop
        """`complete`, `aborted`, or why else it ended."""
        self.output = output
        """Bytes that it wrote."""
