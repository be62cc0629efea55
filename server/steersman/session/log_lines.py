"""The lines of a session log: what a record is, where the last whole one ends, and what to say of a damaged one.

It knows files by their descriptors or paths, and nothing of what records mean.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from steersman.session.errors import LogCorrupt
from steersman.session.jsonlines import decode

Record = dict[str, Any]  # Any: a JSON object as read from disk
MALFORMED: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a record raises that is JSON but lacks what its type must have: another program wrote it."""
_CHUNK: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Tail:
    """How a log ends."""

    whole: int
    """Bytes of complete records."""
    torn: int
    """Bytes after them: the record that was being written at a crash."""


def parse(line: bytes) -> Record:
    """Raises:
    ValueError: it is no record; the text says why.
    """
    try:
        record = decode(line)
    except ValueError as error:
        raise ValueError(f"not a record: {error}") from None
    if not isinstance(record, dict) or "type" not in record:
        raise ValueError("not a record")
    return record


def damaged(path: Path, line: int, what: str) -> LogCorrupt:
    """`what` is wrong with a line of the log, from 1."""
    text = f"{path}, line {line}: {what}."
    if line > 1:
        text += (
            f" The {line - 1} lines before it are whole: to go on from there, keep a copy of the file, and cut it off "
            f"after them (head -n {line - 1})."
        )
    return LogCorrupt(text)


def tail_of(fd: int) -> Tail:
    """Looks back from the end for the last line that is a record. If the last two lines are no records, the log is not
    torn but damaged, or no log at all. Then nothing may be cut off, and whoever reads it is told."""
    size = os.fstat(fd).st_size
    whole = _line_break_before(fd, size)
    start = _line_break_before(fd, whole - 1)
    if whole and not _is_record(fd, start, whole):
        before = _line_break_before(fd, start - 1)
        if not _is_record(fd, before, start):
            return Tail(size, 0)
        whole = start
    return Tail(whole, size - whole)


def _line_break_before(fd: int, end: int) -> int:
    """The offset after the last line break in the first `end` bytes; 0 if there is none."""
    while end > 0:
        start = max(0, end - _CHUNK)
        at = os.pread(fd, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _is_record(fd: int, start: int, end: int) -> bool:
    """Whether the line is a record: one that a reader would skip must not stay before what is appended."""
    try:
        parse(os.pread(fd, end - start, start))
    except ValueError:
        return False
    return True
