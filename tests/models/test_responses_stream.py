"""What a Responses stream holds: each quirk once, in hand-written events, whole and byte by byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import Usage
from steersman.agent.model import BlockDelta, BlockEnd, BlockStart
from steersman.models.answer_body import AnswerBody
from steersman.models.debug import parse_recording
from steersman.models.responses_stream import ResponsesStreamParser
from support.cases import cases
from support.responses_sse import (
    USAGE,
    added,
    answer,
    call,
    delta,
    done,
    end,
    function_call,
    message,
    reasoning,
    response,
    sse,
    start,
    text,
    thinking,
)
from support.sse import DONE, blocks, cut_at, merged, random_pieces, single_bytes

ARGUMENTS = "function_call_arguments"
SUMMARY = "reasoning_summary_text"


def parse(body: bytes) -> dict[str, object]:
    """The parse of `body`, which must not depend on how it is cut."""
    parsed = parse_recording("openai-responses", [body])
    assert parse_recording("openai-responses", single_bytes(body)) == parsed
    assert all(parse_recording("openai-responses", random_pieces(body, seed)) == parsed for seed in range(3))
    return parsed


def events_of(*pieces: bytes):
    body = AnswerBody(ResponsesStreamParser())
    events = [event for piece in pieces for event in body.feed(piece)]
    return [*events, *body.close(), *body.parser.finish()], body.parser


def blocks_of(body: bytes):
    return blocks(events_of(body)[0])


def signatures(body: bytes):
    """What the ends of the blocks tell of each signature, and whether its thinking is redacted."""
    ends = [event for event in events_of(body)[0] if isinstance(event, BlockEnd) and event.signature]
    return [(json.loads(event.signature or ""), event.redacted) for event in ends]


def without(event: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in event.items() if key not in keys}


def bare(events, *keys):
    return [without(event, *keys) for event in events]


# What streams


def test_text_is_joined_and_the_status_is_the_provider_s_own():
    parsed = parse(answer(text(0, "Hel", "lo")))
    assert (parsed["text"], parsed["finish_reason"], parsed["stop_reason"]) == ("Hello", "completed", "stop")
    assert (parsed["model"], parsed["id"], parsed["error"]) == ("m-1", "resp_1", None)


def test_events_are_told_apart_by_their_type_or_else_by_their_name():
    unnamed = sse(start(), *text(0, "a"), end(), named=False)
    assert parse(unnamed)["text"] == "a"
    untyped = b"".join(
        b"event: %s\ndata: %s\n\n"
        % (str(event["type"]).encode(), json.dumps(without(event, "type")).encode())
        for event in (start(), *text(0, "a"), end())
    )
    assert parse(untyped)["text"] == "a"


def test_blocks_come_in_the_order_of_the_message():
    body = answer(
        thinking(0, ["h", "m"]), text(1, "a"), call(2, "ls", '{"p":', "1}"), text(3, "b", item_id="msg_2")
    )
    assert blocks_of(body) == [
        ("thinking", "", "hm"),
        ("text", "", "a"),
        ("toolCall", "ls", '{"p":1}'),
        ("text", "", "b"),
    ]


def test_two_messages_in_a_row_stay_two_blocks():
    body = answer(text(0, "a"), text(1, "b", item_id="msg_2"))
    assert blocks_of(body) == [("text", "", "a"), ("text", "", "b")]


def test_a_refusal_is_a_block_of_its_kind():
    refusal = [
        added(0, message()),
        delta("refusal", 0, "msg_1", "I "),
        delta("refusal", 0, "msg_1", "can't."),
    ]
    last = {"type": "response.refusal.done", "output_index": 0, "item_id": "msg_1", "refusal": "I can't."}
    parsed = parse(sse(start(), *refusal, last, end(message("I can't.", kind="refusal"))))
    assert (parsed["refusal"], parsed["text"], parsed["stop_reason"]) == ("I can't.", "", "stop")


def test_a_call_has_its_id_its_name_and_its_arguments():
    parsed = parse(answer(call(0, "ls", '{"p":', "1}", call_id="call_9", item_id="fc_9")))
    [told] = parsed["tool_calls"]
    assert told == {"id": "call_9", "name": "ls", "arguments": {"p": 1}, "arguments_raw": '{"p":1}'}
    assert parsed["stop_reason"] == "tool_calls"


@pytest.mark.parametrize("second_place", [1, 0])
def test_calls_that_are_interleaved_keep_their_pieces(second_place):
    """Also where a server puts all of them at one place."""
    first, second = function_call("a"), function_call("b", call_id="call_2", item_id="fc_2")
    pieces = [
        delta(ARGUMENTS, second_place, "fc_2", '{"b"'),
        delta(ARGUMENTS, 0, "fc_1", '{"a"'),
        delta(ARGUMENTS, second_place, "fc_2", ":2}"),
        delta(ARGUMENTS, 0, "fc_1", ":1}"),
    ]
    body = sse(start(), added(0, first), added(second_place, second), *pieces, end())
    assert blocks_of(body) == [("toolCall", "a", '{"a":1}'), ("toolCall", "b", '{"b":2}')]


def test_an_input_of_a_custom_tool_is_a_call_s_arguments_as_they_are():
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "run", "input": ""}
    told = delta("custom_tool_call_input", 0, "ctc_1", "print(1)")
    body = sse(start(), added(0, item), told, done(0, {**item, "input": "print(1)"}), end())
    assert blocks_of(body) == [("toolCall", "run", "print(1)")]


# Reasoning


def test_the_parts_of_a_summary_are_paragraphs():
    assert (
        blocks_of(answer(thinking(0, ["one ", "two"], ["three"]), text(1, "a")))[0][2] == "one two\n\nthree"
    )


def test_summaries_of_several_items_are_blocks_of_their_own():
    body = answer(thinking(0, ["one"]), thinking(1, ["two"], item_id="rs_2"), text(2, "a"))
    assert [block[2] for block in blocks_of(body)] == ["one", "two", "a"]
    assert parse(body)["reasoning"] == "one\n\ntwo"


def test_reasoning_in_the_clear_is_thinking_without_a_signature():
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": ""}
    pieces = [
        delta("reasoning_text", 0, "rs_1", piece, content_index=place) for place, piece in enumerate("hm")
    ]
    whole = {**item, "content": [{"type": "reasoning_text", "text": "hm"}]}
    body = sse(start(), added(0, item), *pieces, done(0, whole), *text(1, "a"), end(whole, message("a")))
    assert blocks_of(body) == [("thinking", "", "hm"), ("text", "", "a")]
    assert signatures(body) == []


def test_of_a_summary_and_the_text_that_it_sums_up_the_first_is_shown():
    long = {"type": "response.reasoning_text.done", "output_index": 0, "item_id": "rs_1", "text": "long"}
    pieces = [delta(SUMMARY, 0, "rs_1", "sum"), delta("reasoning_text", 0, "rs_1", "long"), long]
    whole = {**SUMMARY_DONE, "text": "sum"}
    assert blocks_of(sse(start(), added(0, reasoning()), *pieces, whole, end())) == [("thinking", "", "sum")]


def test_encrypted_reasoning_is_the_signature_of_its_block():
    body = answer(thinking(0, ["hm"], encrypted="gAAA"), text(1, "a"))
    assert signatures(body) == [({"id": "rs_1", "encrypted_content": "gAAA"}, False)]


def test_reasoning_without_a_summary_is_redacted_thinking():
    body = answer(thinking(0, encrypted="gAAA"), call(1, "ls", "{}"))
    assert blocks_of(body)[0] == ("thinking", "", "")
    assert signatures(body) == [({"id": "rs_1", "encrypted_content": "gAAA"}, True)]


def test_the_encrypted_content_of_the_item_that_is_done_counts():
    """The one of an item that begins is not whole, and that of the whole response is encrypted anew."""
    begun, ended = (reasoning(encrypted_content=each) for each in ("begun", "anew"))
    body = sse(start(), added(0, begun), done(0, reasoning(encrypted_content="whole")), end(ended))
    assert signatures(body)[0][0]["encrypted_content"] == "whole"


def test_encrypted_content_that_only_the_whole_response_has_counts():
    body = sse(start(), added(0, reasoning()), done(0, reasoning()), end(reasoning(encrypted_content="late")))
    assert signatures(body) == [({"id": "rs_1", "encrypted_content": "late"}, True)]


def test_an_id_that_changes_in_the_stream_is_not_kept():
    """The encrypted content is bound to the id that the model's server gave it."""
    item = reasoning(item_id="rs_other", encrypted_content="gAAA")
    body = sse(start(), added(0, reasoning()), done(0, item), *text(1, "a"), end())
    assert signatures(body) == [({"encrypted_content": "gAAA"}, True)]


