"""What a recorded response body parses to, as plain data: the stream's own parser, read out for people and tests."""

import json
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from steersman.agent.model import BlockDelta, BlockEnd, BlockStart, StreamEvent
from steersman.models.answer_body import AnswerBody
from steersman.models.anthropic_stream import AnthropicStreamParser
from steersman.models.chat_stream import ChatStreamParser

Parser: TypeAlias = ChatStreamParser | AnthropicStreamParser
PARSERS: Final[Mapping[str, type[Parser]]] = {
    "openai-chat": ChatStreamParser,
    "anthropic": AnthropicStreamParser,
}
APIS: Final = tuple(PARSERS)


def parse_recording(api: str, pieces: Iterable[bytes]) -> dict[str, object]:
    """Parses the pieces of one body.

    Returns:
        text, reasoning, refusal, tool_calls, finish_reason (the provider's word), usage (its numbers), error, model
        and id, and our own `stop_reason`, which is None for a response that can't be used.

    Raises:
        ValueError: an unknown API.
    """
    if api not in PARSERS:
        raise ValueError(f"unknown API {api!r}; known: {', '.join(PARSERS)}")
    body: AnswerBody[Parser] = AnswerBody(PARSERS[api]())
    events = [event for piece in pieces for event in body.feed(piece)]
    events += body.close()
    events += body.parser.finish()
    return _parsed(body.parser, events)


def _parsed(parser: Parser, events: list[StreamEvent]) -> dict[str, object]:
    starts = [event for event in events if isinstance(event, BlockStart)]
    names = {start.index: start.name for start in starts}
    texts: dict[int, list[str]] = {start.index: [] for start in starts}
    for event in events:
        if isinstance(event, BlockDelta):
            texts[event.index].append(event.text)
        elif isinstance(event, BlockEnd) and event.name is not None:
            names[event.index] = event.name

    def joined(kind: str) -> str:
        return "".join(piece for start in starts if start.kind == kind for piece in texts[start.index])

    calls = [start.index for start in starts if start.kind == "toolCall"]
    return {
        "text": joined("text"),
        "reasoning": joined("thinking"),
        "refusal": joined("refusal") or None,
        "tool_calls": [
            _call(call_id, names[index], "".join(texts[index]))
            for index, call_id in zip(calls, parser.call_ids, strict=True)
        ],
        "finish_reason": parser.finish_reason,
        "usage": parser.usage.as_sent() if parser.usage is not None else None,
        "error": _error(parser),
        "model": parser.model,
        "id": parser.id,
        "stop_reason": None
        if parser.error or parser.is_broken or not parser.is_complete
        else parser.stop_reason,
    }


def _call(call_id: str | None, name: str, arguments: str) -> dict[str, object]:
    try:
        parsed = json.loads(arguments)
    except ValueError:
        parsed = arguments
    return {"id": call_id, "name": name, "arguments": parsed, "arguments_raw": arguments}


def _error(parser: Parser) -> object:
    error = parser.error
    if isinstance(error, dict):
        error = error.get("error", error)
    if not isinstance(error, dict):
        return error
    return {key: error.get(key) for key in ("message", "type", "code")}
