"""Turns the paths in a session's log into those of a test, relative to a workspace in another place."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

_TEXTS = frozenset({"content", "edits", "oldText", "newText"})
"""Arguments that hold texts of files. They are not changed."""


class Places:
    """The folder that the session worked in."""

    def __init__(self, roots: Sequence[str]) -> None:
        """`roots`: URIs of the workspace's folders; the first is the session's own."""
        given = Path(path_of(roots[0])) if roots else None
        self._roots = (
            [] if given is None else sorted({str(given), os.path.realpath(given)}, key=len, reverse=True)
        )
        self._elsewhere: dict[str, str] = {}

    def relative(self, uri: str) -> str | None:
        """The path of a URI, relative to the workspace; None if it is outside."""
        return self.inside(path_of(uri))

    def inside(self, path: str) -> str | None:
        """An absolute or relative path, made relative to the workspace; None if it is outside."""
        for root in self._roots:
            if path == root or path.startswith(root + "/"):
                path = path[len(root) :].lstrip("/") or "."
                break
        if path.startswith(("/", "~")) or ".." in PurePosixPath(path).parts:
            return None
        return PurePosixPath(path).as_posix()

    def bring_in(self, path: str) -> str:
        """A path inside the workspace for a file that the session read outside it without being asked."""
        inside = f"outside/{PurePosixPath(path).name}"
        self._elsewhere[path] = inside
        return inside

    def portable(self, text: str) -> str:
        """The text without the path of the session's workspace."""
        for path, inside in self._elsewhere.items():
            text = text.replace(path, inside)
        for root in self._roots:
            text = text.replace(root + "/", "").replace(root, ".")
        return text

    def arguments(self, value: Any) -> Any:
        """The arguments of a call, portable except for texts of files."""
        if isinstance(value, str):
            return self.portable(value)
        if isinstance(value, list):
            return [self.arguments(each) for each in value]
        if isinstance(value, dict):
            return {key: each if key in _TEXTS else self.arguments(each) for key, each in value.items()}
        return value


def path_of(uri: str) -> str:
    return unquote(urlsplit(uri).path)
