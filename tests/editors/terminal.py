"""A program in a real pseudo-terminal, its screen as a person sees it, its keys as a person types them."""

import fcntl
import os
import pty
import selectors
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from editors.tmux import Tmux

COLUMNS: Final = 100
ROWS: Final = 30
PATIENCE: Final = 120.0
"""Seconds that anything may take on a busy machine."""

KEYS: Final = {"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "Up": "\x1b[A", "Down": "\x1b[B", "Space": " "}


class NotShown(AssertionError):
    """What was waited for did not come; the message has the screen."""


class Terminal:
    """Starts `arguments` in a terminal of `COLUMNS` × `ROWS`, and ends it with the block.

    Where STEERSMAN_CAPTURES is set there is a tmux between, and a settled screen is what that has captured.
    """

    def __init__(self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        import pyte  # only `make test-editors` installs it, and this module is imported without

        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._lines = [""] * ROWS
        self._unseen = b""
        """What was read and is not on the screen yet."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._tmux = Tmux(COLUMNS, ROWS) if os.environ.get("STEERSMAN_CAPTURES") else None
        env = {**env, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
        self._process = subprocess.Popen(
            # Emacs wants the terminal to be the controlling one.
            ["setsid", "--ctty", *(self._tmux.command(arguments) if self._tmux else arguments)],
            cwd=cwd,
            env=self._tmux.env(env) if self._tmux else env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self._readable = selectors.DefaultSelector()
        self._readable.register(self._master, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._tmux is not None:
            self._tmux.close()
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._readable.close()
        os.close(self._master)

    @property
    def text(self) -> str:
        """The screen's lines, without the blanks at their ends."""
        for row in self._screen.dirty:
            self._lines[row] = self._line(row)
        self._screen.dirty.clear()
        return _without_blanks(self._lines)

    def _line(self, row: int) -> str:
        cells = (self._screen.buffer[row][column].data for column in range(COLUMNS))
        # The second cell of a wide character is empty.
        return "".join(cells)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def press(self, *keys: str) -> None:
        """Keys by name (`Enter`, `Escape`, …), or `C-x` and `M-x`, or one character."""
        for key in keys:
            self.type(_bytes_of(key))

    def until(self, what: str | Callable[[str], bool], *, patience: float = PATIENCE) -> str:
        """Follows the output until the screen shows `what`; returns the screen.

        A text counts also where it stood there for a moment only, and what took its place came together with it; a
        condition is asked of a screen that is drawn as far as it came.

        Raises:
            NotShown: it did not come, or the program has ended before.
        """
        deadline = time.monotonic() + patience
        while True:
            if isinstance(what, str):
                while what not in (seen := self.text):
                    if not self._draw():
                        break
                else:
                    self._draw_all()
                    return self.text if what in self.text else seen
            else:
                self._draw_all()
                if what(self.text):
                    return self.text
            left = deadline - time.monotonic()
            if left <= 0 or not self._read(left):
                raise NotShown(f"not shown: {what}\n{self.text}")

    def settle(self, seconds: float) -> str:
        """Follows the output until there is none for so long: for what must not happen, and for captures."""
        self._draw_all()
        while self._read(seconds):
            self._draw_all()
        return self.text if self._tmux is None else _without_blanks(self._tmux.screen().split("\n"))

    def _draw(self) -> bool:
        """Puts the next piece of what was read on the screen; false if there is none."""
        if not self._unseen:
            return False
        end = self._unseen.find(b"\x1b", 1)
        piece = self._unseen if end < 0 else self._unseen[:end]
        self._unseen = self._unseen[len(piece) :]
        self._stream.feed(piece)
        return True

    def _draw_all(self) -> None:
        self._stream.feed(self._unseen)
        self._unseen = b""

    def _read(self, seconds: float) -> bool:
        """Takes in what comes next; false if nothing does."""
        if not self._readable.select(seconds):
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the last process has closed its end
            return False
        self._unseen += data
        return bool(data)


def _without_blanks(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _bytes_of(key: str) -> str:
    if key in KEYS:
        return KEYS[key]
    if key.startswith("C-") and len(key) == 3:
        return chr(ord(key[2].upper()) & 0x1F)
    if key.startswith("M-") and len(key) == 3:
        return f"\x1b{key[2]}"
    return key
