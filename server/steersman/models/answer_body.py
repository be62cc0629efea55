"""One answer while it arrives: its body, which is a stream of events or one JSON document and may be cut anywhere, and
what is known of the answer so far."""

import codecs
from collections.abc import Callable, Iterable
from typing import Final, Generic, Protocol, TypeVar

from steersman.agent.messages import ModelStop, Usage
from steersman.agent.model import StreamEvent
from steersman.models.blocks import BlockWriter
from steersman.models.event_json import read_event
from steersman.models.sse import EVENT_LIMIT, SseEvent, SseParser

BODY_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a whole body. A long answer with one event for each token has a tenth of that."""
_BEFORE: Final = codecs.BOM_UTF8 + b" \t\r\n"
"""Bytes that may come before a document: a byte order mark, in whatever pieces, and white space."""
NO_JSON: Final = "sent an event that is not JSON"
TOO_DEEP: Final = "sent arguments that are nested too deeply"


class SentUsage(Protocol):
    """Token counts as a provider sent them."""

    def as_sent(self) -> dict[str, int | None]:
        """The provider's own numbers under our names."""
        ...

    def usage(self) -> Usage:
        """In our terms."""
        ...


class Answer:
    """What is known of one answer so far, whatever the wire API. The API's parser fills it in."""

    __slots__ = (
        "blocks",
        "broke",
        "done",
        "error",
        "has_terminal_marker",
        "id",
        "model",
        "usage",
        "withheld",
    )

    def __init__(self) -> None:
        self.blocks = BlockWriter()
        self.id: str | None = None
        self.model: str | None = None
        """The model that the provider says has answered."""
        self.usage: SentUsage | None = None
        self.error: object = None
        """The provider's error object, if there is one in the stream."""
        self.done = False
        """The end of the answer has come: nothing after it counts."""
        self.broke = ""
        """How the server broke the API's rules (`sent …`), after which nothing counts; empty if it didn't."""
        self.withheld = ""
        """Why the provider withheld the answer, in its own words; empty if it didn't, or didn't say."""
        self.has_terminal_marker = False
        """The answer may be complete, but more of it, or its usage, may follow until it is `done`."""

    @property
    def has_answer(self) -> bool:
        """There is some text, refusal or call."""
        return self.blocks.has_answer

    @property
    def counted(self) -> Usage:
        """The usage so far, in our terms."""
        return self.usage.usage() if self.usage is not None else Usage()

    def read(self, events: Iterable[SseEvent], told: Callable[[bytes, object], None]) -> list[StreamEvent]:
        """Calls `told` with the name and the JSON of each event, as long as events count, and returns the model events
        that this gave. `[DONE]` is skipped."""
        for name, payload in events:
            if self.done or self.broke:
                break
            try:
                value, needs_mending = read_event(payload)
            except ValueError:
                if payload.strip() != b"[DONE]":
                    self.broke = NO_JSON
                continue
            if needs_mending:
                self.blocks.mend_surrogates()
            try:
                told(name, value)
            except RecursionError:
                self.broke = TOO_DEEP
        return self.blocks.take()


class AnswerParser(Protocol):
    """A wire API's parser of one answer. No I/O, no clock."""

    @property
    def answer(self) -> Answer:
        """What is known of the answer so far."""
        ...

    @property
    def missing_end(self) -> str:
        """What an incomplete answer lacks (`no finish reason came`); empty if the answer can be used."""
        ...

    @property
    def stop_reason(self) -> ModelStop:
        """Why the model stopped, in our words."""
        ...

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The model events that these give; none if there is nothing to show."""
        ...

    def finish(self) -> list[StreamEvent]:
        """The events that close all blocks. Called once, when the answer is complete."""
        ...


P = TypeVar("P", bound=AnswerParser)


class AnswerBody(Generic[P]):
    """Feeds a parser with the bytes of a body.

    A body that begins with a brace or a bracket is not an event stream, but JSON from a server that doesn't stream, or
    that reports an error with status 200. It is parsed as one event once it is complete.
    """

    __slots__ = ("_document", "_is_stream", "_size", "_sse", "is_too_large", "parser")

    def __init__(self, parser: P) -> None:
        self.parser = parser
        self._sse = SseParser()
        self._is_stream = False
        self._document = bytearray()
        self._size = 0
        self.is_too_large = False
        """The body, or one event of it, is larger than any answer: nothing more counts."""

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """The model events that `piece` gives; none if there is nothing to show."""
        self._size += len(piece)
        if not self._is_stream:
            begun = piece if self._document else piece.lstrip(_BEFORE)
            if self._document or begun.startswith((b"{", b"[")):
                self._document += begun
                self.is_too_large = len(self._document) > EVENT_LIMIT
                return []
            self._is_stream = bool(begun)
        events = self.parser.feed(self._sse.feed(piece))
        self.is_too_large = self._sse.held > EVENT_LIMIT or self._size > BODY_LIMIT
        return events

    def close(self) -> list[StreamEvent]:
        """The model events that the end of the body gives."""
        events = [(b"", bytes(self._document))] if self._document else self._sse.close()
        return self.parser.feed(events)
