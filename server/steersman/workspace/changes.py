"""File changes as values, computed before anyone is asked and bound to the version they were computed from.

Pure functions on snapshots and text; nothing here touches a file.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steersman.workspace.diff import count_changes, unified_diff
from steersman.workspace.errors import ChangeRefused
from steersman.workspace.hunks import Hunk, apply_hunks, hunks, same_hunks
from steersman.workspace.merge import Conflict, rebase
from steersman.workspace.ports import Snapshot
from steersman.workspace.roots import ResolvedPath, printable
from steersman.workspace.text import Text, TextError, decode, view

ChangeKind = Literal["create", "edit", "delete", "move"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of one file. `create` requires that nothing is there, the others that `base` is."""

    kind: ChangeKind
    path: ResolvedPath
    base: Snapshot | None
    """What the change was computed from; None for `create`."""
    new: Text | None = None
    """The text afterwards, for `create` and `edit`."""
    raw: bytes | None = None
    """For a `create` that restores: the original bytes, text or not; for a link, its target."""
    mode: int | None = None
    """For a `create` that restores: permission bits."""
    is_link: bool = False
    """For a `create`: make a symbolic link."""
    target: ResolvedPath | None = None
    """Where a `move` goes."""
    protected: str | None = None
    """The protect pattern that covers the path or the target. Every mode asks then."""
    held: str | None = None
    """Another editor that has the path or the target open (`Workspace.held_by`). Every mode asks then."""
    added: int = 0
    """Lines added."""
    removed: int = 0
    """Lines removed; 0 for what is not text."""
    written_sha256: str | None = None
    """`result_sha256` of what is written, where it is already known: hashing a long text takes time."""

    @property
    def outside(self) -> bool:
        """Whether one of its paths is outside the workspace. Every mode asks then."""
        return self.path.outside or (self.target is not None and self.target.outside)

    @property
    def old_text(self) -> str:
        """The text before, with LF line ends; "" if there was none."""
        return self.base.text.text if self.base is not None and self.base.text is not None else ""

    @property
    def new_text(self) -> str:
        """The text afterwards, with LF line ends: unchanged for a move, "" for a deletion."""
        if self.kind == "move":
            return self.old_text
        return "" if self.new is None else self.new.text

    @property
    def base_sha256(self) -> str | None:
        return None if self.base is None else self.base.sha256

    def diff(self, max_lines: int | None = None) -> str:
        """The unified diff; "" for a move or for what is not text."""
        if self.kind == "move":
            return ""
        name = printable(self.path.relative).lstrip("/")
        old_name = "/dev/null" if self.kind == "create" else f"a/{name}"
        new_name = "/dev/null" if self.kind == "delete" else f"b/{name}"
        return unified_diff(self.old_text, self.new_text, old_name, new_name, max_lines=max_lines)

    def hunks(self) -> list[Hunk]:
        """The hunks to choose from; none for a move."""
        return hunks(self.old_text, self.new_text)

    def with_text(self, new_text: str) -> "FileChange":
        """The change with `new_text` as the whole text afterwards: somebody has rewritten it.

        Raises:
            ChangeRefused: a delete or a move has no text.
            TextError: the file's encoding can't represent it.
        """
        if self.kind == "create":
            return _counted(replace(self, new=view(new_text)))
        if self.kind != "edit" or self.base is None:
            raise ChangeRefused(f"A {self.kind} has no text to rewrite.")
        return _counted(replace(self, new=self.base.as_text().rewrite(new_text)))

    def with_hunks(self, ids: Collection[str], known: Sequence[Hunk] | None = None) -> "FileChange":
        """The change with only some of its hunks. `known` are all of its hunks, with the ids that `ids` are taken from.

        Raises:
            DiffError: an id is unknown.
            ChangeRefused, TextError: see `with_text`.
        """
        return self.with_text(apply_hunks(self.old_text, self.hunks() if known is None else known, ids))

    @property
    def result_sha256(self) -> str | None:
        """The hash of what will be there (for a move, at its target); None if nothing will be."""
        return self.base_sha256 if self.kind == "move" else self.written_sha256 or _sha256_of(self.written())

    def written(self) -> Iterable[bytes] | None:
        """The bytes that a `create` or an `edit` writes, in pieces; None if nothing is written.

        Raises:
            TextError: while iterating, if the encoding lacks one of the text's characters.
        """
        if self.raw is not None:
            return (self.raw,)
        return None if self.new is None else self.new.pieces()

    def key(self) -> dict[str, str | None]:
        """Equal for equal changes: kind, paths, base and result."""
        result = None if self.kind == "move" else self.result_sha256
        target = None if self.target is None else str(self.target.path)
        return {
            "kind": self.kind,
            "path": str(self.path.path),
            "target": target,
            "base": self.base_sha256,
            "result": result,
        }


def creation(
    path: ResolvedPath, content: str, *, protected: str | None = None, held: str | None = None
) -> FileChange:
    """A new file.

    Raises:
        ChangeRefused: the content contains a NUL.
        TextError: it is no valid Unicode.
    """
    if "\0" in content:
        raise ChangeRefused("The content contains a NUL character, which would make the file binary.")
    new = view(content)
    new.data()
    return _counted(FileChange("create", path, None, new, protected=protected, held=held))


def restoration(path: ResolvedPath, data: bytes, mode: int | None, *, is_link: bool = False) -> FileChange:
    """Puts back a file that is gone, as it was."""
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
    """Gives an existing file another text. `new` is made from the base's own `Text`, so that other bytes are kept."""
    return _counted(FileChange("edit", base.path, base, new, protected=protected, held=held))


def deletion(base: Snapshot, *, protected: str | None = None, held: str | None = None) -> FileChange:
    return _counted(FileChange("delete", base.path, base, protected=protected, held=held))


def relocation(
    base: Snapshot, target: ResolvedPath, *, protected: str | None = None, held: str | None = None
) -> FileChange:
    return FileChange("move", base.path, base, target=target, protected=protected, held=held)


def refuse_held(change: FileChange, held_by: Callable[[ResolvedPath], str | None]) -> None:
    """A last look before files are changed that are not open here. Whoever approved the change knew of no other editor.

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
        ChangeRefused: it overlaps with what has changed, or it is not an edit.
        TextError: the file is no longer text, or its encoding lacks a character.
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
    """Whether whoever approved `ours` has seen all that `theirs` does: the same lines come and go in the same file.

    A conflict or another editor that has turned up since is something they have not seen.
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
