"""The composition root of the language server: one connection, its sessions, and what connects them."""

import asyncio
import logging

from lsprotocol import types

from steersman import __version__
from steersman.agent.clock import Clock, SystemClock
from steersman.lsp import reports
from steersman.lsp.actions import AnswerActions
from steersman.lsp.after_edits import AfterEdits
from steersman.lsp.approval_requests import TEXTS, ApprovalTexts, RequestApprover
from steersman.lsp.approvals import FloorApprover
from steersman.lsp.background import Background
from steersman.lsp.buffers import Buffers
from steersman.lsp.client import Client
from steersman.lsp.client_tools import ClientTools
from steersman.lsp.code_actions import OPTIONS as CODE_ACTION_OPTIONS
from steersman.lsp.code_actions import CodeActions
from steersman.lsp.commands import Commands
from steersman.lsp.context import EditorView
from steersman.lsp.diffs import DiffDocuments
from steersman.lsp.editor import EditorWorkspace
from steersman.lsp.editor_tools import EditorTools
from steersman.lsp.edits import Editor
from steersman.lsp.event_stream import EventStream
from steersman.lsp.exported import ExportViewer
from steersman.lsp.features import accepted
from steersman.lsp.lenses import METHOD as CODE_LENS
from steersman.lsp.lenses import Lenses
from steersman.lsp.open_documents import CHANGED, UnattachedDocuments
from steersman.lsp.problems import ProblemStore
from steersman.lsp.progress import FloorProgress
from steersman.lsp.prompt_box import PromptBox
from steersman.lsp.refreshes import Refreshes
from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import StopReason, serve
from steersman.lsp.show_commands import Showing
from steersman.lsp.showing import Viewer
from steersman.lsp.transcripts import Transcripts
from steersman.lsp.user_input import ClientUser
from steersman.lsp.virtual_documents import METHOD as CONTENT
from steersman.lsp.virtual_documents import SCHEME, VirtualDocuments
from steersman.lsp.wire import JsonValue
from steersman.session.compose import build_services
from steersman.session.extensions import Extensions
from steersman.session.home import Home
from steersman.session.housekeeping import tidy
from steersman.session.limits import Limits
from steersman.session.manager import SessionManager
from steersman.session.services import ToolSetting
from steersman.session.settings import Settings
from steersman.session.warming import warm
from steersman.startup.heap import share_one_heap
from steersman.startup.skeletons import make_all
from steersman.workspace.disk import DiskWorkspace
from steersman.workspace.ports import KeepPreImage, Workspace

log = logging.getLogger(__name__)

NAME = "steersman"


