"""What editors do when they are asked to save by `steersman/save`."""

import asyncio
from collections.abc import Callable
from typing import Any

from support.editor_client import EditorClient
from support.lsp_client import NO_ANSWER, AnsweredWithError

REQUEST = "steersman/save"
Saving = Callable[[EditorClient, list[str]], Any]


def saving(editor: EditorClient, behaviour: Saving) -> list[list[str]]:
    """Has the editor answer the server's requests to save; returns the list that what is asked for is put into."""
    asked: list[list[str]] = []

    def answer(params: dict[str, Any]) -> Any:
        asked.append(params["uris"])
        return behaviour(editor, params["uris"])

    editor.client.on_request(REQUEST, answer)
    return asked


def saves(editor: EditorClient, uris: list[str]) -> Any:
    for uri in uris:
        editor.save(uri)
    return {"saved": uris}


def saves_without_a_word(editor: EditorClient, uris: list[str]) -> Any:
    """It writes, and sends no didSave."""
    for uri in uris:
        editor.write(uri)
    return {"saved": uris}


def saves_late(editor: EditorClient, uris: list[str]) -> Any:
    """It answers before it has saved."""
    for uri in uris:
        asyncio.get_running_loop().call_soon(editor.save, uri)
    return {"saved": uris}


def formats(old: str, new: str) -> Saving:
    """A formatter runs before each save."""

    def behaviour(editor: EditorClient, uris: list[str]) -> Any:
        for uri in uris:
            editor.replace(uri, old, new)
        return saves(editor, uris)

    return behaviour


def saves_some(wanted: Callable[[str], bool]) -> Saving:
    return lambda editor, uris: saves(editor, [uri for uri in uris if wanted(uri)])


def claims(editor: EditorClient, uris: list[str]) -> Any:
    """It says so, and does nothing."""
    return {"saved": uris}


def fails(editor: EditorClient, uris: list[str]) -> Any:
    raise AnsweredWithError({"code": -32603, "message": "read-only"})


def is_silent(editor: EditorClient, uris: list[str]) -> Any:
    return NO_ANSWER


def says(answer: Any) -> Saving:
    return lambda editor, uris: answer
