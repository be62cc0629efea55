"""Where the records of one log are, as far as it was read: so that reading on does not begin at its start again.

It may know nothing of what records mean. Every entry is the place of a record that was read; a log that is only
appended to, or whose torn end is cut off, never makes one wrong. One that was replaced by another file is read anew.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from steersman.session.log import START, Place, Record, read_from

STEP = 64 * 1024
"""Bytes between two places that are remembered: what is read in vain at most to find a record again."""


class LogIndex:
    """One log's. Several threads may read at once."""

    def __init__(self, path: Path, reader: Callable[[Path], BinaryIO]) -> None:
        """`reader` opens a log for reading."""
        self._path, self._reader = path, reader
        self._lock = threading.Lock()
        self._places = [START]
        self._last = START
        """Where the last reading ended: most often the next one begins there."""
        self._file: tuple[int, int] | None = None
        """Device and inode of the log that the places belong to."""

    def records(self, after: int) -> Iterator[tuple[Record, int]]:
        """The complete records after number `after` as far as there are any, each with its length in bytes. Blocks.

        Raises:
            LogCorrupt, LogError: see `read_from`.
        """
        place = self._nearest(after)
        for record, end in read_from(place, self._path, lambda: self._reader(self._path)):
            length = end.offset - place.offset
            if place.seq >= after:
                self._last = place
                yield record, length
            place = end
            self._mark(place)

    def _nearest(self, after: int) -> Place:
        """A known place before or at the end of record `after`."""
        with self._lock:
            self._forget_another_file()
            place = self._places[bisect_left(self._places, (after + 1,)) - 1]
            return self._last if place.seq < self._last.seq <= after else place

    def _forget_another_file(self) -> None:
        try:
            status = self._path.stat()
        except OSError:
            return  # whoever opens it next is told
        file = (status.st_dev, status.st_ino)
        if file != self._file or status.st_size < max(self._places[-1].offset, self._last.offset):
            self._places, self._last, self._file = [START], START, file

    def _mark(self, place: Place) -> None:
        if place.offset >= self._places[-1].offset + STEP:
            with self._lock:
                if place.offset >= self._places[-1].offset + STEP:
                    self._places.append(place)
