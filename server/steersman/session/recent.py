"""Which session was used last in a folder, of all whose logs are kept. It reads little of each, and writes nothing."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

log = logging.getLogger(__name__)

MAX_LOGS = 1000
"""Logs that are looked into, newest first."""
MAX_HEADER = 64 * 1024
"""Bytes; a log whose first record is longer is passed over."""


def most_recent_log(logs: Path, folder: Path | None) -> str | None:
    """The id of the session whose log was written last, of those whose own folder is `folder` (None: they have none).

    Blocking. What can't be read, or is no log, is passed over.
    """
    for path in _newest_first(logs)[:MAX_LOGS]:
        header = _header(path)
        if header is not None and _own_folder(header) == (str(folder) if folder is not None else None):
            return path.stem
    return None


def _newest_first(logs: Path) -> list[Path]:
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


def _header(path: Path) -> dict[str, object] | None:
    """The data of the first record, if it is that of a session with this name."""
    try:
        with path.open("rb") as file:
            line = file.readline(MAX_HEADER)
        record = json.loads(line)
    except (OSError, ValueError, RecursionError) as error:
        log.info("%s is passed over: %s", path, error)
        return None
    data = record.get("data") if isinstance(record, dict) and record.get("type") == "session" else None
    return data if isinstance(data, dict) and data.get("session") == path.stem else None


def _own_folder(header: dict[str, object]) -> str | None:
    """Where the session's relative paths start, links resolved."""
    roots = header.get("roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    if not isinstance(first, str):
        return None
    try:
        return os.path.realpath(os.fsdecode(unquote_to_bytes(urlsplit(first).path)))
    except ValueError:  # a malformed URI, or a null byte in its path
        return ""
