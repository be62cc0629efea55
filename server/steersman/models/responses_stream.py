"""Turns events of the Responses API into model stream events. No I/O, no clock: bytes of JSON in, events out.

The events are those of "Streaming events" in the API reference. Deltas are passed on as they come; what a server sends
only at the end of a part, of an item or of the whole response is passed on then. Items of the provider's own tools are
skipped. What model events can't express (the provider's own status, its usage as sent) can be read from the parser.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from steersman.agent.messages import ModelStop
from steersman.agent.model import BlockKind, StreamEvent
from steersman.models.answer_body import Answer
from steersman.models.blocks import shown_name
from steersman.models.chat_usage import read_usage
from steersman.models.event_json import arguments_text, string, text
from steersman.models.responses_items import Item, ItemKind, OutputItem, OutputItems, kind_of
from steersman.models.responses_reasoning import signature_of
from steersman.models.sse import SseEvent

_CUT: Final[Mapping[str, ModelStop]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
_ENDS: Final = ("completed", "incomplete", "failed", "cancelled")
_PARTS: Final = "\n\n"
"""Between the parts of a summary."""


class ResponsesStreamParser:
    """Parses one response. `feed` it SSE events as they come, `finish` it once, then look at `stop_reason`.

    The deltas of one `feed` are merged by block. Calls and reasoning stay open to the end, where more may be known of
    them. The terminal markers are `response.completed` and `response.incomplete`.
    """

    def __init__(self) -> None:
        self.answer = Answer()
        self._blocks = self.answer.blocks
        self.finish_reason: str | None = None
        """The provider's own status; for an incomplete response followed by a colon and the reason."""
        self.call_ids: list[str | None] = []
        """The provider's ids of the calls, in the order of their blocks."""
        self._items = OutputItems()
        self._handlers: Mapping[str, Callable[[dict[str, object]], None]] = {
            "response.output_text.delta": lambda event: self._text(event, "text", "delta"),
            "response.output_text.done": lambda event: self._text(event, "text", "text"),
            "response.refusal.delta": lambda event: self._text(event, "refusal", "delta"),
            "response.refusal.done": lambda event: self._text(event, "refusal", "refusal"),
            "response.reasoning_summary_text.delta": lambda event: self._thinking(event, "summary", "delta"),
            "response.reasoning_summary_text.done": lambda event: self._thinking(event, "summary", "text"),
            "response.reasoning_text.delta": lambda event: self._thinking(event, "content", "delta"),
            "response.reasoning_text.done": lambda event: self._thinking(event, "content", "text"),
            "response.function_call_arguments.delta": lambda event: self._arguments(event, "delta"),
            "response.function_call_arguments.done": lambda event: self._arguments(event, "arguments"),
            "response.custom_tool_call_input.delta": lambda event: self._arguments(event, "delta"),
            "response.custom_tool_call_input.done": lambda event: self._arguments(event, "input"),
            "response.output_item.added": self._item_added,
            "response.output_item.done": self._item_done,
            "error": self._error,
        }

    @property
    def missing_end(self) -> str:
        return "" if self.answer.has_terminal_marker else "response.completed did not come"

    @property
    def stop_reason(self) -> ModelStop:
        status, _, reason = (self.finish_reason or "").partition(":")
        if status == "incomplete":
            return _CUT.get(reason, "length")
        return "tool_calls" if self.call_ids else "stop"

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The model events that these give; none if there is nothing to show."""
        return self.answer.read(events, self._event)

    def finish(self) -> list[StreamEvent]:
        """The events that close all blocks. Call it once, when the response is complete."""
        self._blocks.end_text()
        for item in self._items:
            if item.kind == "call":
                self._blocks.end(item.block, item.late_name)
            elif item.kind == "reasoning":
                redacted = item.signature is not None and not item.is_told
                self._blocks.end(item.block, signature=item.signature, redacted=redacted)
        return self._blocks.take()

    def _event(self, name: bytes, event: object) -> None:
        if not isinstance(event, dict):
            return
        kind = event.get("type") or _kind_of(event, name)
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(event)
        elif isinstance(kind, str) and kind.startswith("response."):
            self._response(event.get("response"), kind.removeprefix("response."))
        elif kind == "response":
            self._response(event, string(event, "status"))

    def _error(self, event: dict[str, object]) -> None:
        """Keeps an error. It isn't the end: `response.failed` may follow, with the usage."""
        self.answer.error = self.answer.error or event

    def _response(self, response: object, status: str) -> None:
        """Reads a state of the whole response. The last one has the output."""
        answer = self.answer
        if isinstance(response, dict):
            answer.id = text(response, "id") or answer.id
            answer.model = text(response, "model") or answer.model
            usage = response.get("usage")
            answer.usage = read_usage(usage) if isinstance(usage, dict) and usage else answer.usage
        if status not in _ENDS:
            return
        response = response if isinstance(response, dict) else {}
        # Some servers end every response with the same event.
        status = text(response, "status") if response.get("status") in _ENDS else status
        answer.done = True
        self.finish_reason = status
        if status in ("failed", "cancelled"):
            told = {"code": "server_error", "message": f"the response was {status}"}
            answer.error = answer.error or {"error": response.get("error") or told}
            return
        details = response.get("incomplete_details")
        if status == "incomplete" and isinstance(details, dict) and string(details, "reason"):
            self.finish_reason = f"{status}:{text(details, 'reason')}"
        answer.has_terminal_marker = True
        self._output(response.get("output"))

    def _output(self, output: object) -> None:
        for kind, item, known in self._items.matched(output if isinstance(output, list) else ()):
            self._whole(known or self._begin(kind, item), item)

    def _item_added(self, event: dict[str, object]) -> None:
        item = event.get("item")
        kind = kind_of(item)
        if kind is not None and isinstance(item, dict):
            self._begin(kind, item, event.get("output_index"))

    def _item_done(self, event: dict[str, object]) -> None:
        item, index = event.get("item"), event.get("output_index")
        kind = kind_of(item)
        if kind is None or not isinstance(item, dict):
            return
        known = self._items.find(kind, index, (string(item, "id"), string(item, "call_id")))
        if known is None or known.is_whole:
            known = self._begin(kind, item, index)
        known.is_whole = True
        self._whole(known, item)

    def _begin(self, kind: ItemKind, item: Item, index: object = None) -> OutputItem:
        begun = self._items.open(kind, item, index)
        if kind == "call":
            name = shown_name(string(item, "name"))
            call_id = text(item, "call_id") or text(item, "id") or None
            begun.late_name = None if name else ""
            begun.block = self._blocks.start_call(name, call_id)
            self.call_ids.append(call_id)
        elif kind == "reasoning":
            begun.block = self._blocks.start_thinking()
        else:
            self._blocks.end_text()
        return begun

    def _whole(self, known: OutputItem, item: Item) -> None:
        """Passes on what did not stream of a complete item."""
        item_id = string(item, "id")
        known.id_changes = known.id_changes or known.id not in ("", item_id)
        if known.kind == "call":
            self._call_told(known, item, "input" if item.get("type") == "custom_tool_call" else "arguments")
        elif known.kind == "reasoning":
            known.signature = known.signature or signature_of(item, with_id=not known.id_changes)
            if not known.is_told:
                parts = _texts(item.get("summary")) or _texts(item.get("content"))
                known.is_told = bool(parts)
                self._blocks.append(known.block, _PARTS.join(parts))
        elif not known.is_told:
            content = item.get("content")
            for part in content if isinstance(content, list) else ():
                if isinstance(part, dict):
                    known.is_told = True
                    self._blocks.text("text", string(part, "text"))
                    self._blocks.text("refusal", string(part, "refusal"))

    def _text(self, event: dict[str, object], kind: BlockKind, key: str) -> None:
        item = self._find("message", event)
        piece = string(event, key)
        if item is None and key == "delta" and piece:  # some servers leave out how an item begins
            item = self._begin("message", {"id": string(event, "item_id")}, event.get("output_index"))
        if item is not None and _is_news(item, key) and piece:
            item.is_told, item.part_is_told = True, key == "delta"
            self._blocks.text(kind, piece)

    def _thinking(self, event: dict[str, object], source: str, key: str) -> None:
        item = self._find("reasoning", event)
        piece, part = string(event, key), event.get("summary_index")
        if item is None or item.source not in ("", source) or not _is_news(item, key) or not piece:
            return
        if item.is_told and part != item.part:
            self._blocks.append(item.block, _PARTS)
        item.source, item.part = source, part
        item.is_told, item.part_is_told = True, key == "delta"
        self._blocks.append(item.block, piece)

    def _arguments(self, event: dict[str, object], key: str) -> None:
        item = self._find("call", event)
        if item is not None and key != "delta":
            self._call_told(item, event, key)
        elif item is not None and (piece := item.arguments.add(string(event, "delta"))):
            item.is_told = True
            self._blocks.append(item.block, piece)

    def _call_told(self, item: OutputItem, told: Mapping[str, object], key: str) -> None:
        """Takes the name of a call, and its arguments in one piece, unless they have streamed."""
        if item.late_name is not None:
            item.late_name = shown_name(string(told, "name")) or item.late_name
        arguments = arguments_text(told.get(key))
        if arguments and not item.is_told:
            item.is_told = True
            self._blocks.append(item.block, arguments)

    def _find(self, kind: ItemKind, event: dict[str, object]) -> OutputItem | None:
        names = (string(event, "item_id"), string(event, "call_id"))
        return self._items.find(kind, event.get("output_index"), names)


def _kind_of(event: Mapping[str, object], name: bytes) -> str:
    """The kind of an event without a type: it may be a whole document; otherwise its name tells."""
    if event.get("object") == "response":
        return "response"
    if event.get("error") or event.get("object") == "error":
        return "error"
    return name.decode("ascii", "replace")


def _is_news(item: OutputItem, key: str) -> bool:
    """Whether the text under `key` is new: the end of a part repeats what has streamed of it."""
    if key == "delta":
        return True
    told, item.part_is_told = item.part_is_told, False
    return not told


def _texts(parts: object) -> list[str]:
    found = (
        [string(part, "text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    )
    return [piece for piece in found if piece]
