"""Documents that the client has open without this server being attached to them: `steersman/openDocuments`.

The client is asked which documents are open and which have unsaved text, each time that something depends on it, unless
it reports changes by itself. A text is asked for each time that it is needed. The documents are kept as buffers, so
reading and editing treat them like others, except that their text has to be asked for.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from steersman.agent.clock import Clock
from steersman.lsp.buffers import Buffer, Buffers
from steersman.lsp.client import Client, real_path_of
from steersman.lsp.client_documents import (
    ListedDocument,
    OpenDocument,
    OpenDocumentsAnswer,
    OpenDocumentsChanged,
)
from steersman.lsp.client_results import what_is_wrong
from steersman.lsp.errors import ClientGone, ClientRequestError
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within, set_within
from steersman.lsp.wire import JsonValue
from steersman.session.limits import Limits

log = logging.getLogger(__name__)

REQUEST = "steersman/openDocuments"
CHANGED = "steersman/openDocumentsChanged"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the user sees of the listed documents. All paths are resolved."""

    open: Sequence[Path]
    visible: Sequence[Path]
    active: Path | None


class UnattachedDocuments:
    """One connection's. Does nothing for a client that did not negotiate the feature."""

    def __init__(
        self, server: RpcServer, client: Client, buffers: Buffers, limits: Limits, clock: Clock
    ) -> None:
        self._server, self._client, self._buffers = server, client, buffers
        self._limits, self._clock = limits, clock
        self._asking: asyncio.Task[None] | None = None
        """The latest request for the list; None before the first, and for a client that is never asked."""
        self._asked = 0
        """Its number, from 1."""
        self._answered = asyncio.Event()
        """The latest request has been answered, or won't be."""
        self._answered_at = 0.0
        self._tells = False
        """The client has sent its list by itself. It does so at every change, so it isn't asked any more."""
        self._lists = 0
        """Number of lists that it has sent."""
        self._numbers = count(1)
        self._newest: dict[str, int] = {}
        """By URI, the number of the last request whose answer was used, since answers may overtake each other."""
        self._asked_after: dict[str, int] = {}
        """By URI, how many lists the client had sent when it was last asked for the text."""
        self.seen: Seen | None = None
        """None if the client doesn't say what its user sees."""

    def begin(self) -> None:
        """After `initialized`: asks what is open."""
        if self._client.features.open_documents:
            self._ask_for_all()

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})

    def on_changed(self, params: JsonValue) -> None:
        """`steersman/openDocumentsChanged`, which has the whole list. A list that can't be used changes nothing."""
        if not self._client.features.open_documents:
            return
        try:
            told = OpenDocumentsChanged.model_validate(params)
        except ValidationError as error:
            log.warning("%s can't be used: %s", CHANGED, what_is_wrong(error))
            return
        self._tells = True
        self._lists += 1
        self._answered.set()
        self._take(told.documents)

    async def known(self, *, now: bool = False) -> None:
        """Returns when it is known what is open. If the client doesn't answer in time, its last list stands.

        `now`: even an answer younger than `Limits.listed` is too old, because much depends on it.
        """
        if self._asking is None:
            return
        # An answer that is under way may have been made before the state that the caller has to know.
        anew = now or (self._answered.is_set() and self._is_old())
        wanted = self._asked + 1 if anew else self._asked
        await self._answered.wait()
        if self._asked < wanted and not self._tells:
            self._ask_for_all()
        await self._answered.wait()

    async def refresh(self, buffer: Buffer) -> None:
        """Asks for the text of a document, unless the client reports its changes anyway.

        Afterwards the buffer has the text; or it is no longer open; or its text is None, if the client didn't give it.
        """
        if buffer.attached or not self._buffers.is_open(buffer):
            return
        uri, number = buffer.document.uri, next(self._numbers)
        self._asked_after[uri] = self._lists
        documents = await self._ask([uri])
        if not self._buffers.is_open(buffer) or number < self._newest.get(uri, 0):
            return
        self._newest[uri] = number
        if documents is None:
            self._buffers.hide(buffer)
            return
        found = _named(documents, uri)
        if found is None:
            del self._newest[uri]
            self._buffers.forget(buffer)
        elif found.text is None:
            log.warning("%s told of %s without its text", REQUEST, uri)
            self._buffers.hide(buffer)
        else:
            self._buffers.show(buffer, found.text, found.version, dirty=found.dirty)

    async def look_again(self, buffer: Buffer, patience: float, enough: Callable[[], bool]) -> None:
        """Asks for the text of the document, whenever the client has sent a list, until `enough()` is true or
        `patience` seconds are over. A client that sends none by itself is asked every `Limits.listed` seconds."""
        now = self._clock.monotonic
        asked, over = now(), now() + patience
        while self._buffers.is_open(buffer) and not enough():
            due = over if self._tells else min(over, asked + self._limits.listed)
            told = asyncio.Event()
            with self._buffers.watch(buffer.path, told.set):
                # News need not be of this document, nor come from the client: others ask for its text, too.
                if not self._is_behind(buffer) and await set_within(self._clock, due - now(), told):
                    continue
            asked = now()
            await self.refresh(buffer)
            if asked >= over:
                return

    def _is_behind(self, buffer: Buffer) -> bool:
        """Whether the client has sent a list since it was asked for the text."""
        return self._lists > self._asked_after.get(buffer.document.uri, self._lists)

    def _is_old(self) -> bool:
        return self._clock.monotonic() - self._answered_at > self._limits.listed

    def _ask_for_all(self) -> None:
        self._asked += 1
        self._answered.clear()
        self._asking = asyncio.create_task(self._list())

    async def _list(self) -> None:
        try:
            documents = await self._ask([])
            if documents is not None and not self._tells:  # else a newer list has come meanwhile
                self._take(documents)
        finally:
            self._answered_at = self._clock.monotonic()
            self._answered.set()

    def _take(self, documents: Sequence[ListedDocument]) -> None:
        nothing = None if self.seen is None else Seen([], [], None)
        self.seen = _seen(documents) if documents else nothing
        dirty = {document.uri: document.dirty for document in documents}
        self._newest = {uri: number for uri, number in self._newest.items() if uri in dirty}
        self._asked_after = {uri: lists for uri, lists in self._asked_after.items() if uri in dirty}
        self._buffers.list_open(dirty)

    async def _ask(self, uris: list[str]) -> list[OpenDocument] | None:
        """The documents in the answer; None if there is no usable answer. An empty `uris` asks for all."""
        request = self._server.request(REQUEST, {"uris": uris} if uris else {}, timeout=None)
        try:
            result = await answered_within(self._clock, self._limits.open_documents, request)
            return OpenDocumentsAnswer.model_validate(result).documents
        except ClientGone:
            return None
        except ClientRequestError as error:
            log.warning("%s: %s", REQUEST, error)
        except ValidationError as error:
            log.warning("the answer to %s can't be used: %s", REQUEST, what_is_wrong(error))
        return None


def _seen(documents: Sequence[ListedDocument]) -> Seen | None:
    if all(document.visible is None for document in documents):
        return None
    by_path = {path: document for document in documents if (path := real_path_of(document.uri)) is not None}
    visible = [path for path, document in by_path.items() if document.visible]
    active = next((path for path, document in by_path.items() if document.active), None)
    return Seen(list(by_path), visible, active)


def _named(documents: list[OpenDocument], uri: str) -> OpenDocument | None:
    """The document with this URI. The client may spell it differently than before."""
    exact = [document for document in documents if document.uri == uri]
    path = real_path_of(uri)
    return next(iter(exact or [each for each in documents if real_path_of(each.uri) == path]), None)
