"""A program in a tmux of its own, for the screens that go into the docs: `capture-pane` is what a person would copy.

The stories look at the pseudo-terminal that tmux is shown in. Where nothing is captured they do without tmux, which
comes with the system and takes root to install; and it would have to be asked for the screen time and again.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Final

TERM: Final = "screen-256color"
"""Of the terminal that tmux is shown in: the emulator knows no repeated characters, which tmux sends to an xterm."""
_QUIETLY: Final = ("status off", "prefix None", "escape-time 10", f"default-terminal {TERM}")


class Tmux:
    """One server with one window of the size of its terminal."""

    def __init__(self, columns: int, rows: int) -> None:
        """Raises:
        FileNotFoundError: there is no tmux.
        """
        program = which("tmux")
        if program is None:
            raise FileNotFoundError("Captures are taken by tmux, which is not installed.")
        self._folder = Path(tempfile.mkdtemp(prefix="tmux-"))
        self._tmux = (program, "-u", "-L", "stories", "-f", "/dev/null")
        self._size = ("-x", str(columns), "-y", str(rows))

    def env(self, env: Mapping[str, str]) -> dict[str, str]:
        """What a program of this environment is started with in it."""
        return {**env, "TERM": TERM, "TMUX_TMPDIR": str(self._folder)}

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Starts the server and the program in it, and shows it in the terminal that it is run in."""
        options = [word for option in _QUIETLY for word in ("set-option", "-g", *option.split(), ";")]
        return [*self._tmux, *options, "new-session", *self._size, "--", *arguments]

    def screen(self) -> str:
        """The window's text, as `tmux capture-pane -p` prints it."""
        return self._run("capture-pane", "-p")

    def close(self) -> None:
        self._run("kill-server")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            [*self._tmux, *command],
            env={"TMUX_TMPDIR": str(self._folder), "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,  # a program that has ended has taken its server with it
        )
        return done.stdout
