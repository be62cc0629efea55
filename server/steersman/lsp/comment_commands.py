"""The commands behind the code actions: they send a session what a comment says, or what the user types when asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from steersman.agent.inbox import QueueKind
from steersman.lsp.arguments import parse
from steersman.lsp.context import pointed_of
from steersman.lsp.documents import Documents
from steersman.lsp.instruction_comments import meant_by, prompt_of
from steersman.lsp.params import AskParams, DoCommentParams, Place
from steersman.lsp.wire import CommandHandler, JsonValue
from steersman.session.errors import Refused, handing_back
from steersman.session.manager import SessionManager
from steersman.session.message_queue import Queued
from steersman.session.pointing import Pointed
from steersman.session.run import Run
from steersman.session.settings import Mode
from steersman.session.starting import StartRequest
from steersman.workspace.positions import Position, Range
from steersman.workspace.roots import Roots

AskUser = Callable[[str], Awaitable[str | None]]
"""Asks the user for a line of text. None if the user closed the question. Raises Refused: unsupported."""


class CommentCommands:
    def __init__(
        self,
        manager: SessionManager,
        documents: Documents,
        roots: Callable[[], Roots],
        started: Callable[[Run, str], dict[str, JsonValue]],
        ask_user: AskUser,
    ) -> None:
        """`roots()`: the folders to work in. `started(run, prompt)`: the answer for a run that begins."""
        self._manager, self._documents = manager, documents
        self._roots, self._started, self._ask_user = roots, started, ask_user
        self._saying = asyncio.Lock()
        """Held while a comment is sent: if two come at once, the second has to find the run of the first."""

    def table(self) -> dict[str, CommandHandler]:
        """By name, without `steersman.`."""
        return {"doComment": self._do_comment, "ask": self._ask}

    async def _do_comment(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(DoCommentParams, arguments)
        span = Range(_position(params.range.start), _position(params.range.end))
        comments = meant_by(self._documents, params.uri, span, params.text)
        pointed = Pointed(comments=tuple(comments))
        text = prompt_of(comments)
        async with self._saying:
            self._manager.refuse_if_worked_on(comments)
            with handing_back(text):
                if params.how == "start":
                    return await self._start_or_queue(text, pointed, params.run)
                return await self._say_or_start(params.how, text, pointed, params.run)

    async def _ask(self, arguments: Sequence[JsonValue]) -> JsonValue:
        params = parse(AskParams, arguments)
        # Read before the user is asked: this is what the user is looking at.
        pointed = pointed_of(params.context, self._documents) or Pointed()
        text = await self._ask_user(params.question)
        if text is None or not text.strip():
            return {"disposition": "closed"}
        with handing_back(text):
            if params.mode == "read-only":
                return await self._begin(text, pointed, params.mode)
            async with self._saying:
                return await self._start_or_queue(text, pointed, None, params.mode)

    async def _say_or_start(self, how: QueueKind, text: str, pointed: Pointed, run: str | None) -> JsonValue:
        """Sends the text to the live run; if that has just ended, begins a new one."""
        try:
            return said(await self._manager.say(how, text, run, pointed))
        except Refused as refusal:
            if refusal.code != "notRunning":
                raise
        return await self._start_or_queue(text, pointed, None)

    async def _start_or_queue(
        self, text: str, pointed: Pointed, run: str | None, mode: Mode | None = None
    ) -> JsonValue:
        """Begins a run; while another is live in the folder, the text becomes its follow-up. Two runs that edit would
        get in each other's way."""
        try:
            return await self._begin(text, pointed, mode, exclusive=True)
        except Refused as refusal:
            if refusal.code != "busy":
                raise
        return said(await self._manager.say("followUp", text, run, pointed))

    async def _begin(
        self, text: str, pointed: Pointed, mode: Mode | None, *, exclusive: bool = False
    ) -> JsonValue:
        request = StartRequest(text, self._roots(), pointed=pointed, mode=mode, exclusive=exclusive)
        run = await self._manager.start(request)
        return {"disposition": "started", **self._started(run, text)}


def said(queued: Queued) -> dict[str, JsonValue]:
    """The answer of a command that has sent a message to a live run."""
    disposition = "steered" if queued.item.kind == "steer" else "queued"
    return {
        "disposition": disposition,
        "session": queued.run.session,
        "run": queued.run.id,
        "id": queued.item.id,
    }


def _position(place: Place) -> Position:
    return Position(place.line, place.character)