def test_reasoning_that_a_router_tells_in_the_middle_of_a_message_stays_where_it_began():
    body = sse(
        start(),
        added(0, reasoning()),
        delta("reasoning_text", 0, "rs_1", "hm"),
        *text(1, "a"),
        done(0, reasoning(encrypted_content="gAAA", format="some-v1")),
        end(),
    )
    assert blocks_of(body) == [("thinking", "", "hm"), ("text", "", "a")]
    assert signatures(body)[0][0]["format"] == "some-v1"


# What comes late


FULL_CALL = function_call("ls", '{"p":1}')
FULL_TEXT = message("Hello")
FULL_THOUGHT = reasoning("one", "two")
ARGUMENTS_DONE = {"type": f"response.{ARGUMENTS}.done", "item_id": "fc_1", "arguments": '{"p":1}'}
TEXT_DONE = {"type": "response.output_text.done", "item_id": "msg_1", "text": "Hello"}
SUMMARY_DONE = {"type": f"response.{SUMMARY}.done", "item_id": "rs_1"}


@pytest.mark.parametrize(
    "events",
    [
        [*call(0, "ls", '{"p":', "1}"), end()],
        [
            added(0, function_call("ls")),
            *[delta(ARGUMENTS, 0, "fc_1", '{"p":1}')] * 2,
            done(0, FULL_CALL),
            end(),
        ],
        [added(0, function_call("ls")), ARGUMENTS_DONE, end()],
        [added(0, function_call("ls")), done(0, FULL_CALL), end()],
        [added(0, function_call("ls")), end(FULL_CALL)],
        [done(0, FULL_CALL), end(FULL_CALL)],
        [end(FULL_CALL)],
        [added(0, function_call("ls")), done(0, {**FULL_CALL, "arguments": {"p": 1}}), end()],
    ],
    ids=[
        "delta",
        "a delta with all of them twice",
        "arguments.done",
        "item.done",
        "completed",
        "no added",
        "completed alone",
        "an object",
    ],
)
def test_the_arguments_of_a_call_count_once_wherever_they_come(events):
    [told] = parse(sse(start(), *events))["tool_calls"]
    assert (told["id"], told["name"], told["arguments"]) == ("call_1", "ls", {"p": 1})


