"""Reads the records of a session log, from its start or from a place in it. Needs no lock and changes nothing.

It knows records as JSON objects with a `seq`; what they mean is fold.py's.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from steersman.session.errors import LogError
from steersman.session.log_lines import Record, damaged, parse


class Place(NamedTuple):
    """A place between two records. Record n is line n."""

    seq: int
    """The number of the record before it; 0 at the start."""
    offset: int
    """Of the record after it, in bytes."""


START: Final = Place(0, 0)


def read_records(path: Path) -> Iterator[Record]:
    """The complete records of a log, one at a time. A torn last line is left out.

    Raises:
        LogCorrupt, LogError: see `read_from`.
    """
    return (record for record, _ in read_from(START, path, lambda: path.open("rb")))


def read_from(place: Place, path: Path, reader: Callable[[], BinaryIO]) -> Iterator[tuple[Record, Place]]:
    """The complete records after a place, each with the place after it. `reader` opens the log `path`.

    After a loss of power the last line, and what was begun after it, can have its length but not its content: that
    counts as torn too, as for `tail_of`.

    Raises:
        LogCorrupt: a complete line is no record, or numbers are missing; the text names the line.
        LogError: it can't be read.
    """
    seq, offset = place.seq, place.offset
    try:
        with reader() as file:
            file.seek(offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                seq += 1
                try:
                    record = parse(line)
                except ValueError as error:
                    if seq == 1 or file.readline().endswith(b"\n"):
                        raise damaged(path, seq, str(error)) from None
                    return
                if record.get("seq") != seq:
                    raise damaged(path, seq, f"expected record {seq}, found {record.get('seq')}")
                offset += len(line)
                yield record, Place(seq, offset)
    except OSError as error:
        raise LogError(f"The session log can't be read: {path}: {error.strerror}") from error
