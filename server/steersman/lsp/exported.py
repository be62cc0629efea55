"""Shows the user an exported transcript by `window/showDocument`, or says its path if the client can't show it."""

from steersman.lsp.background import Background
from steersman.lsp.client import Client
from steersman.lsp.errors import ClientGone
from steersman.lsp.messages import MessageType, tell
from steersman.lsp.rpc import RpcServer
from steersman.lsp.showing import Viewer
from steersman.session.exports import Export


class ExportViewer:
    def __init__(self, server: RpcServer, client: Client, viewer: Viewer) -> None:
        self._server, self._client, self._viewer = server, client, viewer
        self._showing = Background()

    def on_end(self, export: Export) -> None:
        """Reports the end of an export. A file whose path the user chose is not opened: they know where it is."""
        if export.failed is not None:
            self._tell(MessageType.ERROR, f"The session was not exported: {export.failed}")
        elif export.chosen or not self._client.show_document:
            self._tell_path(export)
        else:
            self._showing.begin(self._show(export))

    async def close(self) -> None:
        """Stops waiting for answers of the client."""
        await self._showing.close()

    async def _show(self, export: Export) -> None:
        """HTML is shown in a browser, Markdown in the editor."""
        try:
            shown = await self._viewer.show(export.path.as_uri(), external=export.format == "html")
        except ClientGone:
            return
        if shown != "yes":
            self._tell_path(export)

    def _tell_path(self, export: Export) -> None:
        self._tell(MessageType.INFO, f"The session was exported to {export.path}")

    def _tell(self, kind: MessageType, message: str) -> None:
        """Not for a client with an event token, which gets `export_end`."""
        if self._client.features.event_token is None:
            tell(self._server, kind, message)
