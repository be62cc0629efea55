"""Text on a terminal or a pipe: what is safe to print, lines that the user types, coloured diffs."""

import asyncio
import contextlib
import os
import re
import sys

from steersman.workspace.roots import printable

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """The text with all that a terminal would obey escaped: control characters (except line feed and tab) and direction
    overrides. CR LF becomes LF."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text.replace("\r\n", "\n"))


def tell(text: str) -> None:
    """Prints a line for people on standard error. If that is full or its reader has gone, the work goes on untold."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


class Wrapper:
    """Breaks streamed text between words. A word is held back until all of it has come."""

    def __init__(self, width: int) -> None:
        self._width = max(width, 20)
        self._column = 0
        self._word = ""

    def feed(self, text: str) -> str:
        """The text that can be printed now."""
        out: list[str] = []
        *ended, self._word = re.split(r"(\s)", self._word + text)
        for piece in ended:
            if not piece:
                continue
            out.append(self._placed(piece))
        return "".join(out)

    def end(self) -> str:
        """The rest. The text after it begins a new line."""
        rest = self._placed(self._word) if self._word else ""
        self._word, self._column = "", 0
        return rest

    def _placed(self, piece: str) -> str:
        if piece == "\n":
            self._column = 0
            return piece
        from rich.cells import cell_len  # other commands use this module too, and start without rich

        width = cell_len(piece)
        if self._column + width > self._width and self._column > 0:
            self._column = 0
            if piece.isspace():
                return "\n"
            self._column = width
            return f"\n{piece}"
        self._column += width
        return piece


def is_interactive() -> bool:
    """Whether a person can read a question and type an answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def read_line(prompt: str) -> str | None:
    """What the user types after `prompt`, without its line break; None at the end of input.

    Can be cancelled, unlike `input()` in a thread.
    """
    print(prompt, end="", file=sys.stderr, flush=True)
    loop, fd = asyncio.get_running_loop(), sys.stdin.fileno()
    typed: asyncio.Future[bytes] = loop.create_future()
    pieces: list[bytes] = []

    def on_input() -> None:
        data = os.read(fd, 4096)
        pieces.append(data)
        if (not data or b"\n" in data) and not typed.done():
            typed.set_result(b"".join(pieces))

    loop.add_reader(fd, on_input)
    try:
        line = await typed
    finally:
        loop.remove_reader(fd)
    return line.decode(errors="replace").rstrip("\r\n") if line else None


def colour_diff(diff: str) -> str:
    """A unified diff in ANSI colours. Invisible characters are escaped, except tabs and line ends."""
    colours = {"+": "32", "-": "31", "@": "36"}
    lines = []
    for written in diff.removesuffix("\n").split("\n") if diff else ():
        line = "\t".join(map(printable, written.removesuffix("\r").split("\t")))
        colour = "1" if line.startswith(("+++", "---")) else colours.get(line[:1])
        lines.append(f"\x1b[{colour}m{line}\x1b[0m" if colour else line)
    return "\n".join(lines)