@pytest.mark.parametrize(
    "events",
    [
        [*text(0, "Hel", "lo"), end(FULL_TEXT)],
        [added(0, message()), TEXT_DONE, done(0, FULL_TEXT), end(FULL_TEXT)],
        [added(0, message()), done(0, FULL_TEXT), end(FULL_TEXT)],
        [added(0, message()), end(FULL_TEXT)],
        [done(0, FULL_TEXT), end()],
        [end(FULL_TEXT)],
        [*text(0, "Hel", "lo")[1:], end(FULL_TEXT)],
        [*bare(text(0, "Hel", "lo")[1:], "output_index", "item_id"), end(FULL_TEXT)],
        [*text(0, "Hel", "lo")[1:-2], end()],
    ],
    ids=[
        *("delta", "text.done", "item.done", "completed", "no added", "completed alone"),
        *("a delta and no added", "the same without a place", "deltas alone"),
    ],
)
def test_a_text_counts_once_wherever_it_comes(events):
    assert blocks_of(sse(start(), *events)) == [("text", "", "Hello")]


@pytest.mark.parametrize(
    "events",
    [
        [*thinking(0, ["o", "ne"], ["two"]), end(FULL_THOUGHT)],
        [
            added(0, reasoning()),
            {**SUMMARY_DONE, "summary_index": 0, "text": "one"},
            {**SUMMARY_DONE, "summary_index": 1, "text": "two"},
            end(FULL_THOUGHT),
        ],
        [added(0, reasoning()), done(0, FULL_THOUGHT), end(FULL_THOUGHT)],
        [end(FULL_THOUGHT)],
    ],
    ids=["delta", "text.done", "item.done", "completed alone"],
)
def test_a_summary_counts_once_wherever_it_comes(events):
    assert blocks_of(sse(start(), *events)) == [("thinking", "", "one\n\ntwo")]


