"""Changes of files as values: computed before anyone is asked, bound to the version they were computed from.

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
