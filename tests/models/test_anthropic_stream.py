"""What a Messages stream holds: each quirk once, in hand-written events, whole and byte by byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import Usage
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart
from steersman.models.answer_body import AnswerBody
from steersman.models.anthropic_stream import AnthropicStreamParser
from steersman.models.debug import parse_recording
from support.anthropic_sse import answer, block, call, sse, start, stop, text, thinking
from support.cases import cases
from support.sse import blocks, cut_at, merged, random_pieces, single_bytes

PING = {"type": "ping"}


def parse(body: bytes) -> dict[str, object]:
    """The parse of `body`, which must not depend on how it is cut."""
    parsed = parse_recording("anthropic", [body])
    assert parse_recording("anthropic", single_bytes(body)) == parsed
    assert all(parse_recording("anthropic", random_pieces(body, seed)) == parsed for seed in range(3))
    return parsed


def events_of(*pieces: bytes):
    body = AnswerBody(AnthropicStreamParser())
    events = [event for piece in pieces for event in body.feed(piece)]
    return [*events, *body.close(), *body.parser.finish()], body.parser


def usage_of(*usages: dict[str, object]) -> Usage:
    first, *later = usages
    _, parser = events_of(
        sse(start(usage=first), *({"type": "message_delta", "usage": each} for each in later))
    )
    return parser.answer.counted


def test_text_is_joined_and_the_stop_reason_is_the_provider_s_own():
    parsed = parse(answer(text(0, "Hel", "lo")))
    assert (parsed["text"], parsed["finish_reason"], parsed["stop_reason"]) == ("Hello", "end_turn", "stop")
    assert (parsed["model"], parsed["id"], parsed["error"]) == ("claude-x", "msg_1", None)


def test_spaces_before_the_last_brace_and_events_without_a_name_are_read():
    padded = answer(text(0, "a")).replace(b"}\n\n", b"        }\n\n")
    assert parse(padded)["text"] == "a"
    assert parse(sse(start(), *text(0, "a"), *stop(), named=False))["text"] == "a"


def test_the_last_event_needs_no_blank_line():
    assert parse(answer(text(0, "a")).rstrip(b"\n"))["stop_reason"] == "stop"


def test_carriage_returns_a_byte_order_mark_and_comments_are_framing():
    body = b"\xef\xbb\xbf: hello\r\n\r\n" + answer(text(0, "a")).replace(b"\n", b"\r\n")
    assert parse(body)["text"] == "a"


def test_blocks_come_in_the_order_of_the_message():
    events, _ = events_of(
        answer(
            thinking(0, "h", "m"), text(1, "a"), call(2, "ls", '{"p":', "1}"), text(3, "b"), reason="tool_use"
        )
    )
    assert blocks(events) == [
        ("thinking", "", "hm"),
        ("text", "", "a"),
        ("toolCall", "ls", '{"p":1}'),
        ("text", "", "b"),
    ]


def test_two_texts_in_a_row_stay_two_blocks():
    events, _ = events_of(answer(text(0, "a"), text(1, "b")))
    assert blocks(events) == [("text", "", "a"), ("text", "", "b")]


def test_an_empty_text_block_is_none():
    events, parser = events_of(answer(text(0, ""), reason="refusal"))
    assert (blocks(events), parser.answer.has_answer, parser.stop_reason) == ([], False, "refusal")


def test_text_thinking_and_input_may_come_with_the_start():
    events, _ = events_of(
        answer(
            block(0, "thinking", thinking="hm", signature="sig"),
            block(1, "text", text="a"),
            block(2, "tool_use", id="toolu_1", name="ls", input={"path": "ü"}),
            reason="tool_use",
        )
    )
    assert blocks(events) == [
        ("thinking", "", "hm"),
        ("text", "", "a"),
        ("toolCall", "ls", '{"path": "ü"}'),
    ]
    assert next(event for event in events if isinstance(event, BlockEnd)).signature == "sig"


def test_pieces_of_the_input_count_before_what_came_with_the_start():
    piece = {"type": "input_json_delta", "partial_json": '{"a":1}'}
    events, _ = events_of(answer(block(0, "tool_use", piece, id="t", name="ls", input={"b": 2})))
    assert blocks(events) == [("toolCall", "ls", '{"a":1}')]


# Thinking


def test_the_signature_of_thinking_is_told_at_its_end():
    events, _ = events_of(answer(thinking(0, "hm", signature="EqQB"), text(1, "a")))
    assert [event for event in events if isinstance(event, BlockEnd)] == [
        BlockEnd(0, None, "EqQB"),
        BlockEnd(1),
    ]


def test_thinking_that_is_not_shown_is_a_block_with_a_signature():
    events, _ = events_of(answer(thinking(0, signature="EqQB"), text(1, "a")))
    assert events[:2] == [BlockStart(0, "thinking"), BlockEnd(0, None, "EqQB")]


def test_redacted_thinking_is_kept_by_its_data():
    events, _ = events_of(answer(block(0, "redacted_thinking", data="EmwK"), text(1, "a")))
    assert events[:2] == [BlockStart(0, "thinking"), BlockEnd(0, None, "EmwK", redacted=True)]
    assert parse(answer(block(0, "redacted_thinking", data="EmwK"), text(1, "a")))["reasoning"] == ""


def test_a_text_whose_beginning_was_not_told_is_not_lost():
    first, second = text(0, "a", "b")[1:], text(2, "c")[1:]
    events, _ = events_of(sse(start(), *first, *call(1, "ls", "{}"), *second, *stop("tool_use")))
    assert blocks(events) == [("text", "", "ab"), ("toolCall", "ls", "{}"), ("text", "", "c")]


# Tool calls


def test_a_call_has_its_id_its_name_and_its_arguments():
    parsed = parse(answer(call(0, "read", "", '{"pa', 'th":"a"}'), reason="tool_use"))
    assert parsed["tool_calls"] == [
        {"id": "toolu_1", "name": "read", "arguments": {"path": "a"}, "arguments_raw": '{"path":"a"}'}
    ]
    assert parsed["stop_reason"] == "tool_calls"


def test_several_calls_are_told_apart():
    parsed = parse(
        answer(call(0, "ls", "{}", call_id="a"), call(1, "read", "{}", call_id="b"), reason="tool_use")
    )
    assert [(each["id"], each["name"]) for each in parsed["tool_calls"]] == [("a", "ls"), ("b", "read")]


def test_a_call_without_arguments_has_empty_ones():
    assert parse(answer(call(0, "ls", ""), reason="tool_use"))["tool_calls"][0]["arguments_raw"] == ""


def test_arguments_that_were_cut_are_passed_on_as_they_are():
    parsed = parse(answer(call(0, "write", '{"path": "a'), reason="max_tokens"))
    assert parsed["tool_calls"][0]["arguments_raw"] == '{"path": "a'
    assert parsed["stop_reason"] == "length"


@pytest.mark.parametrize("pieces", [['{"a":1}'], ['{"a"', ":", "1}"]])
def test_arguments_that_a_server_sends_once_more_as_a_whole_do_not_double(pieces):
    parsed = parse(answer(call(0, "ls", *pieces, '{"a":1}', '{"a":1}'), reason="tool_use"))
    assert parsed["tool_calls"][0]["arguments_raw"] == '{"a":1}'


def test_blocks_that_are_interleaved_keep_their_pieces():
    first, second = call(0, "ls", '{"a"', ":1}", call_id="a"), call(1, "read", "{", "}", call_id="b")
    mixed = [event for pair in zip(first, second, strict=True) for event in pair]
    parsed = parse(sse(start(), *mixed, *stop("tool_use")))
    assert [each["arguments_raw"] for each in parsed["tool_calls"]] == ['{"a":1}', "{}"]


def test_a_block_that_is_not_closed_is_closed_by_the_next_of_its_index_or_by_the_end():
    first, second = call(0, "ls", "{}", call_id="a")[:-1], call(0, "read", "{}", call_id="b")[:-1]
    events, parser = events_of(sse(start(), *first, *second, *stop("tool_use")))
    assert blocks(events) == [("toolCall", "ls", "{}"), ("toolCall", "read", "{}")]
    assert len([event for event in events if isinstance(event, BlockEnd)]) == 2
    assert parser.call_ids == ["a", "b"]


def test_text_that_goes_on_after_another_block_is_a_block_of_its_own():
    first, more = text(0, "a", "b")[:2], text(0, "a", "b")[2:]
    events, _ = events_of(sse(start(), *first, *thinking(1, "hm"), *more, *stop()))
    assert blocks(events) == [("text", "", "a"), ("thinking", "", "hm"), ("text", "", "b")]


def test_events_without_an_index_belong_to_the_last_block():
    def bare(events):
        return [{key: value for key, value in event.items() if key != "index"} for event in events]

    parsed = parse(sse(start(), *bare(text(0, "a")), *bare(call(1, "ls", "{}")), *stop("tool_use")))
    assert (parsed["text"], parsed["tool_calls"][0]["arguments_raw"]) == ("a", "{}")


# What is passed over


@pytest.mark.parametrize(
    "passed_over",
    [
        block(
            1,
            "server_tool_use",
            {"type": "input_json_delta", "partial_json": '{"q":1}'},
            id="s",
            name="web_search",
        ),
        block(
            1, "mcp_tool_use", {"type": "input_json_delta", "partial_json": "{}"}, id="s", name="x", input={}
        ),
        block(
            1,
            "web_search_tool_result",
            tool_use_id="s",
            content=[{"type": "web_search_result", "text": "no"}],
        ),
        block(1, "code_execution_tool_result", tool_use_id="s", content={"stdout": "no"}),
        block(1, "advisor_tool_result", {"type": "text_delta", "text": "no"}, text="no"),
        block(1, "compaction", {"type": "compaction_delta", "content": "no"}),
        block(1, "fallback", **{"from": {"model": "a"}, "to": {"model": "b"}}),
        block(1, "something_new", {"type": "new_delta", "text": "no"}, text="no"),
    ],
    ids=lambda events: events[0]["content_block"]["type"],
)
def test_blocks_of_the_provider_s_own_tools_are_passed_over_and_the_text_around_them_kept(passed_over):
    parsed = parse(answer(text(0, "a"), passed_over, text(2, "b")))
    assert (parsed["text"], parsed["reasoning"], parsed["tool_calls"]) == ("ab", "", [])


def test_citations_belong_to_a_text_and_show_nothing():
    cited = {"type": "citations_delta", "citation": {"type": "char_location", "cited_text": "no"}}
    events, _ = events_of(
        answer(block(0, "text", {"type": "text_delta", "text": "a"}, cited, text="", citations=[]))
    )
    assert blocks(events) == [("text", "", "a")]


@pytest.mark.parametrize(
    "noise",
    [
        PING,
        {"type": "new_event", "x": 1},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "thinking_delta", "thinking": "no"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": "no"},
        },
        {"type": "content_block_delta", "index": 0, "delta": 7},
        {"type": "content_block_delta", "index": 0},
        {"type": "content_block_stop", "index": 9},
        {"type": "content_block_start", "index": 3, "content_block": None},
        {"type": "content_block_start", "index": 3, "content_block": {"type": ["text"], "text": "no"}},
        {"type": "message_start", "message": 7},
        {"type": "message_delta", "delta": None, "usage": None},
        {"type": "message_delta", "delta": {"stop_reason": 7, "stop_details": 7}, "usage": [1]},
    ],
)
def test_events_of_unknown_kind_or_shape_show_nothing(noise):
    first, *rest = text(0, "a", "b")
    parsed = parse(sse(start(), noise, first, noise, *rest, noise, *stop()))
    assert (parsed["text"], parsed["stop_reason"]) == ("ab", "stop")


@pytest.mark.parametrize(
    "value", [b"null", b"7", b'"ok"', b"[]", b"{}", b'{"type": null}', b'{"type": 7}', b"[DONE]"]
)
def test_values_that_are_no_events_show_nothing(value):
    body = b"data: " + value + b"\n\n" + answer(text(0, "a")) + b"event: data\ndata: [DONE]\n\n"
    assert parse(body)["stop_reason"] == "stop"


# The end


@pytest.mark.parametrize(
    ("word", "stops"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("refusal", "refusal"),
        ("something_new", "stop"),
        (None, "stop"),
    ],
)
def test_stop_reasons_are_mapped(word, stops):
    assert parse(answer(text(0, "a"), reason=word))["stop_reason"] == stops


def test_an_unknown_stop_reason_with_calls_means_calls():
    assert parse(answer(call(0, "ls", "{}"), reason="something_new"))["stop_reason"] == "tool_calls"


def test_without_message_stop_a_response_is_not_usable():
    body = sse(start(), *call(0, "ls", "{}"), stop("tool_use")[0])
    parsed = parse(body)
    assert (parsed["stop_reason"], parsed["finish_reason"]) == (None, "tool_use")


def test_what_comes_after_message_stop_does_not_count():
    body = answer(text(0, "a")) + sse(*text(1, "no"), {"type": "error", "error": {"type": "api_error"}})
    assert (parse(body)["text"], parse(body)["error"]) == ("a", None)


def test_why_an_answer_was_withheld_is_known():
    details = {"type": "refusal", "category": "cyber", "explanation": "It was against the policy."}
    _, parser = events_of(sse(start(), *stop("refusal", stop_details=details)))
    assert (parser.stop_reason, parser.answer.withheld) == ("refusal", "It was against the policy.")
    _, parser = events_of(sse(start(), *stop("refusal", stop_details={**details, "explanation": None})))
    assert parser.answer.withheld == "cyber"


def test_a_start_that_is_told_twice_counts_once_and_two_answers_in_one_stream_are_none():
    assert parse(sse(start(), start(), *text(0, "a"), *stop()))["text"] == "a"
    parsed = parse(sse(start(), *text(0, "a"), start(id="msg_2"), *text(0, "b"), *stop()))
    assert (parsed["text"], parsed["stop_reason"]) == ("a", None)


def test_a_whole_message_instead_of_a_stream_is_read():
    content = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"a": 1}},
        7,
    ]
    message = {"type": "message", "id": "m", "model": "c", "content": content, "stop_reason": "tool_use"}
    parsed = parse(
        json.dumps({**message, "usage": {"input_tokens": 3, "output_tokens": 2}}, indent=1).encode()
    )
    assert (parsed["text"], parsed["reasoning"], parsed["stop_reason"]) == ("a", "hm", "tool_calls")
    assert (parsed["tool_calls"][0]["arguments"], parsed["usage"]["input"]) == ({"a": 1}, 3)


# Usage


def test_input_includes_what_was_read_from_and_written_to_a_cache():
    usage = usage_of(
        {
            "input_tokens": 3,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "output_tokens": 1,
        },
        {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}},
    )
    assert usage == Usage(input=123, output=9, cache_read=100, cache_write=20, reasoning=4)


def test_counts_are_cumulative_and_the_last_stands():
    usage = usage_of(
        {"input_tokens": 612, "cache_read_input_tokens": 55, "output_tokens": 63},
        {"input_tokens": 28, "cache_read_input_tokens": 0, "output_tokens": 0},
    )
    assert usage == Usage(input=28, output=0)


def test_an_input_of_nothing_does_not_undo_the_one_of_the_start():
    assert usage_of({"input_tokens": 7}, {"input_tokens": 0, "output_tokens": 2}) == Usage(input=7, output=2)


def test_counts_that_are_no_counts_are_ignored():
    broken = {
        "input_tokens": "7",
        "output_tokens": -1,
        "cache_read_input_tokens": True,
        "output_tokens_details": 7,
    }
    assert usage_of({"input_tokens": 5, "output_tokens": 1}, broken) == Usage(input=5, output=1)


# Errors and damage


@pytest.mark.parametrize(
    "error",
    [
        b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n',
        b'data: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n',
        b'data: {"error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n',
        b'event: error\ndata: {"message": "Overloaded"}\n\n',
    ],
)
def test_an_error_inside_a_stream_ends_it_and_keeps_what_had_come(error):
    parsed = parse(sse(start(), *text(0, "Hello")) + error + sse(*text(1, "no"), *stop()))
    assert parsed["error"]["message"] == "Overloaded"
    assert (parsed["text"], parsed["usage"]["input"], parsed["stop_reason"]) == ("Hello", 3, None)


def test_an_error_as_one_document_is_an_error():
    assert (
        parse(b'{"type": "error", "error": {"type": "api_error", "message": "no"}}')["error"]["type"]
        == "api_error"
    )


def test_an_event_that_is_not_json_breaks_the_stream_unless_it_was_complete():
    _, parser = events_of(sse(start(), *text(0, "a")) + b"data: {oops\n\n" + sse(*stop()))
    assert parser.answer.broke and parser.missing_end
    _, parser = events_of(answer(text(0, "a")) + b"data: {oops\n\n")
    assert not parser.answer.broke and not parser.missing_end


def test_surrogate_halves_are_joined_over_deltas_and_replaced_where_alone():
    pieces = ["\ud83d", "\ude00 \ud83d", "x"]
    parsed = parse(
        answer(text(0, *pieces), thinking(1, *pieces, signature="s\ud83d"), call(2, "l\ud83d", *pieces))
    )
    assert (parsed["text"], parsed["reasoning"]) == ("😀 \ufffdx", "😀 \ufffdx")
    assert (parsed["tool_calls"][0]["name"], parsed["tool_calls"][0]["arguments_raw"]) == (
        "l\ufffd",
        "😀 \ufffdx",
    )


def test_the_deltas_of_one_piece_are_merged():
    events, _ = events_of(answer(text(0, *["ab "] * 100)))
    assert [event.text for event in events if isinstance(event, BlockDelta)] == ["ab " * 100]


PIECES = st.one_of(
    st.builds(
        lambda index, said: text(index, *said), st.integers(0, 3), st.lists(st.text(max_size=4), max_size=3)
    ),
    st.builds(thinking, st.integers(0, 3), st.text(max_size=4)),
    st.builds(
        lambda index, said: call(index, "ls", said), st.integers(0, 3), st.text('{}":a1,\\', max_size=5)
    ),
    st.builds(lambda index: block(index, "server_tool_use", name="x"), st.integers(0, 3)),
    st.just([PING]),
)


@cases(100)
@given(
    st.lists(PIECES, max_size=8),
    st.lists(st.integers(0, 4000), max_size=5),
    st.randoms(use_true_random=False),
)
def test_any_stream_gives_the_same_blocks_for_any_cuts(parts, places, random):
    events = [event for part in parts for event in part]
    if random.random() < 0.3:
        random.shuffle(events)
    body = sse(start(), *events, *stop())
    whole, parser = events_of(body)
    cut, cut_parser = events_of(*cut_at(body, *sorted(min(place, len(body)) for place in places)))
    assert merged(cut) == merged(whole)
    assert cut_parser.call_ids == parser.call_ids
    assert len(blocks(whole)) == len([event for event in whole if isinstance(event, BlockEnd)])
