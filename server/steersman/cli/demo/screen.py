"""The demo's output: rows with a hanging indent, coloured on a terminal, plain in a pipe."""

import re

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from steersman.cli.terminal import safe

_WORDS = re.compile(r"\s*\S+")
_MAX_WIDTH = 110
_DETAIL = 4
"""Columns before the lines of a result or a diff."""
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class Screen:
    """Prints to standard output, after making all text safe for a terminal."""

    def __init__(self, console: Console | None = None) -> None:
        self._out = console or Console(highlight=False)
        self._width = min(self._out.width, _MAX_WIDTH)
        self._streaming = False
        self._column = 0
        self._indent = 0
        self._held = ""

    def heading(self, text: str) -> None:
        self.end_stream()
        self._out.print()
        self._put(text, "bold")

    def line(self, text: str = "", style: str = "") -> None:
        """One paragraph."""
        self.end_stream()
        for line in self._wrapped(text, style, self._width):
            self._out.print(line, soft_wrap=True)

    def row(self, label: str, text: str, *, indent: int, label_style: str = "dim", style: str = "") -> None:
        """Prints `label`, and the text from column `indent` on."""
        self.end_stream()
        lines = self._wrapped(text, style, max(20, self._width - indent))
        head = safe(label).ljust(indent)
        for number, line in enumerate(lines or [Text("")]):
            whole = Text().append(head if number == 0 else " " * indent, label_style).append_text(line)
            whole.rstrip()
            self._out.print(whole, soft_wrap=True)

    def detail(self, text: str, *, head: int, tail: int = 0, style: str = "dim") -> None:
        """The first and the last lines of a longer text."""
        lines = safe(text).rstrip("\n").splitlines()
        left_out = len(lines) - head - tail
        if left_out > 1:
            lines = [*lines[:head], f"… {left_out} more lines", *lines[len(lines) - tail :]]
        self.end_stream()
        for line in lines:
            self._detail_line(line, style)

    def diff(self, diff: str) -> None:
        self.end_stream()
        for line in safe(diff).splitlines():
            style = "bold" if line.startswith(("+++", "---")) else _DIFF_STYLES.get(line[:1], "")
            self._detail_line(line, style)

    def stream(self, label: str, text: str, *, indent: int) -> None:
        """Like `row`, for a text that comes in pieces; the first piece begins the row."""
        if not self._streaming:
            self._streaming = True
            self._indent = self._column = indent
            self._out.print(Text(safe(label).ljust(indent), style="dim"), end="", soft_wrap=True)
        self._held += safe(text)
        words = list(_WORDS.finditer(self._held))
        for word in words[:-1]:  # the last may not be whole
            self._word(word.group())
        if words:
            self._held = self._held[words[-1].start() :]

    @property
    def streaming(self) -> bool:
        return self._streaming

    def end_stream(self) -> None:
        """Ends the row that is being streamed, if there is one."""
        if not self._streaming:
            return
        for word in _WORDS.findall(self._held):
            self._word(word)
        self._held, self._streaming = "", False
        self._out.print()

    def _word(self, word: str) -> None:
        """One word and the space before it."""
        bare = word.lstrip()
        gap = "" if self._column == self._indent else word[: len(word) - len(bare)]
        if "\n" in gap or self._column + cell_len(gap + bare) > self._width:
            self._out.print()
            self._out.print(" " * self._indent, end="", soft_wrap=True)
            self._column, gap = self._indent, ""
        self._out.print(Text(gap + bare), end="", soft_wrap=True)
        self._column += cell_len(gap + bare)

    def _detail_line(self, line: str, style: str) -> None:
        text = Text(line.expandtabs(4), style=style)
        for part in text.wrap(self._out, max(20, self._width - _DETAIL), overflow="fold") or [text]:
            whole = Text(" " * _DETAIL).append_text(part)
            whole.rstrip()
            self._out.print(whole, soft_wrap=True)

    def _wrapped(self, text: str, style: str, width: int) -> list[Text]:
        lines = Text(safe(text), style=style).wrap(self._out, width)
        for line in lines:
            line.rstrip()
        return list(lines)

    def _put(self, text: str, style: str) -> None:
        self._out.print(Text(safe(text), style=style), soft_wrap=True)
