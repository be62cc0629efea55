"""The temporary workspace of a test."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from steersman.testing.errors import ScriptError
from steersman.testing.trees import IGNORED, Content, Link, Tree, read_tree


class Folder:
    """A folder that exists from the beginning; `path` is where."""

    def __init__(self, path: Path, here: Path) -> None:
        """`here`: the folder of the test; folders to copy are relative to it."""
        path.mkdir(parents=True, exist_ok=True)
        self.path = path.resolve()
        self._here = here

    def write(self, files: Mapping[str, Content]) -> None:
        """Writes files, by path. Text is written as UTF-8 with its own line ends; None removes a file.

        Raises:
            ScriptError: a path leads out of the workspace, or a content has the wrong type.
        """
        for name, content in files.items():
            path = self._inside(name)
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Link):
                os.symlink(content.target, path)  # noqa: PTH211 - Path would normalise the target
            elif isinstance(content, str | bytes):
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
            else:
                raise ScriptError(
                    f"workspace.write: {name} is {content!r}; it takes str, bytes, Link or None."
                )

    def copy(self, folder: str | Path, to: str = ".") -> None:
        """Copies what is in `folder`, a path relative to the folder of the test, except what `trees.IGNORED` names.

        Raises:
            ScriptError: it is not a folder.
        """
        source = self._here / folder
        if not source.is_dir():
            raise ScriptError(f"workspace.copy: there is no folder {source}; it is relative to {self._here}.")
        ignore = shutil.ignore_patterns(*IGNORED)
        shutil.copytree(source, self._inside(to), symlinks=True, ignore=ignore, dirs_exist_ok=True)

    def text(self, name: str) -> str:
        """The text of a file, with its own line ends."""
        return self._inside(name).read_bytes().decode()

    @property
    def tree(self) -> Tree:
        """The files as they are now."""
        return read_tree(self.path)

    def _inside(self, name: str) -> Path:
        path = self.path / name
        if not Path(os.path.realpath(path)).is_relative_to(
            self.path
        ):  # resolve() raises where links lead in a circle
            raise ScriptError(f"{name} leads out of the workspace; paths are relative to it.")
        return path
