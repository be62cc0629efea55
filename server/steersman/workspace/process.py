"""Runs an agent's command: in its own process group, without input, with bounded output and a certain end.

A command ends when its main process exits. What it left in the background then keeps running and is named in the
result: the next command may need a server that was started on purpose. An abort, a timeout or a cancellation ends
everything that the command started, and returns when all of it is gone.
"""

import asyncio
import logging
import secrets
import signal
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.guard import Guard, Watch
from steersman.workspace.launch import StartError, TooLong, quiet_environment, shell_arguments, start
from steersman.workspace.output import NO_OUTPUT, LiveUpdates, Output, OutputCollector, OutputFile
from steersman.workspace.pipes import PipeReader
from steersman.workspace.process_tree import ProcessTree, RunningProcess, exit_of, settle
from steersman.workspace.waiting import Stop, outlast

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    grace: float = 2.0
    """Seconds between SIGTERM and SIGKILL."""
    drain: float = 0.2
    """Seconds to wait for more output after the exit, while a background process has the pipe open."""
    tail_bytes: int = 64 * 1024
    """Output that is kept in memory and returned. If there is more, all of it goes to a file."""
    file_bytes: int = 1 << 30
    """The largest size of that file."""
    left_bytes: int = 10 << 20
    """How much later output of processes left running is appended to the file."""
    update_seconds: float = 0.1
    """The shortest time between two live updates."""
    update_characters: int = 8 * 1024
    """About the most text of one live update, which has the end if there was more."""


@dataclass(frozen=True, slots=True)
class Exited:
    code: int


