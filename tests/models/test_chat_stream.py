"""What providers make of Chat Completions streams: each quirk once, in hand-written chunks, whole and byte by byte."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.model import BlockDelta, BlockStart
from steersman.models.answer_body import AnswerBody
from steersman.models.chat_stream import ChatStreamParser
from steersman.models.debug import parse_recording
from support.cases import cases
from support.sse import blocks, call, chunk, cut_at, merged, random_pieces, single_bytes, sse, text


def parse(body: bytes) -> dict[str, object]:
    """The parse of `body`, which must not depend on how it is cut."""
    parsed = parse_recording("openai-chat", [body])
    assert parse_recording("openai-chat", single_bytes(body)) == parsed
    assert all(parse_recording("openai-chat", random_pieces(body, seed)) == parsed for seed in range(3))
    return parsed


def events_of(pieces):
    body = AnswerBody(ChatStreamParser())
    events = [event for piece in pieces for event in body.feed(piece)]
    return [*events, *body.close(), *body.parser.finish()], body.parser


def calls_of(*values: object, done: bool = True) -> list[tuple[object, object, object]]:
    parsed = parse(sse(*values, done=done))
    return [(each["id"], each["name"], each["arguments_raw"]) for each in parsed["tool_calls"]]


def test_text_is_joined_and_the_finish_reason_is_the_provider_s_own():
    parsed = parse(
        sse(chunk({"role": "assistant", "content": ""}), text("Hel"), text("lo"), chunk({}, "stop"))
    )
    assert (parsed["text"], parsed["finish_reason"], parsed["stop_reason"]) == ("Hello", "stop", "stop")
    assert (parsed["model"], parsed["id"], parsed["error"]) == ("m-1", "c1", None)


def test_text_in_the_form_of_a_template_and_text_in_any_other_form_are_the_same():
    pieces = [
        "plain",
        "plain too",
        'quo"te',
        "back\\slash",
        "line\nend",
        "größe",
        "\u2028",
        "😀",
        " ",
        "</think>",
    ]
    compact = b"".join(
        b"data: " + json.dumps(text(piece), separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n"
        for piece in pieces
    )
    assert parse(sse(*map(text, pieces)))["text"] == "".join(pieces)
    assert parse(compact)["text"] == "".join(pieces)


def test_a_chunk_that_says_more_than_the_template_is_read_as_a_whole():
    parsed = parse(
        sse(
            text("a"),
            text("b"),
            text("c", "length"),
            {**text("d"), "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}},
            {**text("e"), "choices": [{"index": 1, "delta": {"content": "other choice"}}]},
        )
    )
    assert (parsed["text"], parsed["finish_reason"]) == ("abcd", "length")
    assert parsed["usage"]["total"] == 5


def test_a_quote_inside_the_text_can_not_be_taken_for_the_template_s_own():
    shown = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    body = shown % b"a" + shown % b'b","refusal":"no' + shown % b"c"
    parsed = parse(body)
    assert (parsed["text"], parsed["refusal"]) == ("abc", "no")


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_has_three_spellings(key):
    parsed = parse(
        sse(chunk({key: "hm", "content": None}), chunk({key: "m", "content": ""}), text("a", "stop"))
    )
    assert (parsed["reasoning"], parsed["text"]) == ("hmm", "a")


def test_one_reasoning_under_two_names_counts_once():
    parsed = parse(sse(chunk({"reasoning": "hm", "reasoning_content": "hm"}), text("a", "stop")))
    assert parsed["reasoning"] == "hm"


def test_content_may_be_a_list_of_parts():
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    summary = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "m"}]}
    parts = [
        {"type": "text", "text": "a"},
        "b",
        {"type": "reference", "reference_ids": [1]},
        {"text": "c"},
        7,
    ]
    parsed = parse(sse(chunk({"content": [thinking]}), chunk({"content": [summary, *parts]}, "stop")))
    assert (parsed["reasoning"], parsed["text"]) == ("hmm", "abc")


def test_think_tags_in_the_content_are_text():
    assert parse(sse(text("<think>hm</think>a", "stop")))["text"] == "<think>hm</think>a"


def test_a_refusal_is_its_own_block():
    events, _ = events_of([sse(chunk({"refusal": "I "}), chunk({"refusal": "can't"}), chunk({}, "stop"))])
    assert blocks(events) == [("refusal", "", "I can't")]


def test_blocks_come_in_the_order_of_the_message():
    events, _ = events_of(
        [sse(chunk({"reasoning": "r"}), text("a"), call("{}", index=0, id="1", name="ls"), text("b", "stop"))]
    )
    assert blocks(events) == [
        ("thinking", "", "r"),
        ("text", "", "a"),
        ("toolCall", "ls", "{}"),
        ("text", "", "b"),
    ]


def test_chunks_without_choices_are_passed_over_and_their_usage_kept():
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    parsed = parse(
        sse(
            {"choices": [], "prompt_filter_results": []},
            {"id": ""},
            {"choices": None},
            {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]},
            text("a", "stop"),
            {"choices": [], "usage": usage},
        )
    )
    assert (parsed["text"], parsed["usage"]["input"], parsed["usage"]["output"]) == ("a", 7, 2)


@pytest.mark.parametrize(
    "noise", [None, 7, "ok", [], [1], {"choices": [7, None]}, {"choices": [{"delta": 7}]}, {}]
)
def test_values_of_unknown_shape_show_nothing(noise):
    assert parse(sse(noise, text("a"), noise, text("b", "stop"), noise))["text"] == "ab"


def test_only_the_first_choice_counts():
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "length"}]}
    parsed = parse(sse(text("a"), other, text("b", "stop"), other))
    assert (parsed["text"], parsed["finish_reason"]) == ("ab", "stop")


def test_what_comes_after_the_finish_reason_still_counts_and_after_done_nothing():
    body = sse(text("a", "stop"), text("b"), chunk({}, "stop")) + sse(text("c"))
    assert parse(body)["text"] == "ab"


def test_the_last_finish_reason_is_told_and_one_that_cut_the_answer_stands():
    parsed = parse(sse(text("a", "length"), chunk({}, "stop")))
    assert (parsed["finish_reason"], parsed["stop_reason"]) == ("stop", "length")


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("STOP", "stop"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("something_new", "stop"),
        ("", "stop"),
    ],
)
def test_finish_reasons_are_mapped(word, stop):
    assert parse(sse(text("a", word)))["stop_reason"] == stop


def test_an_unknown_finish_reason_with_calls_means_calls():
    assert parse(sse(call("{}", index=0, id="1", name="ls", finish="new")))["stop_reason"] == "tool_calls"


def test_a_finish_reason_that_means_failure_is_an_error():
    assert parse(sse(text("a", "network_error")))["error"]


def test_a_whole_completion_instead_of_a_stream_is_read():
    message = {"role": "assistant", "content": "a", "tool_calls": [{"id": "1", "function": {"name": "ls"}}]}
    completion = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    parsed = parse(b"\n" + json.dumps(completion, indent=1).encode())
    assert (parsed["text"], len(parsed["tool_calls"]), parsed["stop_reason"]) == ("a", 1, "stop")


def test_a_message_beside_the_delta_is_the_text_again_and_does_not_count():
    def both(delta: str, message: str) -> dict[str, object]:
        return {"choices": [{"index": 0, "delta": {"content": delta}, "message": {"content": message}}]}

    assert parse(sse(both("a", "a"), both("b", "ab")))["text"] == "ab"


# Tool calls


def test_a_call_in_pieces_and_two_calls_interleaved():
    assert calls_of(
        call("", index=0, id="1", name="read"),
        call('{"pa', index=0),
        call("", index=1, id="2", name="ls"),
        call("{", index=1),
        call('th":1}', index=0),
        call("}", index=1),
        chunk({}, "tool_calls"),
    ) == [("1", "read", '{"path":1}'), ("2", "ls", "{}")]


def test_several_calls_in_one_chunk():
    entries = [{"index": n, "id": str(n), "function": {"name": "ls", "arguments": "{}"}} for n in range(3)]
    assert len(calls_of(chunk({"tool_calls": entries}, "tool_calls"))) == 3


def test_two_ids_at_one_index_are_two_calls():
    assert calls_of(
        call('{"a":1}', index=0, id="1", name="ls"),
        call('{"a":2}', index=0, id="2", name="ls"),
        call('{"a":3}', index=0, id="3", name="read", finish="tool_calls"),
    ) == [("1", "ls", '{"a":1}'), ("2", "ls", '{"a":2}'), ("3", "read", '{"a":3}')]


def test_the_pieces_after_a_second_id_belong_to_the_second_call():
    assert calls_of(
        call('{"a":1}', index=0, id="1", name="ls"),
        call('{"a"', index=0, id="2", name="ls"),
        call(":2}", index=0, finish="tool_calls"),
    ) == [("1", "ls", '{"a":1}'), ("2", "ls", '{"a":2}')]


def test_calls_without_an_index_find_their_slots():
    assert calls_of(
        call('{"a":', id="1", name="ls"),
        call("1}"),
        call("{}", id="2", name="read"),
        call("", id="1"),
        chunk({}, "stop"),
    ) == [("1", "ls", '{"a":1}'), ("2", "read", "{}")]


def test_calls_with_neither_index_nor_id_are_told_apart_by_their_names():
    assert calls_of(
        call('{"a":', name="ls"), call("1}"), call("{}", name="read"), call("{}", name="read")
    ) == [
        (None, "ls", '{"a":1}'),
        (None, "read", "{}"),
        (None, "read", "{}"),
    ]


def test_indices_that_do_not_start_at_zero():
    assert calls_of(call("{}", index=3, id="1", name="ls"), call("{}", index=5, id="2", name="ls")) == [
        ("1", "ls", "{}"),
        ("2", "ls", "{}"),
    ]


@pytest.mark.parametrize(
    "later", [{"id": ""}, {"id": None}, {"id": "1"}, {"name": ""}, {"name": "ls"}, {"type": None}]
)
def test_later_pieces_may_repeat_or_blank_the_id_and_the_name(later):
    assert calls_of(call('{"a":', index=0, id="1", name="ls"), call("1}", index=0, **later)) == [
        ("1", "ls", '{"a":1}')
    ]


@pytest.mark.parametrize("again", [{}, {"id": "1"}, {"id": "1", "name": "ls"}])
@pytest.mark.parametrize("pieces", [['{"a":1}'], ['{"a"', ":", "1}"]])
@pytest.mark.parametrize("index", [0, None])
def test_a_server_that_sends_all_arguments_once_more_does_not_double_them(pieces, again, index):
    first, *more = pieces
    assert calls_of(
        call(first, index=index, id="1", name="ls"),
        *(call(piece, index=index) for piece in more),
        call('{"a":1}', index=index, **again),
        call('{"a":1}', index=index, **again),
    ) == [("1", "ls", '{"a":1}')]


@pytest.mark.parametrize("index", [0, None])
def test_an_id_that_all_calls_have_does_not_make_them_one(index):
    assert calls_of(
        call('{"a":1}', index=index, id="1", name="ls"),
        call('{"a"', index=index, id="1", name="ls"),
        call(":2}", index=index, id="1"),
    ) == [("1", "ls", '{"a":1}'), ("1", "ls", '{"a":2}')]


def test_an_id_that_changes_on_every_piece_is_one_call():
    assert calls_of(
        call("{", index=0, id="x1", name="ls"), call('"a":1', index=0, id="x2"), call("}", index=0, id="x3")
    ) == [("x1", "ls", '{"a":1}')]


def test_arguments_may_be_missing_null_empty_or_an_object():
    null = chunk({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "ls", "arguments": None}}]})
    assert calls_of(null, chunk({}, "tool_calls")) == [("1", "ls", "")]
    assert calls_of(call(None, index=0, id="1", name="ls"), call("{}", index=0)) == [("1", "ls", "{}")]
    assert calls_of(call({"a": "ü"}, index=0, id="1", name="ls")) == [("1", "ls", '{"a": "ü"}')]
    assert calls_of(chunk({"tool_calls": None}), chunk({"tool_calls": []}), chunk({"tool_calls": [7]})) == []


def test_an_id_that_comes_late_is_known_in_the_end():
    assert calls_of(call("", index=0, name="ls"), call("{}", index=0, id="1")) == [("1", "ls", "{}")]


def test_a_name_that_comes_late_is_told_by_the_end_of_the_block():
    events, _ = events_of([sse(call("{", index=0, id="1"), call("}", index=0, name="ls"))])
    assert next(event for event in events if isinstance(event, BlockStart)).name == ""
    assert blocks(events) == [("toolCall", "ls", "{}")]


def test_a_piece_that_says_nothing_is_no_call():
    assert calls_of(call("", index=0), text("a", "stop")) == []


def test_the_legacy_function_call():
    pieces = [{"name": "ls", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ":1}"}]
    values = [chunk({"function_call": piece}) for piece in pieces]
    assert calls_of(*values, chunk({"function_call": None}, "function_call")) == [(None, "ls", '{"a":1}')]


def test_truncated_arguments_are_passed_on_as_they_are():
    values = (call('{"path": "a', index=0, id="1", name="write"), chunk({}, "stop"))
    assert calls_of(*values) == [("1", "write", '{"path": "a')]


def test_a_closed_stream_with_complete_calls_is_usable_and_one_with_incomplete_calls_is_not():
    complete = parse(sse(call('{"a":1}', index=0, id="1", name="ls"), done=False))
    assert complete["stop_reason"] == "tool_calls"
    for cut in ('{"a":', "", '{"a":"}', "[1]"):
        assert parse(sse(call(cut, index=0, id="1", name="ls"), done=False))["stop_reason"] is None
    assert parse(sse(text("half"), done=False))["stop_reason"] is None


def test_done_without_a_finish_reason_is_an_end():
    assert parse(sse(text("a")))["stop_reason"] == "stop"


# Usage


@pytest.mark.parametrize(
    "top",
    [
        {"usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}},
        {"x_groq": {"usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}},
        {"choices": [{"index": 0, "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}]},
        {"usage": {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9, "prompt_tokens_details": None}},
    ],
)
def test_usage_has_many_places_and_a_later_null_keeps_it(top):
    parsed = parse(sse(text("a", "stop"), {"choices": [], **top}, {"choices": [], "usage": None}))
    assert (parsed["usage"]["input"], parsed["usage"]["output"], parsed["usage"]["total"]) == (7, 2, 9)


def test_cumulative_usage_is_the_last_one():
    values = [{**text("a"), "usage": {"prompt_tokens": 7, "completion_tokens": n}} for n in range(1, 4)]
    assert parse(sse(*values))["usage"]["output"] == 3


@pytest.mark.parametrize("later", [{}, {"prompt_tokens": 0, "prompt_tokens_details": {"cached_tokens": 0}}])
def test_the_input_that_only_the_beginning_counts_is_kept(later):
    first = {"prompt_tokens": 7, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 5}}
    last = {"completion_tokens": 3, **later}
    usage = parse(sse({**text("a"), "usage": first}, {**text("b", "stop"), "usage": last}))["usage"]
    assert (usage["input"], usage["output"], usage["cache_read"]) == (7, 3, 5)


def test_usage_beside_a_text_is_read_each_time():
    one, two = ({"prompt_tokens": 7, "completion_tokens": n} for n in (1, 2))
    values = [{**text("a"), "usage": one}, {"choices": [], "usage": two}, {**text("b"), "usage": one}]
    assert parse(sse(*values))["usage"]["output"] == 1


@pytest.mark.parametrize(
    "names",
    [
        {"prompt_tokens_details": {"cached_tokens": 5}},
        {"prompt_cache_hit_tokens": 5},
        {"cached_tokens": 5},
        {"num_cached_tokens": 5},
        {"cache_read_input_tokens": 5},
    ],
)
def test_cached_tokens_have_many_names(names):
    assert parse(sse({**text("a"), "usage": {"prompt_tokens": 7, **names}}))["usage"]["cache_read"] == 5


def test_reasoning_that_is_counted_beside_the_output_becomes_part_of_it():
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 17, "reasoning_tokens": 4}
    _, parser = events_of([sse({**text("a"), "usage": usage})])
    assert parser.answer.usage.usage().output == 7
    usage["total_tokens"] = 13
    _, parser = events_of([sse({**text("a"), "usage": usage})])
    assert parser.answer.usage.usage().output == 3


def test_counts_that_are_no_counts_are_ignored():
    body = sse(
        {**text("a", "stop"), "usage": {"prompt_tokens": "7", "completion_tokens": -1, "total_tokens": None}}
    )
    assert parse(body)["usage"]["input"] is None
    assert parse(body.replace(b'"7"', b"NaN"))["usage"]["input"] is None


# Errors and damage


@pytest.mark.parametrize(
    "body",
    [
        sse({"error": {"message": "no", "type": "server_error", "code": None}}),
        sse(text("a"), {**chunk({"content": ""}), "error": {"message": "no", "code": 502}}),
        sse(text("a"), {"error": "no"}),
        sse({"object": "error", "message": "no", "type": "invalid", "code": 400}),
        sse({"choices": [{"index": 0, "delta": {}, "error": {"message": "no"}}]}),
        b'event: error\ndata: {"message": "no"}\n\n',
        b'{"error": {"message": "no"}}',
    ],
)
def test_an_error_inside_a_success_is_an_error(body):
    parsed = parse(body)
    assert parsed["error"]
    assert parsed["stop_reason"] is None


def test_usage_after_an_error_is_kept():
    parsed = parse(sse({"error": {"message": "no"}}, {**chunk(), "usage": {"prompt_tokens": 3}}))
    assert parsed["usage"]["input"] == 3


def test_an_event_that_is_not_json_breaks_the_stream_unless_it_was_complete():
    _, parser = events_of([sse(text("a"), done=False) + b"data: {oops\n\n" + sse(text("b"))])
    assert parser.answer.broke
    events, parser = events_of([sse(text("a", "stop"), done=False) + b"data: {oops\n\n" + sse(text("b"))])
    assert not parser.answer.broke
    assert blocks(events) == [("text", "", "ab")]


def test_surrogate_halves_are_joined_over_deltas_and_replaced_where_alone():
    halves = [b'"\\ud83d"', b'"\\ude00 \\ud83d"', b'"x"', b'"\\ude00"', b'"\\ud83d"']
    body = b"".join(b'data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n' % half for half in halves)
    assert parse(body)["text"] == "😀 \ufffdx\ufffd\ufffd"


def test_raw_control_characters_and_bytes_that_are_no_utf8_are_tolerated():
    body = b'data: {"choices":[{"index":0,"delta":{"content":"a\tb\xffc"}}]}\n\n'
    assert parse(body)["text"] == "a\tb\ufffdc"


PIECES = st.one_of(
    st.builds(text, st.text(max_size=6)),
    st.builds(lambda said: chunk({"reasoning": said}), st.text(max_size=4)),
    st.builds(
        lambda index, piece: call(piece, index=index), st.integers(0, 2), st.text('{}":a1,\\', max_size=5)
    ),
    st.builds(
        lambda index, name: call("{", index=index, id=f"{index}{name}", name=name),
        st.integers(0, 2),
        st.sampled_from(["ls", "read"]),
    ),
    st.just({"choices": [], "usage": {"prompt_tokens": 1}}),
)


@cases(100)
@given(st.lists(PIECES, max_size=12), st.lists(st.integers(0, 3000), max_size=5), st.booleans())
def test_any_stream_gives_the_same_blocks_for_any_cuts(values, places, compact):
    separators = (",", ":") if compact else None
    body = b"".join(
        b"data: " + json.dumps(value, separators=separators, ensure_ascii=compact).encode() + b"\n\n"
        for value in values
    )
    events, parser = events_of([body])
    cut_events, cut_parser = events_of(cut_at(body, *sorted(min(place, len(body)) for place in places)))
    assert merged(cut_events) == merged(events)
    assert cut_parser.call_ids == parser.call_ids
    said = "".join(value["choices"][0]["delta"].get("content", "") for value in values if value["choices"])
    assert "".join(each[2] for each in blocks(events) if each[0] == "text") == said


def test_the_deltas_of_one_piece_are_merged():
    events, _ = events_of([sse(*(text("ab ") for _ in range(100)))])
    assert [event.text for event in events if isinstance(event, BlockDelta)] == ["ab " * 100]
