"""Changes of files as values: computed before anyone is asked, bound to the version they were computed from.

Pure functions on snapshots and text; nothing here touches a file.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steersman.workspace.diff import Hunk, apply_hunks, count_changes, hunks, same_hunks, unified_diff
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.merge import Conflict, rebase
from steersman.workspace.ports import Snapshot
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.text import Text, TextError, decode, view

ChangeKind = Literal["create", "edit", "delete", "move"]
_NAMED = 3
"""Files that the title of several names."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's change. `create` needs that nothing is there, the others that `base` is."""

    kind: ChangeKind
    path: ResolvedPath
    base: Snapshot | None
    """What the change was computed from; None for `create`."""
    new: Text | None = None
    """The text afterwards, for `create` and `edit`."""
    raw: bytes | None = None
    """Of a `create` that restores: the bytes as they were, be they text or not; of a link where it leads."""
    mode: int | None = None
    """Of a `create` that restores: permission bits."""
    is_link: bool = False
    """Of a `create`: a symbolic link."""
    target: ResolvedPath | None = None
    """Where a `move` goes."""
    protected: str | None = None
    """The protect pattern that covers the path or the target: a question in every mode."""
    held: str | None = None
    """Another editor that has the path or the target open (`Workspace.held_by`): a question in every mode."""
    added: int = 0
    """Lines that come."""
    removed: int = 0
    """Lines that go; 0 for what has no lines."""
    written_sha256: str | None = None
    """`result_sha256` of what is written, where it is known already: a long text takes its time."""

    @property
    def outside(self) -> bool:
        """Whether a path of it is outside the workspace: a question in every mode."""
        return self.path.outside or (self.target is not None and self.target.outside)

    @property
    def old_text(self) -> str:
        """The text before, LF line ends; "" if there was none."""
        return self.base.text.text if self.base is not None and self.base.text is not None else ""

    @property
    def new_text(self) -> str:
        """The text afterwards, LF line ends; that of a moved file stays, that of a deleted one is ""."""
        if self.kind == "move":
            return self.old_text
        return "" if self.new is None else self.new.text

    @property
    def base_sha256(self) -> str | None:
        return None if self.base is None else self.base.sha256

    def diff(self, max_lines: int | None = None) -> str:
        """The unified diff; "" for a move and for what is not text."""
        if self.kind == "move":
            return ""
        name = printable(self.path.relative).lstrip("/")
        old_name = "/dev/null" if self.kind == "create" else f"a/{name}"
        new_name = "/dev/null" if self.kind == "delete" else f"b/{name}"
        return unified_diff(self.old_text, self.new_text, old_name, new_name, max_lines=max_lines)

    def hunks(self) -> list[Hunk]:
        """The hunks that can be chosen from; none for a move."""
        return hunks(self.old_text, self.new_text)

    def with_text(self, new_text: str) -> "FileChange":
        """The same change as somebody has rewritten it: `new_text` is the whole text afterwards.

        Raises:
            ChangeRefused: a delete or a move has no text.
            TextError: the file's encoding can't hold it.
        """
        if self.kind == "create":
            return _counted(replace(self, new=view(new_text)))
        if self.kind != "edit" or self.base is None:
            raise ChangeRefused(f"A {self.kind} has no text that could be rewritten.")
        return _counted(replace(self, new=self.base.as_text().rewrite(new_text)))

    def with_hunks(self, ids: Collection[str], known: Sequence[Hunk] | None = None) -> "FileChange":
        """The change with only some of its hunks; `known` are all of them, under the names that `ids` are from.

        Raises:
            DiffError: an id is unknown.
            ChangeRefused, TextError: see `with_text`.
        """
        return self.with_text(apply_hunks(self.old_text, self.hunks() if known is None else known, ids))

    @property
    def result_sha256(self) -> str | None:
        """Of what will be there, at a move's target too; None if nothing will be."""
        return self.base_sha256 if self.kind == "move" else self.written_sha256 or _sha256_of(self.written())

    def written(self) -> Iterable[bytes] | None:
        """The bytes that a `create` or an `edit` writes, in pieces; None if nothing is written.

        Raises:
            TextError: when they are taken, if the text's encoding lacks something of it.
        """
        if self.raw is not None:
            return (self.raw,)
        return None if self.new is None else self.new.pieces()

    def key(self) -> dict[str, str | None]:
        """What makes two changes the same: kind, places, base and result."""
        result = None if self.kind == "move" else self.result_sha256
        target = None if self.target is None else str(self.target.path)
        return {
            "kind": self.kind,
            "path": str(self.path.path),
            "target": target,
            "base": self.base_sha256,
            "result": result,
        }


