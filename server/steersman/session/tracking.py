"""A workspace that tells its session what was changed."""

from collections.abc import Awaitable, Callable, Sequence

from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied, Entry, Snapshot, Workspace
from steersman.workspace.roots import ResolvedPath, Roots
from steersman.workspace.rules import PathRules


class TrackedWorkspace:
    """Passes everything on to another workspace, and tells of each change after it was made."""

    def __init__(
        self, inner: Workspace, on_applied: Callable[[FileChange, Applied], Awaitable[None]]
    ) -> None:
        self._inner, self._on_applied = inner, on_applied

    @property
    def roots(self) -> Roots:
        return self._inner.roots

    @property
    def rules(self) -> PathRules:
        return self._inner.rules

    def resolve(self, path: str, *, for_write: bool = False, follow: bool = True) -> ResolvedPath:
        return self._inner.resolve(path, for_write=for_write, follow=follow)

    async def read(self, path: ResolvedPath) -> Snapshot:
        return await self._inner.read(path)

    async def exists(self, path: ResolvedPath) -> bool:
        return await self._inner.exists(path)

    async def entries(self, path: ResolvedPath) -> Sequence[Entry]:
        return await self._inner.entries(path)

    async def apply(self, change: FileChange) -> Applied:
        applied = await self._inner.apply(change)
        await self._on_applied(change, applied)
        return applied

    def unsaved_files(self) -> Sequence[str]:
        return self._inner.unsaved_files()
