"""Questions to clients without a special interface: `window/showMessageRequest`, which nearly every client has.

One question at a time: some clients replace an open question by the next, and never answer it. The first choice is
harmless, since it is easily chosen by accident. Only the exact title of a choice counts; anything else is a no. Where
any choice may be an accident (`Quirks.number_prompt`), choices decide nothing: the question is shown, and answered by a
code action. The same goes for clients that lack the request but have code actions.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from typing import Literal

from steersman.lsp.buffers import Buffers
from steersman.lsp.client import Client, path_of, real_path_of
from steersman.lsp.diffs import DiffDocuments, document_of
from steersman.lsp.errors import ClientGone, ErrorCode, RpcError
from steersman.lsp.messages import MessageType, tell
from steersman.lsp.rpc import RpcServer
from steersman.lsp.showing import Viewer
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
"""Characters of a command, or of a tool's arguments, in the question itself."""
MAX_IN_QUESTION = 2_000
"""Characters of a diff or another document in the question, if the client could not show the document."""
MAX_SHOWN_IN_VAIN = 3
"""How often a question is asked again at once although nobody is known to have seen its document."""

_Seen = Literal["looked at", "on the screen", "unseen"]
"""What is known of a document that was to be shown: it was opened and closed again; the client has asked for its text,
but won't say when it is closed; nothing."""
_WAITS = "The question waits: answer it by a code action, in its diff or its file, or by the command steersman.approve."


class FloorApprover:
    """Implements `session.approvals.Approver`."""

    def __init__(
        self,
        server: RpcServer,
        client: Client,
        diffs: DiffDocuments,
        limits: Limits,
        viewer: Viewer,
        *,
        buffers: Buffers,
        turn: asyncio.Lock,
        ready: Callable[[], bool],
    ) -> None:
        """`turn` is held while a question is on the client's screen. `ready()`: the client may be asked."""
        self._server, self._client = server, client
        self._buffers, self._diffs = buffers, diffs
        self._limits, self._viewer, self._turn, self._ready = limits, viewer, turn, ready

    async def ask(self, question: Question) -> Answer | None:
        if not self._ready():
            return None
        try:
            async with self._turn:
                return await self._ask(question)
        except ClientGone:
            await until_withdrawn()
            return None
        except RpcError as error:
            log.warning("the client can't be asked: %s", error)
            if error.code != ErrorCode.METHOD_NOT_FOUND:
                return Answer("decline")
            if self._client.code_actions:
                await self._say(question)
            return None
        finally:
            self._diffs.remove_of(question.id)

    async def _ask(self, question: Question) -> Answer:
        in_vain = 0
        document: str | None = None
        unseen = False
        while True:
            title = await self._choose(question, document if unseen else None)
            if title not in _SHOWING:
                if not self._client.quirks.number_prompt:
                    return _answer(question, title)
                self._tell_that_it_waits()
                await self._until_seen(document)
                continue
            document = document or self._document(question)
            seen = "unseen" if document is None else await self._show(document)
            unseen = seen == "unseen"
            if unseen and document is not None:
                document = self._named(question, document)
            if seen != "looked at":
                in_vain += 1
            if in_vain >= MAX_SHOWN_IN_VAIN:  # whoever chooses it each time may not be a person
                self._tell_that_it_waits()
                await self._until_seen(document)
                in_vain = 0

    async def _say(self, question: Question) -> None:
        """Says what is asked, and waits for an answer by another way."""
        document = self._document(question, as_file=True) if show_title(question) else None
        parts = [_message(question)] if document is None else [whole(question, document), question.reason]
        self._tell("\n".join([*parts, *self._behind(question), _WAITS]).removeprefix("Steersman: "))
        await until_withdrawn()

    def _document(self, question: Question, *, as_file: bool = False) -> str | None:
        try:
            return self._diffs.make(question, as_file=as_file)
        except OSError as error:
            self._tell(f"The proposal can't be shown: {error}")
            return None

    def _named(self, question: Question, document: str) -> str | None:
        """The document as a file, whose path the user is told."""
        named = document if path_of(document) else self._document(question, as_file=True)
        if named is not None:
            self._tell(f"The proposal is in {path_of(named)}")
        return named

    async def _until_seen(self, document: str | None) -> None:
        if document is None:
            await until_withdrawn()
        else:
            await self._diffs.until_opened(document, None)
            await self._diffs.until_closed(document)

    async def _choose(self, question: Question, unseen: str | None) -> str | None:
        """The title that the user chose; None for anything else. `unseen`: a document that the client could not show.
        Its content is then part of the question, since the question may cover any other message."""
        titles = harmless(question) if self._client.quirks.number_prompt else titles_of(question)
        said = _message(question) if unseen is None else whole(question, unseen)
        params = {
            "type": int(MessageType.INFO),
            "message": "\n".join([said, *self._behind(question)]),
            "actions": [{"title": title} for title in titles],
        }
        result = await self._server.request("window/showMessageRequest", params, timeout=None)
        if isinstance(result, dict):  # some clients answer with the item, some with its title only
            result = result.get("title")
        return result if isinstance(result, str) and result in titles else None

    async def _show(self, document: str) -> "_Seen":
        """Shows the document. Returns when it is closed, or at once if it isn't known to be open."""
        said = await self._viewer.show(document)
        if said == "no":
            return "unseen"
        if said == "silent":
            opened = self._diffs.is_open(document)  # some never answer
        else:
            opened = await self._diffs.until_opened(document, self._limits.show_document)
        if opened:
            await self._diffs.until_closed(document)
            return "looked at"
        return "on the screen" if self._diffs.was_read(document) else "unseen"

    def _behind(self, question: Question) -> Iterator[str]:
        """A warning for each file of which the editor shows an old text, after another program has changed it."""
        for view in question.changes:
            path = real_path_of(view.uri)
            buffer = None if path is None else self._buffers.of(path)
            if buffer is None or not buffer.attached or buffer.unsaved or view.version is not None:
                continue
            if buffer.text is not None and buffer.text != view.old_text:
                yield behind(view.display)

    def _tell_that_it_waits(self) -> None:
        self._tell(_WAITS)

    def _tell(self, message: str) -> None:
        tell(self._server, MessageType.INFO, message)