@pytest.mark.parametrize("second_place", [1, 0])
def test_calls_that_are_only_told_when_they_are_done_are_as_many_as_they_are(second_place):
    second = function_call("b", "{}", call_id="call_2", item_id="fc_2")
    body = sse(start(), done(0, FULL_CALL), done(second_place, second), end())
    assert blocks_of(body) == [("toolCall", "ls", '{"p":1}'), ("toolCall", "b", "{}")]


def test_a_second_part_that_does_not_stream_is_made_up_for():
    second = {"type": "response.output_text.done", "item_id": "msg_1", "text": " you"}
    body = sse(
        start(), added(0, message()), delta("output_text", 0, "msg_1", "Hello"), TEXT_DONE, second, end()
    )
    assert blocks_of(body) == [("text", "", "Hello you")]


def test_the_whole_response_may_tell_no_output():
    assert parse(sse(start(), *text(0, "a"), *call(1, "ls", "{}"), end()))["tool_calls"] != []


def test_items_of_the_whole_response_are_those_that_streamed_whatever_their_ids():
    streamed = [*call(0, "a", "{}"), *call(1, "b", "{}", call_id="call_2", item_id="fc_2")]
    again = [function_call(name, "{}", call_id="x", item_id="y") for name in "ab"]
    assert [block[1] for block in blocks_of(sse(start(), *streamed, end(*again)))] == ["a", "b"]


def test_a_name_that_comes_late_is_told_at_the_end_of_the_block():
    nameless = without(function_call(""), "name")
    body = sse(
        start(), added(0, nameless), delta(ARGUMENTS, 0, "fc_1", "{}"), done(0, function_call("ls")), end()
    )
    assert blocks_of(body) == [("toolCall", "ls", "{}")]


# Items that are told apart by one thing only


TWO_CALLS = [*call(0, "a", "1"), *call(1, "b", "2", call_id="call_2", item_id="fc_2")]
AT_ONE_PLACE = [{**event, "output_index": 0} for event in TWO_CALLS]


def nameless(event):
    item = event.get("item")
    return {**without(event, "item_id"), **({"item": {**item, "id": "ID"}} if item else {"item_id": "ID"})}


def by_call_id(event):
    item = event.get("item")
    if item:
        return {**event, "item": without(item, "id")}
    return {**event, "item_id": "call_1" if event["item_id"] == "fc_1" else "call_2"}


@pytest.mark.parametrize(
    "events",
    [
        TWO_CALLS,
        bare(TWO_CALLS, "output_index"),
        bare(TWO_CALLS, "item_id"),
        bare(TWO_CALLS, "output_index", "item_id"),
        AT_ONE_PLACE,
        [nameless(event) for event in TWO_CALLS],
        [by_call_id(event) for event in bare(TWO_CALLS, "output_index")],
    ],
    ids=["both", "no index", "no id", "neither", "one index", "one id", "the call's id"],
)
def test_items_are_told_apart_by_their_place_or_their_id(events):
    assert blocks_of(sse(start(), *events, end())) == [("toolCall", "a", "1"), ("toolCall", "b", "2")]


def test_ids_that_change_with_every_event_do_no_harm():
    events = [*thinking(0, ["hm"]), *text(1, "a", "b"), *call(2, "ls", "{", "}")]
    for place, event in enumerate(events):
        if "item_id" in event:
            events[place] = {**event, "item_id": f"id_{place}"}
        else:
            events[place] = {**event, "item": {**event["item"], "id": f"id_{place}"}}
    body = sse(start(), *events, response("completed", id="resp_9"))
    assert blocks_of(body) == [("thinking", "", "hm"), ("text", "", "ab"), ("toolCall", "ls", "{}")]
    assert parse(body)["id"] == "resp_9"


# What shows nothing


