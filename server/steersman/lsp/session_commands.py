"""The commands about kept sessions: validated and passed on to the library."""

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from steersman.lsp.arguments import parse
from steersman.lsp.client import named_path
from steersman.lsp.session_params import (
    CheckpointsParams,
    CompactParams,
    DeleteParams,
    ExportParams,
    ForkParams,
    RenameParams,
    ResumeParams,
    RevertParams,
    SessionsParams,
)
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.session.errors import Refused
from steersman.session.exports import Export
from steersman.session.manager import SessionManager
from steersman.workspace.roots import Roots


class SessionCommands:
    def __init__(
        self,
        manager: SessionManager,
        roots: Callable[[], Roots],
        on_export: Callable[[Export], None],
        on_delete: Callable[[str], Awaitable[None]],
    ) -> None:
        """`roots()`: the folders to work in if none is named. `on_export` is called at the end of an export,
        `on_delete` when a session was deleted."""
        self._manager, self._library, self._roots = manager, manager.library, roots
        self._on_export, self._on_delete = on_export, on_delete

    def table(self) -> dict[str, CommandHandler]:
        """By name, without `steersman.`."""
        return {
            "sessions": self._sessions,
            "resume": self._resume,
            "fork": self._fork,
            "export": self._export,
            "rename": self._rename,
            "delete": self._delete,
            "compact": self._compact,
            "checkpoints": self._checkpoints,
            "revert": self._revert,
        }

    async def _sessions(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(SessionsParams, arguments, string_as="root")
        # Path.resolve() raises for a link that leads to itself.
        folder = None if params.root is None else Path(os.path.realpath(named_path("root", params.root)))
        found = await self._library.list(folder, query=params.query, limit=params.limit)
        return {"sessions": [summary.data() for summary in found]}

    async def _resume(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ResumeParams, arguments, string_as="session")
        return await self._library.resume(params.session, params.node)

    async def _fork(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ForkParams, arguments, string_as="session")
        if params.place == "new":
            return await self._library.fork(params.session, params.message)
        if params.message is None:
            text = "Name the user's message before which the session is to continue."
            raise Refused("unknownMessage", text, session=params.session)
        return await self._library.go_back(params.session, params.message)

    async def _compact(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(CompactParams, arguments, string_as="instructions")
        return await self._manager.compact(params.session, self._roots(), params.instructions)

    async def _checkpoints(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(CheckpointsParams, arguments, string_as="session")
        return await self._manager.reverts.checkpoints(params.session)

    async def _revert(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(RevertParams, arguments)
        reverts = self._manager.reverts
        if params.preview:
            return await reverts.preview(params.session, params.checkpoint, params.files)
        return await reverts.revert(params.session, params.checkpoint, params.files, params.on_conflict)

    async def _export(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(ExportParams, arguments, string_as="session")
        path = None if params.path is None else named_path("path", params.path)
        return await self._manager.exports.begin(
            params.session,
            params.format,
            path,
            all_branches=params.all_branches,
            overwrite=params.overwrite,
            on_end=self._on_export,
        )

    async def _rename(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(RenameParams, arguments)
        return await self._library.rename(params.session, params.title)

    async def _delete(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(DeleteParams, arguments)
        return await self._library.delete(params.session, self._on_delete)
