"""The body of a Chat Completions response, in pieces cut anywhere: a stream of events, or one JSON document."""

from typing import Final

from steersman.agent.model import StreamEvent
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.sse import SseParser

_DOCUMENT_LIMIT: Final = 16 * 1024 * 1024
"""Bytes that are kept of a body that is one document."""


class ChatBody:
    """Feeds a `ChatStreamParser` from the bytes of a body.

    A body that begins with a brace is no event stream: a server that does not stream, or that reports an error with
    status 200. It is one chunk, known when the body is whole.
    """

    __slots__ = ("_document", "_is_stream", "_sse", "parser")

    def __init__(self) -> None:
        self.parser = ChatStreamParser()
        self._sse = SseParser()
        self._is_stream = False
        self._document = bytearray()

    def feed(self, piece: bytes) -> list[StreamEvent]:
        """The events that `piece` makes; none if it shows nothing."""
        if not self._is_stream:
            if self._document or piece.lstrip().startswith(b"{"):
                self._document += piece[: _DOCUMENT_LIMIT - len(self._document)]
                return []
            self._is_stream = bool(piece.strip())
        return self.parser.feed(self._sse.feed(piece))

    def close(self) -> list[StreamEvent]:
        """The events that the end of the body makes."""
        events = [(b"", bytes(self._document))] if self._document else self._sse.close()
        return self.parser.feed(events)
