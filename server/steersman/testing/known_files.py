"""Finds the files that a session's workspace had before its first run, as far as the log tells: from pre-images, from
what was read, and from diffs.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from steersman.testing.places import Places
from steersman.testing.trees import Content, Link
from steersman.workspace.errors import WorkspaceError

GetBytes = Callable[[str], bytes]
"""Gives the bytes with this SHA-256; raises WorkspaceError if they are gone."""
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,\d+)? ")


@dataclass(slots=True)
class _Lines:
    """The known lines of a file, numbered from 1."""

    known: dict[int, str] = field(default_factory=dict)
    is_whole: bool = False

    def add(self, first: int, lines: list[str]) -> None:
        for number, line in enumerate(lines, first):
            self.known.setdefault(number, line)

    @property
    def text(self) -> str:
        """All lines up to the last known one, with an empty line for each that isn't known. Not empty unless the file
        is known to be: an empty file could be overwritten unread."""
        last = max(self.known, default=0 if self.is_whole else 1)
        return "".join(self.known.get(number, "\n") for number in range(1, last + 1))


class KnownFiles:
    def __init__(self, places: Places, preimages: GetBytes | None) -> None:
        self._places, self._preimages = places, preimages
        self._kept: dict[str, Content] = {}
        """Exact contents, from pre-images. None: there was no file."""
        self._seen: dict[str, _Lines] = {}
        self._changed: set[str] = set()
        self._notes: list[str] = []

    @property
    def files(self) -> dict[str, Content]:
        """The contents by path."""
        seen: dict[str, Content] = {path: lines.text for path, lines in self._seen.items()}
        kept = {path: content for path, content in self._kept.items() if content is not None}
        return dict(sorted((seen | kept).items()))

    @property
    def notes(self) -> list[str]:
        """Says what is not known."""
        partly = [
            f"Of {path} {_count(len(lines.known))} known."
            for path, lines in self._seen.items()
            if not lines.is_whole and path not in self._kept
        ]
        return [*self._notes, *partly]

    def changed(self, path: str) -> None:
        """From here on, what the log tells of this file is no longer what it was before."""
        self._changed.add(path)

    def kept(self, data: Mapping[str, Any]) -> None:
        """Takes a `checkpoint` record: what was at a path before its first change after a message."""
        path = self._places.relative(data["uri"])
        if path is None or path in self._changed or path in self._kept:
            return
        if data["kind"] == "absent":
            if path not in self._seen:
                self._kept[path] = None
            return
        content = self._bytes(path, data["sha256"])
        if content is not None:
            self._kept[path] = Link(content.decode()) if data["kind"] == "link" else _text(content)

    def read(self, path: str, data: Mapping[str, Any]) -> None:
        """Takes a `tool_execution_end` of `read`. `path` is relative to the workspace."""
        if path in self._changed:
            return
        details = data.get("details") or {}
        text = "".join(block.get("text", "") for block in data["content"])
        first, last, total = (details.get(name) for name in ("firstLine", "lastLine", "totalLines"))
        seen = self._seen.setdefault(path, _Lines())
        if first is None or last is None or total is None:
            self._notes.append(f"{path} is not text.")
            return
        # After the lines there may be notes of the tool.
        lines = text.split("\n")
        number = last - first + 1
        whole = [line + "\n" for line in lines[:number]] if len(lines) > number else _split(text)
        seen.add(first, whole[:number])
        seen.is_whole = seen.is_whole or (first == 1 and last >= total)

    def exists(self, path: str) -> None:
        """There was something at a path."""
        if path not in self._changed and self._kept.get(path, "") is not None:
            self._seen.setdefault(path, _Lines())

    def proposed(self, path: str, data: Mapping[str, Any]) -> None:
        """Takes a file of an `approval_requested`: its diff shows parts of it, or all of it if it was to be deleted."""
        if path in self._changed or data["kind"] == "create":
            return
        seen = self._seen.setdefault(path, _Lines())
        for first, lines in _old_side(data["diff"]):
            seen.add(first, lines)
        seen.is_whole = seen.is_whole or (data["kind"] == "delete" and not data.get("truncated"))

    def _bytes(self, path: str, digest: str | None) -> bytes | None:
        if digest is None or self._preimages is None:
            return None
        try:
            return self._preimages(digest)
        except WorkspaceError as error:
            self._notes.append(f"The content of {path} before its change is not known: {error}")
            return None


def _old_side(diff: str) -> list[tuple[int, list[str]]]:
    """The old lines of each hunk, with the number of the first."""
    hunks: list[tuple[int, list[str]]] = []
    for line in _split(diff):
        if match := _HUNK.match(line):
            hunks.append((int(match[1]), []))
        elif hunks and line[:1] in (" ", "-"):
            hunks[-1][1].append(line[1:])
        elif hunks and line.startswith("\\") and hunks[-1][1]:
            hunks[-1][1][-1] = hunks[-1][1][-1].rstrip("\n")
    return [hunk for hunk in hunks if hunk[1]]


def _split(text: str) -> list[str]:
    """Lines with their ends; a line ends at LF only."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _text(content: bytes) -> str | bytes:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content


def _count(lines: int) -> str:
    return {0: "nothing is", 1: "only 1 line is"}.get(lines, f"only {lines} lines are")
