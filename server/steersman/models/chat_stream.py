"""Turns Chat Completions chunks into model stream events. No I/O, no clock: bytes of JSON in, events out.

A chunk is "The chat completion chunk object" of the API reference, but it is read tolerantly, since providers differ.
What model events can't express (the provider's own finish reason, its usage as sent) can be read from the parser.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from steersman.agent.messages import ModelStop
from steersman.agent.model import StreamEvent
from steersman.models.answer_body import NO_JSON, TOO_DEEP, Answer
from steersman.models.chat_calls import CallSlots
from steersman.models.chat_template import ChunkTemplate
from steersman.models.chat_usage import ChatUsage, read_usage
from steersman.models.event_json import read_event, text
from steersman.models.sse import SseEvent

_STOPS: Final[Mapping[str, ModelStop]] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "recitation": "content_filter",
    "refusal": "refusal",
}
_FAILED: Final[Mapping[str, str]] = {
    "error": "server_error",
    "network_error": "server_error",
    "insufficient_system_resource": "overloaded_error",
}
"""Finish reasons that are failures, each with the error code of the same meaning."""
_CUT: Final = ("length", "content_filter", "refusal")
_THINKING_KEYS: Final = ("reasoning_content", "reasoning", "reasoning_text")
_TEXT_PARTS: Final = ("text", "output_text", "summary_text")
_THINKING_PARTS: Final = ("thinking", "reasoning")
_DEEPEST: Final = 8
"""Levels of nested content parts that are read."""


class ChatStreamParser:
    """Parses one response. `feed` it SSE events as they come, `finish` it once, then look at `stop_reason`.

    The deltas of one `feed` are merged by block. A block of text ends when another kind begins. Calls stay open to the
    end, since their pieces may be interleaved.
    """

    def __init__(self) -> None:
        self.answer = Answer()
        self._blocks = self.answer.blocks
        self.finish_reason: str | None = None
        """In the provider's own word; the last one if it sent several."""
        self._cut: ModelStop | None = None
        self._calls = CallSlots()
        self._template: ChunkTemplate | None = None
        self._usage: ChatUsage | None = None

    @property
    def missing_end(self) -> str:
        """Without a terminal marker a response can only be used if it has calls and all of them are complete."""
        usable = self.answer.has_terminal_marker or self._calls.all_complete
        return "" if usable else "neither a finish reason nor [DONE] came"

    @property
    def stop_reason(self) -> ModelStop:
        """Why the model stopped, in our words. If one of several reasons cut the answer, that one counts."""
        if self._cut is not None:
            return self._cut
        known = _STOPS.get((self.finish_reason or "").lower())
        return known or ("tool_calls" if self.call_ids else "stop")

    @property
    def call_ids(self) -> list[str | None]:
        """The provider's ids of the calls, in the order of their blocks, including ids that came late."""
        started = [(slot.block, slot.id) for slot in self._calls if slot.block is not None]
        return [call_id for _, call_id in sorted(started, key=lambda pair: pair[0])]

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The model events that these chunks give; none if there is nothing to show."""
        answer, template = self.answer, None if self._blocks.is_mending else self._template
        for name, payload in events:
            if answer.done or answer.broke:
                break
            if template is not None and not name:
                more = template.match(payload)
                if more is not None and self._more(template, more):
                    continue
            self._payload(name, payload)
            template = None if self._blocks.is_mending else self._template
        return self._blocks.take()

    def finish(self) -> list[StreamEvent]:
        """The events that close all blocks. Call it once, when the response is complete."""
        self._blocks.end_text()
        for slot in self._calls:
            if slot.block is not None:
                self._blocks.end(slot.block, slot.name if slot.name_is_late else None)
        return self._blocks.take()

    def _more(self, template: ChunkTemplate, text: str) -> bool:
        """Takes the text of a chunk that fits `template`. False if there is no call that it can continue."""
        if template.key == "arguments":
            slot = self._calls.current(template.index)
            if slot is None or slot.block is None:
                return False
            self._blocks.append(slot.block, slot.arguments.add(text))
        else:
            self._blocks.text("text" if template.key == "content" else "thinking", text)
        return True

    def _payload(self, name: bytes, payload: bytes) -> None:
        if payload.strip() == b"[DONE]":
            self.answer.done = self.answer.has_terminal_marker = True
            return
        chunk = self._decode(payload)
        if not isinstance(chunk, dict):
            return
        self._template = ChunkTemplate.learn(payload, chunk) or self._template
        try:
            self._chunk(chunk, is_error=name == b"error")
        except RecursionError:
            self.answer.broke = TOO_DEEP

    def _decode(self, payload: bytes) -> object:
        try:
            chunk, needs_mending = read_event(payload)
        except ValueError:
            # What follows the end, or an error, need not be JSON.
            if not self.answer.has_terminal_marker and self.answer.error is None:
                self.answer.broke = NO_JSON
            return None
        if needs_mending:
            self._blocks.mend_surrogates()
        return chunk

    def _chunk(self, chunk: dict[str, object], *, is_error: bool) -> None:
        answer = self.answer
        if answer.model is None:
            answer.model = text(chunk, "model") or None
        if answer.id is None:
            answer.id = text(chunk, "id") or None
        error = chunk.get("error")
        choices = chunk.get("choices")
        if error:
            answer.error = answer.error or chunk
        elif is_error or (not choices and (chunk.get("object") == "error" or _is_bare_error(chunk))):
            answer.error = answer.error or chunk
            return
        groq = chunk.get("x_groq")
        self._read_usage(chunk.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None))
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                self._choice(choice)

    def _choice(self, choice: dict[str, object]) -> None:
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            # The server doesn't stream. (Beside a delta, the message would repeat the text so far.)
            delta = choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason(reason, choice)
        if choice.get("error") and not self.answer.error:
            self.answer.error = choice
        self._read_usage(choice.get("usage"))

    def _delta(self, delta: dict[str, object]) -> None:
        for key in _THINKING_KEYS:
            # Some providers send the same text under two of these names.
            reasoning = delta.get(key)
            if reasoning and isinstance(reasoning, str):
                self._blocks.text("thinking", reasoning)
                break
        content = delta.get("content")
        if isinstance(content, str):
            self._blocks.text("text", content)
        elif isinstance(content, list):
            for part in content:
                self._content_part(part)
        refusal = delta.get("refusal")
        if isinstance(refusal, str):
            self._blocks.text("refusal", refusal)
        calls = delta.get("tool_calls")
        for entry in calls if isinstance(calls, list) else ():
            if isinstance(entry, dict):
                self._call(entry)
        legacy = delta.get("function_call")
        if isinstance(legacy, dict):
            self._call({"index": 0, "function": legacy})

    def _content_part(self, part: object) -> None:
        if isinstance(part, str):
            self._blocks.text("text", part)
        if not isinstance(part, dict):
            return
        kind = part.get("type")
        if kind in _THINKING_PARTS:
            self._blocks.text("thinking", _nested_text(part))
        elif kind == "refusal" and isinstance(part.get("refusal"), str):
            self._blocks.text("refusal", str(part["refusal"]))
        elif kind in _TEXT_PARTS or kind is None:
            self._blocks.text("text", _nested_text(part))

    def _finish_reason(self, reason: str, choice: Mapping[str, object]) -> None:
        self.finish_reason = reason
        self.answer.has_terminal_marker = True
        word = reason.lower()
        if word in _FAILED and not self.answer.error:
            self.answer.error = (
                choice
                if choice.get("error")
                else {"code": _FAILED[word], "message": f"finish reason {reason}"}
            )
        stop = _STOPS.get(word)
        if stop in _CUT:
            self._cut = stop

    def _read_usage(self, usage: object) -> None:
        if isinstance(usage, dict) and usage:
            read = read_usage(usage)
            self._usage = read if self._usage is None else read.after(self._usage)
            self.answer.usage = self._usage

    def _call(self, entry: dict[str, object]) -> None:
        slot, arguments = self._calls.take(entry)
        if slot.block is None and slot.is_ready:
            slot.block = self._blocks.start_call(slot.name, slot.id)
            slot.name_is_late = not slot.name
        if slot.block is not None and arguments:
            self._blocks.append(slot.block, arguments)


def _is_bare_error(chunk: Mapping[str, object]) -> bool:
    """Whether the chunk is an error object without `error` around it: `{"message": …, "code": …}`."""
    return isinstance(chunk.get("message"), str) and ("code" in chunk or "type" in chunk)


def _nested_text(part: Mapping[str, object], depth: int = 0) -> str:
    """The text of a content part: its own, or that of the parts in it, under any of the names that providers use."""
    if depth > _DEEPEST:
        return ""
    for key in ("text", "thinking", "reasoning", "summary", "content"):
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(_nested_text(inner, depth + 1) for inner in value if isinstance(inner, dict))
    return ""
