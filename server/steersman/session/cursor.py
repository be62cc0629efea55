"""A place in a session's log, from which its records are read as the bytes that they are.

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
        """Where it stood last, or stands: what was passed on the way there is not read again."""

    def move_to(self, seq: int) -> None:
        """Stands after record `seq`, which is not before the one where it stood."""
        assert seq >= self._found.seq, "a cursor only moves on"
        self.seq = seq

    def page(self, upto: int, size: int) -> list[bytes]:
        """The lines of the next records, without their line breaks: none beyond number `upto`, at least one and then
        no more than `size` bytes. Fewer or none if the log ends before. The cursor stays. Blocks.

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
