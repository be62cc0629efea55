"""A place in a session's log, from which its records are read as the bytes that they are.

Record n is line n. Reads logs that other code is appending to, and never writes.
"""

from pathlib import Path

from steersman.session.errors import LogError


class LogCursor:
    """Stands after record `seq` of a log. One user at a time; `page` may be called in a thread."""

    def __init__(self, path: Path, seq: int) -> None:
        self.seq = seq
        self._path = path
        self._offset: int | None = None if seq else 0  # of record seq + 1; None until it has been looked for

    def page(self, upto: int, size: int) -> list[bytes]:
        """The lines of the next records, without their line breaks: none beyond number `upto`, at least one and then
        no more than `size` bytes. Fewer or none if the log ends before. The cursor stays. Blocks.

        Raises:
            LogError: the log can't be read.
        """
        lines: list[bytes] = []
        try:
            with self._path.open("rb") as file:
                if self._offset is None:
                    if sum(1 for _ in zip(range(self.seq), file, strict=False)) < self.seq:
                        return []
                    self._offset = file.tell()
                file.seek(self._offset)
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
        assert self._offset is not None, "a page comes first"
        self._offset += len(line) + 1
        self.seq += 1
