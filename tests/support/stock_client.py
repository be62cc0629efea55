"""pytest-lsp's client with its own handlers, which refuse what plain clients refuse, and an editor's few parts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, LanguageClient, register_lsp_features

from support.lsp_client import PATIENCE
from support.served_process import COMMAND, EVENTS, Place


class StockClient(LanguageClient):
    """`rich`: it names an event token and has a progress handler of its own; else the stock one."""

    def __init__(self, *, rich: bool) -> None:
        super().__init__(converter_factory=default_converter)
        self.rich = rich
        self.faults: list[Exception] = []
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.asked: asyncio.Queue[tuple[types.ShowMessageRequestParams, asyncio.Future[Any]]]
        self.asked = asyncio.Queue()
        self.events: list[dict[str, Any]] = []
        self._heard = asyncio.Event()
        register_lsp_features(self, DEFAULT_CLIENT_FEATURES | self._own_features())

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        self.faults.append(error)

    # Its parts

    def _own_features(self) -> dict[str, Any]:
        async def ask(client: StockClient, params: types.ShowMessageRequestParams) -> Any:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            client.asked.put_nowait((params, answer))
            return await answer

        def edit(client: StockClient, params: types.ApplyWorkspaceEditParams) -> Any:
            return client._apply(params)

        def progress(client: StockClient, params: types.ProgressParams) -> None:
            if client.rich and params.token == EVENTS:
                client.events.append(params.value)
            else:
                DEFAULT_CLIENT_FEATURES[types.PROGRESS](client, params)
            client._heard.set()

        return {
            types.WINDOW_SHOW_MESSAGE_REQUEST: ask,
            types.WORKSPACE_APPLY_EDIT: edit,
            types.PROGRESS: progress,
        }

    def _apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        (document,) = params.edit.document_changes or ()
        assert isinstance(document, types.TextDocumentEdit)
        uri = document.text_document.uri
        if document.text_document.version != self.versions[uri]:
            return types.ApplyWorkspaceEditResult(applied=False, failure_reason="stale")
        (edit,) = document.edits
        assert isinstance(edit, types.TextEdit)
        lines = self.texts[uri].splitlines(keepends=True)
        start, end = edit.range.start, edit.range.end
        before = "".join(lines[: start.line]) + lines[start.line][: start.character]
        after = lines[end.line][end.character :] + "".join(lines[end.line + 1 :])
        self.change(uri, before + edit.new_text + after)
        return types.ApplyWorkspaceEditResult(applied=True)

    # What its user does

    def open(self, path: Path, text: str | None = None) -> str:
        uri = path.as_uri()
        self.texts[uri] = path.read_text() if text is None else text
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, "plaintext", 1, self.texts[uri])
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def command(self, name: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(f"steersman.{name}", list(arguments))
        return await self.workspace_execute_command_async(params)

    async def refusal(self, name: str, *arguments: Any) -> JsonRpcException:
        try:
            answer = await self.command(name, *arguments)
        except JsonRpcException as error:
            return error
        raise AssertionError(f"{name} was not refused: {answer}")

    async def question(self) -> tuple[types.ShowMessageRequestParams, "asyncio.Future[Any]"]:
        async with asyncio.timeout(PATIENCE):
            return await self.asked.get()

    async def choose(self, title: str) -> None:
        _, answer = await self.question()
        answer.set_result(types.MessageActionItem(title))

    # What it hears

    async def end_of(self, token: str) -> str:
        """The message of the end of a work-done progress, when all that is sent with it has come."""
        async with asyncio.timeout(2 * PATIENCE):
            while not any(
                isinstance(value, types.WorkDoneProgressEnd) for value in self.progress_reports.get(token, [])
            ):
                self._heard.clear()
                await self._heard.wait()
        await self.command("status")  # its answer comes after them
        return self.progress_reports[token][-1].message  # type: ignore[attr-defined]

    async def event(self, kind: str, contains: str = "") -> dict[str, Any]:
        """The data of the first event of a type whose text contains something."""
        async with asyncio.timeout(2 * PATIENCE):
            while True:
                for event in self.events:
                    if event["type"] == kind and contains in str(event["data"]):
                        return event["data"]
                self._heard.clear()
                await self._heard.wait()


@asynccontextmanager
async def stock_client(place: Place, *, rich: bool) -> AsyncIterator[StockClient]:
    """An initialised client of a server process, which is shut down in order at the end."""
    client = StockClient(rich=rich)
    await client.start_io(*COMMAND, env=place.environment(), cwd=str(place.root))
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=True,
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            execute_command=types.ExecuteCommandClientCapabilities(),
        ),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
    )
    options = {"steersman": {"version": "1", "eventToken": EVENTS}} if rich else None
    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                initialization_options=options,
                workspace_folders=[types.WorkspaceFolder(place.root.as_uri(), "ws")],
            )
        )
        yield client
        await client.shutdown_session()
        assert client._server is not None and client._server.returncode == 0
        assert client.faults == []
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()
