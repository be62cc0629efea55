"""How a client keeps its picture of a session complete, whatever it misses: a reference for authors of clients.

1. Apply a durable event only if its `seq` is the next one. Ignore a lower one: it is known already. Hold back a
   higher one: there is a gap.
2. After a gap, and whenever the connection was lost: ask `steersman.events` after the last `seq` that was applied.
   Apply the answer in the same way, and ask again until `more` is false. Treat events that arrive meanwhile alike.
3. Streamed text is provisional. Put each update where its `offset` says; one that lies beyond the text waits for what
   comes between. `streaming` in the answer is the text at the time of the question. `message_end` replaces all of it.
"""

from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]


@dataclass
class StreamedBlock:
    """One block of the message that is being streamed."""

    kind: str
    units: bytes = b""
    """Its text as far as it is known without a hole, in UTF-16: offsets count these units."""
    waiting: dict[int, bytes] = field(default_factory=dict)
    """Pieces that lie beyond a hole, by their offset in bytes."""

    @property
    def text(self) -> str:
        return self.units.decode("utf-16-le", "surrogatepass")

    def put(self, offset: int, text: str) -> None:
        self.waiting[2 * offset] = text.encode("utf-16-le", "surrogatepass")
        for start in sorted(self.waiting):
            if start > len(self.units):
                return
            piece = self.waiting.pop(start)
            self.units = self.units[:start] + piece + self.units[start + len(piece) :]


@dataclass
class SessionPicture:
    """What a client knows of one session."""

    events: list[Event] = field(default_factory=list)
    """The durable events, from number 1 without a gap."""
    streamed: dict[str, dict[int, StreamedBlock]] = field(default_factory=dict)
    """Blocks by index, by the id of the message, which is not complete."""
    behind: bool = False
    """There is something to ask for."""
    _ahead: dict[int, Event] = field(default_factory=dict)
    _ended: set[str] = field(default_factory=set)
    """Messages whose end has been applied."""

    @property
    def seq(self) -> int:
        """The last number that is known with all before it: what to ask `after`."""
        return len(self.events)

    @property
    def texts(self) -> dict[str, dict[int, tuple[str, str]]]:
        """Kind and text of what is being streamed."""
        return {
            message: {index: (block.kind, block.text) for index, block in sorted(blocks.items())}
            for message, blocks in self.streamed.items()
        }

    def on_event(self, event: Event) -> None:
        """One event of the stream."""
        if "seq" in event:
            if event["seq"] > self.seq:
                self._ahead[event["seq"]] = event
            self._apply_next()
            self.behind = self.behind or bool(self._ahead)
        elif event["type"] == "message_update":
            self._put(event["data"]["messageId"], event["data"], event["data"]["offset"])

    def on_answer(self, answer: dict[str, Any]) -> None:
        """The answer of `steersman.events` after `seq`."""
        for event in answer["events"]:
            self._ahead.setdefault(event["seq"], event)
        self._apply_next()
        if (streaming := answer["streaming"]) is not None:
            for block in streaming["blocks"]:
                self._put(streaming["messageId"], block, 0)
        self.behind = answer["more"] or bool(self._ahead)

    def on_cut(self) -> None:
        """The connection is gone; nobody knows what was missed."""
        self.behind = True

    def _apply_next(self) -> None:
        for seq in sorted(self._ahead):
            if seq > self.seq + 1:
                return
            event = self._ahead.pop(seq)
            if seq == self.seq + 1:
                self._apply(event)

    def _apply(self, event: Event) -> None:
        self.events.append(event)
        if event["type"] == "message_end":
            self._ended.add(event["data"]["messageId"])
            self.streamed.pop(event["data"]["messageId"], None)

    def _put(self, message: str, block: dict[str, Any], offset: int) -> None:
        if message not in self._ended:
            blocks = self.streamed.setdefault(message, {})
            blocks.setdefault(block["index"], StreamedBlock(block["kind"])).put(offset, block["text"])
