"""All processes that a command started: which they are, when they end, and how to end every one of them.

On Linux they are read from /proc and awaited with pidfd. Elsewhere only the process group can be seen, and its end has
to be polled for.
"""

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MARKER_VARIABLE = "STEERSMAN_RUN"
"""A colon-separated list of markers: those of the commands that a command runs inside, then its own."""

_PROC = Path("/proc")
_HAS_PROC = (_PROC / "self" / "stat").exists()
_KILL_WAIT = 2.0
"""Seconds to wait for processes after SIGKILL. One in an uninterruptible system call may take forever."""
_POLL = 0.02
"""Seconds between two looks at processes that can't be awaited: those that are not our children, without pidfd."""
_MOST_WATCHED = 64
"""Processes awaited at a time. Each takes a descriptor."""


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process that a command started and that is still running."""

    pid: int
    command: str
    """Its command line, at most 200 characters."""


class ProcessTree:
    """What a command started, found by session, process group, marker and parents."""

    __slots__ = ("_known", "_leader", "_marker")

    def __init__(self, leader: int, marker: str) -> None:
        """`leader` leads its own session; `marker` is in MARKER_VARIABLE of its environment."""
        self._leader = leader
        self._marker = marker.encode()
        self._known: dict[int, int] = {}
        """What was found last, with start times: a process that has lost its parent since is still ours."""

    def group_exists(self) -> bool:
        """Whether a process of the group is left (on Linux a leader that is not reaped counts)."""
        try:
            os.killpg(self._leader, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # macOS: only zombies are left; Linux: only processes of another user
            return _HAS_PROC
        return True

    async def running(self) -> tuple[RunningProcess, ...]:
        """The processes that have not ended."""
        pids = await self._pids()
        return tuple(RunningProcess(pid, _command_line(pid)) for pid in sorted(pids))

    async def end(self, grace: float, hurry: asyncio.Future[None]) -> tuple[RunningProcess, ...]:
        """Asks all processes to end, kills those left after `grace` seconds or once `hurry` is done, and returns when
        they are gone: the result is what could not be ended."""
        loop = asyncio.get_running_loop()
        pids = await self._pids()  # before any of them loses its parent
        self._signal_group(signal.SIGTERM)
        _signal(pids, signal.SIGTERM, except_group=self._leader)
        deadline = loop.time() + grace
        while pids and not hurry.done() and loop.time() < deadline:
            await _gone(pids, deadline - loop.time(), hurry)
            pids = await self._pids()
        deadline = loop.time() + _KILL_WAIT
        while pids and loop.time() < deadline:
            self._signal_group(signal.SIGKILL)
            _signal(pids, signal.SIGKILL)
            await _gone(pids, deadline - loop.time(), loop.create_future())
            pids = await self._pids()  # including what they have just started
        return tuple(RunningProcess(pid, _command_line(pid)) for pid in sorted(pids))

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, number)

    async def _pids(self) -> set[int]:
        if not _HAS_PROC:
            return {self._leader} if self.group_exists() else set()
        # In a thread: reading a process's environment may have to wait for its memory lock.
        self._known = await asyncio.to_thread(_find, self._leader, self._marker, self._known)
        return set(self._known)


@contextlib.contextmanager
def exit_of(process: subprocess.Popen[bytes]) -> Iterator[asyncio.Future[None]]:
    """A future that is done when our child has exited, whoever has its pipes open. Needs no child watcher of asyncio.

    With pidfd the child is not reaped: its process number and group stay reserved until `process.wait()`. Elsewhere a
    thread waits for it and reaps it.
    """
    loop = asyncio.get_running_loop()
    exited: asyncio.Future[None] = loop.create_future()
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        # A daemon thread: a child that can't be killed must not keep the server from exiting.
        threading.Thread(target=_wait, args=(process, loop, exited), daemon=True).start()
        yield exited
        return
    loop.add_reader(descriptor, settle, exited)
    try:
        yield exited
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _wait(
    process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop, exited: asyncio.Future[None]
) -> None:
    process.wait()
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is waiting
        loop.call_soon_threadsafe(settle, exited)


def settle(future: asyncio.Future[None]) -> None:
    """Marks the future as done. Calling it again is harmless."""
    if not future.done():
        future.set_result(None)


async def _gone(pids: Iterable[int], timeout: float, hurry: asyncio.Future[None]) -> None:
    """Returns when the processes have ended, after `timeout` seconds, or once `hurry` is done. Where processes can't be
    awaited, it returns after a moment."""
    loop = asyncio.get_running_loop()
    all_ended: asyncio.Future[None] = loop.create_future()
    watched: set[int] = set()

    def ended(descriptor: int) -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        watched.discard(descriptor)
        if not watched:
            settle(all_ended)

    try:
        for pid in sorted(pids)[:_MOST_WATCHED]:
            with contextlib.suppress(ProcessLookupError):
                descriptor = os.pidfd_open(pid)
                watched.add(descriptor)
                loop.add_reader(descriptor, ended, descriptor)
        if watched:
            await asyncio.wait({all_ended, hurry}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    except (AttributeError, OSError):
        await asyncio.wait({hurry}, timeout=min(timeout, _POLL))
    finally:
        for descriptor in list(watched):
            ended(descriptor)


def _signal(pids: Iterable[int], number: signal.Signals, *, except_group: int | None = None) -> None:
    for pid in pids:
        # It is gone or another user's: the next look at the processes shows which.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if except_group is None or os.getpgid(pid) != except_group:
                os.kill(pid, number)


def _find(leader: int, marker: bytes, known: Mapping[int, int]) -> dict[int, int]:
    """The living processes of a command, with their start times: those in its session or group or with its marker,
    those `known` before, and the descendants of both."""
    children: dict[int, list[int]] = {}
    alive: dict[int, int] = {}
    pending = [leader]
    for pid in _all_pids():
        stat = _stat(pid)
        if stat is None:
            continue
        children.setdefault(stat.parent, []).append(pid)
        ours = leader in (pid, stat.group, stat.session)
        if stat.ended:
            _reap_orphan(pid, leader, ours and stat.parent == os.getpid())
            continue
        alive[pid] = stat.start
        if ours or known.get(pid) == stat.start or _has_marker(pid, marker):
            pending.append(pid)
    found: set[int] = set()
    while pending:
        pid = pending.pop()
        if pid not in found:
            found.add(pid)
            pending.extend(children.get(pid, ()))
    return {pid: alive[pid] for pid in found if pid in alive}


@dataclass(frozen=True, slots=True)
class _Stat:
    parent: int
    group: int
    session: int
    start: int
    """In clock ticks since boot. Together with the number it identifies a process."""
    ended: bool


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]


def _stat(pid: int) -> _Stat | None:
    """See proc_pid_stat(5). None if the process is gone."""
    data = _read(pid, "stat")
    if data is None:
        return None
    fields = data[data.rindex(b")") + 2 :].split()
    # The main thread may have exited (Z) while other threads of the process run on.
    ended = fields[0] in b"ZX" and int(fields[17]) <= 1
    parent, group, session, start = (int(fields[place]) for place in (1, 2, 3, 19))
    return _Stat(parent=parent, group=group, session=session, start=start, ended=ended)


def _has_marker(pid: int, marker: bytes) -> bool:
    environment = _read(pid, "environ")
    return environment is not None and marker in environment


def _command_line(pid: int) -> str:
    arguments = (_read(pid, "cmdline") or b"").rstrip(b"\0").decode(errors="replace").split("\0")
    if arguments != [""]:
        return shlex.join(arguments)[:200]
    name = (_read(pid, "comm") or b"").decode(errors="replace").strip()
    return name or "unknown"


def _read(pid: int, name: str) -> bytes | None:
    try:
        return (_PROC / str(pid) / name).read_bytes()
    except OSError:  # gone, or another user's
        return None


def _reap_orphan(pid: int, leader: int, ours: bool) -> None:
    """If the server is PID 1 of a container, processes that have lost their parent are ours to reap."""
    if ours and pid != leader:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
