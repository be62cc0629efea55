"""Streamed answers that are damaged: one end, no exception, and the same events wherever the bytes are cut."""

import functools
from collections.abc import AsyncIterator, Sequence

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.abort import AbortController
from steersman.agent.model import StreamDone, StreamError, StreamEvent
from steersman.models.answer import stream_answer
from steersman.models.answer_body import AnswerBody
from steersman.models.debug import PARSERS, Parser, parse_recording
from steersman.models.endpoint import Endpoint, Stall
from steersman.models.secrets import Redactor
from support import anthropic_sse, gemini_sse, responses_sse, sse
from support.cases import NO_SHRINK, cases
from support.mutations import Json, cuts, json_bytes, mutated_bytes, mutated_json, pieces_of
from support.sse import blocks, merged

KEY = "sk-canary-0123456789"
ARGUMENTS = ('{"path": ', '"a', 'b"}')
EVENTS: dict[str, list[Json]] = {
    "openai-chat": [
        sse.chunk({"reasoning_content": "Hm"}),
        sse.text("Hello"),
        sse.text(" ü😀"),
        sse.call(ARGUMENTS[0], index=0, id="call_1", name="read"),
        sse.call(ARGUMENTS[1], index=0),
        sse.call(ARGUMENTS[2], index=0),
        sse.call("{}", index=1, id="call_2", name="ls"),
        sse.chunk({}, "tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {}}},
        {"error": {"message": "overloaded", "type": "server_error", "code": 503}},
    ],
    "openai-responses": [
        responses_sse.start(),
        *responses_sse.thinking(0, ("Hm", "m")),
        *responses_sse.text(1, "Hello", " ü😀"),
        *responses_sse.call(2, "read", *ARGUMENTS),
        responses_sse.end(responses_sse.message("Hello"), responses_sse.function_call("ls", "{}")),
        responses_sse.response("failed", error={"code": "server_error", "message": "overloaded"}),
        responses_sse.response("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ],
    "anthropic": [
        anthropic_sse.start(),
        *anthropic_sse.thinking(0, "Hm", "m"),
        *anthropic_sse.text(1, "Hello", " ü😀"),
        *anthropic_sse.call(2, "read", *ARGUMENTS),
        {"type": "ping"},
        *anthropic_sse.stop("tool_use"),
        {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}},
    ],
    "gemini": [
        gemini_sse.chunk(gemini_sse.thought("Hm", "sig")),
        gemini_sse.chunk(gemini_sse.text("Hello")),
        gemini_sse.chunk(gemini_sse.text(" ü😀"), gemini_sse.call("read", {"path": "ab"}, call_id="1")),
        gemini_sse.chunk(finish="STOP", usageMetadata=gemini_sse.usage(3, 2)),
        gemini_sse.chunk(finish="SAFETY", message="no"),
        {"promptFeedback": {"blockReason": "SAFETY"}},
        {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}},
    ],
}  # fmt: skip
TOKENS = (
    b"data: ", b"data:", b"data: [DONE]\n\n", b"event: ", b"event: error\n", b": ping\n\n", b"id: 1\n", b"retry: 1\n",
    b"\r", b"\n\n\n", b"data\n", b"data: {}\n\n", b"data: []\n\n", b"data: null\n\n", b'data: "a"\n\n', b"data: {\n\n",
    b'"finish_reason":"stop"', b'"type":"message_stop"', b'"error":{}', b'"index":1', b'"index":-1', b'"index":1e9',
)  # fmt: skip


def _event(value: Json) -> bytes:
    kind = value.get("type") if isinstance(value, dict) else None
    named = b"event: %b\n" % json_bytes(kind)[1:-1] if isinstance(kind, str) else b""
    return named + b"data: " + json_bytes(value) + b"\n\n"


@functools.cache
def bodies(api: str) -> st.SearchStrategy[bytes]:
    """Most of the events of an answer, in their order or another, some of them damaged; then the bytes."""
    whole = EVENTS[api]
    few = st.lists(st.sampled_from(whole), max_size=6)
    values = mutated_json(st.just(whole) | few | st.integers(0, len(whole)).map(lambda n: whole[:n]))
    events = values.map(lambda each: each if isinstance(each, list) else [each])
    streamed = st.builds(
        lambda events, end: b"".join(map(_event, events)) + end, events, st.sampled_from([b"", sse.DONE])
    )
    return mutated_bytes(
        streamed | events.map(json_bytes) | st.sampled_from(whole).map(json_bytes), TOKENS, most=2
    )


def read(api: str, pieces: Sequence[bytes]) -> tuple[list[StreamEvent], Parser]:
    """As `stream_answer` does it."""
    parser = PARSERS[api]()
    body: AnswerBody[Parser] = AnswerBody(parser)
    events: list[StreamEvent] = []
    for piece in filter(None, pieces):
        events += body.feed(piece)
        if parser.answer.done or parser.answer.broke:
            break
    else:
        events += body.close()
    if parser.answer.error is None and not parser.answer.broke and not parser.missing_end:
        events += parser.finish()
    return events, parser


def told(parser: Parser) -> tuple[object, ...]:
    """What a run learns of an answer beside its blocks."""
    known = (
        parser.answer.error,
        parser.answer.broke,
        parser.missing_end,
        parser.answer.has_answer,
        parser.answer.withheld,
    )
    return (*known, parser.stop_reason, parser.answer.counted, parser.answer.model, parser.call_ids)


@pytest.mark.parametrize("api", PARSERS)
@cases(40, share=0.25)
@given(data=st.data())
def test_a_damaged_answer_is_the_same_wherever_it_is_cut(api, data):
    body, places = data.draw(bodies(api)), data.draw(cuts)
    events, parser = read(api, [body])
    cut_events, cut_parser = read(api, pieces_of(body, places))
    assert merged(cut_events) == merged(events)
    assert repr(told(cut_parser)) == repr(told(parser))
    blocks(events)


class _Sends(httpx.AsyncBaseTransport):
    """A server that sends these pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        async def body() -> AsyncIterator[bytes]:
            for piece in self._pieces:
                yield piece

        return httpx.Response(200, content=body())


@pytest.mark.parametrize("api", PARSERS)
@cases(15, share=0.25, phases=NO_SHRINK)
@given(data=st.data())
async def test_a_damaged_answer_has_exactly_one_end_and_is_no_defect_of_ours(api, data):
    body, places = data.draw(bodies(api)), data.draw(cuts)
    endpoint = Endpoint("http://127.0.0.1:1/v1/x", {}, Stall(), Redactor([KEY]))
    async with httpx.AsyncClient(transport=_Sends(pieces_of(body, places))) as client:
        answer: AnswerBody[Parser] = AnswerBody(PARSERS[api]())
        stream = stream_answer(endpoint, client, lambda: b"{}", AbortController().signal, answer)
        events = [event async for event in stream]
    ends = [event for event in events if isinstance(event, StreamDone | StreamError)]
    assert ends == events[-1:]
    assert not isinstance(ends[0], StreamError) or "see the log" not in ends[0].failure.message
    blocks(events)


@pytest.mark.parametrize("api", PARSERS)
@cases(10, share=0.25)
@given(data=st.data())
def test_a_damaged_recording_can_be_read_out(api, data):
    body = data.draw(bodies(api))
    assert set(parse_recording(api, [body])) >= {"text", "tool_calls", "error", "stop_reason"}