@pytest.mark.parametrize(
    "passed_over",
    [
        [{"type": "keepalive", "sequence_number": 3}],
        [response("queued"), {"type": "response.in_progress", "response": {}}],
        [added(5, {"type": "web_search_call", "id": "ws_1"}), {"type": "response.web_search_call.searching"}],
        [added(5, {"type": "compaction", "id": "c", "encrypted_content": "gAAA"})],
        [added(5, {"type": "mcp_call", "id": "m"}), delta("mcp_call_arguments", 5, "m", "{}")],
        [{"type": "response.output_text.annotation.added", "item_id": "msg_1", "annotation": {}}],
        [delta(SUMMARY, 7, "rs_9", "of no item")],
        [delta(ARGUMENTS, 7, "fc_9", "of no item")],
        [{"type": ["response.completed"]}, {"type": 3}, {"type": "response.completed.not"}],
        [added(5, "item"), done(5, None), {"type": "response.output_item.added"}],  # type: ignore[arg-type]
        [{"type": "error_of_somebody"}],
    ],
)
def test_events_of_unknown_kind_or_shape_and_of_items_that_did_not_begin_show_nothing(passed_over):
    body = sse(start(), *passed_over, *text(1, "a"), end())
    assert blocks_of(body) == [("text", "", "a")]
    assert parse(body)["stop_reason"] == "stop"


@pytest.mark.parametrize("value", [b"null", b"1", b'"text"', b"[]", b"{}"])
def test_values_that_are_no_events_show_nothing(value):
    body = sse(start()) + b"data: " + value + b"\n\n" + sse(*text(0, "a"), end())
    assert blocks_of(body) == [("text", "", "a")]


# How it ends


@pytest.mark.parametrize(
    ("details", "finish", "stops"),
    [
        ({"reason": "max_output_tokens"}, "incomplete:max_output_tokens", "length"),
        ({"reason": "content_filter"}, "incomplete:content_filter", "content_filter"),
        ({"reason": "something new"}, "incomplete:something new", "length"),
        (None, "incomplete", "length"),
    ],
)
def test_an_incomplete_response_is_cut_also_if_it_has_calls(details, finish, stops):
    cut = response("incomplete", incomplete_details=details, usage=USAGE)
    parsed = parse(sse(start(), *text(0, "a"), *call(1, "ls", '{"p"'), cut))
    assert (parsed["finish_reason"], parsed["stop_reason"]) == (finish, stops)
    assert parsed["tool_calls"][0]["arguments"] == '{"p"'
    assert parsed["usage"]["output"] == 2


@pytest.mark.parametrize("event", ["response.completed", "response.incomplete", "response.failed"])
@pytest.mark.parametrize(
    ("status", "stops"), [("completed", "stop"), ("incomplete", "length"), ("failed", None), ("new", None)]
)
def test_the_status_of_the_response_counts_whatever_event_it_ends_with(event, status, stops):
    parsed = parse(sse(start(), *text(0, "a"), {**response(status), "type": event}))
    if status == "new":
        assert parsed["finish_reason"] == event.removeprefix("response.")
    else:
        assert (parsed["finish_reason"], parsed["stop_reason"]) == (status, stops)


def test_without_a_terminal_event_a_response_is_not_usable():
    body = sse(start(), *text(0, "a"), *call(1, "ls", "{}"))
    for cut in (body, body + DONE):
        events, parser = events_of(cut)
        assert parser.missing_end and not parser.answer.done
        assert [block[2] for block in blocks(events)] == ["a", "{}"]


def test_what_comes_after_the_end_does_not_count():
    body = answer(text(0, "a"))
    assert parse(body + b"data: {not json\n\n" + sse(*text(1, "b")) + DONE) == parse(body)


