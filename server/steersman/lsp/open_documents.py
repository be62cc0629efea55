"""What the client has open beyond the documents that this server is attached to: `steersman/openDocuments`.

The client tells which of them have unsaved text; the text itself is asked for each time that it is needed. It is kept
as buffers, so that reading and editing know no difference but that nothing comes by itself.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from steersman.agent.clock import Clock
from steersman.lsp.buffers import Buffer, Buffers
from steersman.lsp.client import Client, real_path_of
from steersman.lsp.errors import ClientGone, ClientRequestError
from steersman.lsp.params import ListedDocument, OpenDocument, OpenDocumentsAnswer, OpenDocumentsChanged
from steersman.lsp.rpc import RpcServer
from steersman.lsp.waits import answered_within, set_within
from steersman.lsp.wire import JsonValue
from steersman.session.limits import Limits

log = logging.getLogger(__name__)

REQUEST = "steersman/openDocuments"
CHANGED = "steersman/openDocumentsChanged"


@dataclass(frozen=True, slots=True)
class Seen:
    """Of the documents that are listed, what the user has in front of them. Resolved paths."""

    open: Sequence[Path]
    visible: Sequence[Path]
    active: Path | None


class UnattachedDocuments:
    """One connection's. Does nothing for a client that did not negotiate it."""

    def __init__(
        self, server: RpcServer, client: Client, buffers: Buffers, limits: Limits, clock: Clock
    ) -> None:
        self._server, self._client, self._buffers = server, client, buffers
        self._limits, self._clock = limits, clock
        self._first: asyncio.Task[None] | None = None
        self._listed = asyncio.Event()
        """It is known what is open, or not to be had."""
        self._numbers = count(1)
        self._newest: dict[str, int] = {}
        """By URI the number of the last question whose answer was used: answers may overtake each other."""
        self.seen: Seen | None = None
        """None: the client does not say what its user sees."""

    def begin(self) -> None:
        """After `initialized`: asks what is open."""
        if self._client.features.open_documents:
            self._first = asyncio.create_task(self._list())

    async def close(self) -> None:
        if self._first is not None:
            self._first.cancel()
            await asyncio.wait({self._first})

    def on_changed(self, params: JsonValue) -> None:
        """`steersman/openDocumentsChanged`: the whole list, each time. One that can't be used changes nothing."""
        if not self._client.features.open_documents:
            return
        try:
            told = OpenDocumentsChanged.model_validate(params)
        except ValidationError as error:
            log.warning("%s can't be used: %s", CHANGED, _first_fault(error))
            return
        self._take(told.documents)

    async def known(self) -> None:
        """Returns when it is known what is open, or the client has had its time to say it."""
        if self._first is not None:
            await self._listed.wait()

    async def refresh(self, buffer: Buffer) -> None:
        """Asks for the text of a document, unless its changes are told of anyway.

        Afterwards the buffer has it, or it is not open any more, or its text is None: the client did not say it.
        """
        if buffer.attached or not self._buffers.is_open(buffer):
            return
        uri, number = buffer.document.uri, next(self._numbers)
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

    async def look_again(self, buffer: Buffer, patience: float) -> None:
        """Asks once more when the client tells something of the document, at the latest after `patience` seconds."""
        if not self._buffers.is_open(buffer):
            return
        told = asyncio.Event()
        with self._buffers.watch(buffer.path, told.set):
            await set_within(self._clock, patience, told)
        await self.refresh(buffer)

    async def _list(self) -> None:
        try:
            documents = await self._ask([])
            if documents is not None and not self._listed.is_set():  # else a newer list came meanwhile
                self._take(documents)
        finally:
            self._listed.set()

    def _take(self, documents: Sequence[ListedDocument]) -> None:
        self._listed.set()
        nothing = None if self.seen is None else Seen([], [], None)
        self.seen = _seen(documents) if documents else nothing
        dirty = {document.uri: document.dirty for document in documents}
        self._newest = {uri: number for uri, number in self._newest.items() if uri in dirty}
        self._buffers.list_open(dirty)

    async def _ask(self, uris: list[str]) -> list[OpenDocument] | None:
        """None: no answer that could be used."""
        request = self._server.request(REQUEST, {"uris": uris} if uris else {}, timeout=None)
        try:
            result = await answered_within(self._clock, self._limits.open_documents, request)
            return OpenDocumentsAnswer.model_validate(result).documents
        except ClientGone:
            return None
        except ClientRequestError as error:
            log.warning("%s: %s", REQUEST, error)
        except ValidationError as error:
            log.warning("the answer to %s can't be used: %s", REQUEST, _first_fault(error))
        return None


def _seen(documents: Sequence[ListedDocument]) -> Seen | None:
    if all(document.visible is None for document in documents):
        return None
    by_path = {path: document for document in documents if (path := real_path_of(document.uri)) is not None}
    visible = [path for path, document in by_path.items() if document.visible]
    active = next((path for path, document in by_path.items() if document.active), None)
    return Seen(list(by_path), visible, active)


def _named(documents: list[OpenDocument], uri: str) -> OpenDocument | None:
    """Clients may spell a URI otherwise than before."""
    exact = [document for document in documents if document.uri == uri]
    path = real_path_of(uri)
    return next(iter(exact or [each for each in documents if real_path_of(each.uri) == path]), None)


def _first_fault(error: ValidationError) -> str:
    """Without the value, which may be somebody's text."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"
