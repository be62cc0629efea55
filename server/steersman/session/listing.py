"""The sessions of a home, as a list shows them. It reads little of each log, however long, and writes nothing."""

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from steersman.agent.messages import UserMessage
from steersman.session.fold import title_of
from steersman.session.jsonlines import decode
from steersman.session.log_lines import MALFORMED, Record
from steersman.session.log_lock import is_being_written
from steersman.session.wire import Data, message_from
from steersman.workspace.uris import path_of

log = logging.getLogger(__name__)

MAX_LOGS = 1000
"""Logs that are looked into, newest first."""
MAX_HEADER = 64 * 1024
"""Bytes; a log whose first record is longer is passed over."""
HEAD, TAIL = 64 * 1024, 64 * 1024
"""Bytes at the start and at the end of a log that are looked at."""
MAX_TAIL = 4 * 1024 * 1024
"""Bytes at the end that are looked at if the first look found nothing, as within a very long turn."""

State = Literal["idle", "interrupted", "live", "unknown"]


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session. A field is None if the parts of the log that were read don't tell it."""

    id: str
    title: str | None
    created: int
    """Milliseconds since 1970, UTC, as `updated`."""
    updated: int
    roots: tuple[str, ...]
    """URIs."""
    model: str | None
    usage: Data | None
    state: State
    """`live`: a run of another process is under way in it."""
    locked: bool
    """Another process has it open."""
    size: int
    """Bytes of its log."""

    def data(self) -> Data:
        """As `steersman.sessions` tells it."""
        return {
            "session": self.id,
            "title": self.title,
            "created": self.created,
            "updated": self.updated,
            "roots": list(self.roots),
            "model": self.model,
            "usage": self.usage,
            "state": self.state,
            "locked": self.locked,
            "size": self.size,
        }


def list_sessions(logs: Path, folder: Path | None = None, *, limit: int = MAX_LOGS) -> list[SessionSummary]:
    """The sessions whose logs were written last, newest first: of one folder, or of all. Blocking."""
    found: list[SessionSummary] = []
    for path in newest_first(logs):
        if len(found) == limit:
            break
        header = read_header(path)
        if header is None or (folder is not None and own_folder(header) != str(folder)):
            continue
        summary = _summary(path, header)
        if summary is not None:
            found.append(summary)
    return found


def summarize(path: Path) -> SessionSummary | None:
    """One session; None if this is no log, or it can't be read."""
    header = read_header(path)
    return None if header is None else _summary(path, header)


def most_recent_log(logs: Path, folder: Path | None) -> str | None:
    """The id of the session whose log was written last, of those whose own folder is `folder` (None: they have none).

    Blocking. What can't be read, or is no log, is passed over.
    """
    for path in newest_first(logs)[:MAX_LOGS]:
        header = read_header(path)
        if header is not None and own_folder(header) == (str(folder) if folder is not None else None):
            return path.stem
    return None


def newest_first(logs: Path) -> list[Path]:
    try:
        found = list(_dated(logs))
    except OSError as error:
        log.info("the sessions in %s can't be listed: %s", logs, error)
        return []
    return [path for _, path in sorted(found, reverse=True)]


def _dated(logs: Path) -> Iterator[tuple[int, Path]]:
    with os.scandir(logs) as entries:
        for entry in entries:
            if not entry.name.endswith(".jsonl"):
                continue
            try:
                if entry.is_file(follow_symlinks=False):
                    yield entry.stat(follow_symlinks=False).st_mtime_ns, Path(entry.path)
            except FileNotFoundError:
                continue  # somebody has just deleted it


def read_header(path: Path) -> Data | None:
    """The data of the first record, if it is that of a session with this name."""
    try:
        with path.open("rb") as file:
            record = decode(file.readline(MAX_HEADER))
    except (OSError, ValueError, RecursionError) as error:
        log.info("%s is passed over: %s", path, error)
        return None
    data = record.get("data") if isinstance(record, dict) and record.get("type") == "session" else None
    return data if isinstance(data, dict) and data.get("session") == path.stem else None


def own_folder(header: Data) -> str | None:
    """Where the session's relative paths start, links resolved."""
    roots = header.get("roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    if not isinstance(first, str):
        return None
    try:
        return os.path.realpath(path_of(first))
    except ValueError:  # a malformed URI, or a null byte in its path
        return ""


# What the ends of a log tell


@dataclass(slots=True)
class _Seen:
    """What was found, reading from the end of a log backwards: for each field the last record that has it counts."""

    updated: int | None = None
    title: str | None = None
    renamed: bool = False
    model: str | None = None
    usage: Data | None = None
    state: State | None = None
    ended: bool = False
    """The end of a run was found: it has all that is still missing."""

    def look(self, record: Record) -> None:
        kind, data = record.get("type"), record.get("data")
        if not isinstance(data, dict):
            return
        if self.updated is None:
            self.updated = _whole(record.get("ts"))
        if kind == "session_renamed" and not self.renamed:
            self.title, self.renamed = _text(data.get("title")), True
        elif kind == "config":
            self.model = self.model or _text(data.get("model"))
        elif kind == "agent_start":
            self.state = self.state or "live"
        elif kind == "agent_end":
            self.state = self.state or ("interrupted" if data.get("stopReason") == "interrupted" else "idle")
            totals = data.get("session")
            if isinstance(totals, dict):
                self.title = self.title or _text(totals.get("title"))
                self.model = self.model or _text(totals.get("model"))
                usage = totals.get("usage")
                self.usage = usage if isinstance(usage, dict) else None
                self.ended = True


def _summary(path: Path, header: Data) -> SessionSummary | None:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            seen = _Seen()
            for length in (TAIL, MAX_TAIL):
                seen = _Seen()
                for record in reversed(_records(file, max(0, size - length), size)):
                    seen.look(record)
                    if seen.ended:
                        break
                if seen.ended or size <= length:
                    break
            if seen.title is None:
                seen.title = next(filter(None, map(_title, _records(file, 0, min(HEAD, size)))), None)
            locked = is_being_written(file.fileno())
    except OSError as error:
        log.info("%s is passed over: %s", path, error)
        return None
    state = seen.state or ("idle" if size <= MAX_TAIL else "unknown")
    if state == "live" and not locked:
        state = "interrupted"
    roots = header.get("roots")
    return SessionSummary(
        path.stem,
        seen.title,
        _whole(header.get("created")) or 0,
        seen.updated or 0,
        tuple(str(root) for root in roots) if isinstance(roots, list) else (),
        seen.model,
        seen.usage,
        state,
        locked,
        size,
    )


def _records(file: BinaryIO, start: int, end: int) -> Sequence[Record]:
    """The whole lines between two offsets that are records."""
    data = os.pread(file.fileno(), end - start, start)
    lines = data.split(b"\n")
    if start:
        lines = lines[1:]
    found = []
    for line in lines[:-1]:
        try:
            record = decode(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    return value if type(value) is int else None


def _title(record: Record) -> str | None:
    """Of the first message, if this is one."""
    data = record.get("data")
    if record.get("type") != "message_end" or not isinstance(data, dict) or data.get("role") != "user":
        return None
    try:
        message = message_from(data)
        return title_of(message) if isinstance(message, UserMessage) else None
    except MALFORMED:
        return None  # whoever opens it is told
