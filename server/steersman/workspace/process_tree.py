"""All processes that one command started: who they are, when they end, and how to end every one of them.

On Linux they are read from /proc and awaited by pidfd. Elsewhere the process group is all that can be seen, and its
end can only be polled for.
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
"""Its value is a colon-separated list of markers: those of the commands inside which a command runs, then its own."""

_PROC = Path("/proc")
_HAS_PROC = (_PROC / "self" / "stat").exists()
_KILL_WAIT = 2.0
"""Seconds to wait for processes after SIGKILL: one in an uninterruptible system call can't be waited for longer."""
_POLL = 0.02
"""Seconds between two looks at processes that can't be awaited: other people's children without pidfd (macOS)."""
_MOST_WATCHED = 64
"""Processes that are awaited at a time, one descriptor each."""


@dataclass(frozen=True, slots=True)
class RunningProcess:
    """A process of a command that had not ended when the command's result was made."""

    pid: int
    command: str
    """Its command line, at most 200 characters."""


class ProcessTree:
    """What a command started, found by its session, its process group, its marker and its line of parents."""

    __slots__ = ("_known", "_leader", "_marker")

    def __init__(self, leader: int, marker: str) -> None:
        """`leader` began a session of its own; `marker` stands in MARKER_VARIABLE of its environment."""
        self._leader = leader
        self._marker = marker.encode()
        self._known: dict[int, int] = {}
        """What was found last, with the times of start: what lost its parent meanwhile is still ours."""

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
        """Those that have not ended."""
        pids = await self._pids()
        return tuple(RunningProcess(pid, _command_line(pid)) for pid in sorted(pids))

    async def end(self, grace: float, hurry: asyncio.Future[None]) -> tuple[RunningProcess, ...]:
        """Asks all of them to end, kills what is left after `grace` seconds or once `hurry` is done, and returns
        when they are gone; what can't be ended is returned."""
        loop = asyncio.get_running_loop()
        pids = await self._pids()  # before anybody loses a parent
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
            pids = await self._pids()  # what they started at the last moment
        return tuple(RunningProcess(pid, _command_line(pid)) for pid in sorted(pids))

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, number)

    async def _pids(self) -> set[int]:
        if not _HAS_PROC:
            return {self._leader} if self.group_exists() else set()
        # In a thread: reading the environment of a process can wait for that process's memory lock.
        self._known = await asyncio.to_thread(_find, self._leader, self._marker, self._known)
        return set(self._known)


@contextlib.contextmanager
def exit_of(process: subprocess.Popen[bytes]) -> Iterator[asyncio.Future[None]]:
    """A future that is done when our child has exited, whoever holds its pipes. It needs no child watcher of asyncio.

    With pidfd the child is not reaped, so its number and its group stay its own until `process.wait()`. Elsewhere a
    thread waits, and reaps.
    """
    loop = asyncio.get_running_loop()
    exited: asyncio.Future[None] = loop.create_future()
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        # A daemon thread, so that a child that can't be killed doesn't keep the server from ending.
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
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(settle, exited)


def settle(future: asyncio.Future[None]) -> None:
    """Marks it as done; again is harmless."""
    if not future.done():
        future.set_result(None)


async def _gone(pids: Iterable[int], timeout: float, hurry: asyncio.Future[None]) -> None:
    """Returns when the processes have ended, after `timeout` seconds, or once `hurry` is done; where processes can't
    be awaited, after a moment."""
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
        # Gone meanwhile, or another user's: the next look at the processes tells which.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if except_group is None or os.getpgid(pid) != except_group:
                os.kill(pid, number)


def _find(leader: int, marker: bytes, known: Mapping[int, int]) -> dict[int, int]:
    """The processes of a command that are alive, with their times of start: members by themselves, those `known` to
    be, and the descendants of both."""
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
    """In clock ticks since boot: with the number it tells a process from every other."""
    ended: bool


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in os.scandir(_PROC) if entry.name.isdigit()]


def _stat(pid: int) -> _Stat | None:
    """proc_pid_stat(5); None if there is no such process any more."""
    data = _read(pid, "stat")
    if data is None:
        return None
    fields = data[data.rindex(b")") + 2 :].split()
    # A main thread may have exited (Z) while others of its process go on.
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
    """Where the server is PID 1 of a container, what lost its parent is ours to reap."""
    if ours and pid != leader:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
