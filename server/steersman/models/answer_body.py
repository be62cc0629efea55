"""One answer while it comes: its body in pieces cut anywhere, a stream of events or one JSON document, and what is
known of it."""

from collections.abc import Callable, Iterable
from typing import Final, Generic, Protocol, TypeVar

from steersman.agent.messages import ModelStop, Usage
from steersman.agent.model import StreamEvent
from steersman.models.blocks import BlockWriter
from steersman.models.event_json import read_event
from steersman.models.sse import EVENT_LIMIT, SseEvent, SseParser

BODY_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a whole body: a long answer, a token an event, has a tenth of that."""
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
    """What is known of one answer while it comes, whatever the wire API. Its parser writes it."""

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
        """The provider's error object, if one came inside the stream."""
        self.done = False
        """The end of the answer has been seen: nothing that follows counts."""
        self.broke = ""
        """What the server did that breaks the API's rules: nothing that follows counts. Else empty."""
        self.withheld = ""
        """Why the provider withheld the answer, in its own words; empty if it did not, or did not say."""
        self.has_terminal_marker = False
        """The answer could be complete; more of it, or its usage, may follow until `done`."""

    @property
    def has_answer(self) -> bool:
        """Some text, refusal or call has come."""
        return self.blocks.has_answer

    @property
    def counted(self) -> Usage:
        """The usage as far as it is known, in our terms."""
        return self.usage.usage() if self.usage is not None else Usage()

    def read(self, events: Iterable[SseEvent], told: Callable[[bytes, object], None]) -> list[StreamEvent]:
        """Has `told` look at the name and the JSON of each event, as long as they count, and gives what it made of
        them. `[DONE]` says nothing."""
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
    """What every wire API's parser of one answer offers. No I/O, no clock."""

    @property
    def answer(self) -> Answer:
        """What is known so far."""
        ...

    @property
    def missing_end(self) -> str:
        """What did not come, of an answer that is not complete. Empty of one that can be used."""
        ...

    @property
    def stop_reason(self) -> ModelStop:
        """Why the model stopped, in our words."""
        ...

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The events that these make; none if they show nothing."""
        ...

    def finish(self) -> list[StreamEvent]:
        """The events that close the blocks. Called once, when the answer is complete."""
        ...


P = TypeVar("P", bound=AnswerParser)


class AnswerBody(Generic[P]):
    """Feeds a parser from the bytes of a body.

    A body that begins with a brace or a bracket is no event stream: a server that does not stream, or that reports an
    error with status 200. It is one event, known when the body is whole.
    """

    __slots__ = ("_document", "_is_stream", "_size", "_sse", "is_too_large", "parser")

    def __init__(self, parser: P) -> None:
        self.parser = parser
        self._sse = SseParser()
        self._is_stream = False
        self._document = bytearray()
        self._size = 0
        self.is_too_large = False
        """The body, or one event of it, is larger than any answer: nothing that follows counts."""

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """The events that `piece` makes; none if it shows nothing."""
        self._size += len(piece)
        if not self._is_stream:
            if self._document or piece.lstrip().startswith((b"{", b"[")):
                self._document += piece
                self.is_too_large = len(self._document) > EVENT_LIMIT
                return []
            self._is_stream = bool(piece.strip())
        events = self.parser.feed(self._sse.feed(piece))
        self.is_too_large = self._sse.held > EVENT_LIMIT or self._size > BODY_LIMIT
        return events

    def close(self) -> list[StreamEvent]:
        """The events that the end of the body makes."""
        events = [(b"", bytes(self._document))] if self._document else self._sse.close()
        return self.parser.feed(events)
