"""A workspace that tells its session what was changed."""

from collections.abc import Awaitable, Callable

from steersman.workspace.changes import FileChange
from steersman.workspace.passing import PassingWorkspace
from steersman.workspace.ports import Applied, Workspace


class TrackedWorkspace(PassingWorkspace):
    """Tells of each change after it was made."""

    def __init__(
        self, inner: Workspace, on_applied: Callable[[FileChange, Applied], Awaitable[None]]
    ) -> None:
        super().__init__(inner)
        self._on_applied = on_applied

    async def apply(self, change: FileChange) -> Applied:
        applied = await super().apply(change)
        await self._on_applied(change, applied)
        return applied
