"""The language server's composition root: one connection, its sessions, and what passes between them."""

import logging
from typing import Any

from lsprotocol import types

from steersman import __version__
from steersman.lsp.actions import AnswerActions
from steersman.lsp.approvals import DiffDocuments, FloorApprover
from steersman.lsp.buffers import Buffers
from steersman.lsp.client import Client, client_from, path_of
from steersman.lsp.commands import Commands
from steersman.lsp.editor import Editor, EditorWorkspace
from steersman.lsp.progress import EventStream, FloorProgress
from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import StopReason, serve
from steersman.session.compose import build_services
from steersman.session.home import Home
from steersman.session.limits import Limits
from steersman.session.manager import SessionManager
from steersman.session.settings import Settings
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.ports import KeepPreImage, Workspace

log = logging.getLogger(__name__)

PROTOCOL_VERSION = "1"
NAME = "steersman"


class SteersmanServer:
    """One language server for one client. `rpc` is what is connected to the client."""

    def __init__(self, home: Home, settings: Settings, limits: Limits | None = None) -> None:
        self.rpc = RpcServer(NAME, __version__)
        self._limits = limits or Limits()
        self._client = Client()
        self._ready = False
        self._buffers = Buffers(self.rpc.documents)
        self._diffs = DiffDocuments(home.diffs)
        self._editor = Editor(self.rpc, self._client, self.rpc.documents, self._buffers, self._limits)
        approver = FloorApprover(self.rpc, self._client, self._diffs, self._limits, lambda: self._ready)
        self.services = build_services(
            home, settings, approver=approver, over_disk=self._over_disk, limits=self._limits
        )
        self.manager = SessionManager(self.services)
        self._progress = FloorProgress(self.rpc, self._client, self._limits)
        self._actions = AnswerActions(lambda: self.services.approvals, self._diffs)
        self._register(home)

    def _over_disk(self, disk: DiskWorkspace, keep: KeepPreImage) -> Workspace:
        return EditorWorkspace(disk, self._editor, keep)

    def _register(self, home: Home) -> None:
        self.rpc.documents.listener = _Listeners(self._buffers, self._diffs)
        commands = Commands(
            self.manager,
            self._client,
            self.rpc.documents,
            begin_progress=self._progress.begin,
            show_error=self._show_error,
            output_folder=home.outputs,
        )
        for command_id, handler in commands.table().items():
            self.rpc.add_command(command_id, handler)
        self.rpc.add_feature("initialize", self._initialize)
        self.rpc.add_feature("initialized", self._initialized)
        self.rpc.add_feature("workspace/didChangeWorkspaceFolders", self._folders_changed)
        self.rpc.add_feature("window/workDoneProgress/cancel", self._cancelled)
        self.rpc.add_feature("textDocument/codeAction", self._code_actions)
        self.services.bus.listen(self._progress.on_event)

    # Features

    def _initialize(self, _: types.InitializeParams) -> None:
        """Learns what the client can do; nothing that it did not ask for is ever sent to it."""
        client = client_from(self.rpc.protocol.client_params)
        for name in client.__slots__:
            setattr(self._client, name, getattr(client, name))
        uses: list[str] = []
        token = client.features.event_token
        if token is not None:
            uses.append("eventToken")
            self.services.bus.listen(EventStream(self.rpc, token).on_event)
        self.rpc.protocol.experimental = {"steersman": {"version": PROTOCOL_VERSION, "uses": [*uses]}}

    def _initialized(self, _: types.InitializedParams) -> None:
        self._ready = True

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """New runs see the new folders; a live one keeps those that it began with."""
        removed = {path_of(folder.uri) for folder in params.event.removed}
        added = [(folder.name, path_of(folder.uri)) for folder in params.event.added]
        kept = [(name, path) for name, path in self._client.folders if path not in removed]
        new = [(name, path) for name, path in added if path is not None and path.is_dir()]
        self._client.folders = kept + new

    def _cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        """`window/workDoneProgress/cancel` on a run's token is an abort."""
        run = self._progress.run_of(params.token)
        if run is not None:
            self.manager.abort(run, "cancelled by its progress")

    async def _code_actions(self, params: types.CodeActionParams) -> list[dict[str, Any]]:
        only = params.context.only
        return self._actions.offered(
            params.text_document.uri, None if only is None else [str(kind) for kind in only]
        )

    def _show_error(self, message: str) -> None:
        self.rpc.notify("window/showMessage", {"type": 1, "message": f"Steersman: {message}"})

    # The end

    async def stop(self, reason: StopReason) -> None:
        """Ends everything that is live; every way out comes through here, once."""
        log.info("stopping: %s", reason)
        await self.manager.close()
        await self._progress.close()


class _Listeners:
    """Whoever wants to know of documents."""

    def __init__(self, buffers: Buffers, diffs: DiffDocuments) -> None:
        self._buffers, self._diffs = buffers, diffs

    def on_open(self, uri: str) -> None:
        self._buffers.on_open(uri)
        self._diffs.on_open(uri)

    def on_change(self, uri: str) -> None:
        self._buffers.on_change(uri)

    def on_save(self, uri: str) -> None:
        self._buffers.on_save(uri)

    def on_close(self, uri: str) -> None:
        self._buffers.on_close(uri)
        self._diffs.on_close(uri)


def run_server(home: Home, settings: Settings) -> int:
    """Serves the client at standard input and output until it goes. Returns the exit code."""
    server = SteersmanServer(home, settings)
    return serve(server.rpc, server.stop)
