"""An editor with documents that the server is not attached to: it tells of them by `steersman/openDocuments`."""

from pathlib import Path
from typing import Any

from support.editor_client import EditorBuffer, EditorClient
from support.lsp_client import LspClient

REQUEST = "steersman/openDocuments"
CHANGED = "steersman/openDocumentsChanged"


class ApartEditor(EditorClient):
    """`open` attaches nothing. What it does to a document shows only in the list, and in its text when that is asked
    for."""

    def __init__(self, client: LspClient, **options: Any) -> None:
        super().__init__(client, **options)
        self.attached: set[str] = set()
        self.tells = True
        """Whether it sends its list when that has changed."""
        self.answers: list[Any] = []
        """What the next questions are answered with, in place of the truth."""
        self.questions: list[list[str]] = []
        """The URIs of each question."""
        self.saved: dict[str, str | None] = {}
        client.on_request(REQUEST, self._answer)

    def open(self, path: Path, text: str | None = None, *, uri: str | None = None, version: int = 1) -> str:
        on_disk = _read(path) if path.exists() else None
        uri = uri or path.as_uri()
        shown = text if text is not None else on_disk or ""
        self.buffers[uri] = EditorBuffer(uri, path, shown, version)
        self.saved[uri] = on_disk
        self.announce()
        return uri

    def attach(self, uri: str) -> None:
        """The server hears of the document from now on."""
        buffer = self.buffers[uri]
        self.attached.add(uri)
        item = {"uri": uri, "languageId": "plain", "version": self._version(uri), "text": buffer.text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def tell(self, uri: str, changes: list[dict[str, Any]]) -> None:
        if uri in self.attached:
            super().tell(uri, changes)
        self.announce()

    def reload(self, uri: str) -> None:
        self.saved[uri] = _read(self.buffers[uri].path)
        super().reload(uri)

    def write(self, uri: str) -> None:
        super().write(uri)
        self.saved[uri] = self.buffers[uri].text

    def save(self, uri: str) -> None:
        self.write(uri)
        if uri in self.attached:
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        self.announce()

    def close(self, uri: str) -> None:
        if uri in self.attached:
            self.attached.remove(uri)
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        del self.buffers[uri]
        self.announce()

    def dirty(self, uri: str) -> bool:
        return self.buffers[uri].text != self.saved[uri]

    def listed(self) -> list[dict[str, Any]]:
        return [{"uri": uri, "dirty": self.dirty(uri)} for uri in self.buffers]

    def announce(self) -> None:
        if self.tells:
            self.client.notify(CHANGED, {"documents": self.listed()})

    def shown(self, uris: list[str]) -> dict[str, Any]:
        """The true answer."""
        documents = self.listed()
        for document in documents:
            uri = document["uri"]
            document["version"] = self._version(uri)
            if uri in uris:
                document["text"] = self.buffers[uri].text
        return {"documents": [each for each in documents if not uris or each["uri"] in uris]}

    def _answer(self, params: dict[str, Any]) -> Any:
        uris = params.get("uris", [])
        self.questions.append(uris)
        answer = self.answers.pop(0) if self.answers else self.shown(uris)
        return answer(self, uris) if callable(answer) else answer


def _read(path: Path) -> str:
    with path.open(newline="", encoding="utf-8") as file:
        return file.read()
