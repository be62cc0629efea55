"""Runs a helper program (ripgrep) and passes on its output record by record, until it ends or is no longer needed."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.launch import quiet_environment, start
from steersman.workspace.pipes import PipeReader
from steersman.workspace.process_tree import exit_of
from steersman.workspace.waiting import Stop, outlast

_DRAIN = 0.2
"""Seconds to wait for the rest of the output after the exit, if another process has the pipe open."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    code: int | None
    """The exit status, negative for a signal; None if we ended the program."""
    stderr: str
    """The beginning of what it wrote to stderr."""
    stopped: bool = False
    """`on_record` wanted no more."""
    aborted: bool = False
    overlong: int = 0
    """Records left out because they were longer than `max_record`."""


class RecordSplitter:
    """Splits a byte stream into records at a separator. Records that are too long are only counted."""

    __slots__ = ("_held", "_length", "_limit", "_separator", "overlong")

    def __init__(self, separator: bytes, limit: int) -> None:
        self._separator = separator
        self._limit = limit
        self._held: list[bytes] = []
        self._length = 0
        """Bytes of the record that has begun."""
        self.overlong = 0
        """Records left out so far."""

    def feed(self, data: bytes) -> list[bytes]:
        """Takes more bytes. Returns the records that they complete, without the separator."""
        *complete, rest = data.split(self._separator)
        records = []
        for part in complete:
            self._hold(part)
            records += self._release()
        self._hold(rest)
        return records

    def finish(self) -> list[bytes]:
        """The last record, if the stream doesn't end with a separator."""
        return self._release() if self._length else []

    def _hold(self, part: bytes) -> None:
        self._length += len(part)
        if self._length <= self._limit:
            self._held.append(part)
        else:
            self._held.clear()

    def _release(self) -> list[bytes]:
        held, length = self._held, self._length
        self._held, self._length = [], 0
        if length <= self._limit:
            return [b"".join(held)]
        self.overlong += 1
        return []


async def run_program(
    arguments: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stop: Stop,
    on_record: Callable[[bytes], bool],
    separator: bytes = b"\n",
    max_record: int = 1 << 20,
    max_stderr: int = 8 * 1024,
    memory: int | None = None,
) -> ProgramResult:
    """Runs a program that only reads and starts no other (it is killed without a grace period). `cwd` is absolute, with
    links resolved, and is entered only if none of its directories has been replaced.

    `on_record` is called with each record of stdout, without the separator and of at most `max_record` bytes. If it
    returns False, the program is ended. `memory` is how many bytes of memory the program may use, where the system can
    limit that.

    Raises:
        StartError: the program could not be started.
        Exception: what `on_record` raises. The program has been ended then, and also when we are cancelled.
    """
    if stop.aborted:
        return ProgramResult(code=None, stderr="", aborted=True)
    process = start(arguments, cwd=cwd, env=quiet_environment(env, cwd), merge_stderr=False)
    if memory is not None:
        _limit_memory(process.pid, memory)
    return await _Program(process, RecordSplitter(separator, max_record), on_record, max_stderr).to_end(stop)


def _limit_memory(pid: int, size: int) -> None:
    import resource  # noqa: PLC0415 - only where a program is run

    if hasattr(resource, "prlimit"):  # Linux
        # What it has mapped of files doesn't count.
        with contextlib.suppress(OSError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


class _Program:
    """One program between its start and its result."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        splitter: RecordSplitter,
        on_record: Callable[[bytes], bool],
        max_stderr: int,
    ) -> None:
        self._process = process
        self._splitter = splitter
        self._on_record = on_record
        self._max_stderr = max_stderr
        self._complaint = b""
        self._enough: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._out = PipeReader(process.stdout, lambda data: self._pass_on(splitter.feed(data)))
        self._err = PipeReader(process.stderr, self._complain)

    async def to_end(self, stop: Stop) -> ProgramResult:
        stopping = asyncio.ensure_future(stop.wait())
        try:
            with exit_of(self._process) as exited:
                try:
                    ended = await self._run(exited, stopping)
                finally:
                    await self._kill(exited)
            if ended:
                self._pass_on(self._splitter.finish())
            return ProgramResult(
                code=self._process.wait() if ended else None,
                stderr=self._complaint.decode(errors="replace"),
                stopped=self._enough.done(),
                aborted=not ended and not self._enough.done(),
                overlong=self._splitter.overlong,
            )
        finally:
            stopping.cancel()
            self._out.close()
            self._err.close()
            self._process.poll()
            await outlast(stopping)

    async def _run(self, exited: asyncio.Future[None], stopping: asyncio.Future[None]) -> bool:
        """Returns True if the program has ended by itself and all its output has been read."""
        waiting = {exited, stopping, self._enough, self._out.finished}
        while True:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self._out.finished in done:
                self._out.finished.result()
                waiting.discard(self._out.finished)
            if exited in done:
                await self._out.drain(_DRAIN)
                await self._err.drain(_DRAIN)
                if self._out.finished.done():
                    self._out.finished.result()
                return True
            if self._enough in done or stopping in done:
                return False

    async def _kill(self, exited: asyncio.Future[None]) -> None:
        if not exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await outlast(exited)

    def _pass_on(self, records: list[bytes]) -> None:
        for record in records:
            if self._enough.done():
                return
            if not self._on_record(record):
                self._enough.set_result(None)

    def _complain(self, data: bytes) -> None:
        self._complaint = (self._complaint + data)[: self._max_stderr]
