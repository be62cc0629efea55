"""The output of one command, within fixed bounds: its tail in memory, all of it in a private file once it is longer
than that, and merged live updates. Knows bytes and text, not where they come from.
"""

import asyncio
import codecs
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steersman.workspace.terminal_text import displayed, settled, split_unfinished

FILE_PREFIX = "output-"
FILE_SUFFIX = ".log"


@dataclass(frozen=True, slots=True)
class Output:
    """What a command wrote to stdout and stderr, in the order of writing."""

    text: str
    """The end of the output as a terminal would show it. U+FFFD stands for bytes that are not UTF-8."""
    truncated: bool
    """Whether the beginning is missing in `text`."""
    total_bytes: int
    total_lines: int
    """Lines as written, including an unfinished last one."""
    path: Path | None = None
    """The file with the unchanged bytes; None if `text` is all there is, or no file could be made."""
    file_error: str | None = None
    """Why the file is incomplete or missing; None if it is complete or not needed."""


NO_OUTPUT = Output(text="", truncated=False, total_bytes=0, total_lines=0)


class BoundedText:
    """The last `limit` characters of a growing text, or up to twice as many, as a terminal would show them."""

    __slots__ = ("_limit", "_raw", "cut")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._raw = ""
        self.cut = False
        """Whether the beginning has been dropped."""

    def append(self, text: str) -> None:
        self._raw += text
        if len(self._raw) <= 2 * self._limit:
            return
        # A progress bar is first reduced to its last state, so that it doesn't push out what came before it.
        fixed, unfinished = split_unfinished(self._raw)
        fixed = settled(fixed)
        if len(fixed) > self._limit:
            fixed, self.cut = fixed[-self._limit :], True
        self._raw = fixed + unfinished

    def text(self) -> str:
        return displayed(split_unfinished(self._raw)[0])

    def take(self) -> str:
        """Returns what can be shown by now, and drops it."""
        fixed, unfinished = split_unfinished(self._raw)
        text = settled(fixed)
        shown = text.removesuffix("\r")
        self._raw = text[len(shown) :] + unfinished
        self.cut = False
        return shown

    def rewrites(self) -> bool:
        """Whether the text begins by redrawing the current line."""
        first_line, newline, _ = split_unfinished(self._raw)[0].partition("\n")
        return "\r" in (first_line.rstrip("\r") if newline else first_line)


