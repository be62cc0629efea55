"""A page of a text: whole lines from an offset on, with limits on lines, bytes and line length."""

from dataclasses import dataclass

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
MAX_LINE = 2000
"""Characters shown of one line."""


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    """The lines with their line feeds, exactly as in the file except for those in `cut`."""
    first: int
    """From 1."""
    last: int
    """`first - 1` if there are no lines."""
    total: int
    cut: tuple[int, ...] = ()
    """The numbers of the lines of which only the beginning is shown."""

    @property
    def next_offset(self) -> int | None:
        return self.last + 1 if self.last < self.total else None


def count_lines(text: str) -> int:
    """The number of lines, without an empty one after a final line feed."""
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)


def page_of(
    text: str,
    offset: int = 1,
    limit: int = MAX_LINES,
    *,
    max_bytes: int = MAX_BYTES,
    max_line: int = MAX_LINE,
) -> Page:
    """At most `limit` lines from line `offset` (from 1) on, within `max_bytes`; at least one line if there is one."""
    total = count_lines(text)
    at = _line_start(text, offset)
    if offset == 1 and total <= limit and len(text) <= max_line and len(text) * 4 <= max_bytes:
        return Page(text, 1, total, total)
    lines: list[str] = []
    cut: list[int] = []
    size, number = 0, offset
    while at < len(text) and len(lines) < limit:
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        long = len(line) > max_line + 1 or (len(line) > max_line and not line.endswith("\n"))
        if long:
            line = line[:max_line] + "…\n"
        size += len(line.encode("utf-8", "surrogatepass"))
        if lines and size > max_bytes:
            break
        if long:
            cut.append(number)
        lines.append(line)
        at, number = end, number + 1
    return Page("".join(lines), offset, offset + len(lines) - 1, total, tuple(cut))


def _line_start(text: str, number: int) -> int:
    at = 0
    for _ in range(number - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at
