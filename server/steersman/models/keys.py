"""Keys, where they come from, and the user's commands that print one. Nothing here shows a key.

Which base URL a key may go to is decided by `routes`.
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
"""How long a `key_command` may take."""
COMMAND_BYTES: Final = 64 * 1024
"""Most bytes of its output; more can't be a key."""
_LOOK_SECONDS: Final = 0.1
"""How often a silent command is checked for its end."""


@dataclass(frozen=True, slots=True)
class Key:
    value: str = field(repr=False)
    source: str
    """Where it comes from, for messages: `GROQ_API_KEY`, `api_key in [providers.groq] of config.toml`."""


@dataclass(frozen=True, slots=True)
class KeyCommand:
    """A program of the user's that prints a key: `["pass", "show", "groq"]`. It is run without a shell."""

    words: tuple[str, ...]
    source: str

    @property
    def program(self) -> str:
        return self.words[0]


class KeyCommands:
    """Runs `key_command`s, and keeps what they print for the life of the process. Thread-safe."""

    def __init__(self, withheld: Collection[str] = (), environ: Mapping[str, str] = os.environ) -> None:
        """`withheld`: variables that no command gets, since they hold the server's own keys."""
        self._withheld, self._environ = withheld, environ
        self._kept: dict[tuple[str, ...], str] = {}
        self._lock = threading.Lock()
        self._running: dict[tuple[str, ...], threading.Lock] = {}

    def kept(self, command: KeyCommand) -> str | None:
        """The key, if it is known without running anything."""
        return self._kept.get(command.words)

    def key(self, command: KeyCommand, *, seconds: float = COMMAND_SECONDS) -> str:
        """The key that the command prints; it is run unless the key is known. Blocks, so call it in a thread.

        Raises:
            MissingKey: it could not be run, failed, took too long, or printed no key. The text never repeats its
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
        """Drops a key that was refused, so that the command is run again when the key is needed next."""
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
        raise _failed(command, "printed no valid key in its first line") from None


def _printed(command: KeyCommand, process: "subprocess.Popen[bytes]", until: float) -> bytes:
    """What the command prints until it ends. Something that it leaves running may keep the pipe open."""
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
    """Kills the command, if it is still running, and all that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _failed(command: KeyCommand, what: str) -> MissingKey:
    return MissingKey(
        f"No API key: {command.source} {what}. Run {command.program} yourself to see what it says."
    )
