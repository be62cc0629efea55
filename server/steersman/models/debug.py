"""Parses a recorded response body with the stream's own parser, into plain data for people and tests."""

import json
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, StreamEvent
from steersman.models.answer_body import AnswerBody
from steersman.models.anthropic_stream import AnthropicStreamParser
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.gemini_stream import GeminiStreamParser
from steersman.models.responses_stream import ResponsesStreamParser

Parser: TypeAlias = ChatStreamParser | ResponsesStreamParser | AnthropicStreamParser | GeminiStreamParser
PARSERS: Final[Mapping[str, type[Parser]]] = {
    "openai-chat": ChatStreamParser,
    "openai-responses": ResponsesStreamParser,
    "anthropic": AnthropicStreamParser,
    "gemini": GeminiStreamParser,
}
APIS: Final = tuple(PARSERS)
_BETWEEN_THOUGHTS: Final[Mapping[str, str]] = {"openai-responses": "\n\n"}
"""What separates two blocks of thinking; nothing in other APIs, where they are not paragraphs of their own."""


def parse_recording(api: str, pieces: Iterable[bytes]) -> dict[str, object]:
    """Parses the pieces of one body.

    Returns:
        text, reasoning, refusal, tool_calls, finish_reason (in the provider's word), usage (in its numbers), error,
        model and id, and our own `stop_reason`, which is None if the response can't be used.

    Raises:
        ValueError: an unknown API.
    """
    if api not in PARSERS:
        raise ValueError(f"unknown API {api!r}; known: {', '.join(PARSERS)}")
    body: AnswerBody[Parser] = AnswerBody(PARSERS[api]())
    events = [event for piece in pieces for event in body.feed(piece)]
    events += body.close()
    events += body.parser.finish()
    return _parsed(body.parser, events, _BETWEEN_THOUGHTS.get(api, ""))


def _parsed(parser: Parser, events: list[StreamEvent], between_thoughts: str) -> dict[str, object]:
    starts = [event for event in events if isinstance(event, BlockStart)]
    names = {start.index: start.name for start in starts}
    texts: dict[int, list[str]] = {start.index: [] for start in starts}
    for event in events:
        if isinstance(event, BlockDelta):
            texts[event.index].append(event.text)
        elif isinstance(event, BlockEnd) and event.name is not None:
            names[event.index] = event.name

    def joined(kind: str, between: str = "") -> str:
        told = ["".join(texts[start.index]) for start in starts if start.kind == kind]
        return between.join(filter(None, told))

    calls = [start.index for start in starts if start.kind == "toolCall"]
    return {
        "text": joined("text"),
        "reasoning": joined("thinking", between_thoughts),
        "refusal": joined("refusal") or None,
        "tool_calls": [
            _call(call_id, names[index], "".join(texts[index]))
            for index, call_id in zip(calls, parser.call_ids, strict=True)
        ],
        "finish_reason": parser.finish_reason,
        "usage": parser.answer.usage.as_sent() if parser.answer.usage is not None else None,
        "error": _error(parser),
        "model": parser.answer.model,
        "id": parser.answer.id,
        "stop_reason": None
        if parser.answer.error or parser.answer.broke or parser.missing_end
        else parser.stop_reason,
    }


def _call(call_id: str | None, name: str, arguments: str) -> dict[str, object]:
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        parsed = arguments
    return {"id": call_id, "name": name, "arguments": parsed, "arguments_raw": arguments}


def _error(parser: Parser) -> object:
    error = parser.answer.error
    if isinstance(error, dict):
        error = error.get("error", error)
    if not isinstance(error, dict):
        return error
    return {key: error.get(key) for key in ("message", "type", "code")}
