"""Keys: where one comes from, and to whom it may go. Nothing here shows one.

A key goes to the base URL of its own source only. A variable that the package's catalog names belongs to the package's
base URL of that provider; what a table of the user's file names belongs to the base URL of that table.
"""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from steersman.models.base_url import header_value
from steersman.models.errors import MissingKey, ModelConfigError
from steersman.models.secrets import learn

COMMAND_SECONDS: Final = 10.0
"""For a `key_command`, to its end."""
COMMAND_BYTES: Final = 64 * 1024
"""Of its output; more is no key."""
_LOOK_SECONDS: Final = 0.1
"""Between two looks whether a silent command has ended."""


@dataclass(frozen=True, slots=True)
class Key:
    value: str = field(repr=False)
    source: str
    """Where it comes from, for people: `GROQ_API_KEY`, `api_key of [providers.groq]`."""


@dataclass(frozen=True, slots=True)
class KeyCommand:
    """A program of the user's that prints a key: `["pass", "show", "groq"]`. No shell runs it."""

    words: tuple[str, ...]
    source: str

    @property
    def program(self) -> str:
        return self.words[0]


class KeyCommands:
    """What `key_command`s have printed, kept for the life of the process. May be used from several threads."""

    def __init__(self, withheld: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> None:
        """`withheld`: variables that no command gets, the server's own keys."""
        self._withheld, self._environ = withheld, environ
        self._kept: dict[tuple[str, ...], str] = {}
        self._lock = threading.Lock()
        self._running: dict[tuple[str, ...], threading.Lock] = {}

    def kept(self, command: KeyCommand) -> str | None:
        """The key, if it is known without running anything."""
        return self._kept.get(command.words)

    def key(self, command: KeyCommand, *, seconds: float = COMMAND_SECONDS) -> str:
        """The key that the command prints, run if that is not known. Blocks: for threads.

        Raises:
            MissingKey: it could not be run, failed, took too long, or printed no key. The text has nothing of its
                output.
        """
        with self._lock:
            running = self._running.setdefault(command.words, threading.Lock())
        with running:
            kept = self._kept.get(command.words)
            if kept is None:
                kept = self._kept[command.words] = self._run(command, seconds)
            return kept

    def forget(self, command: KeyCommand, key: str) -> None:
        """The key was refused: the next one who asks runs the command again."""
        if self._kept.get(command.words) == key:
            del self._kept[command.words]

    def _run(self, command: KeyCommand, seconds: float) -> str:
        environment = {name: value for name, value in self._environ.items() if name not in self._withheld}
        try:
            process = subprocess.Popen(
                command.words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) else "its words hold a NUL"
            raise _failed(command, f"can't be run ({said})") from None
        try:
            key = _first_line(command, process, time.monotonic() + seconds)
        finally:
            _end(process)
        learn(key)
        return key


def _first_line(command: KeyCommand, process: "subprocess.Popen[bytes]", until: float) -> str:
    printed = _printed(command, process, until)
    try:
        status = process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise _failed(command, "did not end in time") from None
    if status != 0:
        raise _failed(command, f"failed (exit status {status})")
    key = printed.partition(b"\n")[0].strip()
    if not key:
        raise _failed(command, "printed no key")
    try:
        return header_value(key.decode("ascii"))
    except (UnicodeDecodeError, ModelConfigError):
        raise _failed(command, "printed something that is no key in its first line") from None


def _printed(command: KeyCommand, process: "subprocess.Popen[bytes]", until: float) -> bytes:
    """What it printed until its end. A program that it has left running may keep the pipe open."""
    assert process.stdout is not None
    printed = bytearray()
    with selectors.DefaultSelector() as pipe:
        pipe.register(process.stdout, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if not pipe.select(min(left, _LOOK_SECONDS)):
                if process.poll() is not None:
                    break
                continue
            piece = os.read(process.stdout.fileno(), COMMAND_BYTES)
            if not piece:
                break
            printed += piece
            if len(printed) > COMMAND_BYTES:
                raise _failed(command, f"printed more than {COMMAND_BYTES} bytes")
    return bytes(printed)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With all that it started, if it still runs."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _failed(command: KeyCommand, what: str) -> MissingKey:
    return MissingKey(
        f"No API key: {command.source} {what}. Run {command.program} yourself to see what it says."
    )
