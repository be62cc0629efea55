"""What a session has read of each file, so that the model overwrites nothing that it hasn't seen."""

from dataclasses import dataclass, field
from pathlib import Path

from steersman.workspace.ports import Snapshot


@dataclass(slots=True)
class _Seen:
    sha256: str
    total: int
    """The number of lines of the file."""
    ranges: list[tuple[int, int]] = field(default_factory=list)
    """The lines seen, from 1, both ends included. In order, with gaps between them."""

    def add(self, first: int, last: int) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted([*self.ranges, (first, last)]):
            if merged and start <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self.ranges = merged

    @property
    def whole(self) -> bool:
        return self.total == 0 or self.ranges == [(1, self.total)]


class ReadLedger:
    """One per session, shared by its tools. It is only in memory: a resumed session has to read files again."""

    __slots__ = ("_files",)

    def __init__(self) -> None:
        self._files: dict[Path, _Seen] = {}

    def saw(self, snapshot: Snapshot, first: int, last: int, total: int) -> None:
        """The model was given lines `first` to `last` of `total`, in full. They count from 1; none if `last` is
        smaller."""
        seen = self._files.get(snapshot.path.path)
        if seen is None or seen.sha256 != snapshot.sha256:
            seen = self._files[snapshot.path.path] = _Seen(snapshot.sha256, total)
        if last >= first:
            seen.add(first, last)

    def knows(self, path: Path) -> bool:
        """Whether the model was given any part of the file, or wrote it."""
        return path in self._files

    def wrote(self, path: Path, sha256: str) -> None:
        """The model wrote the whole file."""
        self._files[path] = _Seen(sha256, 0)

    def edited(self, path: Path, base: str, sha256: str) -> None:
        """The model edited a part of the file: if it knew all of the file, it still does."""
        seen = self._files.get(path)
        if seen is not None and seen.sha256 == base and seen.whole:
            self.wrote(path, sha256)

    def forget(self, path: Path) -> None:
        """The file is gone."""
        self._files.pop(path, None)

    def moved(self, path: Path, target: Path) -> None:
        seen = self._files.pop(path, None)
        if seen is not None:
            self._files[target] = seen

    def reason_not_to_overwrite(self, snapshot: Snapshot) -> str | None:
        """Why the file must not be replaced now, and what to do; None if it may be replaced."""
        name = snapshot.path.display
        seen = self._files.get(snapshot.path.path)
        if not snapshot.data:
            return None
        if seen is None:
            return f"{name} exists and was not read in this session. Read it first, or change a part of it with edit."
        if seen.sha256 != snapshot.sha256:
            return f"{name} has changed since it was read. Read it again, then write it."
        if not seen.whole:
            return (
                f"{name} has {seen.total} lines, and not all of them were read in full. Read the rest before replacing "
                "the whole file, or change a part of it with edit."
            )
        return None

    def take_over(self, other: "ReadLedger") -> None:
        """The model was also given what another ledger has noted, after everything noted here."""
        for path, noted in other._files.items():
            seen = self._files.get(path)
            if seen is None or seen.sha256 != noted.sha256:
                self._files[path] = _Seen(noted.sha256, noted.total, list(noted.ranges))
            elif not seen.whole:
                for first, last in noted.ranges:
                    seen.add(first, last)
