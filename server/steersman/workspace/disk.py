"""The workspace on the disk: paths and rules, reading, and changes made completely or not at all."""

import asyncio
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar, TypeVarTuple

from steersman.workspace import file_changes
from steersman.workspace.changes import FileChange, refuse_held
from steersman.workspace.editor_locks import held_by
from steersman.workspace.errors import (
    ChangeRefused,
    DeniedPath,
    FileAccessError,
    FileNotFound,
    PathError,
    WorkspaceError,
)
from steersman.workspace.locks import LockTable
from steersman.workspace.ports import Applied, BaseMoved, KeepPreImage, Listing, PreImage, Snapshot
from steersman.workspace.roots import ResolvedPath, Roots, printable
from steersman.workspace.rules import PathRules
from steersman.workspace.snapshots import explain, link_snapshot, list_entries, read_file
from steersman.workspace.suggest import near_misses
from steersman.workspace.untouched import WrittenMeanwhile
from steersman.workspace.waiting import outlast

INLINE_BYTES = 256 * 1024
"""Files up to this size are read on the event loop: a thread would take longer."""

_Args = TypeVarTuple("_Args")
_T = TypeVar("_T")


async def _keep_nothing(_image: PreImage) -> None:
    return


class DiskWorkspace:
    """`ports.Workspace` without an editor."""

    __slots__ = ("_keep", "locks", "roots", "rules")

    def __init__(
        self,
        roots: Roots,
        rules: PathRules | None = None,
        *,
        locks: LockTable | None = None,
        keep_preimage: KeepPreImage = _keep_nothing,
    ) -> None:
        """`locks` is the server's table, shared by all its workspaces."""
        self.roots = roots
        self.rules = rules or PathRules()
        self.locks = locks or LockTable()
        self._keep = keep_preimage

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        resolved = self.roots.resolve(path, for_write=for_write, follow=follow)
        pattern = self.rules.denied(resolved)
        if pattern is not None:
            raise DeniedPath(
                f"{printable(path)} is denied by the rule `{pattern}`: it may contain secrets: no tool may touch it. "
                "Continue without it, or ask the user, who alone can change the deny rules."
            )
        return resolved

    async def read(self, path: ResolvedPath) -> Snapshot:
        return await self._read(path, None)

    async def _read(self, path: ResolvedPath, known: Snapshot | None) -> Snapshot:
        """`read`, given a snapshot that the file may still match."""
        try:
            status = path.path.lstat()
            if stat.S_ISLNK(status.st_mode):
                return link_snapshot(path, status)
            if status.st_size <= INLINE_BYTES:
                return read_file(path, known)
            return await asyncio.to_thread(read_file, path, known)
        except OSError as error:
            failure = explain(error, path)
        raise await self._with_suggestions(failure, path)

    async def exists(self, path: ResolvedPath) -> bool:
        return os.path.lexists(path.path)

    async def entries(self, path: ResolvedPath, limit: int) -> Listing:
        def denied(names: Sequence[str]) -> Sequence[str]:
            return self.rules.denied_names(path.forms[0], names)

        try:
            return await asyncio.to_thread(list_entries, path.path, limit, denied)
        except OSError as error:
            failure = explain(error, path)
        raise await self._with_suggestions(failure, path)

    async def apply(self, change: FileChange) -> Applied:
        places = [change.path.path] if change.target is None else [change.path.path, change.target.path]
        async with self.locks.hold(*places):
            refuse_held(change, self.held_by)
            return await self.apply_locked(change)

    async def check(self, change: FileChange) -> None:
        refuse_held(change, self.held_by)
        await self.check_unopened(change)

    async def check_unopened(self, change: FileChange) -> None:
        """`check` for a workspace that stands in front of this one and has checked for other editors.

        Raises:
            As `Workspace.apply`.
        """
        _refuse_relinked(change)
        if change.kind == "create":
            if os.path.lexists(change.path.path):
                raise BaseMoved(change.path, await self.read(change.path))
            return
        _current, status = await self._found(change)
        if change.kind == "edit":
            _refuse_unwritable(change.path, status)

    async def apply_locked(self, change: FileChange) -> Applied:
        """`apply` for a workspace that stands in front of this one and holds the locks itself.

        Raises:
            As `Workspace.apply`.
        """
        _refuse_relinked(change)
        match change.kind:
            case "create":
                return await self._create(change)
            case "edit":
                return await self._edit(change)
            case "delete":
                return await self._delete(change)
            case "move":
                return await self._move(change)

    async def unsaved_files(self) -> Sequence[str]:
        return ()

    async def save_own(self) -> None:
        return

    def held_by(self, path: ResolvedPath) -> str | None:
        return held_by(path.path)

    async def _create(self, change: FileChange) -> Applied:
        path, data = change.path, b"".join(_written(change))
        if os.path.lexists(path.path):
            raise BaseMoved(path, await self.read(path))
        await self._keep(PreImage(path.path, "absent"))
        try:
            made = await _changing(path, file_changes.create, path.path, data, change.mode, change.is_link)
        except FileExistsError:
            raise BaseMoved(path, await self.read(path)) from None
        return Applied(change.result_sha256, created_directories=self._named(made))

    async def _edit(self, change: FileChange) -> Applied:
        digest = change.result_sha256
        _current, status = await self._checked(change)
        _refuse_unwritable(change.path, status)
        await self._on_base(change, status, file_changes.replace, change.path.path, _written(change), status)
        notes: tuple[str, ...] = ()
        if status.st_nlink > 1:
            notes = (f"The file had {status.st_nlink} hard links; the other names keep the old content.",)
        return Applied(digest, notes=notes)

    async def _delete(self, change: FileChange) -> Applied:
        _current, status = await self._checked(change)
        await self._on_base(change, status, file_changes.remove, change.path.path)
        return Applied(None)

    async def _move(self, change: FileChange) -> Applied:
        target = change.target
        if target is None:
            raise ChangeRefused("A move needs a target.")
        current, status = await self._checked(change)
        await self._keep(PreImage(target.path, "absent"))
        try:
            made = await self._on_base(
                change, status, file_changes.move, change.path.path, target.path, blame=target
            )
        except FileExistsError:
            raise ChangeRefused(f"{target.display} exists already; nothing was moved.") from None
        return Applied(current.sha256, created_directories=self._named(made))

    async def _checked(self, change: FileChange) -> tuple[Snapshot, os.stat_result]:
        """What is there now, provided that it is the base of the change. Its pre-image has been kept."""
        current, status = await self._found(change)
        kind: Literal["link", "file"] = "link" if current.is_link else "file"
        await self._keep(PreImage(change.path.path, kind, current.data, stat.S_IMODE(status.st_mode)))
        return current, status

    async def _found(self, change: FileChange) -> tuple[Snapshot, os.stat_result]:
        """What is there now, provided that it is the base of the change."""
        path = change.path
        try:
            status = path.path.lstat()
            current = await self._read(path, change.base)
        except (FileNotFoundError, FileNotFound):
            raise BaseMoved(path, None) from None
        except OSError as error:
            raise _unchanged(explain(error, path)) from error
        if (
            change.base is None
            or change.base.sha256 != current.sha256
            or change.base.is_link != current.is_link
        ):
            raise BaseMoved(path, current)
        return current, status

    async def _on_base(
        self,
        change: FileChange,
        status: os.stat_result,
        function: Callable[[*_Args], _T],
        *args: *_Args,
        blame: ResolvedPath | None = None,
    ) -> _T:
        """Calls `function` if the file is still in the state that was checked: keeping the pre-image took time, and
        programs that know nothing of our locks may have written meanwhile."""
        try:
            return await _changing(
                blame or change.path, file_changes.if_untouched, change.path.path, status, function, *args
            )
        except WrittenMeanwhile:
            raise BaseMoved(change.path, await self.read(change.path)) from None

    async def _with_suggestions(self, failure: WorkspaceError, path: ResolvedPath) -> WorkspaceError:
        if not isinstance(failure, FileNotFound) or path.root is None or path.link is not None:
            return failure
        root = path.root.path
        below = os.path.relpath(path.path, root)
        found = await asyncio.to_thread(
            near_misses, root, below, lambda name: not self.rules.denied_name(name)
        )
        if not found:
            return failure
        named = ", ".join(printable(self.roots.relative(root / name)) for name in found)
        return FileNotFound(f"{failure} Did you mean {named}?")

    def _named(self, directories: Sequence[Path]) -> tuple[str, ...]:
        return tuple(printable(self.roots.relative(directory)) for directory in directories)


