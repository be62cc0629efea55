"""What a Gemini stream holds: each quirk once, in hand-written chunks, whole and byte by byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import Usage
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart
from steersman.models.answer_body import AnswerBody
from steersman.models.debug import parse_recording
from steersman.models.gemini_stream import GeminiStreamParser
from support.cases import cases
from support.gemini_sse import answer, call, chunk, sse, text, thought, usage
from support.sse import blocks, cut_at, merged, random_pieces, single_bytes


def parse(body: bytes) -> dict[str, object]:
    """The parse of `body`, which must not depend on how it is cut."""
    parsed = parse_recording("gemini", [body])
    assert parse_recording("gemini", single_bytes(body)) == parsed
    assert all(parse_recording("gemini", random_pieces(body, seed)) == parsed for seed in range(3))
    return parsed


def events_of(*pieces: bytes):
    body = AnswerBody(GeminiStreamParser())
    events = [event for piece in pieces for event in body.feed(piece)]
    return [*events, *body.close(), *body.parser.finish()], body.parser


def ends_of(*parts: dict[str, object]):
    return [event for event in events_of(answer(*parts))[0] if isinstance(event, BlockEnd)]


def test_text_is_joined_and_the_finish_reason_is_the_provider_s_own():
    parsed = parse(answer(text("Hel"), text("lo")))
    assert (parsed["text"], parsed["finish_reason"], parsed["stop_reason"]) == ("Hello", "STOP", "stop")
    assert (parsed["model"], parsed["id"], parsed["error"]) == ("gemini-x", "r1", None)


def test_line_feeds_spaces_and_a_last_event_without_a_blank_line_are_read():
    assert parse(answer(text("a")).replace(b"\r\n", b"\n"))["text"] == "a"
    assert parse(answer(text("a")).rstrip(b"\r\n"))["stop_reason"] == "stop"
    assert parse(b"\xef\xbb\xbf: hello\r\n\r\n" + answer(text("a")))["text"] == "a"


def test_parts_come_as_blocks_in_their_order():
    events, _ = events_of(answer(thought("h"), thought("m"), text("a"), call("ls", {"p": 1}), text("b")))
    assert blocks(events) == [
        ("thinking", "", "hm"),
        ("text", "", "a"),
        ("toolCall", "ls", '{"p": 1}'),
        ("text", "", "b"),
    ]


def test_several_parts_of_one_chunk_are_told_apart():
    events, _ = events_of(sse(chunk(thought("hm"), text("a"), call("ls"), finish="STOP")))
    assert blocks(events) == [("thinking", "", "hm"), ("text", "", "a"), ("toolCall", "ls", "{}")]


def test_empty_texts_and_thoughts_are_none():
    events, parser = events_of(answer(text(""), thought(""), text("")))
    assert (blocks(events), parser.answer.has_answer, parser.stop_reason) == ([], False, "stop")


def test_text_and_thoughts_that_go_on_after_each_other_are_blocks_of_their_own():
    events, _ = events_of(answer(text("a"), thought("h"), text("b"), thought("m"), call("ls"), thought("so")))
    kinds = [("text", "a"), ("thinking", "h"), ("text", "b"), ("thinking", "m"), ("toolCall", "{}")]
    assert [(kind, heard) for kind, _, heard in blocks(events)] == [*kinds, ("thinking", "so")]


def test_a_thought_is_closed_before_the_text_that_follows_it():
    events, _ = events_of(answer(thought("hm"), text("a")))
    assert [type(event) for event in events] == [BlockStart, BlockDelta, BlockEnd] * 2


# Signatures


def test_the_signature_of_a_call_is_told_at_its_end():
    assert ends_of(call("ls", {}, signature="Eu0"), call("read", {})) == [
        BlockEnd(0, None, "Eu0"),
        BlockEnd(1),
    ]


def test_the_signature_of_a_thought_is_told_at_its_end():
    assert ends_of(thought("h"), thought("m", "Eu0"), thought("so"), text("a")) == [
        BlockEnd(0, None, "Eu0"),
        BlockEnd(1),
        BlockEnd(2),
    ]


@pytest.mark.parametrize("last", [[text("b", "Eu0")], [text("b"), text("", "Eu0")]])
def test_the_signature_of_a_text_is_a_block_of_thinking_without_text_right_after_it(last):
    events, _ = events_of(answer(text("a"), *last))
    assert blocks(events) == [("text", "", "ab"), ("thinking", "", "")]
    assert events[-1] == BlockEnd(1, None, "Eu0")


def test_text_after_a_signed_one_is_not_joined_with_it():
    events, _ = events_of(answer(text("a", "s1"), text("b")))
    assert blocks(events) == [("text", "", "a"), ("thinking", "", ""), ("text", "", "b")]


def test_a_signature_that_comes_first_or_after_a_thought_is_a_block_too():
    assert ends_of(text("", "s1"), text("a"))[0] == BlockEnd(0, None, "s1")
    events, _ = events_of(answer(thought("hm"), text("", "s1"), text("a")))
    assert blocks(events) == [("thinking", "", "hm"), ("thinking", "", ""), ("text", "", "a")]


# Tool calls


def test_a_call_comes_whole_with_its_id_its_name_and_its_arguments():
    parsed = parse(answer(call("read", {"path": "ü"}, call_id="9d5")))
    assert parsed["tool_calls"] == [
        {"id": "9d5", "name": "read", "arguments": {"path": "ü"}, "arguments_raw": '{"path": "ü"}'}
    ]
    assert (parsed["finish_reason"], parsed["stop_reason"]) == ("STOP", "tool_calls")
    events, _ = events_of(answer(call("read", {"path": "a"}, call_id="9d5")))
    assert events == [
        BlockStart(0, "toolCall", "read", "9d5"),
        BlockDelta(0, '{"path": "a"}'),
        BlockEnd(0),
    ]


def test_several_calls_have_each_their_own():
    parsed = parse(sse(chunk(call("ls", {}), call("ls", {"a": 1}), finish="STOP")))
    assert [(each["id"], each["arguments"]) for each in parsed["tool_calls"]] == [
        (None, {}),
        (None, {"a": 1}),
    ]


@pytest.mark.parametrize("args", [None, {}, []])
def test_a_call_without_arguments_has_an_empty_object(args):
    assert parse(answer(call("ls", args)))["tool_calls"][0]["arguments_raw"] == "{}"


def test_calls_of_an_answer_that_was_cut_are_told_as_cut():
    assert parse(answer(call("ls", {}), finish="MAX_TOKENS"))["stop_reason"] == "length"
    assert parse(answer(call("ls", {}), finish="SAFETY"))["stop_reason"] == "content_filter"


# What is passed over


@pytest.mark.parametrize(
    "part",
    [
        {"executableCode": {"language": "PYTHON", "code": "no"}, "thoughtSignature": "s"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "no"}},
        {"toolCall": {"toolType": "GOOGLE_SEARCH", "args": {}}, "thoughtSignature": "s"},
        {"toolResponse": {"toolType": "GOOGLE_SEARCH"}, "thoughtSignature": "s"},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
        {"somethingNew": "no"},
        {"text": 7},
        {"functionCall": "no"},
        {"text": None, "thought": "no"},
        {},
    ],
    ids=lambda part: next(iter(part), "nothing"),
)
def test_parts_of_the_provider_s_own_tools_are_passed_over_and_the_text_around_them_kept(part):
    parsed = parse(answer(text("a"), part, text("b")))
    assert (parsed["text"], parsed["reasoning"], parsed["tool_calls"]) == ("ab", "", [])


def test_only_the_first_candidate_counts():
    two = {"candidates": [{"index": 1, "content": {"parts": [text("no")]}, "finishReason": "SAFETY"}]}
    assert parse(sse(two, chunk(text("a"), finish="STOP"), two))["text"] == "a"
    alone = {"candidates": [{"content": {"parts": [text("a")]}, "finishReason": "STOP"}]}
    assert parse(sse(alone))["stop_reason"] == "stop"


@pytest.mark.parametrize(
    "noise",
    [
        {},
        {"candidates": None},
        {"candidates": [7, {"content": 7}, {"content": {"parts": 7}}, {"content": {"parts": [7]}}]},
        {"candidates": [{"index": 0, "finishReason": None}]},
        {"candidates": [{"index": 0, "finishReason": ["no"], "groundingMetadata": {}}]},
        {"promptFeedback": {"safetyRatings": []}},
        {"promptFeedback": 7, "usageMetadata": 7, "modelVersion": 7, "responseId": 7},
        7,
        None,
        "no",
        [],
        [7],
    ],
)
def test_chunks_of_unknown_shape_show_nothing(noise):
    parsed = parse(sse(noise, chunk(text("a")), noise, chunk(text("b"), finish="STOP"), noise))
    assert (parsed["text"], parsed["stop_reason"]) == ("ab", "stop")


def test_a_proxy_s_end_mark_shows_nothing():
    assert parse(answer(text("a")) + b"data: [DONE]\n\n")["stop_reason"] == "stop"


# The end


@pytest.mark.parametrize(
    ("word", "stops"),
    [
        ("STOP", "stop"),
        (1, "stop"),
        ("MAX_TOKENS", "length"),
        (2, "length"),
        ("TOO_MANY_TOOL_CALLS", "length"),
        ("OTHER", "length"),
        (5, "length"),
        ("SAFETY", "content_filter"),
        (3, "content_filter"),
        ("RECITATION", "content_filter"),
        ("LANGUAGE", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("FINISH_REASON_UNSPECIFIED", "stop"),
        ("SOMETHING_NEW", "stop"),
        (99, "stop"),
        (-1, "stop"),
    ],
)
def test_finish_reasons_are_mapped(word, stops):
    parsed = parse(answer(text("a"), finish=word))
    assert (parsed["finish_reason"], parsed["stop_reason"]) == (word, stops)


def test_an_answer_that_ended_for_no_known_reason_before_anything_was_said_is_empty():
    assert parse(answer(thought("hm"), finish="OTHER"))["stop_reason"] == "stop"


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("MALFORMED_FUNCTION_CALL", "tool_use_failed"),
        ("UNEXPECTED_TOOL_CALL", "tool_use_failed"),
        ("MALFORMED_RESPONSE", "internal"),
        ("MISSING_THOUGHT_SIGNATURE", "invalid_argument"),
    ],
)
def test_finish_reasons_that_are_failures_are_errors(word, code):
    said = "Malformed function call: print(ls("
    parsed = parse(sse(chunk(text("a"), finish=word, message=said)))
    assert (parsed["error"]["code"], parsed["error"]["message"]) == (code, said)
    assert (parsed["text"], parsed["stop_reason"]) == ("a", None)
    assert parse(answer(finish=word))["error"]["message"] == f"finish reason {word}"


def test_a_reason_that_cut_the_answer_stands_whatever_follows():
    parsed = parse(sse(chunk(text("a"), finish="MAX_TOKENS"), chunk(text("b"), finish="STOP")))
    assert (parsed["text"], parsed["finish_reason"], parsed["stop_reason"]) == ("ab", "STOP", "length")


def test_a_finish_reason_with_every_chunk_ends_nothing():
    parsed = parse(
        sse(chunk(text("a"), finish="STOP"), chunk(text("b"), finish="STOP"), chunk(finish="RECITATION"))
    )
    assert (parsed["text"], parsed["stop_reason"]) == ("ab", "content_filter")


def test_without_a_finish_reason_a_response_is_not_usable():
    for body in (sse(chunk(text("a"))), sse(chunk(call("ls", {})), {"usageMetadata": usage(3, 2)}), b""):
        assert parse(body)["stop_reason"] is None


@pytest.mark.parametrize(
    ("feedback", "withheld"),
    [
        ({"blockReason": "SAFETY", "blockReasonMessage": "Reasons"}, "Reasons"),
        ({"blockReason": "PROHIBITED_CONTENT"}, "the prompt was blocked (PROHIBITED_CONTENT)"),
        ({"blockReason": 1}, "the prompt was blocked (1)"),
    ],
)
def test_a_prompt_that_was_blocked_is_an_answer_that_is_withheld(feedback, withheld):
    body = sse({"promptFeedback": feedback, "usageMetadata": usage(3)})
    assert (parse(body)["stop_reason"], parse(body)["finish_reason"]) == ("content_filter", None)
    _, parser = events_of(body)
    assert (parser.missing_end, parser.answer.has_answer, parser.answer.withheld) == ("", False, withheld)


def test_why_an_answer_was_withheld_is_known():
    _, parser = events_of(sse(chunk(finish="SAFETY")))
    assert parser.answer.withheld == "the answer was blocked (SAFETY)"
    _, parser = events_of(sse(chunk(finish="SAFETY", message="It was against the policy.")))
    assert parser.answer.withheld == "It was against the policy."


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_chunks_instead_of_a_stream_is_read(indent):
    chunks = [
        chunk(thought("hm")),
        chunk(text("a")),
        chunk(call("ls", {}), finish="STOP", usageMetadata=usage(3, 2)),
    ]
    parsed = parse(json.dumps(chunks, indent=indent).encode())
    assert (parsed["text"], parsed["reasoning"], parsed["stop_reason"]) == ("a", "hm", "tool_calls")
    assert parsed["usage"]["input"] == 3


def test_a_whole_response_instead_of_a_stream_is_read():
    body = json.dumps(chunk(thought("hm"), text("a"), finish="STOP")).encode()
    assert (parse(body)["text"], parse(body)["stop_reason"]) == ("a", "stop")


# Usage


def usage_of(*usages: dict[str, object]) -> Usage:
    _, parser = events_of(sse(*(chunk(text("a"), usageMetadata=each) for each in usages)))
    return parser.answer.counted


def test_thoughts_are_part_of_the_output_and_what_was_cached_is_part_of_the_input():
    counts = usage(65, 16, totalTokenCount=175, thoughtsTokenCount=94, cachedContentTokenCount=40)
    assert usage_of(counts) == Usage(input=65, output=110, cache_read=40, reasoning=94)


def test_what_the_provider_s_own_tools_put_before_the_model_is_input():
    assert usage_of(usage(147, 108, toolUsePromptTokenCount=360)) == Usage(input=507, output=108)


def test_counts_are_cumulative_and_the_last_count():
    assert usage_of(usage(3), usage(3, 5, thoughtsTokenCount=9), usage(3, 7)) == Usage(input=3, output=7)


def test_a_chunk_without_counts_does_not_undo_those_before():
    assert usage_of(usage(3, 5), {"trafficType": "ON_DEMAND"}) == Usage(input=3, output=5)


def test_counts_that_are_no_counts_are_ignored():
    broken = {
        "promptTokenCount": "7",
        "candidatesTokenCount": -1,
        "thoughtsTokenCount": True,
        "totalTokenCount": 9,
    }
    assert usage_of(usage(5, 1), broken) == Usage()


# Errors and damage


@pytest.mark.parametrize(
    "error",
    [
        b'data: {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}\n\n',
        b'event: error\ndata: {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}\n\n',
    ],
)
def test_an_error_in_the_stream_ends_it_and_keeps_what_had_come(error):
    parsed = parse(sse(chunk(text("half"))) + error + answer(text("no")))
    assert (parsed["text"], parsed["stop_reason"]) == ("half", None)
    assert parsed["error"]["message"] == "Overloaded"


def test_an_error_with_status_200_is_one_in_an_object_or_in_an_array():
    error = {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}}
    for body in (error, [error], [chunk(text("half")), error, chunk(text("no"), finish="STOP")]):
        parsed = parse(json.dumps(body).encode())
        assert (parsed["error"]["message"], "no" in parsed["text"]) == ("slow", False)


def test_an_event_that_is_not_json_breaks_the_answer():
    for place in (sse(chunk(text("a"))), answer(text("a"))):
        parsed = parse(place + b"data: {oops\n\n" + answer(text("no")))
        assert (parsed["text"], parsed["stop_reason"]) == ("a", None)


def test_halves_of_surrogate_pairs_are_joined_over_chunks():
    body = sse(chunk(text("A")), chunk(text("B")), chunk(text(""), finish="STOP"))
    body = body.replace(b'"A"', b'"a\\ud83d"').replace(b'"B"', b'"\\ude00\\ud83d"')
    assert parse(body)["text"] == "a😀\ufffd"


def test_a_name_of_anything_can_be_shown():
    assert parse(answer(call("l\ns\u2028", {})))["tool_calls"][0]["name"] == "l\ufffds\ufffd"


PARTS = st.lists(
    st.one_of(
        st.builds(text, st.text(max_size=4), st.sampled_from([None, "s"])),
        st.builds(thought, st.text(max_size=4), st.sampled_from([None, "s"])),
        st.builds(
            call,
            st.sampled_from(["ls", "read"]),
            st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
            signature=st.sampled_from([None, "s"]),
        ),
    ),
    max_size=6,
)


@cases(150)
@given(PARTS, st.data())
def test_an_answer_is_the_same_wherever_it_is_cut(parts, data):
    body = answer(*parts)
    whole, parser = events_of(body)
    places = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    assert merged(events_of(*cut_at(body, *places))[0]) == merged(whole)
    said = [(kind, name, heard) for kind, name, heard in blocks(whole) if kind != "thinking"]
    assert "".join(heard for kind, _, heard in said if kind == "text") == "".join(
        part["text"] for part in parts if "text" in part and "thought" not in part
    )
    told = [(name, json.loads(heard)) for kind, name, heard in said if kind == "toolCall"]
    assert told == [
        (each["functionCall"]["name"], each["functionCall"].get("args", {}))
        for each in parts
        if "functionCall" in each
    ]
    signed = [event.signature for event in whole if isinstance(event, BlockEnd) and event.signature]
    assert len(signed) == sum("thoughtSignature" in part for part in parts)
    assert parser.stop_reason == ("tool_calls" if told else "stop")
