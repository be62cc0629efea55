"""Turns events of the Messages API into model stream events. No I/O, no clock: bytes of JSON in, events out.

The events are those of the guide "Streaming messages". Blocks of the provider's own tools (searches, code that it
ran, fallbacks) are skipped, the text around them is kept. What model events can't express (the provider's own stop
reason, its usage as sent) can be read from the parser.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from steersman.agent.messages import ModelStop
from steersman.agent.model import StreamEvent
from steersman.models.answer_body import Answer
from steersman.models.anthropic_usage import AnthropicUsage
from steersman.models.blocks import shown_name
from steersman.models.call_arguments import CallArguments
from steersman.models.event_json import arguments_text, string, text
from steersman.models.sse import SseEvent

_STOPS: Final[Mapping[str, ModelStop]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    # The provider's own tools took too long. What there is can be shown, and the user can go on from it.
    "pause_turn": "length",
    "refusal": "refusal",
}

_Kind = Literal["text", "thinking", "call", "other"]
_KINDS: Final[Mapping[object, _Kind]] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
}


@dataclass(slots=True)
class _Block:
    """One content block while it is open."""

    kind: _Kind
    index: int = -1
    """Its index in our message. Not used for text, whose blocks the writer manages."""
    signature: str = ""
    redacted: bool = False
    whole_input: str = ""
    """The arguments that came with the start of a call. They count if no piece of them follows."""
    arguments: CallArguments = field(default_factory=CallArguments)


class AnthropicStreamParser:
    """Parses one response. `feed` it SSE events as they come, `finish` it once, then look at `stop_reason`.

    The deltas of one `feed` are merged by block. The terminal marker is `message_stop`.
    """

    def __init__(self) -> None:
        self.answer = Answer()
        self._blocks = self.answer.blocks
        self.finish_reason: str | None = None
        """In the provider's own word."""
        self._usage = AnthropicUsage()
        self.call_ids: list[str | None] = []
        """The provider's ids of the calls, in the order of their blocks."""
        self._open: dict[int, _Block] = {}
        self._last_index = 0
        self._handlers: Mapping[object, Callable[[dict[str, object]], None]] = {
            "content_block_delta": self._delta,
            "content_block_start": self._block_start,
            "content_block_stop": self._block_stop,
            "message_start": self._message_start,
            "message_delta": self._message_delta,
            "message_stop": self._message_stop,
            "message": self._message,
            "error": self._error,
        }

    @property
    def missing_end(self) -> str:
        return "" if self.answer.has_terminal_marker else "message_stop did not come"

    @property
    def stop_reason(self) -> ModelStop:
        known = _STOPS.get((self.finish_reason or "").lower())
        return known or ("tool_calls" if self.call_ids else "stop")

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The model events that these give; none if there is nothing to show."""
        return self.answer.read(events, self._event)

    def finish(self) -> list[StreamEvent]:
        """The events that close all blocks. Call it once, when the response is complete."""
        for index in list(self._open):
            self._close(index)
        self._blocks.end_text()
        return self._blocks.take()

    def _event(self, name: bytes, event: object) -> None:
        if not isinstance(event, dict):
            return
        kind = event.get("type")
        if kind is None:
            kind = "error" if "error" in event else name.decode("ascii", "replace")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(event)

    def _message_start(self, event: dict[str, object]) -> None:
        message = event.get("message")
        if not isinstance(message, dict):
            return
        message_id = text(message, "id") or None
        if self.answer.id is not None and message_id is not None and message_id != self.answer.id:
            # A proxy has asked again in the middle of an answer: nobody can tell which parts belong together.
            self.answer.broke = "sent two answers in one stream"
            return
        self.answer.id = self.answer.id or message_id
        self.answer.model = self.answer.model or text(message, "model") or None
        self._read_usage(message)

    def _message_delta(self, event: dict[str, object]) -> None:
        delta = event.get("delta")
        if isinstance(delta, dict):
            self.finish_reason = text(delta, "stop_reason") or self.finish_reason
            details = delta.get("stop_details")
            if isinstance(details, dict):
                self.answer.withheld = text(details, "explanation") or text(details, "category")
        self._read_usage(event)

    def _message_stop(self, _event: dict[str, object]) -> None:
        self.answer.done = self.answer.has_terminal_marker = True

    def _message(self, message: dict[str, object]) -> None:
        """A complete message, from a server that doesn't stream."""
        self._message_start({"message": message})
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            self._block_start({"index": index, "content_block": block})
            self._block_stop({"index": index})
        self._message_delta({"delta": message})
        self._message_stop(message)

    def _error(self, event: dict[str, object]) -> None:
        self.answer.error = event
        self.answer.done = True

    def _read_usage(self, holder: Mapping[str, object]) -> None:
        usage = holder.get("usage")
        if isinstance(usage, dict):
            self._usage.read(usage)
            self.answer.usage = self._usage

    def _block_start(self, event: dict[str, object]) -> None:
        content = event.get("content_block")
        if not isinstance(content, dict):
            return
        index = self._index(event)
        self._close(index)
        kind = content.get("type")
        block = _Block(_KINDS.get(kind, "other") if isinstance(kind, str) else "other")
        self._open[index] = block
        if block.kind == "text":
            self._blocks.text("text", string(content, "text"))
        elif block.kind == "thinking":
            block.index = self._blocks.start_thinking()
            block.redacted = kind == "redacted_thinking"
            block.signature = text(content, "data" if block.redacted else "signature")
            self._blocks.append(block.index, string(content, "thinking"))
        elif block.kind == "call":
            call_id = text(content, "id") or None
            self.call_ids.append(call_id)
            block.index = self._blocks.start_call(shown_name(string(content, "name")), call_id)
            given = content.get("input")
            block.whole_input = arguments_text(given) if given != {} else ""

    def _delta(self, event: dict[str, object]) -> None:
        delta = event.get("delta")
        block = self._open.get(self._index(event))
        if not isinstance(delta, dict):
            return
        kind = delta.get("type")
        if block is None:
            # Some servers leave out how a block begins. Text needs nothing of that; other blocks can't be without.
            if kind == "text_delta":
                self._blocks.text("text", string(delta, "text"))
        elif kind == "text_delta" and block.kind == "text":
            self._blocks.text("text", string(delta, "text"))
        elif kind == "input_json_delta" and block.kind == "call":
            piece = block.arguments.add(string(delta, "partial_json"))
            if piece:
                self._blocks.append(block.index, piece)
        elif kind == "thinking_delta" and block.kind == "thinking":
            self._blocks.append(block.index, string(delta, "thinking"))
        elif kind == "signature_delta" and block.kind == "thinking":
            block.signature = text(delta, "signature") or block.signature

    def _block_stop(self, event: dict[str, object]) -> None:
        self._close(self._index(event))

    def _index(self, event: Mapping[str, object]) -> int:
        """The index of the block that an event is about: if it names none, that of the last event."""
        index = event.get("index")
        if type(index) is int:
            self._last_index = index
        return self._last_index

    def _close(self, index: int) -> None:
        block = self._open.pop(index, None)
        if block is None:
            return
        if block.kind == "text":
            self._blocks.end_text()
        elif block.kind == "thinking":
            self._blocks.end(block.index, signature=block.signature or None, redacted=block.redacted)
        elif block.kind == "call":
            if block.whole_input and not block.arguments.pieces:
                self._blocks.append(block.index, block.whole_input)
            self._blocks.end(block.index)
