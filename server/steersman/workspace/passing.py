"""A workspace that passes everything on to another one: the base of those that add something."""

from collections.abc import Sequence

from steersman.workspace.changes import FileChange
from steersman.workspace.ports import Applied, Listing, Snapshot, Workspace
from steersman.workspace.roots import ResolvedPath, Roots
from steersman.workspace.rules import PathRules


class PassingWorkspace:
    def __init__(self, inner: Workspace) -> None:
        self._inner = inner

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

    async def entries(self, path: ResolvedPath, limit: int) -> Listing:
        return await self._inner.entries(path, limit)

    async def apply(self, change: FileChange) -> Applied:
        return await self._inner.apply(change)

    async def check(self, change: FileChange) -> None:
        await self._inner.check(change)

    async def unsaved_files(self) -> Sequence[str]:
        return await self._inner.unsaved_files()

    async def save_own(self) -> None:
        await self._inner.save_own()

    def held_by(self, path: ResolvedPath) -> str | None:
        return self._inner.held_by(path)
