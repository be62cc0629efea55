"""The body of a Chat Completions response, in pieces cut anywhere: a stream of events, or one JSON document."""

from typing import Final

from steersman.agent.model import StreamEvent
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.sse import EVENT_LIMIT, SseParser

BODY_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a whole body: a long answer, a token an event, has a tenth of that."""


class ChatBody:
    """Feeds a `ChatStreamParser` from the bytes of a body.

    A body that begins with a brace is no event stream: a server that does not stream, or that reports an error with
    status 200. It is one chunk, known when the body is whole.
    """

    __slots__ = ("_document", "_is_stream", "_size", "_sse", "is_too_large", "parser")

    def __init__(self) -> None:
        self.parser = ChatStreamParser()
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
            if self._document or piece.lstrip().startswith(b"{"):
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