def is_resolved(path: Path) -> bool:
    """Whether a resolved path is still resolved: no part of it has been replaced by a link."""
    try:
        return os.path.realpath(path) == str(path)
    except OSError:  # a link that was there a moment before
        return False


def _refuse_relinked(change: FileChange) -> None:
    for place in (change.path, change.target):
        if place is not None and not is_resolved(place.path.parent):
            raise PathError(f"{place.display}: a directory of the path was replaced by a link meanwhile.")


def _refuse_unwritable(path: ResolvedPath, status: os.stat_result) -> None:
    if not status.st_mode & 0o222 or not os.access(path.path, os.W_OK):
        mode = stat.S_IMODE(status.st_mode)
        raise FileAccessError(
            f"{path.display} is read-only (mode {mode:o}); nothing was changed. "
            "If it has to change, ask the user to make it writable."
        )


def _unchanged(failure: WorkspaceError) -> WorkspaceError:
    return type(failure)(f"{failure} Nothing was changed.")


def _written(change: FileChange) -> Iterable[bytes]:
    parts = change.written()
    if parts is None:
        raise ChangeRefused(f"A {change.kind} needs a text.")
    return parts


async def _changing(path: ResolvedPath, function: Callable[[*_Args], _T], *args: *_Args) -> _T:
    """Runs a change in a thread and waits for its end even if cancelled: the locks must not be released while the
    thread still writes.

    Raises:
        FileExistsError: something is where a file was to be made.
        WorkspaceError: the system refused otherwise; nothing was changed.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *args))
    await outlast(work)
    try:
        return work.result()
    except FileExistsError:
        raise
    except OSError as error:
        raise _unchanged(explain(error, path)) from error