@pytest.mark.parametrize("error", [None, {"code": "server_error", "message": "sorry"}])
@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_response_that_failed_is_an_error_with_what_was_used(status, error):
    parsed = parse(sse(start(), *text(0, "a"), response(status, error=error, usage=USAGE)))
    assert (parsed["finish_reason"], parsed["stop_reason"], parsed["text"]) == (status, None, "a")
    assert parsed["error"]["code"] == "server_error"
    assert parsed["usage"]["input"] == 3


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "slow down", "param": None},
        {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow down"}},
        {"error": {"code": "rate_limit_exceeded", "message": "slow down"}},
    ],
)
def test_an_error_event_is_an_error_and_the_failed_response_after_it_tells_the_rest(event):
    body = (
        sse(start(), {"type": "error", **event})
        if "type" in event
        else b"data: " + json.dumps(event).encode()
    )
    parsed = parse(body)
    assert (parsed["error"]["code"], parsed["finish_reason"]) == ("rate_limit_exceeded", None)
    failed = response("failed", error={"code": "server_error", "message": "x"}, usage=USAGE)
    parsed = parse(body.rstrip(b"\n") + b"\n\n" + sse(failed))
    assert (parsed["error"]["code"], parsed["finish_reason"]) == ("rate_limit_exceeded", "failed")
    assert parsed["usage"]["input"] == 3


def test_an_event_that_is_not_json_breaks_the_stream():
    _, parser = events_of(sse(start(), *text(0, "a")), b"data: {\n\n", sse(end()))
    assert parser.answer.broke == "sent an event that is not JSON"
    assert parser.missing_end


def test_a_whole_response_instead_of_a_stream_is_read():
    whole = {"object": "response", "id": "resp_1", "status": "completed", "model": "m-1", "usage": USAGE}
    document = {**whole, "error": None, "output": [FULL_THOUGHT, FULL_TEXT, FULL_CALL]}
    parsed = parse(json.dumps(document).encode())
    assert (parsed["reasoning"], parsed["text"], parsed["stop_reason"]) == (
        "one\n\ntwo",
        "Hello",
        "tool_calls",
    )
    assert parse(json.dumps({**document, "status": "in_progress"}).encode())["stop_reason"] is None


@pytest.mark.parametrize("document", [{"error": {"message": "no"}}, {"object": "error", "message": "no"}])
def test_an_error_as_one_document_is_an_error(document):
    assert parse(json.dumps(document).encode())["error"]["message"] == "no"


# Usage and texts


def test_input_includes_the_cache_and_output_the_reasoning():
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 20},
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 30},
        "total_tokens": 150,
    }
    _, parser = events_of(sse(start(usage=None), *text(0, "a"), end(usage=usage)))
    told = parser.answer.counted
    assert (told.input, told.output, told.cache_read, told.cache_write, told.reasoning) == (
        100,
        50,
        60,
        20,
        30,
    )


def test_usage_that_is_none_counts_nothing():
    _, parser = events_of(sse(start(), *text(0, "a"), end(usage=None)))
    assert parser.answer.usage is None and parser.answer.counted == Usage()


def test_surrogate_halves_are_joined_over_deltas_and_replaced_where_alone():
    body = answer(text(0, "a\ud83d", "\ude00b", "\ud83d"))
    assert parse(body)["text"] == "a\U0001f600b\ufffd"


def test_the_deltas_of_one_piece_are_merged():
    events, _ = events_of(sse(start(), *text(0, "Hel", "lo"), end()))
    assert [event for event in events if isinstance(event, BlockDelta)] == [BlockDelta(0, "Hello")]
    assert [event.kind for event in events if isinstance(event, BlockStart)] == ["text"]


PARTS = st.lists(
    st.sampled_from(
        [
            lambda at: thinking(at, ["h", "m"], ["so"], item_id=f"rs_{at}"),
            lambda at: thinking(at, item_id=f"rs_{at}"),
            lambda at: text(at, "He", "", "llo ü😀", item_id=f"msg_{at}"),
            lambda at: call(at, "ls", '{"p"', ": 1}", call_id=f"call_{at}", item_id=f"fc_{at}"),
            lambda at: [added(at, {"type": "web_search_call", "id": f"ws_{at}"})],
        ]
    ),
    max_size=5,
)


@cases(150)
@given(PARTS, st.lists(st.integers(0, 10_000), max_size=6), st.booleans())
def test_any_stream_gives_the_same_blocks_for_any_cuts(parts, places, named):
    events = [event for at, part in enumerate(parts) for event in part(at)]
    body = sse(start(), *events, end(), named=named)
    cuts = sorted({place % len(body) for place in places})
    pieces, _ = events_of(*cut_at(body, *cuts))
    whole, _ = events_of(body)
    assert merged(pieces) == merged(whole)
    assert len(blocks(whole)) == sum(len(part(0)) > 1 for part in parts)
