"""What the layers above ask of a workspace, and what a workspace asks of them.

`DiskWorkspace` implements it on the disk alone; a language server puts the editor's open buffers in front of it.
"""

import stat
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from steersman.workspace.errors import WorkspaceError
from steersman.workspace.roots import ResolvedPath, Roots
from steersman.workspace.rules import PathRules
from steersman.workspace.text import Text, TextError

if TYPE_CHECKING:
    from steersman.workspace.changes import FileChange
    from steersman.workspace.waiting import Stop

Source = Literal["disk", "buffer"]
EntryKind = Literal["file", "directory", "link", "other"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One file at one moment."""

    path: ResolvedPath
    data: bytes
    """The file's bytes; for a buffer its text in UTF-8; for a symbolic link that is meant itself, its target."""
    sha256: str
    """The hash of `data`, in hex: the version that a change is based on."""
    text: Text | None
    """The text; None if the bytes are not text, see `failure`."""
    failure: TextError | None = None
    source: Source = "disk"
    dirty: bool = False
    """The text is unsaved: an editor has it, the disk doesn't yet."""
    version: int | None = None
    """The document's version in the editor."""
    conflict: bool = False
    """The editor's text and the disk have both changed since they last agreed."""
    mode: int | None = None
    """`st_mode` of what is on the disk; None if there is nothing."""
    mtime_ns: int | None = None

    def as_text(self) -> Text:
        """The text.

        Raises:
            TextError: the bytes are not text.
        """
        if self.text is None:
            raise self.failure or TextError("This is not text.")
        return self.text

    @property
    def is_link(self) -> bool:
        return self.mode is not None and stat.S_ISLNK(self.mode)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory, raw: print it with `roots.printable`."""

    name: str
    kind: EntryKind
    target_is_directory: bool = False
    """For a link: whether it leads to a directory."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The beginning of a directory's contents."""

    entries: Sequence[Entry]
    """The first ones by name that no deny rule covers."""
    count: int
    """How many entries no deny rule covers."""
    denied: int
    """How many a deny rule covers."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A change that was made."""

    sha256: str | None
    """The new version of the file; None if there is no longer a file."""
    text: str | None = None
    """What the file holds now, with LF line ends, where that differs from the change (the user typed meanwhile)."""
    source: Source = "disk"
    unsaved: bool = False
    """The change is only in an editor's buffer; commands don't see it yet."""
    changed_by_saving: bool = False
    """`text` is what the editor made of the change when it saved it: it formats on save."""
    created_directories: tuple[str, ...] = ()
    """Displayed paths, outermost first."""
    notes: tuple[str, ...] = ()
    """Sentences for the model: what else it needs to know."""
    afterwards: "Callable[[Stop], Awaitable[Sequence[str]]] | None" = None
    """Waits for further notes, for a bounded time or until told to stop. Called once, without holding any lock."""


class BaseMoved(WorkspaceError):
    """Nothing was changed: the file is no longer what the change was computed from."""

    def __init__(self, path: ResolvedPath, current: Snapshot | None) -> None:
        super().__init__(f"{path.display} was changed meanwhile. Read it again.")
        self.path = path
        self.current = current
        """What is there now; None if nothing."""


@dataclass(frozen=True, slots=True)
class PreImage:
    """What was at a path before the first change of it."""

    path: Path
    kind: Literal["absent", "file", "link"]
    data: bytes | None = None
    """The bytes on the disk; for a link its target; None if nothing was there."""
    mode: int | None = None
    """Permission bits."""
    buffer: str | None = None
    """The editor's text, with its line ends, where it differed from the disk."""


KeepPreImage = Callable[[PreImage], Awaitable[None]]
"""Called before every change, under the path's lock. It returns when the pre-image is durable, or was kept before.
If it raises, the change is not made."""


class Workspace(Protocol):
    """Files as the run sees them. One per session; those of one server share their locks."""

    @property
    def roots(self) -> Roots: ...

    @property
    def rules(self) -> PathRules: ...

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        """See `Roots.resolve`.

        Raises:
            PathError: it can't be used.
            DeniedPath: a deny rule covers it.
        """
        ...

    async def read(self, path: ResolvedPath) -> Snapshot:
        """A regular file: the editor's buffer if that has the current text, otherwise the disk.

        Raises:
            FileNotFound: nothing is there.
            PathError: a directory, a device, a pipe or a socket.
            FileAccessError: the system refused, or the file is larger than MAX_FILE_BYTES of snapshots.py.
        """
        ...

    async def exists(self, path: ResolvedPath) -> bool:
        """Whether anything is there, even a directory or a dangling link."""
        ...

    async def entries(self, path: ResolvedPath, limit: int) -> Listing:
        """The first `limit` entries of a directory.

        Raises:
            FileNotFound, PathError (no directory), FileAccessError.
        """
        ...

    async def apply(self, change: "FileChange") -> Applied:
        """Makes one change. Its base is checked and the work done under the path's lock.

        Raises:
            BaseMoved: nothing was changed.
            ChangeRefused, FileAccessError, PathError: it can't be made; nothing was changed.
        """
        ...

    async def check(self, change: "FileChange") -> None:
        """Whether `apply` would make the change now, as far as can be known in advance. Nothing is touched, and no lock
        is kept.

        Raises:
            As `apply`.
        """
        ...

    async def unsaved_files(self) -> Sequence[str]:
        """Displayed paths of the files whose newest text is only in the editor."""
        ...

    async def save_own(self) -> None:
        """Has the editor, if it can, save approved changes that only this server left unsaved, never what a user typed.
        Whatever stays unsaved is still in `unsaved_files`."""
        ...

    def held_by(self, path: ResolvedPath) -> str | None:
        """Another editor, not the one whose buffers we see, that has the file open, in words; None if there is none."""
        ...