@dataclass(frozen=True, slots=True)
class ChangeProposal:
    """What the user is asked about: changes, each of another file. A `Proposal` of the kernel's tool port."""

    changes: tuple[FileChange, ...]
    title: str
    """`Edit src/app.py (+3 −1)`, `Edit 2 files (+4 −1): src/app.py, README.md`."""
    digest: str
    """Whatever the order of the changes."""
    original: "ChangeProposal | None" = None
    """What the tool had proposed, if the one who was asked has rewritten it: it can be merged then, not computed
    anew."""

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
        """The hunks that can be chosen from, by change. Their ids are unique over all: two files may have the same."""
        found = [change.hunks() for change in self.changes]
        if len(found) == 1:
            return found
        return [
            [replace(hunk, id=f"{number}.{hunk.id}") for hunk in own]
            for number, own in enumerate(found, start=1)
        ]

    def rewritten(self, texts: Mapping[str, str], left_out: Collection[str] = ()) -> "ChangeProposal":
        """As the user has edited it: new whole texts by `str(change.path.path)`. Changes of the paths `left_out`, which
        are not all, are not to be made.

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
        """What the tool had proposed in the place of one of the changes, if the user has made another of it."""
        of_file = [] if self.original is None else _of_path(self.original.changes, change)
        return of_file[0] if of_file and of_file[0].key() != change.key() else None

    def part(self, change: FileChange) -> "ChangeProposal":
        """The proposal of one of the changes alone."""
        proposed = self.proposed(change)
        return self.of([change], original=None if proposed is None else self.of([proposed]))

    def moved(self, changes: Sequence[FileChange]) -> "ChangeProposal":
        """The proposal on what its files have become: the same changes, in the same order, on other bases."""
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
    """A SHA-256 of a JSON-like value, for proposals."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def creation(
    path: ResolvedPath, content: str, *, protected: str | None = None, held: str | None = None
) -> FileChange:
    """A new file.

    Raises:
        ChangeRefused: the content holds a NUL.
        TextError: it is no valid Unicode.
    """
    if "\0" in content:
        raise ChangeRefused("The content holds a NUL character, which would make the file binary.")
    new = view(content)
    new.data()
    return _counted(FileChange("create", path, None, new, protected=protected, held=held))


def restoration(path: ResolvedPath, data: bytes, mode: int | None, *, is_link: bool = False) -> FileChange:
    """A file that is gone, put back as it was."""
    new: Text | None = None
    if not is_link:
        try:
            new = decode(data)
        except TextError:
            new = None
    return _counted(FileChange("create", path, None, new, raw=data, mode=mode, is_link=is_link))


def edition(
    base: Snapshot, new: Text, *, protected: str | None = None, held: str | None = None
) -> FileChange:
    """An existing file with another text, made from the base's own `Text` so that its bytes are kept."""
    return _counted(FileChange("edit", base.path, base, new, protected=protected, held=held))


def deletion(base: Snapshot, *, protected: str | None = None, held: str | None = None) -> FileChange:
    return _counted(FileChange("delete", base.path, base, protected=protected, held=held))


def relocation(
    base: Snapshot, target: ResolvedPath, *, protected: str | None = None, held: str | None = None
) -> FileChange:
    return FileChange("move", base.path, base, target=target, protected=protected, held=held)


def refuse_held(change: FileChange, held_by: Callable[[ResolvedPath], str | None]) -> None:
    """The last look before a change of files that are not open here: who approved it knew of no other editor.

    Raises:
        ChangeRefused: another editor has opened one of them meanwhile.
    """
    if change.held is not None:
        return
    for path in (change.path, change.target):
        if path is not None and (held := held_by(path)) is not None:
            raise ChangeRefused(
                f"Another editor has opened {path.display} meanwhile ({held}). Nothing was changed. Make the call "
                "again if it is still needed: the user will be asked about that."
            )


def rebased(change: FileChange, current: Snapshot) -> FileChange:
    """An edit merged into what the file has become.

    Raises:
        ChangeRefused: it overlaps with what has changed, or is no edit.
        TextError: the file is no text any more, or can't hold the new one.
    """
    if change.kind != "edit":
        raise ChangeRefused(f"{change.path.display} was changed meanwhile. Read it again.")
    merged = rebase(change.old_text, change.new_text, current.as_text().text)
    if isinstance(merged, Conflict):
        raise ChangeRefused(
            f"{change.path.display} was changed meanwhile in the same place, near line {merged.line}. "
            "Read it again and make the edit on what is there now."
        )
    new = current.as_text().rewrite(merged)
    return edition(current, new, protected=change.protected, held=change.held)


def same_effect(ours: FileChange, theirs: FileChange) -> bool:
    """Whether who has approved the one has seen all that the other does: same file, same lines out and in.

    A conflict that has come up since, or another editor, is something that they have not seen.
    """
    return (
        ours.kind == theirs.kind
        and ours.path.path == theirs.path.path
        and _conflict(ours) >= _conflict(theirs)
        and (ours.held is not None) >= (theirs.held is not None)
        and same_hunks(ours.hunks(), theirs.hunks())
    )


def _conflict(change: FileChange) -> bool:
    return change.base is not None and change.base.conflict


def _counted(change: FileChange) -> FileChange:
    counts = count_changes(change.old_text, change.new_text)
    sha256 = _sha256_of(change.written())
    return replace(change, added=counts.added, removed=counts.removed, written_sha256=sha256)


def _sha256_of(pieces: Iterable[bytes] | None) -> str | None:
    if pieces is None:
        return None
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


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
