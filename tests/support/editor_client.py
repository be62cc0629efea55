"""An editor with buffers, versions, a disk and an undo history, which can misbehave as real ones do.

It shares no code with the server: positions and edits are its own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from support.lsp_client import NO_ANSWER, AnsweredWithError, LspClient

UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


@dataclass
class EditorBuffer:
    uri: str
    path: Path
    text: str
    version: int
    undo: list[str] = field(default_factory=list)
    """The texts before each step."""


Behaviour = Callable[["EditorClient", dict[str, Any]], Any]
"""Takes the params of `workspace/applyEdit`, does something, and returns the answer."""


class EditorClient:
    """Drives an initialised `LspClient`. `behaviour` is what it does when it is asked to edit."""

    def __init__(self, client: LspClient, *, encoding: str = "utf-16", versioned: bool = True) -> None:
        """`versioned=False`: it sends null for every version."""
        self.client, self.encoding, self.versioned = client, encoding, versioned
        self.buffers: dict[str, EditorBuffer] = {}
        self.asked: list[dict[str, Any]] = []
        """The params of each applyEdit."""
        self.behaviour: Behaviour = honest
        self.unfit_positions = "strict"
        """What is made of a position within a character: an error, or `ignore`."""
        client.on_request("workspace/applyEdit", self._apply_edit)

    # What its user does.

    def open(
        self,
        path: Path,
        text: str | None = None,
        *,
        uri: str | None = None,
        version: int = 1,
        language: str = "plain",
    ) -> str:
        """Opens a file, with `text` in the buffer if that differs from the disk; returns its URI."""
        if text is None:
            with path.open(newline="", encoding="utf-8") as file:
                text = file.read()
        uri = uri or path.as_uri()
        self.buffers[uri] = EditorBuffer(uri, path, text, version)
        item = {"uri": uri, "languageId": language, "version": self._version(uri), "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def replace(self, uri: str, old: str, new: str) -> None:
        """The user changes one place, and the server hears of it."""
        text = self.buffers[uri].text
        assert text.count(old) == 1, (old, text)
        at = text.index(old)
        change = {"range": self._range(text, at, at + len(old)), "text": new}
        self.step(uri, text.replace(old, new))
        self.tell(uri, [change])

    def set_text(self, uri: str, text: str) -> None:
        """The whole text becomes another: a reload, or an undo."""
        self.step(uri, text)
        self.tell(uri, [{"text": text}])

    def reload(self, uri: str) -> None:
        with self.buffers[uri].path.open(newline="", encoding="utf-8") as file:
            self.set_text(uri, file.read())

    def write(self, uri: str) -> None:
        """It saves, and says nothing of it."""
        buffer = self.buffers[uri]
        with buffer.path.open("w", newline="", encoding="utf-8") as file:
            file.write(buffer.text)

    def save(self, uri: str) -> None:
        self.write(uri)
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        del self.buffers[uri]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # What it is made of.

    def step(self, uri: str, text: str) -> None:
        """One step of the undo history."""
        buffer = self.buffers[uri]
        buffer.undo.append(buffer.text)
        buffer.text = text
        buffer.version += 1

    def tell(self, uri: str, changes: list[dict[str, Any]]) -> None:
        """didChange, with the version that the buffer has by now."""
        document = {"uri": uri, "version": self._version(uri)}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def edits_of(self, params: dict[str, Any]) -> tuple[str, list[dict[str, Any]], int | None]:
        """The one document that is edited: its URI, the edits, the version that is meant."""
        edit = params["edit"]
        if "documentChanges" in edit:
            (document,) = edit["documentChanges"]
            identifier = document["textDocument"]
            return identifier["uri"], document["edits"], identifier["version"]
        ((uri, edits),) = edit["changes"].items()
        return uri, edits, None

    def edited(self, text: str, edits: list[dict[str, Any]], *, lines_off: int = 0) -> str:
        """The text with the edits made, all ranges in the text as it was, `lines_off` lines too low."""
        spans = [
            (self.offset(text, edit["range"]["start"], lines_off), edit)
            for edit in sorted(edits, key=_start, reverse=True)
        ]
        for start, edit in spans:
            end = self.offset(text, edit["range"]["end"], lines_off)
            text = text[:start] + edit["newText"] + text[end:]
        return text

    def offset(self, text: str, position: dict[str, int], lines_off: int = 0) -> int:
        starts = [0, *(match.end() for match in re.finditer("\r\n|\n|\r", text))]
        line = position["line"] + lines_off
        if line >= len(starts):
            return len(text)
        rest = re.match("[^\r\n]*", text[starts[line] :])
        assert rest is not None
        units = rest[0].encode(UNITS[self.encoding])[: position["character"] * WIDTH[self.encoding]]
        # A place that was not meant for this line may lie inside of a character.
        unfit = "ignore" if lines_off else self.unfit_positions
        return starts[line] + len(units.decode(UNITS[self.encoding], unfit))

    def position(self, text: str, offset: int) -> dict[str, int]:
        before = text[:offset]
        starts = [0, *(match.end() for match in re.finditer("\r\n|\n|\r", before))]
        units = len(before[starts[-1] :].encode(UNITS[self.encoding])) // WIDTH[self.encoding]
        return {"line": len(starts) - 1, "character": units}

    def _range(self, text: str, start: int, end: int) -> dict[str, Any]:
        return {"start": self.position(text, start), "end": self.position(text, end)}

    def _version(self, uri: str) -> int | None:
        return self.buffers[uri].version if self.versioned else None

    def _apply_edit(self, params: dict[str, Any]) -> Any:
        self.asked.append(params)
        return self.behaviour(self, params)


def _start(edit: dict[str, Any]) -> tuple[int, int]:
    start = edit["range"]["start"]
    return start["line"], start["character"]


# What editors do when they are asked to edit.


def honest(editor: EditorClient, params: dict[str, Any]) -> Any:
    """Makes the edit if the version is right, tells of it change by change, and says so."""
    uri, edits, version = editor.edits_of(params)
    buffer = editor.buffers.get(uri)
    if buffer is None:
        return {"applied": False, "failureReason": "not open"}
    if version is not None and version != buffer.version:
        return {"applied": False, "failureReason": "the version is stale"}
    editor.step(uri, editor.edited(buffer.text, edits))
    changes = [{"range": e["range"], "text": e["newText"]} for e in sorted(edits, key=_start, reverse=True)]
    editor.tell(uri, changes)
    return {"applied": True}


def late(editor: EditorClient, params: dict[str, Any]) -> Any:
    """Answers first and tells of the change afterwards."""
    uri, edits, _ = editor.edits_of(params)
    editor.step(uri, editor.edited(editor.buffers[uri].text, edits))
    asyncio.get_running_loop().call_soon(editor.tell, uri, [{"text": editor.buffers[uri].text}])
    return {"applied": True}


def bundled(*typed: tuple[str, str], whole: bool = False) -> Behaviour:
    """Makes the edit while its user types, and tells of both at once: in several content changes, or `whole` in one."""

    def behaviour(editor: EditorClient, params: dict[str, Any]) -> Any:
        uri, edits, _ = editor.edits_of(params)
        text = editor.edited(editor.buffers[uri].text, edits)
        changes = [{"text": text}]
        for old, new in typed:
            assert text.count(old) == 1, (old, text)
            text = text.replace(old, new)
            changes.append({"text": text})
        editor.step(uri, text)
        editor.tell(uri, changes[-1:] if whole else changes)
        return {"applied": True}

    return behaviour


def claims(editor: EditorClient, params: dict[str, Any]) -> Any:
    """Says that it made the edit, and did nothing: Neovim, when the version is stale."""
    return {"applied": True}


def misplaces(editor: EditorClient, params: dict[str, Any]) -> Any:
    """Makes the edit one line too low."""
    uri, edits, _ = editor.edits_of(params)
    editor.step(uri, editor.edited(editor.buffers[uri].text, edits, lines_off=1))
    editor.tell(uri, [{"text": editor.buffers[uri].text}])
    return {"applied": True}


def misplaces_once(*typed: tuple[str, str]) -> Behaviour:
    """Makes the edit one line too low while its user types, tells of both at once, and behaves from then on."""

    def behaviour(editor: EditorClient, params: dict[str, Any]) -> Any:
        editor.behaviour = honest
        uri, edits, _ = editor.edits_of(params)
        text = editor.edited(editor.buffers[uri].text, edits, lines_off=1)
        for old, new in typed:
            assert text.count(old) == 1, (old, text)
            text = text.replace(old, new)
        editor.step(uri, text)
        editor.tell(uri, [{"text": text}])
        return {"applied": True}

    return behaviour


def stale(*typed: tuple[str, str], claims_it: bool = False) -> Behaviour:
    """Its user has typed before the edit came, so that it is not made; `claims_it`: and it says that it was. Behaves
    from then on."""

    def behaviour(editor: EditorClient, params: dict[str, Any]) -> Any:
        editor.behaviour = honest
        for old, new in typed:
            editor.replace(editor.edits_of(params)[0], old, new)
        return claims(editor, params) if claims_it else honest(editor, params)

    return behaviour


def refuses(reason: str | None = None) -> Behaviour:
    answer = {"applied": False} if reason is None else {"applied": False, "failureReason": reason}
    return lambda editor, params: answer


def answers_with_an_error(editor: EditorClient, params: dict[str, Any]) -> Any:
    raise AnsweredWithError({"code": -32603, "message": "no such buffer"})


def is_silent(editor: EditorClient, params: dict[str, Any]) -> Any:
    return NO_ANSWER


def says_null(editor: EditorClient, params: dict[str, Any]) -> Any:
    return None


def edits_and(answer: Any) -> Behaviour:
    """Makes the edit and tells of it, whatever it then says."""

    def behaviour(editor: EditorClient, params: dict[str, Any]) -> Any:
        honest(editor, params)
        return answer

    return behaviour


def operation_of(params: dict[str, Any]) -> dict[str, Any]:
    """The one resource operation that is asked for."""
    (operation,) = params["edit"]["documentChanges"]
    return operation


def operates(*, tells: bool = True, typed: str | None = None) -> Behaviour:
    """Deletes or renames the file and, if it `tells`, closes its document and opens the new one; `typed` is what its
    user had put into the buffer just before."""

    def behaviour(editor: EditorClient, params: dict[str, Any]) -> Any:
        operation = operation_of(params)
        uri = operation.get("oldUri") or operation["uri"]
        path = editor.buffers[uri].path
        if typed is not None:
            editor.set_text(uri, typed)
        if operation["kind"] == "delete":
            path.unlink()
            if tells:
                editor.close(uri)
            return {"applied": True}
        target = Path(unquote(urlsplit(operation["newUri"]).path))
        path.rename(target)
        if tells:
            editor.close(uri)
            editor.open(target)
        return {"applied": True}

    return behaviour


def closes(editor: EditorClient, params: dict[str, Any]) -> Any:
    """The user closes the document without saving, while the edit is on its way."""
    editor.close(editor.edits_of(params)[0])
    return {"applied": True}