class SteersmanServer:
    """A language server for one client. `rpc` is the end that is connected to the client."""

    def __init__(
        self,
        home: Home,
        settings: Settings,
        limits: Limits | None = None,
        clock: Clock | None = None,
        *,
        extensions: Extensions | None = None,
    ) -> None:
        """`extensions`: used instead of those that the settings enable."""
        limits, clock = limits or Limits(), clock or SystemClock()
        self.rpc = RpcServer(NAME, __version__)
        self._client = Client()
        self._ready = False
        self._buffers = Buffers(self.rpc.documents, clock)
        self._refreshes = Refreshes(self.rpc, limits, clock)
        viewer = Viewer(self.rpc, self._client, limits, clock)
        self._virtual = VirtualDocuments(self._client, self._refreshes)
        self._diffs = DiffDocuments(home.diffs, clock, self._virtual)
        self._unattached = UnattachedDocuments(self.rpc, self._client, self._buffers, limits, clock)
        self._editor = Editor(self.rpc, self._client, self._buffers, self._unattached, limits, clock)
        turn = asyncio.Lock()  # held while a question is on the client's screen
        self._client_tools = ClientTools(self.rpc, self._client, self._buffers, limits, clock)
        problems = ProblemStore(self.rpc.documents, self._buffers)
        self._after_edits = AfterEdits(problems, self._buffers, limits, clock)
        self.services = build_services(
            home,
            settings,
            approver=self._approver(limits, viewer, turn),
            over_disk=self._over_disk,
            more_tools=self._tools(problems, turn).of_session,
            limits=limits,
            clock=clock,
            extensions=extensions,
        )
        view = EditorView(self._client, self._buffers, problems, self._unattached)
        self.services.editor_state, self.services.diagnostics = view.state, view.diagnostics
        self.manager = SessionManager(self.services)
        self._progress = FloorProgress(self.rpc, self._client, limits, clock)
        self._exported = ExportViewer(self.rpc, self._client, viewer)
        transcripts = Transcripts(
            self.rpc,
            self._client,
            self._virtual,
            viewer,
            clock,
            folder=home.transcripts,
            log_of=self.manager.log_of,
        )
        self._showing = Showing(self._diffs, transcripts, viewer, self._show_message)
        self._lenses = Lenses(
            self._client, self.services.approvals, self._diffs, self.rpc.documents, self._refreshes
        )
        self._stream: EventStream | None = None
        answers = AnswerActions(self.services.approvals, self._diffs, self.rpc.documents, self._client)
        self._actions = CodeActions(answers, self.manager, self.rpc.documents, self._client, ours=home.root)
        self._prompt_box = PromptBox(self.rpc, self._client, turn)
        self._home = home
        self._preparing = Background()
        self._closing: asyncio.Task[None] | None = None
        self._register(home)

    def _is_ready(self) -> bool:
        """Whether the client may be asked: it has sent `initialized`."""
        return self._ready

    def _approver(self, limits: Limits, viewer: Viewer, turn: asyncio.Lock) -> RequestApprover:
        floor = FloorApprover(
            self.rpc,
            self._client,
            self._diffs,
            limits,
            viewer,
            buffers=self._buffers,
            turn=turn,
            ready=self._is_ready,
        )
        return RequestApprover(self.rpc, self._client, floor, ready=self._is_ready)

    def _tools(self, problems: ProblemStore, turn: asyncio.Lock) -> EditorTools:
        def user_of(setting: ToolSetting) -> ClientUser:
            return ClientUser(self.rpc, self._client, turn, setting, ready=self._is_ready)

        return EditorTools(self.rpc, self._client, problems, user_of=user_of, offered=self._client_tools)

    def _over_disk(self, disk: DiskWorkspace, keep: KeepPreImage) -> Workspace:
        return self._after_edits.over(EditorWorkspace(disk, self._editor, keep))

    def _register(self, home: Home) -> None:
        self.rpc.documents.listeners += [self._buffers, self._diffs]
        commands = Commands(
            self.manager,
            self._client,
            self.rpc.documents,
            begin_progress=self._progress.begin,
            show_error=self._show_error,
            on_export=self._exported.on_end,
            ask_user=self._prompt_box.ask,
            showing=self._showing,
            home=home,
        )
        for command_id, handler in commands.table().items():
            self.rpc.add_command(command_id, handler)
        self.rpc.add_feature("initialize", self._initialize)
        self.rpc.add_feature("initialized", self._initialized)
        self.rpc.add_feature("shutdown", self._shutdown)
        self.rpc.add_feature("workspace/didChangeWorkspaceFolders", self._folders_changed)
        self.rpc.add_feature("window/workDoneProgress/cancel", self._cancelled)
        self.rpc.add_feature("textDocument/codeAction", self._actions.offered, options=CODE_ACTION_OPTIONS)
        self.rpc.add_feature("codeAction/resolve", self._actions.resolved)
        self.rpc.add_feature(TEXTS, ApprovalTexts(self.services.approvals))
        self.rpc.add_feature(CHANGED, self._unattached.on_changed)
        self.rpc.add_feature(reports.METHOD, self._diagnostics)
        for listener in (self._progress, self._showing.transcripts, self._lenses, self._diffs):
            self.services.bus.listen(listener.on_event)

    # Features

    def _initialize(self, _: types.InitializeParams) -> None:
        """Reads what the client can do. It is never sent anything that it did not ask for."""
        self._client.learn(self.rpc.protocol.client_params)
        features = self._client.features
        self.services.trusts_none = bool(features.untrusted)
        token = features.event_token
        if token is not None:
            self._stream = EventStream(self.rpc, token, self.services.log_path)
            self.services.bus.listen(self._stream.on_event)
        if self._virtual.supported:
            self.rpc.protocol.content_schemes = [SCHEME]
            self.rpc.add_feature(CONTENT, self._virtual.content)
        if self._client.code_lens:
            self.rpc.add_feature(CODE_LENS, self._lenses.offered)
        self.rpc.protocol.experimental = {"steersman": accepted(features, self._client_tools.learn())}

    def _initialized(self, _: JsonValue) -> None:
        if self._ready:  # sent twice: tasks that are awaited once must not begin twice
            return
        self._ready = True
        self._unattached.begin()
        self._preparing.begin(asyncio.to_thread(self._prepare))

    def _prepare(self) -> None:
        """Runs in a thread, after everything that the client waits for. Stops when a run begins: that loads what it
        needs by itself, and should not wait."""

        def enough() -> bool:
            return self._closing is not None or self.manager.has_begun

        warm(self.services, enough=enough)
        tidy(self._home)
        share_one_heap()
        make_all("steersman", enough=enough)

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """New runs get the new folders; a live one keeps those that it began with."""
        self._client.change_folders(
            [(folder.name, folder.uri) for folder in params.event.added],
            [folder.uri for folder in params.event.removed],
        )

    def _cancelled(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Cancelling a run's progress aborts the run."""
        run = self._progress.run_of(params.token)
        if run is not None:
            self.manager.abort(run, "cancelled by its progress")

    def _diagnostics(self, params: JsonValue) -> None:
        if self._client.features.diagnostics:
            self._after_edits.take(params)

    def _show_error(self, message: str) -> None:
        self.rpc.notify("window/showMessage", {"type": 1, "message": f"Steersman: {message}"})

    def _show_message(self, message: str) -> None:
        self.rpc.notify("window/showMessage", {"type": 3, "message": f"Steersman: {message}"})

    # The end

    async def _shutdown(self, _: object) -> None:
        """Tells the client how its runs ended before it gets the answer: afterwards it may not listen any more."""
        await self._close()

    async def stop(self, reason: StopReason) -> None:
        """Ends everything. Called once, whatever the reason."""
        log.info("stopping: %s", reason)
        self.rpc.protocol.requests.close()  # no answers will come, so runs must not wait for any
        await self._close()

    async def _close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close_once())
        await asyncio.shield(self._closing)

    async def _close_once(self) -> None:
        try:
            await self.manager.close()
        finally:
            await self._progress.close()
            if self._stream is not None:
                await self._stream.close()
            await self._unattached.close()
            await self._exported.close()
            await self._showing.close()
            await self._refreshes.close()
            await self._preparing.close(cancel=False)  # a thread can't be cancelled


def run_server(home: Home, settings: Settings) -> int:
    """Serves the client at standard input and output until it leaves. Returns the exit code."""
    server = SteersmanServer(home, settings)
    return serve(server.rpc, server.stop)