def behind(name: str) -> str:
    """The message about a file of which the editor shows an old text."""
    return f"{name} has changed on the disk, and the editor still shows its old text: reload it there first."


async def until_withdrawn() -> None:
    """Waits until the task is cancelled, because the question was answered elsewhere or withdrawn. Also for a client
    that is gone: the server is about to stop, and nobody has said no."""
    await asyncio.get_running_loop().create_future()


def titles_of(question: Question) -> list[str]:
    """The choices, in order. The first changes nothing."""
    if question.kind == "trust":
        return list(_TRUST_TITLES.values())
    if (first := show_title(question)) is not None:
        return [first, *(TITLES[decision] for decision in TITLES if decision in question.decisions)]
    return [TITLES[decision] for decision in _HARMLESS_FIRST if decision in question.decisions]


def harmless(question: Question) -> list[str]:
    """The choices where any choice may be an accident."""
    return [show_title(question) or SHOW_QUESTION, LATER]


def show_title(question: Question) -> str | None:
    """The choice that shows all of what is asked about; None if the question itself says it all."""
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
        more = f"… ({left_out} more characters: {show_title(question)})" if left_out > 0 else ""
        parts.append(quoted(work[:MAX_COMMAND]) + more)
    return "\n".join([*parts, question.reason])


def whole(question: Question, document: str) -> str:
    """The question with as much of its document as fits into a message."""
    text = document_of(question).removeprefix(f"{question.title}\n")
    shown = visible(text[:MAX_IN_QUESTION].rstrip("\n"))
    left_out, path = len(text) - MAX_IN_QUESTION, path_of(document)
    where = f" in {path}" if path is not None else ""
    more = f"\n… ({left_out} more characters{where})" if left_out > 0 else f"\n(also{where})" if where else ""
    return f"Steersman: {question.title}\n{shown}{more}"


def quoted(text: str) -> str:
    """The lines of a command, marked with a shell's prompts so that nobody takes them for the question's own text."""
    first, *more = visible(text.rstrip("\n")).split("\n")
    return "\n".join([f"$ {first}", *(f"> {line}" for line in more)]) if more else first


def visible(text: str) -> str:
    """The text with characters escaped that can't be seen, or that change how the rest is shown."""
    return "\n".join(printable(line) for line in text.split("\n"))
