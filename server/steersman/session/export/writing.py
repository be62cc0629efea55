"""Writes one session's transcript to a file or a pipe. Blocking; the log is only read, and read as it goes."""

import errno
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from steersman.session.errors import SessionError
from steersman.session.export.document import document
from steersman.session.export.entries import Format
from steersman.session.export.outline import outline_of, require_format
from steersman.session.export.page import page
from steersman.session.export.reading import entries
from steersman.session.log_lines import Record
from steersman.session.log_reading import read_records
from steersman.workspace.atomic import write_pieces

_PIECE: Final = 64 * 1024
"""Characters that are written at once."""


class Stopped(SessionError):
    """It was told to stop; nothing was left."""


def transcript(
    log: Path, format: Format, *, all_branches: bool = False, stopped: Callable[[], bool] = lambda: False
) -> Iterator[str]:
    """The transcript of a log, piece by piece: what was said when it was begun, however the log grows meanwhile.

    Raises:
        Stopped: `stopped()` was true on the way.
        LogCorrupt: it is no session's log, or one that this version doesn't read.
        LogError: it can't be read.
    """
    outline = outline_of(_until(read_records(log), None, stopped))
    require_format(outline, log)
    records = _until(read_records(log), outline.seq, stopped)
    told = entries(records, outline, all_branches=all_branches)
    write = page if format == "html" else document
    yield from write(outline, told, all_branches=all_branches)


def _until(records: Iterable[Record], last: int | None, stopped: Callable[[], bool]) -> Iterator[Record]:
    """Those up to a number: a live run goes on while its session is read."""
    for record in records:
        if stopped():
            raise Stopped("It was aborted.")
        if last is not None and record["seq"] > last:
            return
        yield record


def write_transcript(
    log: Path,
    target: Path,
    format: Format,
    *,
    all_branches: bool = False,
    replace: bool = False,
    private: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> None:
    """Writes it to a file, whole or not at all. `private`: readable by its owner only.

    Raises:
        FileExistsError: there is something, and `replace` does not allow for that; or it is the log itself.
        LogError, LogCorrupt: the log can't be read.
        Stopped: `stopped()` was true on the way.
        OSError: it can't be written.
    """

    told = _joined(transcript(log, format, all_branches=all_branches, stopped=stopped))
    pieces = (piece.encode() for piece in told)
    if target.exists() and target.samefile(log):
        raise FileExistsError(errno.EEXIST, "it is the session's own log", str(target))
    try:
        write_pieces(target, pieces, replace=replace, mode=0o600 if private else None)
    except OSError as error:  # about the file that is meant, not a temporary one
        raise OSError(error.errno, error.strerror, str(target)) from error


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)
