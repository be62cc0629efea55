"""A place in a session's log, from which records are read as raw bytes.

Record n is line n. Reads logs that other code is appending to, and never writes.
"""

from itertools import islice
from pathlib import Path

from steersman.session.errors import LogError
from steersman.session.log_reading import START, Place


class LogCursor:
    """Stands after record `seq` of a log. One user at a time; `page` may be called in a thread."""

    def __init__(self, path: Path, seq: int) -> None:
        self.seq = seq
        self._path = path
        self._found = START
        """The place that was found last. What lies before it is not read again."""

    def move_to(self, seq: int) -> None:
        """Moves on, to after record `seq`."""
        assert seq >= self._found.seq, "a cursor only moves on"
        self.seq = seq

    def page(self, upto: int, size: int) -> list[bytes]:
        """The next records as lines, without their line breaks: up to number `upto`, and up to `size` bytes in all,
        but at least one. There are fewer or none if the log ends before. The cursor does not move. Blocks.

        Raises:
            LogError: the log can't be read.
        """
        lines: list[bytes] = []
        try:
            with self._path.open("rb") as file:
                file.seek(self._found.offset)
                missing = self.seq - self._found.seq
                if sum(1 for _ in islice(file, missing)) < missing:
                    return []
                self._found = Place(self.seq, file.tell())
                while len(lines) < upto - self.seq:
                    line = file.readline()
                    size -= len(line)
                    if not line.endswith(b"\n") or (lines and size < 0):
                        break
                    lines.append(line[:-1])
        except OSError as error:
            raise LogError(f"The session log can't be read: {self._path}: {error.strerror}") from error
        return lines

    def pass_over(self, line: bytes) -> None:
        """Moves on over the next record, a line of the last page."""
        assert self._found.seq == self.seq, "a page comes first"
        self.seq += 1
        self._found = Place(self.seq, self._found.offset + len(line) + 1)
