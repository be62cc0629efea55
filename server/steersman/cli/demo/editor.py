"""A small editor that knows Steersman: it starts runs, sees their events, answers questions and applies edits.

Everything that a client has to do is here and in `client` and `documents`; nothing of the server is imported.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from steersman.cli.demo.client import PATIENCE, Json, LspClient, ServerGone
from steersman.cli.demo.documents import Document, Documents

EVENT_TOKEN = "demo/events"
_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"synchronization": {"didSave": True}},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True},
        "workspaceFolders": True,
    },
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the server, and the titles of the answers that it takes."""

    message: str
    titles: Sequence[str]
    details: Json | None
    """The data of its `approval_requested`: title, reason, changes with their diffs, command."""


@dataclass(frozen=True, slots=True)
class Handlers:
    """What the user of this editor sees and answers."""

    on_event: Callable[[Json], None]
    on_progress: Callable[[Json], None]
    ask: Callable[[Asked], Awaitable[str | None]]
    """Returns a title; None closes the question."""
    on_saved: Callable[[Document], None]


class Editor:
    """One connection. Use `async with`: the server is ended on every way out."""

    def __init__(self, root: Path, handlers: Handlers) -> None:
        self._root = root
        self.handlers = handlers
        self._client: LspClient | None = None
        self.documents = Documents(self._notify)
        self._questions: dict[str, Json] = {}
        self._ends: dict[str, Json] = {}
        self._asking = 0
        self._news = asyncio.Event()

    async def start(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: IO[bytes]
    ) -> None:
        """Starts the server and introduces this client.

        Raises:
            OSError, ServerGone, ServerError: it does not come up.
        """
        self._client = await LspClient.start(
            command,
            cwd=cwd,
            env=env,
            log=log,
            on_notification=self._on_notification,
            on_request=self._on_request,
        )
        params = {
            "processId": os.getpid(),
            "clientInfo": {"name": "steersman demo"},
            "capabilities": _CAPABILITIES,
            "workspaceFolders": [{"uri": self._root.as_uri(), "name": self._root.name}],
            # Without a token of its own a client sees the runs as work-done progress only.
            "initializationOptions": {"steersman": {"version": "1", "eventToken": EVENT_TOKEN}},
        }
        await self._client.request("initialize", params)
        self._notify("initialized", {})

    async def stop(self) -> None:
        """Ends the server, if there is one."""
        if self._client is not None:
            await self._client.stop()

    async def command(self, name: str, **arguments: object) -> Json:
        """`workspace/executeCommand` with one object. Returns the answer.

        Raises:
            ServerError: it was refused.
            ServerGone: nobody answers.
        """
        if self._client is None:
            raise ServerGone("The language server was not started.")
        params = {"command": f"steersman.{name}", "arguments": [arguments]}
        answer: Json = await self._client.request("workspace/executeCommand", params)
        return answer

    async def end_of(self, run: str) -> Json:
        """Waits for a run. Returns the data of its `agent_end`.

        Raises:
            ServerGone: the server has ended, or was silent for too long with no question open.
        """
        while run not in self._ends:
            if self._client is None or self._client.gone.is_set():
                raise ServerGone("The language server has ended in the middle of the run.")
            self._news.clear()
            try:
                async with asyncio.timeout(None if self._asking else PATIENCE):
                    await self._news.wait()
            except TimeoutError:
                raise ServerGone(f"Nothing was heard of the run for {PATIENCE:g} s.") from None
        return self._ends[run]

    def _notify(self, method: str, params: object) -> None:
        if self._client is not None:
            self._client.notify(method, params)

    # What the server tells

    def _on_notification(self, method: str, params: Json) -> None:
        self._news.set()
        if method != "$/progress":
            return
        value = params["value"]
        if params["token"] == EVENT_TOKEN:
            self._on_event(value)
        else:
            self.handlers.on_progress(value)

    def _on_event(self, event: Json) -> None:
        data = event["data"]
        if event["type"] == "approval_requested":
            self._questions[data["id"]] = data
        elif event["type"] == "approval_resolved":
            self._questions.pop(data["id"], None)
        self.handlers.on_event(event)
        if event["type"] == "agent_end":
            self._ends[event["run"]] = data

    # What the server asks for

    async def _on_request(self, method: str, params: Json) -> Any:
        match method:
            case "window/workDoneProgress/create":
                return None
            case "window/showMessageRequest":
                return await self._ask(params)
            case "workspace/applyEdit":
                return self._apply(params["edit"])
        raise NotImplementedError(method)

    async def _ask(self, params: Json) -> Json | None:
        """Asks the user. The message has only words; the event before it has the diff."""
        details = next(reversed(self._questions.values()), None)
        asked = Asked(params["message"], [action["title"] for action in params["actions"]], details)
        self._asking += 1
        self._news.set()
        try:
            title = await self.handlers.ask(asked)
        finally:
            self._asking -= 1
            self._news.set()
        return None if title is None else {"title": title}

    def _apply(self, edit: Json) -> Json:
        """Applies an edit and saves, like an editor with auto-save, so that commands see the edit."""
        try:
            changed = self.documents.apply(edit)
        except LookupError as error:
            return {"applied": False, "failureReason": str(error)}
        for document in changed:
            self.documents.save(document)
            self.handlers.on_saved(document)
        return {"applied": True}
