"""The documents that the client has open: their text, version and language.

Reads the client's notifications as plain JSON. Knows no files, no sessions and no transport.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from steersman.lsp.errors import InvalidParams
from steersman.lsp.plain import array, as_record, optional_integer, record, string
from steersman.lsp.ranges import read_range
from steersman.lsp.wire import JsonValue
from steersman.workspace.positions import ContentChange, PositionEncoding, apply_changes

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Document:
    """One document. It is changed in place.

    `text` is None while the document is out of sync: a change could not be applied, or came for a document that was
    never opened. Then the text is unknown until the client sends it whole. `version` is the client's, and None if it
    sends none.
    """

    uri: str
    language_id: str
    version: int | None
    text: str | None


class DocumentListener(Protocol):
    """Is called after each change of a document, in order. Must not block."""

    def on_open(self, uri: str) -> None: ...

    def on_change(self, uri: str) -> None:
        """Called after every content change, even if several came in one notification, so that the text between them
        is seen. Also called when a document gets out of sync.
        """

    def on_save(self, uri: str) -> None: ...

    def on_close(self, uri: str) -> None: ...


class Documents:
    """The open documents, by URI exactly as the client spells it.

    `encoding` is the position encoding, which is negotiated at initialize.
    """

    def __init__(self) -> None:
        self.listeners: list[DocumentListener] = []
        """Called in this order. If one fails, that is logged and the next is called."""
        self.encoding: PositionEncoding = "utf-16"
        self._open: dict[str, Document] = {}

    def get(self, uri: str) -> Document | None:
        """The document, or None if the client doesn't have it open."""
        return self._open.get(uri)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def __len__(self) -> int:
        return len(self._open)

    # Notifications of the client. Each raises InvalidParams if it doesn't name a document.

    def did_open(self, params: JsonValue) -> None:
        """textDocument/didOpen. A document that is already open is replaced."""
        item = record(as_record(params, "params"), "textDocument")
        uri = string(item, "uri")
        language_id = item.get("languageId")
        document = Document(uri, language_id if isinstance(language_id, str) else "", None, None)
        if uri in self._open:
            logger.warning("didOpen for a document that is open already: %s", uri)
        self._open[uri] = document
        try:
            document.version = optional_integer(item, "version")
            document.text = string(item, "text")
        except InvalidParams as error:
            logger.error("didOpen of %s: %s Its text is unknown until it is opened again.", uri, error)
        self._tell(lambda listener: listener.on_open(uri))

    def did_change(self, params: JsonValue) -> None:
        """textDocument/didChange. A document that is out of sync stays so until its whole text comes."""
        envelope = as_record(params, "params")
        item = record(envelope, "textDocument")
        uri = string(item, "uri")
        document = self._open.get(uri)
        if document is None:
            logger.error("didChange for a document that was never opened; its text is unknown: %s", uri)
            document = self._open[uri] = Document(uri, "", None, None)
        try:
            document.version = optional_integer(item, "version")
            changes = [_content_change(change) for change in array(envelope, "contentChanges")]
        except InvalidParams as error:
            logger.error("didChange of %s: %s Its text is unknown until it is sent whole.", uri, error)
            document.text = None
            self._tell(lambda listener: listener.on_change(uri))
            return
        for change in changes:
            if change.range is None:
                document.text = change.text
            elif document.text is not None:
                document.text = apply_changes(document.text, (change,), self.encoding)
            self._tell(lambda listener: listener.on_change(uri))

    def did_save(self, params: JsonValue) -> None:
        """textDocument/didSave."""
        uri = string(record(as_record(params, "params"), "textDocument"), "uri")
        self._tell(lambda listener: listener.on_save(uri))

    def did_close(self, params: JsonValue) -> None:
        """textDocument/didClose. For a document that is not open nothing happens."""
        uri = string(record(as_record(params, "params"), "textDocument"), "uri")
        if self._open.pop(uri, None) is not None:
            self._tell(lambda listener: listener.on_close(uri))

    def _tell(self, tell: Callable[[DocumentListener], None]) -> None:
        for listener in self.listeners:
            try:
                tell(listener)
            except Exception:
                logger.exception("A listener of document changes failed.")


def _content_change(value: JsonValue) -> ContentChange:
    change = as_record(value, "contentChanges")
    text = string(change, "text")
    if change.get("range") is None:
        return ContentChange(text)
    return ContentChange(text, read_range(change, "range"))
