"""The floor's questions: `window/showMessageRequest`, which every client has.

One question at a time: some clients replace an open one, and never answer it. The first choice is harmless, since
pickers and number prompts take it by accident. Exact titles count; whatever else comes back is a no.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

from steersman.lsp.client import Client
from steersman.lsp.errors import ClientRequestError, ErrorCode, RpcError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Answer, Decision, Question
from steersman.session.limits import Limits

log = logging.getLogger(__name__)

SHOW_DIFF, SHOW_COMMAND = "Show diff", "Show command"
TITLES: dict[Decision, str] = {
    "accept": "Accept",
    "acceptForRun": "Accept all in this run",
    "decline": "Decline",
    "cancel": "Stop",
}
_TRUST_TITLES: dict[Decision, str] = {"decline": "Don't trust", "accept": "Trust"}
_MESSAGE = 500
"""Characters of a command that stand in the question itself."""


class DiffDocuments:
    """The documents in which a question's diff or command is shown: files in a private folder, gone with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shown: dict[str, str] = {}
        self._closed: dict[str, asyncio.Event] = {}
        self._opened: dict[str, asyncio.Event] = {}

    def write(self, question: Question) -> str:
        """Makes the document and returns its URI.

        Raises:
            OSError: it can't be written.
        """
        suffix = "sh" if question.command is not None else "diff"
        name = f"{hashlib.sha256(question.id.encode()).hexdigest()[:12]}.{suffix}"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._folder / name
        path.touch(mode=0o600)
        path.write_text(_document(question), "utf-8", newline="")
        uri = path.as_uri()
        self._shown[uri] = question.id
        self._opened[uri], self._closed[uri] = asyncio.Event(), asyncio.Event()
        return uri

    def question_in(self, uri: str) -> str | None:
        """The question that this document shows."""
        return self._shown.get(uri)

    def on_open(self, uri: str) -> None:
        if uri in self._opened:
            self._opened[uri].set()

    def on_close(self, uri: str) -> None:
        if uri in self._closed:
            self._closed[uri].set()

    async def until_closed(self, uri: str, patience: float) -> None:
        """Returns when the document was closed; after `patience` seconds if the client never told us of it."""
        try:
            await asyncio.wait_for(self._opened[uri].wait(), patience)
        except TimeoutError:
            return
        await self._closed[uri].wait()

    def remove(self, uri: str) -> None:
        self._shown.pop(uri, None)
        self._opened.pop(uri, None)
        self._closed.pop(uri, None)
        (self._folder / uri.rsplit("/", 1)[-1]).unlink(missing_ok=True)


class FloorApprover:
    """Implements `session.approvals.Approver`."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        diffs: DiffDocuments,
        limits: Limits,
        ready: Callable[[], bool],
    ) -> None:
        """`ready()`: the client is there and may be asked."""
        self._server, self._client, self._diffs, self._limits = server, client, diffs, limits
        self._ready = ready
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Answer | None:
        if not self._ready():
            return None
        document: str | None = None
        try:
            async with self._turn:
                while True:
                    title = await self._choose(question)
                    if title not in (SHOW_DIFF, SHOW_COMMAND):
                        return _answer(question, title)
                    document = document or self._diffs.write(question)
                    await self._show(document)
        except RpcError as error:
            log.warning("the client can't be asked: %s", error)
            return None if error.code == ErrorCode.METHOD_NOT_FOUND else Answer("decline")
        except ClientRequestError:
            return None
        finally:
            if document is not None:
                self._diffs.remove(document)

    async def _choose(self, question: Question) -> str | None:
        """The title that was chosen, if one was."""
        titles = titles_of(question)
        params = {
            "type": 3,
            "message": _message(question),
            "actions": [{"title": title} for title in titles],
        }
        result = await self._server.request("window/showMessageRequest", params, timeout=None)
        title = _title(result)
        return title if title in titles else None

    async def _show(self, uri: str) -> None:
        """Opens the document, and returns when the question is to be asked again: when it was closed."""
        if not self._client.show_document:
            self._tell_where(uri)
            return
        params = {"uri": uri, "takeFocus": True}
        try:
            result = await self._server.request(
                "window/showDocument", params, timeout=self._limits.show_document
            )
            if not (isinstance(result, dict) and result.get("success") is False):
                await self._diffs.until_closed(uri, self._limits.show_document)
                return
        except ClientRequestError as error:
            log.info("the diff could not be shown: %s", error)
        self._tell_where(uri)

    def _tell_where(self, uri: str) -> None:
        self._server.notify("window/showMessage", {"type": 3, "message": f"The proposal is in {uri}"})


def titles_of(question: Question) -> list[str]:
    """What can be chosen, in order; the first changes nothing."""
    if question.kind == "trust":
        return list(_TRUST_TITLES.values())
    first = SHOW_COMMAND if question.command is not None else SHOW_DIFF
    shown = [first] if question.changes or question.command is not None else []
    titles = shown + [title for decision, title in TITLES.items() if decision in question.decisions]
    return titles if shown else [*titles[1:], titles[0]]


def _answer(question: Question, title: str | None) -> Answer:
    table = _TRUST_TITLES if question.kind == "trust" else TITLES
    return Answer(next((decision for decision, known in table.items() if known == title), "decline"))


def _title(result: JsonValue) -> str | None:
    """Some clients answer with the item, some with its title only."""
    if isinstance(result, dict):
        result = result.get("title")
    return result if isinstance(result, str) else None


def _message(question: Question) -> str:
    text = f"Steersman: {question.title}"
    if question.command is not None and "\n" in question.command:
        shown = question.command[:_MESSAGE]
        text = f"{text}\n{shown}{'…' if len(question.command) > _MESSAGE else ''}"
    return f"{text}\n{question.reason}"


def _document(question: Question) -> str:
    if question.command is not None:
        return f"# {question.title}\n# in {question.cwd}\n{question.command}\n"
    parts = [view.diff or f"{view.kind} {view.display}\n" for view in question.changes]
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts)