class OutputFile:
    """The private file (0600) for the whole output of a command. A failure ends the writing, not the command."""

    __slots__ = ("_directory", "_file", "_limit", "_written", "error", "path")

    def __init__(self, directory: Path | None, limit: int) -> None:
        """`directory=None`: nothing may be kept. `limit` is in bytes."""
        self._directory = directory
        self._limit = limit
        self._file: int | None = None
        self._written = 0
        self.path: Path | None = None
        self.error: str | None = "what is not shown must not be kept" if directory is None else None

    def write(self, data: bytes) -> None:
        if self.error is not None:
            return
        if self._written + len(data) > self._limit:
            data = data[: self._limit - self._written]
            self.error = f"it was cut at {self._limit} bytes"
        try:
            self._write_all(self._open(), data)
        except OSError as error:
            self.error = f"it could not be written: {error.strerror or error}"

    def close(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            os.close(file)
        except OSError as error:  # network file systems may report a full disk only here
            self.error = self.error or f"it could not be written: {error.strerror or error}"

    def _open(self) -> int:
        if self._file is None:
            assert self._directory is not None  # `write` has an error otherwise
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file, name = tempfile.mkstemp(prefix=FILE_PREFIX, suffix=FILE_SUFFIX, dir=self._directory)
            self.path = Path(name)
        return self._file

    def _write_all(self, file: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.write(file, view)
            self._written += written
            view = view[written:]


class OutputCollector:
    """Takes a command's output as it comes. Memory stays within a small multiple of `tail_bytes`."""

    __slots__ = (
        "_decoder",
        "_file",
        "_head",
        "_head_bytes",
        "_newlines",
        "_tail",
        "_tail_bytes",
        "_total",
        "_unfinished",
    )

    def __init__(self, *, tail_bytes: int, file: OutputFile) -> None:
        self._tail_bytes = tail_bytes
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._tail = BoundedText(tail_bytes)
        self._head: list[bytes] | None = []
        """The bytes so far; None once they were too many and went to the file."""
        self._total = 0
        self._newlines = 0
        self._unfinished = False

    def feed(self, data: bytes) -> str:
        """Takes more bytes; returns the text that they complete."""
        self._total += len(data)
        self._newlines += data.count(b"\n")
        self._unfinished = not data.endswith(b"\n")
        if self._head is None:
            self._file.write(data)
        else:
            self._head.append(data)
            if self._total > self._tail_bytes:
                self.spill()
            elif len(self._head) > 1024:  # many tiny objects take more memory than their bytes
                self._head = [b"".join(self._head)]
        text = self._decoder.decode(data)
        self._tail.append(text)
        return text

    def spill(self) -> Path | None:
        """Makes sure that the file has all the output so far. Returns its path, or None if it could not be made."""
        if self._head is not None:
            head, self._head = self._head, None
            self._file.write(b"".join(head))
        return self._file.path

    def finish(self) -> Output:
        """The whole output. Nothing may be fed afterwards."""
        self._tail.append(self._decoder.decode(b"", final=True))
        text = self._tail.text()
        kept = last_lines(text, self._tail_bytes)
        truncated = self._tail.cut or len(kept) < len(text)
        if truncated:
            self.spill()
        self.close()
        return Output(
            text=kept,
            truncated=truncated,
            total_bytes=self._total,
            total_lines=self._newlines + (1 if self._unfinished else 0),
            path=self._file.path,
            file_error=self._file.error,
        )

    def close(self) -> None:
        """Closes the file; again is harmless."""
        self._file.close()


def last_lines(text: str, limit: int) -> str:
    """The end of `text` in at most `limit` bytes of UTF-8. It begins with a whole line, unless that would lose more
    than a quarter of it."""
    data = text.encode("utf-8")
    if len(data) <= limit:
        return text
    cut = len(data) - limit
    kept = data[cut:].decode("utf-8", errors="ignore")
    if data[cut - 1 : cut] == b"\n":
        return kept
    return kept[kept.find("\n", 0, len(kept) // 4) + 1 :]


class LiveUpdates:
    """Passes output on as it comes: at once at first, then in at most one update per `interval` seconds, of up to about
    `limit` characters. If more comes in that time, only the end of it is passed on."""

    __slots__ = ("_fail", "_interval", "_line_open", "_listener", "_pending", "_timer")

    def __init__(
        self,
        listener: Callable[[str], None],
        *,
        interval: float,
        limit: int,
        on_error: Callable[[Exception], None],
    ) -> None:
        """`on_error` gets what `listener` raises; after that `listener` is not called again."""
        self._listener = listener
        self._interval = interval
        self._pending = BoundedText(limit)
        self._timer: asyncio.TimerHandle | None = None
        self._line_open = False
        self._fail = on_error

    def feed(self, text: str) -> None:
        self._pending.append(text)
        if self._timer is None:
            self._tell()

    def close(self) -> None:
        """Passes on what is left, and stops."""
        self.cancel()
        self._pass_on()

    def cancel(self) -> None:
        """Stops without passing on anything more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tell(self) -> None:
        self._timer = None
        if self._pass_on():
            self._timer = asyncio.get_running_loop().call_later(self._interval, self._tell)

    def _pass_on(self) -> bool:
        # An update can't take back an earlier one: a redrawn line is passed on as a new line.
        cut, fresh_line = self._pending.cut, self._line_open and self._pending.rewrites()
        text = self._pending.take()
        if not text:
            return False
        if cut:
            text = f"\n[…]\n{text}" if self._line_open else f"[…]\n{text}"
        elif fresh_line and not text.startswith("\n"):
            text = f"\n{text}"
        self._line_open = not text.endswith("\n")
        try:
            self._listener(text)
        except Exception as error:  # noqa: BLE001 -- `on_error` hands it to whoever runs the command
            self._listener = _ignore
            self._fail(error)
        return True


def _ignore(text: str) -> None:
    """Stands in for a listener that has failed."""
