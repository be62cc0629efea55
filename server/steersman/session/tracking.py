"""A workspace that tells its session of its changes."""

from collections.abc import Awaitable, Callable

from steersman.workspace.changes import FileChange
from steersman.workspace.passing import PassingWorkspace
from steersman.workspace.ports import Applied, Workspace


class TrackedWorkspace(PassingWorkspace):
    """Tells of each change before it is made, and after it was."""

    def __init__(
        self,
        inner: Workspace,
        on_start: Callable[[FileChange], Awaitable[None]],
        on_applied: Callable[[FileChange, Applied], Awaitable[None]],
    ) -> None:
        """What `on_start` raises keeps the change from being made."""
        super().__init__(inner)
        self._on_start, self._on_applied = on_start, on_applied

    async def apply(self, change: FileChange) -> Applied:
        await self._on_start(change)
        applied = await super().apply(change)
        await self._on_applied(change, applied)
        return applied
