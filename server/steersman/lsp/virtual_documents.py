"""Virtual documents: documents that are not files. The client asks the server for their text (LSP 3.18).

Only for clients with the capability `workspace.textDocumentContent`. Knows nothing of their content.
"""

from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from steersman.lsp.client import Client
from steersman.lsp.errors import CommandError, ErrorCode
from steersman.lsp.plain import as_record, string
from steersman.lsp.refreshes import Refreshes
from steersman.lsp.wire import JsonObject, JsonValue

SCHEME: Final = "steersman"
METHOD: Final = "workspace/textDocumentContent"
REFRESH: Final = "workspace/textDocumentContent/refresh"

TextOf = Callable[[str], Awaitable[str | None]]
"""The text of a document, by its path below the folder; None if there is no such document."""


class VirtualDocuments:
    """One connection's. A document is recognised by its path, however the client escapes the URI."""

    def __init__(self, client: Client, refreshes: Refreshes) -> None:
        self._client, self._refreshes = client, refreshes
        self._folders: dict[str, TextOf] = {}

    @property
    def supported(self) -> bool:
        """Whether the client can be told to show a virtual document."""
        return self._client.text_document_content and self._client.show_document

    def serve(self, folder: str, text_of: TextOf) -> None:
        """Registers who knows the documents of a folder."""
        self._folders[folder] = text_of

    async def content(self, params: JsonValue) -> JsonObject:
        """`workspace/textDocumentContent`.

        Raises:
            InvalidParams: the params don't name a document.
            CommandError: there is no such document.
        """
        uri = string(as_record(params, "params"), "uri")
        folder, _, rest = (path_in(uri) or "").partition("/")
        text_of = self._folders.get(folder)
        text = None if text_of is None else await text_of(rest)
        if text is None:
            raise CommandError(ErrorCode.REQUEST_FAILED, f"There is no document {uri:.200}.")
        return {"text": text}

    def changed(self, uri: str) -> None:
        """Makes the client ask for the text again."""
        if self._client.text_document_content:
            self._refreshes.ask(REFRESH, {"uri": uri})


def uri_of(path: str) -> str:
    """The URI of a virtual document. `path`: its folder and its name there."""
    return f"{SCHEME}:/{quote(path)}"


def path_in(uri: str) -> str | None:
    """The folder and name of a virtual document; None for any other URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    return unquote(parts.path).lstrip("/") if parts.scheme.lower() == SCHEME else None
