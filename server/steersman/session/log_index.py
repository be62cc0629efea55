"""Remembers where the records of one log are, so that a reader need not begin at its start again.

It knows nothing of what records mean. Each entry is the place of a record that was read. A log only grows, or loses a
torn end, so no entry becomes wrong; where another file has taken the log's place, everything is forgotten.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from steersman.session.log_lines import Record
from steersman.session.log_reading import START, Place, read_from

STEP = 64 * 1024
"""Bytes between two places that are remembered: at most so much is read in vain to find a record again."""


@dataclass(slots=True)
class _Known:
    """The places in one file."""

    file: tuple[int, int] | None = None
    """Its device and inode; None: it is not there."""
    places: list[Place] = field(default_factory=lambda: [START])
    last: Place = START
    """Where the last reading ended: usually the next one begins there."""

    @property
    def end(self) -> int:
        """The file has at least so many bytes."""
        return max(self.places[-1].offset, self.last.offset)

    def nearest(self, after: int) -> Place:
        """A known place before or at the end of record `after`."""
        place = self.places[bisect_left(self.places, (after + 1,)) - 1]
        return self.last if place.seq < self.last.seq <= after else place

    def is_due(self, place: Place) -> bool:
        """Whether it is far enough from the last place to be remembered."""
        return place.offset >= self.places[-1].offset + STEP


class LogIndex:
    """One log's. Several threads may read at once."""

    def __init__(self, path: Path, reader: Callable[[Path], BinaryIO]) -> None:
        """`reader` opens a log for reading."""
        self._path, self._reader = path, reader
        self._lock = threading.Lock()
        self._known = _Known()

    def records(self, after: int) -> Iterator[tuple[Record, int]]:
        """The complete records after number `after`, each with its length in bytes. Blocks.

        Raises:
            LogCorrupt, LogError: see `read_from`.
        """
        # A reader that still has the file from before a replacement must not mark its places in the new one.
        with self._lock:
            known = self._of_this_file()
            place = known.nearest(after)
        for record, end in read_from(place, self._path, lambda: self._reader(self._path)):
            length = end.offset - place.offset
            if place.seq >= after:
                known.last = place
                yield record, length
            place = end
            if known.is_due(place):
                with self._lock:
                    if known.is_due(place):
                        known.places.append(place)

    def _of_this_file(self) -> _Known:
        try:
            status = self._path.stat()
        except OSError:
            return self._known  # whoever opens it next is told
        file = (status.st_dev, status.st_ino)
        if file != self._known.file or status.st_size < self._known.end:
            self._known = _Known(file)
        return self._known
