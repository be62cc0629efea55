"""Turns the pieces of an answer into block events. Every wire API's parser writes through it."""

import re
from typing import Final

from steersman.agent.model import BlockDelta, BlockEnd, BlockKind, BlockStart, StreamEvent
from steersman.models.surrogates import SurrogateMender, whole

_LONGEST_NAME: Final = 256
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def shown_name(text: str) -> str:
    """A tool's name as it can be shown and stored, whatever characters a model or its server put into it."""
    text = text[:_LONGEST_NAME]
    return text if text.isidentifier() else _CONTROLS.sub("\ufffd", whole(text))


class BlockWriter:
    """Numbers blocks, merges deltas until they are taken, and ends a block of text where one of another kind begins.

    Calls stay open until they are ended, since their pieces may be interleaved.
    """

    __slots__ = (
        "_events",
        "_mender",
        "_next",
        "_pieces",
        "_pieces_of",
        "_text_index",
        "_text_kind",
        "has_answer",
    )

    def __init__(self) -> None:
        self.has_answer = False
        """There is some text, refusal or call. Thinking alone is no answer."""
        self._events: list[StreamEvent] = []
        self._pieces: list[str] = []
        self._pieces_of = -1
        self._text_kind: BlockKind | None = None
        self._text_index = -1
        self._next = 0
        self._mender: SurrogateMender | None = None

    @property
    def is_mending(self) -> bool:
        return self._mender is not None

    def mend_surrogates(self) -> None:
        """Call it before texts that may hold halves of surrogate pairs."""
        self._mender = self._mender or SurrogateMender()

    def text(self, kind: BlockKind, text: str) -> None:
        """Adds `text` to the open block of `kind`, or opens one. Empty text does nothing."""
        if not text:
            return
        if self._text_kind != kind:
            self.end_text()
            self._text_kind, self._text_index = kind, self._start(kind, "", None)
            self.has_answer = self.has_answer or kind != "thinking"
        self.append(self._text_index, text)

    def start_call(self, name: str, provider_id: str | None) -> int:
        """Opens a block for a tool call and returns its index."""
        self.end_text()
        self.has_answer = True
        return self._start("toolCall", name, provider_id)

    def start_thinking(self) -> int:
        """Opens a block of thinking that is to be ended with `end`, perhaps with a signature. Returns its index."""
        self.end_text()
        return self._start("thinking", "", None)

    def append(self, index: int, text: str) -> None:
        """Adds `text` to block `index`."""
        if self._mender is not None:
            text = self._mender.mend(index, text)
        if index != self._pieces_of:
            self._flush()
            self._pieces_of = index
        self._pieces.append(text)

    def end(
        self, index: int, name: str | None = None, signature: str | None = None, *, redacted: bool = False
    ) -> None:
        """Closes block `index`."""
        if self._mender is not None:
            rest = self._mender.rest(index)
            if rest:
                self.append(index, rest)
        self._flush()
        self._events.append(BlockEnd(index, name, signature, redacted))

    def end_text(self) -> None:
        """Closes the open block of text, thinking or refusal, if there is one."""
        if self._text_kind is not None:
            self._text_kind = None
            self.end(self._text_index)

    def take(self) -> list[StreamEvent]:
        """The events since the last call."""
        self._flush()
        events, self._events = self._events, []
        return events

    def _start(self, kind: BlockKind, name: str, provider_id: str | None) -> int:
        self._flush()
        index = self._next
        self._next += 1
        self._events.append(BlockStart(index, kind, name, provider_id))
        return index

    def _flush(self) -> None:
        text = "".join(self._pieces)
        if text:
            self._events.append(BlockDelta(self._pieces_of, text))
        self._pieces = []
        self._pieces_of = -1