@dataclass(frozen=True, slots=True)
class Signalled:
    """Ended by a signal that we didn't send."""

    name: str
    """Such as SIGSEGV."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    seconds: float


@dataclass(frozen=True, slots=True)
class Aborted:
    pass


@dataclass(frozen=True, slots=True)
class NotStarted:
    reason: str
    """A sentence or two for users and models."""


Outcome = Exited | Signalled | TimedOut | Aborted | NotStarted


@dataclass(frozen=True, slots=True)
class CommandResult:
    outcome: Outcome
    output: Output
    still_running: tuple[RunningProcess, ...] = ()
    """After an exit: the processes left in the background that have the output open (which continues in `output.path`)
    or are still in the command's group. A daemon that is neither is on its own. After an abort or a timeout: what could
    not be ended."""
    seconds: float = 0.0


async def run_command(
    command: str | Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stop: Stop,
    guard: Guard,
    spill_dir: Path | None,
    without: Collection[str] = (),
    timeout: float | None = None,
    limits: ProcessLimits | None = None,
    on_output: Callable[[str], None] | None = None,
) -> CommandResult:
    """Runs a command to its end.

    A string is run by bash (sh, where there is no bash), a sequence as it is. `cwd` is as for `launch.start`. `without`
    are variables of `env` that the command must not see. `timeout` is in seconds. `on_output` gets merged updates of
    the output, as a terminal would show it; what it raises ends the command and is raised here. `spill_dir` is the
    directory for the file with long output, made when needed; None: no file.

    Raises:
        asyncio.CancelledError: we were cancelled. Everything that the command started has been ended; a second
            cancellation cut the grace period short.
    """
    if stop.aborted:
        return CommandResult(Aborted(), NO_OUTPUT)
    limits = limits or ProcessLimits()
    marker = secrets.token_hex(16)
    environment = quiet_environment(env, cwd, without=without, marker=marker)
    with guard.watching(marker) as watch:
        try:
            arguments = shell_arguments(command, environment) if isinstance(command, str) else command
            process = start(arguments, cwd=cwd, env=environment, merge_stderr=True)
        except TooLong as error:
            return CommandResult(NotStarted(f"{error} Put it into a script file, and run that."), NO_OUTPUT)
        except StartError as error:
            return CommandResult(NotStarted(str(error)), NO_OUTPUT)
        watch.started(process.pid)
        output = OutputCollector(tail_bytes=limits.tail_bytes, file=OutputFile(spill_dir, limits.file_bytes))
        running = _Running(process, marker, output, limits, on_output)
        return await running.to_end(stop, timeout, watch)


class _Running:
    """One command between its start and its result."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        marker: str,
        output: OutputCollector,
        limits: ProcessLimits,
        on_output: Callable[[str], None] | None,
    ) -> None:
        self._process = process
        self._tree = ProcessTree(process.pid, marker)
        self._output = output
        self._limits = limits
        self._ended = False
        self._reader = PipeReader(process.stdout, self._take)
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._live: LiveUpdates | None = None
        if on_output is not None:
            self._live = LiveUpdates(
                on_output,
                interval=limits.update_seconds,
                limit=limits.update_characters,
                on_error=self._failed.set_exception,
            )

    async def to_end(self, stop: Stop, timeout: float | None, watch: Watch) -> CommandResult:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            with exit_of(self._process) as exited:
                outcome = await self._run(exited, stop, timeout)
                if outcome is None:
                    watch.end()
                    outcome = _exit_status(self._process.wait())
                    still_running = await self._leave()
                else:
                    still_running = await self._end()
                    await self._reader.drain(self._limits.drain if still_running else 0)
            if self._live is not None:
                self._live.close()
            if self._failed.done():
                self._failed.result()
            return CommandResult(outcome, self._output.finish(), still_running, loop.time() - began)
        except BaseException:
            await self._end()
            raise
        finally:
            self._close()
            watch.end()
            self._process.poll()

    def _close(self) -> None:
        if self._live is not None:
            self._live.cancel()
        if not self._failed.cancel():
            self._failed.exception()
        self._reader.close()
        self._output.close()

    async def _run(self, exited: asyncio.Future[None], stop: Stop, timeout: float | None) -> Outcome | None:
        """Returns None when the command has exited, otherwise the reason for ending it."""
        stopping = asyncio.ensure_future(stop.wait())
        try:
            return await self._first(exited, stopping, timeout)
        finally:
            stopping.cancel()
            await outlast(stopping)

    async def _first(
        self, exited: asyncio.Future[None], stopping: asyncio.Future[None], timeout: float | None
    ) -> Outcome | None:
        loop = asyncio.get_running_loop()
        deadline = None if timeout is None else loop.time() + timeout
        waiting = {exited, stopping, self._reader.finished, self._failed}
        while True:
            left = None if deadline is None else max(0.0, deadline - loop.time())
            done, _ = await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if self._reader.finished in done:
                self._reader.finished.result()  # the end of the pipe is not the end of the command
                waiting.discard(self._reader.finished)
            if self._failed in done:
                self._failed.result()
            if exited in done:
                return None
            if stopping in done:
                stopping.result()
                return Aborted()
            if not done and timeout is not None:
                return TimedOut(timeout)

    async def _end(self) -> tuple[RunningProcess, ...]:
        """Ends everything. A cancellation meanwhile speeds this up, and is raised afterwards."""
        if self._ended:
            return ()
        hurry: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ended = True
        ending = asyncio.ensure_future(self._tree.end(self._limits.grace, hurry))
        await outlast(ending, on_cancel=lambda: settle(hurry))
        return ending.result()

    async def _leave(self) -> tuple[RunningProcess, ...]:
        """After the exit: reads the rest of the output, and returns what is still running."""
        await self._reader.drain(self._limits.drain)
        held = not self._reader.finished.done()
        if not held and not self._tree.group_exists():
            return ()
        still_running = await self._tree.running()
        if held:
            try:
                self._reader.give_away(self._output.spill(), self._limits.left_bytes)
            except (OSError, subprocess.SubprocessError) as error:
                _log.warning("What a command left running has lost its output: %s", error)
        return still_running

    def _take(self, data: bytes) -> None:
        text = self._output.feed(data)
        if self._live is not None:
            self._live.feed(text)


def _exit_status(code: int) -> Exited | Signalled:
    if code >= 0:
        return Exited(code)
    try:
        return Signalled(signal.Signals(-code).name)
    except ValueError:  # a real-time signal
        return Signalled(f"signal {-code}")
