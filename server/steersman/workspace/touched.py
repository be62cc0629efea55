"""Finds files written while something ran, where nothing else records that. Reads no contents."""

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

MAX_SCANNED = 100_000
_PASSED_OVER = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".tox"})
"""Directories that tools make for their own use."""


def written_within(
    root: Path,
    spans: Sequence[tuple[float, float]],
    *,
    without: Collection[Path] = (),
    limit: int = 200,
    scanned: int = MAX_SCANNED,
) -> list[Path]:
    """Regular files below `root` that were last written within one of the spans (seconds since 1970), sorted.

    Returns at most `limit` files, and looks at `scanned` names. Links are not followed; what can't be read is skipped.
    Blocking.
    """
    found: list[Path] = []
    if not spans:
        return found
    for path, time in _files(root, scanned):
        if path not in without and any(began <= time <= ended for began, ended in spans):
            found.append(path)
            if len(found) == limit:
                break
    return sorted(found)


def _files(root: Path, most: int) -> Iterator[tuple[Path, float]]:
    seen = 0
    waiting = [root]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if seen > most:
                        return
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _PASSED_OVER:
                            waiting.append(Path(entry.path))
                    elif (written := _last_write(entry)) is not None:
                        yield Path(entry.path), written
        except OSError:
            continue  # a directory that is gone or can't be read


def _last_write(entry: "os.DirEntry[str]") -> float | None:
    """The last write of a regular file; None for anything else, and for a file that is gone."""
    try:
        return entry.stat(follow_symlinks=False).st_mtime if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None
