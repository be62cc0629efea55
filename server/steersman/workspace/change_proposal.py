"""What the user is asked about: one change or several, as a value. It says nothing of how they are asked."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from steersman.workspace.changes import FileChange
from steersman.workspace.hunks import Hunk

_NAMED = 3
"""Files that the title of a proposal of several names."""


@dataclass(frozen=True, slots=True)
class ChangeProposal:
    """Changes that the user is asked about, each of a different file. A `Proposal` of the kernel's tool port."""

    changes: tuple[FileChange, ...]
    title: str
    """`Edit src/app.py (+3 −1)`, `Edit 2 files (+4 −1): src/app.py, README.md`."""
    digest: str
    """Independent of the order of the changes."""
    original: "ChangeProposal | None" = None
    """What the tool had proposed, if the user has rewritten it. It can then be merged into a new base, but no longer
    be computed from the arguments."""

    @classmethod
    def of(
        cls, changes: Sequence[FileChange], *, original: "ChangeProposal | None" = None
    ) -> "ChangeProposal":
        """A proposal of at least one change."""
        title = _title(changes[0]) if len(changes) == 1 else _title_of_several(changes)
        keys = sorted((change.key() for change in changes), key=lambda key: str(key["path"]))
        return cls(tuple(changes), title, digest_of(keys), original)

    @property
    def outside(self) -> bool:
        return any(change.outside for change in self.changes)

    @property
    def protected(self) -> str | None:
        """A protect pattern that covers one of the paths."""
        return next((change.protected for change in self.changes if change.protected), None)

    @property
    def held(self) -> str | None:
        """Another editor that has one of the paths open."""
        return next((change.held for change in self.changes if change.held), None)

    def hunks(self) -> list[list[Hunk]]:
        """The hunks to choose from, by change. Their ids are unique across files, which may have equal hunks."""
        found = [change.hunks() for change in self.changes]
        if len(found) == 1:
            return found
        return [
            [replace(hunk, id=f"{number}.{hunk.id}") for hunk in own]
            for number, own in enumerate(found, start=1)
        ]

    def rewritten(self, texts: Mapping[str, str], left_out: Collection[str] = ()) -> "ChangeProposal":
        """As the user has edited it: `texts` are new whole texts by `str(change.path.path)`; changes of the paths in
        `left_out` (never all of them) are dropped.

        Raises:
            ChangeRefused, TextError: see `FileChange.with_text`.
        """
        kept = [change for change in self.changes if str(change.path.path) not in left_out]
        return self.of(
            [
                change.with_text(texts[str(change.path.path)]) if str(change.path.path) in texts else change
                for change in kept
            ],
            original=self.original or self,
        )

    def proposed(self, change: FileChange) -> FileChange | None:
        """What the tool had proposed for this file, if the user has rewritten it."""
        of_file = [] if self.original is None else _of_path(self.original.changes, change)
        return of_file[0] if of_file and of_file[0].key() != change.key() else None

    def part(self, change: FileChange) -> "ChangeProposal":
        """The proposal of one of the changes by itself."""
        proposed = self.proposed(change)
        return self.of([change], original=None if proposed is None else self.of([proposed]))

    def moved(self, changes: Sequence[FileChange]) -> "ChangeProposal":
        """The same proposal on new bases: `changes` are its changes as recomputed, in the same order."""
        original = self.original
        if original is not None:
            as_proposed = [
                new for old, new in zip(self.changes, changes, strict=True) if self.proposed(old) is None
            ]
            original = self.of([(*_of_path(as_proposed, each), each)[0] for each in original.changes])
        return self.of(changes, original=original)


def _of_path(changes: Sequence[FileChange], like: FileChange) -> list[FileChange]:
    return [each for each in changes if each.path.path == like.path.path]


def digest_of(value: object) -> str:
    """The SHA-256 of a JSON-like value, in hex."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def _title_of_several(changes: Sequence[FileChange]) -> str:
    kinds = {change.kind for change in changes}
    verb = kinds.pop().capitalize() if len(kinds) == 1 else "Change"
    names = [change.path.display for change in changes]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    counts = f"(+{sum(change.added for change in changes)} −{sum(change.removed for change in changes)})"
    return f"{verb} {len(names)} files {counts}: {', '.join(names[:_NAMED])}{more}"


def _title(change: FileChange) -> str:
    name = change.path.display
    if change.target is not None:
        return f"Move {name} to {change.target.display}"
    counts = f" (+{change.added} −{change.removed})" if change.added or change.removed else ""
    return f"{change.kind.capitalize()} {name}{counts}"
