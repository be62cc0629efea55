"""The body of a Chat Completions response."""

from steersman.models.answer_body import AnswerBody
from steersman.models.chat_stream import ChatStreamParser


class ChatBody(AnswerBody[ChatStreamParser]):
    """Feeds a `ChatStreamParser`; a whole completion is one chunk."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(ChatStreamParser())
