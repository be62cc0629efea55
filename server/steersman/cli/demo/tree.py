"""Snapshots of folders by hash, to find what a run changed on the disk without asking the run."""

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a folder at one time."""

    files: dict[str, bytes]
    """Bytes by path relative to the folder, with `/`. Samples are small."""

    @classmethod
    def of(cls, folder: Path) -> "Tree":
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    @property
    def digest(self) -> str:
        """SHA-256 of every path and content."""
        whole = hashlib.sha256()
        for path, data in self.files.items():
            whole.update(f"{path}\0{hashlib.sha256(data).hexdigest()}\n".encode())
        return whole.hexdigest()

    def changed(self, later: "Tree") -> list[str]:
        """The paths that were added, changed or removed since."""
        paths = sorted({*self.files, *later.files})
        return [path for path in paths if self.files.get(path) != later.files.get(path)]

    def text(self, path: str) -> str:
        """A file's text; "" if it is not there."""
        return self.files.get(path, b"").decode("utf-8", "replace")
