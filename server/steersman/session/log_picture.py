"""The picture that a whole session log gives, if it is of the format that this version reads and writes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from steersman.session.errors import LogCorrupt, LogError
from steersman.session.fold import Fold
from steersman.session.jsonlines import decode
from steersman.session.log_index import LogIndex
from steersman.session.log_lines import MALFORMED, Record, damaged
from steersman.session.log_reading import read_records
from steersman.session.looking import is_folder
from steersman.session.tree import read_branch
from steersman.workspace.roots import Roots
from steersman.workspace.uris import path_of

FORMAT: Final = 1
"""Of the session log."""
MISFIT: Final = "a record lacks what its type must have"
"""What is wrong with a log where reading a record raises one of `MALFORMED`."""


def read_picture(path: Path, index: LogIndex | None = None) -> Fold:
    """The fold of a log. What is open in it stays open. `index` remembers where its records are.

    Raises:
        LogCorrupt: it is no session log, or one of another format.
        LogError: it can't be read.
    """
    picture = Fold()
    try:
        for record in records_of(path, index):
            picture.feed(record)
            if picture.seq == 1:
                _refuse_other_format(path, picture.header)
        if picture.stale:
            picture.branch = read_branch(records_of(path, index), picture.tree.path(picture.tip))
            picture.stale = False
        picture.closers()
    except MALFORMED as error:
        raise damaged(path, picture.seq, f"{MISFIT} ({type(error).__name__}: {error})") from error
    return picture


def records_of(path: Path, index: LogIndex | None) -> Iterator[Record]:
    """All complete records of a log, by its index if there is one."""
    return read_records(path) if index is None else (record for record, _ in index.records(0))


def roots_of(picture: Fold) -> Roots:
    """The folders that the session was made in, as far as they still exist."""
    paths = [path_of(uri) for uri in picture.header.get("roots", [])]
    return Roots([path for path in paths if is_folder(path)])


def require_format(path: Path) -> None:
    """Looks at the first record only. No byte of a log in another format may be changed: what looks like a torn end may
    be none.

    Raises:
        LogCorrupt: it is of another format.
        LogError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
        record = decode(line) if line.endswith(b"\n") else None
    except OSError as error:
        raise LogError(f"The session log can't be opened: {path}: {error.strerror}") from error
    except ValueError:
        return  # cut off, or damaged: whoever reads it finds out
    if isinstance(record, dict):
        _refuse_other_format(path, record.get("data") if record.get("type") == "session" else None)


def _refuse_other_format(path: Path, header: object) -> None:
    if isinstance(header, dict) and header.get("format") == FORMAT:
        return
    made_by = header.get("version") if isinstance(header, dict) else None
    raise LogCorrupt(
        f"{path} was written by {made_by or 'another program'} in a format that this version doesn't read. Nothing was "
        "changed; open it with the version that wrote it, or a newer one."
    )
