"""The open documents of a small editor: their text, their versions, and edits of them by position (LSP 3.17).

Positions count lines from 0 and UTF-16 code units in a line, which is what every client and server can do.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steersman.cli.demo.client import Json

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class Document:
    path: Path
    text: str
    saved: str
    """What is on the disk, as far as this editor knows."""
    version: int = 1

    @property
    def uri(self) -> str:
        return self.path.as_uri()


class Documents:
    """Tells the server of everything that happens to a document, in order."""

    def __init__(self, notify: Callable[[str, Any], None]) -> None:
        self._notify = notify
        self._by_uri: dict[str, Document] = {}

    def open(self, path: Path, language: str) -> Document:
        """Opens a file.

        Raises:
            OSError, UnicodeDecodeError: it can't be read as text.
        """
        text = path.read_bytes().decode("utf-8")  # bytes, since the line ends are the document's own
        document = self._by_uri[path.as_uri()] = Document(path, text, text)
        item = {"uri": document.uri, "languageId": language, "version": document.version, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": item})
        return document

    def insert(self, document: Document, offset: int, text: str) -> None:
        """As if the user typed `text`; nothing is saved."""
        place = position_at(document.text, offset)
        self._change(document, [{"range": {"start": place, "end": place}, "newText": text}])

    def save(self, document: Document) -> None:
        """Raises:
        OSError: it can't be written.
        """
        document.path.write_bytes(document.text.encode("utf-8"))
        document.saved = document.text
        self._notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})

    def apply(self, edit: Json) -> list[Document]:
        """Makes the changes of a `WorkspaceEdit` with `documentChanges`, all or none. Returns the documents.

        Raises:
            LookupError: a document is not open, or not in the version that the edit is for.
        """
        changes = []
        for change in edit["documentChanges"]:
            wanted = change["textDocument"]
            document = self._by_uri.get(wanted["uri"])
            if document is None:
                raise LookupError(f"{wanted['uri']} is not open")
            if wanted.get("version") not in (None, document.version):
                raise LookupError(f"the document is at version {document.version}")
            changes.append((document, change["edits"]))
        for document, edits in changes:
            self._change(document, edits)
        return [document for document, _ in changes]

    def _change(self, document: Document, edits: list[Json]) -> None:
        """Makes edits whose ranges are all in the text as it is now: so from its end to its start."""
        events = []
        for edit in sorted(edits, key=_start, reverse=True):
            start = offset_at(document.text, edit["range"]["start"])
            end = offset_at(document.text, edit["range"]["end"])
            document.text = document.text[:start] + edit["newText"] + document.text[end:]
            events.append({"range": edit["range"], "text": edit["newText"]})
        document.version += 1
        versioned = {"uri": document.uri, "version": document.version}
        self._notify("textDocument/didChange", {"textDocument": versioned, "contentChanges": events})


def offset_at(text: str, position: Json) -> int:
    """The offset in characters; a position beyond the end of its line is that end."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    if position["line"] >= len(starts):
        return len(text)
    start = starts[position["line"]]
    line = _LINE_END.split(text[start:], maxsplit=1)[0]
    before = line.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le", "ignore")
    return start + len(before)


def position_at(text: str, offset: int) -> Json:
    """The position of an offset in characters."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text, 0, offset))]
    units = len(text[starts[-1] : offset].encode("utf-16-le")) // 2
    return {"line": len(starts) - 1, "character": units}


def _start(edit: Json) -> tuple[int, int]:
    start = edit["range"]["start"]
    return start["line"], start["character"]
