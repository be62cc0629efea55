"""Turns chunks of the Gemini API into model stream events. No I/O, no clock: bytes of JSON in, events out.

A chunk is "GenerateContentResponse" of the API reference. Parts of the provider's own tools (code that it ran,
searches) are skipped, the text around them is kept. A thought signature on a text becomes a block of thinking without
text right after it; `gemini_content` puts it back in its place. What model events can't express (the provider's own
finish reason, its usage as sent) can be read from the parser.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from steersman.agent.messages import ModelStop
from steersman.agent.model import StreamEvent
from steersman.models.answer_body import Answer
from steersman.models.blocks import shown_name
from steersman.models.event_json import arguments_text, string, text
from steersman.models.gemini_usage import read_usage
from steersman.models.sse import SseEvent
from steersman.models.surrogates import whole

_CUTS: Final[Mapping[str, ModelStop]] = {
    "MAX_TOKENS": "length",
    # The provider's own tools ran too often. What there is can be shown, and the user can go on from it.
    "TOO_MANY_TOOL_CALLS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
}
"""Finish reasons of an answer that was cut. With any other, an answer with text or calls is complete."""
_FAILED: Final[Mapping[str, str]] = {
    "MALFORMED_FUNCTION_CALL": "tool_use_failed",
    "UNEXPECTED_TOOL_CALL": "tool_use_failed",
    "MALFORMED_RESPONSE": "internal",
    "MISSING_THOUGHT_SIGNATURE": "invalid_argument",
}
"""Finish reasons that are failures, each with the error code of the same meaning."""
_NUMBERS: Final = ("FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")
"""Finish reasons by number, which some servers send instead of the name. From 6 on the API and Vertex AI differ."""


class GeminiStreamParser:
    """Parses one response. `feed` it SSE events as they come, `finish` it once, then look at `stop_reason`.

    The deltas of one `feed` are merged by block. The terminal marker is a finish reason, or the reason why the prompt
    was blocked. Older models send a finish reason with every chunk, so only the end of the body is the end.
    """

    def __init__(self) -> None:
        self.answer = Answer()
        self._blocks = self.answer.blocks
        self.finish_reason: str | int | None = None
        """In the provider's own word, or its number; the last one if it sent several."""
        self.call_ids: list[str | None] = []
        """The provider's ids of the calls, in the order of their blocks."""
        self._blocked = False
        self._cut: ModelStop | None = None
        self._thinking: int | None = None

    @property
    def missing_end(self) -> str:
        return "" if self.answer.has_terminal_marker else "no finish reason came"

    @property
    def stop_reason(self) -> ModelStop:
        """Why the model stopped, in our words. If one of several reasons cut the answer, that one counts."""
        if self._blocked:
            return "content_filter"
        if self._cut is not None:
            return self._cut
        if self.answer.has_answer and _word(self.finish_reason) == "OTHER":
            # Nobody knows why it ended. Its text can be shown, but calls may have been cut.
            return "length"
        return "tool_calls" if self.call_ids else "stop"

    def feed(self, events: Iterable[SseEvent]) -> list[StreamEvent]:
        """The model events that these give; none if there is nothing to show."""
        return self.answer.read(events, self._event)

    def finish(self) -> list[StreamEvent]:
        """The events that close all blocks. Call it once, when the response is complete."""
        self._end_thinking()
        self._blocks.end_text()
        return self._blocks.take()

    def _event(self, name: bytes, value: object) -> None:
        # If a proxy loses `alt=sse`, the body is one array of chunks.
        for chunk in value if isinstance(value, list) else [value]:
            if isinstance(chunk, dict) and not self.answer.done:
                self._chunk(chunk, is_error=name == b"error")

    def _chunk(self, chunk: dict[str, object], *, is_error: bool) -> None:
        answer = self.answer
        answer.model = answer.model or text(chunk, "modelVersion") or None
        answer.id = answer.id or text(chunk, "responseId") or None
        usage = chunk.get("usageMetadata")
        if isinstance(usage, dict):
            read = read_usage(usage)
            # Counts are cumulative, and every chunk has them all, except that Vertex AI's first ones are empty.
            answer.usage = read if answer.usage is None or not read.is_zero else answer.usage
        if chunk.get("error") or is_error:
            answer.error, answer.done = chunk, True
            return
        self._prompt_feedback(chunk.get("promptFeedback"))
        candidates = chunk.get("candidates")
        for candidate in candidates if isinstance(candidates, list) else ():
            if isinstance(candidate, dict) and candidate.get("index") in (0, None):
                self._candidate(candidate)

    def _prompt_feedback(self, feedback: object) -> None:
        if not isinstance(feedback, dict):
            return
        reason = feedback.get("blockReason")
        if reason and isinstance(reason, str | int):
            self._blocked = self.answer.has_terminal_marker = True
            said = text(feedback, "blockReasonMessage")
            self.answer.withheld = said or f"the prompt was blocked ({whole(str(reason))})"

    def _candidate(self, candidate: dict[str, object]) -> None:
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._part(part)
        reason = candidate.get("finishReason")
        if isinstance(reason, str | int) and reason:
            self._finish_reason(reason, text(candidate, "finishMessage"))

    def _finish_reason(self, reason: str | int, said: str) -> None:
        self.finish_reason = whole(reason) if isinstance(reason, str) else int(reason)
        self.answer.has_terminal_marker = True
        word = _word(reason)
        if word in _FAILED and self.answer.error is None:
            self.answer.error = {"code": _FAILED[word], "message": said or f"finish reason {word}"}
        self._cut = _CUTS.get(word, self._cut)
        if _CUTS.get(word) == "content_filter":
            self.answer.withheld = said or f"the answer was blocked ({word})"

    def _part(self, part: dict[str, object]) -> None:
        call = part.get("functionCall")
        said = string(part, "text")
        signature = text(part, "thoughtSignature") or None
        if isinstance(call, dict):
            self._end_thinking()
            self._call(call, signature)
        elif part.get("thought") is True:
            self._thought(said, signature)
        elif isinstance(part.get("text"), str):
            if said:
                self._end_thinking()
                self._blocks.text("text", said)
            if signature is not None:
                self._end_thinking()
                self._blocks.end(self._blocks.start_thinking(), signature=signature)

    def _thought(self, text: str, signature: str | None) -> None:
        if not text and signature is None:
            return
        if self._thinking is None:
            self._thinking = self._blocks.start_thinking()
        self._blocks.append(self._thinking, text)
        if signature is not None:
            self._end_thinking(signature)

    def _end_thinking(self, signature: str | None = None) -> None:
        if self._thinking is not None:
            self._blocks.end(self._thinking, signature=signature)
            self._thinking = None

    def _call(self, call: dict[str, object], signature: str | None) -> None:
        """Adds a call, which always comes in one piece."""
        call_id = text(call, "id") or None
        self.call_ids.append(call_id)
        index = self._blocks.start_call(shown_name(string(call, "name")), call_id)
        self._blocks.append(index, arguments_text(call.get("args")) or "{}")
        self._blocks.end(index, signature=signature)


def _word(reason: str | int | None) -> str:
    """A finish reason as the API reference spells it; empty if there is none with that number."""
    if isinstance(reason, str):
        return reason.upper()
    return _NUMBERS[reason] if reason is not None and 0 <= reason < len(_NUMBERS) else ""
