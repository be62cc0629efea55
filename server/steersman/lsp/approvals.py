"""The floor's questions: `window/showMessageRequest`, which every client has.

One question at a time: some clients replace an open one, and never answer it. The first choice is harmless, since
pickers take it by accident. Exact titles count; whatever else comes back is a no. Where any choice may be an accident
(`Quirks.number_prompt`), none decides anything: the question is shown, and answered by a code action.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from pathlib import Path

from steersman.agent.clock import Clock
from steersman.lsp.client import Client
from steersman.lsp.diffs import DiffDocuments
from steersman.lsp.errors import ClientGone, ClientRequestError, ErrorCode, RpcError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Answer, Decision, Question
from steersman.session.limits import Limits
from steersman.workspace.roots import printable

log = logging.getLogger(__name__)

SHOW_DIFF, SHOW_COMMAND, SHOW_ARGUMENTS = "Show diff", "Show command", "Show arguments"
SHOW_QUESTION, LATER = "Show question", "Answer later"
_SHOWING = (SHOW_DIFF, SHOW_COMMAND, SHOW_ARGUMENTS, SHOW_QUESTION)
TITLES: dict[Decision, str] = {
    "accept": "Accept",
    "acceptForRun": "Accept all in this run",
    "decline": "Decline",
    "cancel": "Stop",
}
_TRUST_TITLES: dict[Decision, str] = {"decline": "Don't trust", "accept": "Trust"}
_HARMLESS_FIRST: tuple[Decision, ...] = ("decline", "cancel", "accept", "acceptForRun")
MAX_COMMAND = 500
"""Characters of a command, or of a tool's arguments, that stand in the question itself."""
MAX_SHOWN_IN_VAIN = 3
"""Times that a question is put again at once though nobody is known to have seen its document."""

_INFO = 3  # MessageType of LSP 3.17


class FloorApprover:
    """Implements `session.approvals.Approver`."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        diffs: DiffDocuments,
        limits: Limits,
        clock: Clock,
        *,
        turn: asyncio.Lock,
        ready: Callable[[], bool],
    ) -> None:
        """`turn`: who holds it may put a question on the client's screen. `ready()`: the client is there and may be
        asked."""
        self._server, self._client, self._diffs = server, client, diffs
        self._limits, self._clock, self._turn, self._ready = limits, clock, turn, ready

    async def ask(self, question: Question) -> Answer | None:
        if not self._ready():
            return None
        shown: list[Path] = []
        try:
            async with self._turn:
                return await self._ask(question, shown)
        except ClientGone:
            await until_withdrawn()
            return None
        except RpcError as error:
            log.warning("the client can't be asked: %s", error)
            return None if error.code == ErrorCode.METHOD_NOT_FOUND else Answer("decline")
        finally:
            for path in shown:
                self._diffs.remove(path)

    async def _ask(self, question: Question, shown: list[Path]) -> Answer:
        """Asks until there is an answer; the documents that it makes are in `shown`."""
        in_vain = 0
        while True:
            title = await self._choose(question)
            if title not in _SHOWING:
                if not self._client.quirks.number_prompt:
                    return _answer(question, title)
                self._tell_that_it_waits()
                await self._until_seen(shown[0] if shown else None)
                continue
            path = self._document(question, shown)
            if path is None or not await self._show(path):
                in_vain += 1
            if in_vain >= MAX_SHOWN_IN_VAIN:  # whoever chooses it each time may not be a person
                self._tell_that_it_waits()
                await self._until_seen(path)
                in_vain = 0

    def _document(self, question: Question, shown: list[Path]) -> Path | None:
        if not shown:
            try:
                shown.append(self._diffs.write(question))
            except OSError as error:
                self._tell(f"The proposal can't be shown: {error}")
        return shown[0] if shown else None

    async def _until_seen(self, path: Path | None) -> None:
        if path is None:
            await asyncio.get_running_loop().create_future()
        else:
            await self._diffs.until_opened(path, None)
            await self._diffs.until_closed(path)

    async def _choose(self, question: Question) -> str | None:
        """The title that was chosen, if one was."""
        titles = harmless(question) if self._client.quirks.number_prompt else titles_of(question)
        params = {
            "type": _INFO,
            "message": _message(question),
            "actions": [{"title": title} for title in titles],
        }
        result = await self._server.request("window/showMessageRequest", params, timeout=None)
        if isinstance(result, dict):  # some clients answer with the item, some with its title only
            result = result.get("title")
        return result if isinstance(result, str) and result in titles else None

    async def _show(self, path: Path) -> bool:
        """Opens the document, and returns when it is closed: then the question is put again. False: at once, since
        it isn't known to be open."""
        if not self._client.show_document or not await self._has_shown(path):
            self._tell(f"The proposal is in {path}")
            return False
        await self._diffs.until_closed(path)
        return True

    async def _has_shown(self, path: Path) -> bool:
        params = {"uri": path.as_uri(), "takeFocus": True}
        request = self._server.request("window/showDocument", params, timeout=None)
        patience = self._limits.show_document
        try:
            result: JsonValue = await answered_within(self._clock, patience, request)
        except ClientGone:
            raise
        except ClientRequestError as error:
            log.info("the client did not say that it has shown the diff: %s", error)
            return self._diffs.is_open(path)  # some never answer
        if isinstance(result, dict) and result.get("success") is False:
            return False
        return await self._diffs.until_opened(path, patience)

    def _tell_that_it_waits(self) -> None:
        self._tell("The question waits: answer it by a code action or the command steersman.approve.")

    def _tell(self, message: str) -> None:
        self._server.notify("window/showMessage", {"type": _INFO, "message": f"Steersman: {message}"})


async def until_withdrawn() -> None:
    """For a client that is gone: the server is about to stop, and withdraws the question. Nobody has said no."""
    await asyncio.get_running_loop().create_future()


def titles_of(question: Question) -> list[str]:
    """What can be chosen, in order; the first changes nothing."""
    if question.kind == "trust":
        return list(_TRUST_TITLES.values())
    if (first := _show_title(question)) is not None:
        return [first, *(TITLES[decision] for decision in TITLES if decision in question.decisions)]
    return [TITLES[decision] for decision in _HARMLESS_FIRST if decision in question.decisions]


def harmless(question: Question) -> list[str]:
    """What can be chosen where a choice may be an accident."""
    return [_show_title(question) or SHOW_QUESTION, LATER]


def _show_title(question: Question) -> str | None:
    """The choice that shows the whole of what is asked about, if there is more than the question says."""
    if question.command is not None:
        return SHOW_COMMAND
    if question.tool is not None:
        return SHOW_ARGUMENTS
    return SHOW_DIFF if question.changes else None


def _answer(question: Question, title: str | None) -> Answer:
    table = _TRUST_TITLES if question.kind == "trust" else TITLES
    return Answer(next((decision for decision, known in table.items() if known == title), "decline"))


def _message(question: Question) -> str:
    parts = [f"Steersman: {question.title}"]
    work = question.command
    if question.tool is not None:
        work = json.dumps(question.tool.arguments, ensure_ascii=False)
    if work is not None and work not in question.title:  # nobody accepts what they have not seen
        left_out = len(work) - MAX_COMMAND
        more = f"… ({left_out} more characters: {_show_title(question)})" if left_out > 0 else ""
        parts.append(visible(work[:MAX_COMMAND]) + more)
    return "\n".join([*parts, question.reason])


def visible(text: str) -> str:
    """Lines as they are, but with what can't be seen, or changes how the rest is seen, escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))
