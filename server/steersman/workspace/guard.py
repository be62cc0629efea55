"""A tiny shell process that outlives the server: if the server dies while commands run, in whatever way, the guard ends
them. It knows process groups and markers, not what the commands do.
"""

import contextlib
import logging
import os
import subprocess
from collections.abc import Iterator
from types import TracebackType
from typing import Self

_log = logging.getLogger(__name__)

_SCRIPT = r"""
exec 3<&0 </dev/null
guard() {
  state=
  while IFS= read -r line; do
    case $line in "runs "*".") state=${line#runs } state=${state%.} ;; esac
  done
  set --
  for run in $state; do set -- "$@" -e "${run%%:*}"; done
  [ $# -gt 0 ] || exit 0
  all TERM "$@"
  tries=0
  while [ $tries -lt 10 ] && all 0 "$@"; do tries=$((tries + 1)); sleep 0.1 || sleep 1; done
  tries=0
  while [ $tries -lt 40 ] && all KILL "$@"; do tries=$((tries + 1)); sleep 0.05 || sleep 1; done
}
all() {
  signal=$1 found=1 marked=
  shift
  [ -r /proc/self/environ ] && marked=$(grep -lF "$@" /proc/[0-9]*/environ)
  for run in $state; do
    group=${run#*:}
    [ -n "$group" ] && kill -s "$signal" -- "-$group" && found=0
  done
  for file in $marked; do
    pid=${file#/proc/} pid=${pid%/environ}
    [ "$signal" = TERM ] && in_group "$pid" && continue
    kill -s "$signal" "$pid" && found=0
  done
  return $found
}
in_group() {
  read -r stat <"/proc/$1/stat" || return 0
  set -- ${stat##*) }
  case " $state" in *":$3 "*) return 0 ;; esac
  return 1
}
trap '' INT HUP QUIT TERM PIPE
guard <&3 3<&- &
"""
# The server writes the whole state at each change ("runs <marker>:<group> <marker>:<group> ."); when the pipe ends,
# the last complete line counts. Programs get TERM once, so that they can remove their lock files, and KILL a second
# later.


class Guard:
    """One per server: started with the first command, restarted if it died, closed with the server.

    A marker is a random word in the environment of all processes of one command. To be used from one thread. Commands
    also run without a working guard, and the log says so.
    """

    __slots__ = ("_pipe", "_runs")

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._runs: dict[str, int | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def watching(self, marker: str) -> Iterator["Watch"]:
        """Guards one command. Enter before it starts. Leave when its processes are gone but its leader is not yet
        reaped: until then no other group can get its number."""
        self._runs[marker] = None
        self._tell()
        watch = Watch(self, marker)
        try:
            yield watch
        finally:
            watch.end()

    def close(self) -> None:
        """Lets the guard go. It ends what is still being watched."""
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def _set(self, marker: str, group: int) -> None:
        self._runs[marker] = group
        self._tell()

    def _end(self, marker: str) -> None:
        if marker in self._runs:
            del self._runs[marker]
            self._tell()

    def _tell(self) -> None:
        runs = "".join(f"{marker}:{group or ''} " for marker, group in self._runs.items())
        # The leading line end closes a line that an earlier, partial write may have left open.
        line = f"\nruns {runs}.\n".encode("ascii")
        try:
            if self._pipe is None or not self._write(line):
                self.close()
                self._pipe = _start()
                self._write(line)
        except OSError as error:
            _log.warning("Commands run unguarded: %s", error)

    def _write(self, line: bytes) -> bool:
        """False if the guard is gone.

        Raises:
            OSError: the guard isn't reading; it gets the whole state next time.
        """
        assert self._pipe is not None
        try:
            os.write(self._pipe, line)
        except BrokenPipeError:
            return False
        return True


class Watch:
    """The guard's entry of one command."""

    __slots__ = ("_guard", "_marker")

    def __init__(self, guard: Guard, marker: str) -> None:
        self._guard = guard
        self._marker = marker

    def started(self, group: int) -> None:
        """The command runs as the leader of this process group."""
        self._guard._set(self._marker, group)

    def end(self) -> None:
        """There is nothing left to end. Calling it again is harmless."""
        self._guard._end(self._marker)


def _start() -> int:
    """Starts a guard and returns the writing end of its pipe.

    The shell leaves the guard in the background and exits, so that the guard is no child of ours: there is nothing to
    reap, and an editor that kills the server with its descendants doesn't find it. It has its own session (Ctrl-C
    doesn't reach it), a clean environment (without a marker) and no descriptor but the pipe.
    """
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)
        subprocess.run(
            ["/bin/sh", "-c", _SCRIPT],
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath)},
            start_new_session=True,
            check=True,
            timeout=5,
        )
    except subprocess.SubprocessError as error:
        os.close(writing)
        raise OSError(f"the guard could not be started: {error}") from error
    except OSError:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    return writing
