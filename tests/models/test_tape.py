"""Tapes: what a file must look like, and that what it answers follows from the request alone."""

import asyncio
import json

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.messages import (
    AssistantMessage,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    parse_arguments,
)
from steersman.agent.model import (
    BlockDelta,
    BlockEnd,
    BlockStart,
    ModelRequest,
    StreamDone,
    StreamError,
    ToolSpec,
)
from steersman.models.errors import TapeError
from steersman.models.tape import TapeModel
from steersman.models.tape_format import load_tape, parse_tape
from support.model_server import events_of
from support.sse import blocks

HEADER = {"tape": 1, "name": "demo"}


def tape_of(*lines: object) -> str:
    return "\n".join(json.dumps(line) for line in (HEADER, *lines))


def model_of(*lines: object, **options) -> TapeModel:
    return TapeModel(parse_tape(tape_of(*lines), "demo.jsonl"), **options)


def user(text: str) -> UserMessage:
    return UserMessage(id="u", content=(Text(text=text),))


def answer(*calls: str) -> AssistantMessage:
    content = tuple(ToolCall(id=each, name="ls", arguments="{}") for each in calls)
    return AssistantMessage(id="a", content=content, model="tape:demo", stop_reason="stop")


def result(text: str) -> ToolResultMessage:
    return ToolResultMessage(tool_call_id="c", tool_name="ls", content=(Text(text=text),))


def request(*messages, **fields) -> ModelRequest:
    return ModelRequest(fields.pop("system", ""), messages, **fields)


async def said(model: TapeModel, *messages, **fields) -> str:
    events = await events_of(model, request(*messages, **fields))
    last = events[-1]
    return (
        last.failure.message if isinstance(last, StreamError) else "".join(each[2] for each in blocks(events))
    )


# Answers


async def test_a_turn_is_blocks_with_an_end_and_usage_that_is_not_zero():
    model = model_of(
        {"thinking": "hm", "text": "I look.", "toolCalls": [{"name": "read", "arguments": {"path": "a/ü"}}]}
    )
    events = await events_of(model, request(user("go")))
    assert blocks(events) == [
        ("thinking", "", "hm"),
        ("text", "", "I look."),
        ("toolCall", "read", '{"path": "a/ü"}'),
    ]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert (last.stop_reason, last.usage.input > 0, last.usage.output > 0) == ("tool_calls", True, True)
    call_ids = [
        event.provider_id for event in events if isinstance(event, BlockStart) and event.kind == "toolCall"
    ]
    assert all(call_ids)


async def test_raw_arguments_stop_reason_usage_and_refusal_are_as_written():
    model = model_of(
        {
            "refusal": "no",
            "toolCalls": [{"name": "write", "argumentsText": '{"path": "a', "id": "p1"}],
            "stopReason": "length",
            "usage": {"input": 5, "output": 6, "cacheRead": 1, "cacheWrite": 2, "reasoning": 3, "cost": 0.5},
        }
    )
    events = await events_of(model, request(user("go")))
    assert blocks(events) == [("refusal", "", "no"), ("toolCall", "write", '{"path": "a')]
    last = events[-1]
    assert isinstance(last, StreamDone)
    assert (last.stop_reason, last.usage.input, last.usage.cost) == ("length", 5, 0.5)


async def test_arguments_survive_the_kernel_s_own_parser():
    arguments = {"text": 'a "b" \\ \n\t \u2028 😀', "n": [1, 2.5, None, True]}
    events = await events_of(
        model_of({"toolCalls": [{"name": "x", "arguments": arguments}]}), request(user("go"))
    )
    call = ToolCall(id="c", name="x", arguments=blocks(events)[0][2])
    assert parse_arguments(call) == arguments


async def test_the_turn_is_the_number_of_answers_after_the_prompt():
    model = model_of({"text": "one"}, {"text": "two"}, {"text": "three"})
    history = [user("go"), answer("c"), result("out"), answer(), user("more")]
    assert await said(model, *history) == "three"
    assert await said(model, *history) == "three", "the same request has the same answer: a retry, a resume"
    assert await said(model, *history[:3]) == "two"


async def test_past_its_end_a_tape_fails_loudly():
    message = await said(model_of({"text": "one"}), user("go"), answer(), user("more"))
    assert message == "demo.jsonl is at its end: it has 1 turns, and this request asks for turn 2."


CHOICES = (
    {"text": "default"},
    {"when": "fix"},
    {"text": "fix 1"},
    {"text": "fix 2"},
    {"when": ["add", "doc"]},
    {"text": "doc"},
)


async def test_the_prompt_picks_the_conversation():
    model = model_of(*CHOICES)
    assert await said(model, user("please fix it")) == "fix 1"
    assert await said(model, user("add a docstring")) == "doc"
    assert await said(model, user("add a test")) == "default"


async def test_a_steer_stays_in_its_conversation_and_a_new_prompt_begins_its_own():
    model = model_of(*CHOICES)
    assert await said(model, user("fix"), answer("c"), result("out"), user("hurry up")) == "fix 2"
    assert await said(model, user("fix"), answer(), answer(), user("add docs")) == "doc"
    assert await said(model, user("fix"), answer(), user("fix")) == "fix 1", (
        "the same prompt again begins again"
    )


async def test_a_prompt_without_a_conversation_names_those_there_are():
    model = model_of({"when": "fix the tests"}, {"text": "a"}, {"when": "list"}, {"text": "b"})
    message = await said(model, user("fix the test"))
    assert message == (
        "demo.jsonl has no conversation for 'fix the test'. It has: when 'fix the tests'; when 'list'. "
        "The nearest is when 'fix the tests' (line 2)."
    )


# Expectations


@pytest.mark.parametrize(
    ("expect", "difference"),
    [
        ({"user": "stop"}, "expects the last user message to contain 'stop', but it is 'hurry'"),
        (
            {"toolResults": ["out", "err"]},
            "expects the last tool results to contain 'err', but it is 'first\\nout'",
        ),
        ({"system": "brief"}, "expects the system prompt to contain 'brief', but it is 'be kind'"),
        ({"messages": 3}, "expects 3 messages, but there are 5"),
        ({"tools": ["edit"]}, "expects the tool 'edit', but there are: read"),
    ],
)
async def test_a_request_that_misses_the_expectation_is_refused_with_the_difference(expect, difference):
    model = model_of({"text": "one"}, {"text": "two", "expect": expect})
    history = [user("go"), answer("c", "d"), result("first"), result("out"), user("hurry")]
    tools = [ToolSpec("read", "", {})]
    events = await events_of(model, request(*history, system="be kind", tools=tools))
    assert isinstance(events[-1], StreamError)
    assert events[-1].failure.kind == "bad_request"
    assert events[-1].failure.message == f"demo.jsonl, turn 2 (line 3) {difference}."


async def test_a_request_that_meets_the_expectation_is_answered():
    expect = {
        "user": "hurry",
        "toolResults": ["first", "out"],
        "system": "kind",
        "tools": "read",
        "messages": 5,
    }
    model = model_of({"text": "one"}, {"text": "two", "expect": expect})
    history = [user("go"), answer("c", "d"), result("first"), result("out"), user("hurry")]
    assert await said(model, *history, system="be kind", tools=[ToolSpec("read", "", {})]) == "two"


# Failures, delays, aborts


async def test_an_error_is_told_every_time_or_so_many_times():
    failing = model_of(
        {"error": {"kind": "rate_limit", "message": "slow down", "retryAfter": 2, "status": 429}}
    )
    for _ in range(2):
        events = await events_of(failing, request(user("go")))
        assert isinstance(events[-1], StreamError)
        failure = events[-1].failure
        assert (failure.kind, failure.message, failure.retry_after, failure.status) == (
            "rate_limit",
            "slow down",
            2,
            429,
        )
    twice = model_of({"error": {"kind": "server", "message": "busy", "times": 2}, "text": "now"})
    assert [await said(twice, user("go")) for _ in range(6)] == ["busy", "busy", "now"] * 2


async def test_an_error_may_come_in_the_middle():
    model = model_of({"error": {"kind": "network", "after": "The fi"}})
    events = await events_of(model, request(user("go")))
    assert blocks(events) == [("text", "", "The fi")]
    assert isinstance(events[-1], StreamError)


async def test_chunks_and_delays_run_on_the_given_clock():
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    model = model_of({"text": "abcde", "chunk": 2, "delayMs": 1000, "deltaDelayMs": 10}, sleep=sleep)
    events = await events_of(model, request(user("go")))
    assert [event.text for event in events if isinstance(event, BlockDelta)] == ["ab", "cd", "e"]
    assert waited == [1.0, 0.01, 0.01, 0.01]


async def test_an_abort_ends_a_delay_and_a_hang():
    for line in ({"text": "late", "delayMs": 3_600_000}, {"hang": True}):
        abort = AbortController()
        asyncio.get_running_loop().call_soon(abort.abort)
        events = await events_of(model_of(line), request(user("go")), abort.signal)
        assert [type(event) for event in events] == [StreamError]


async def test_a_hang_comes_after_the_answer():
    abort = AbortController()
    events = []
    async for event in model_of({"text": "half", "hang": True}).stream(request(user("go")), abort.signal):
        events.append(event)
        if isinstance(event, BlockEnd):
            asyncio.get_running_loop().call_soon(abort.abort)
    assert blocks(events) == [("text", "", "half")]
    assert isinstance(events[-1], StreamError)


# The format


def test_a_tape_is_read_from_a_file_with_comments_blank_lines_and_a_mark(tmp_path):
    path = tmp_path / "demo.jsonl"
    path.write_text(
        f'{json.dumps(HEADER)}\r\n\r\n# what it says\r\n{{"text": "a\u2028b"}}\r\n', encoding="utf-8-sig"
    )
    tape = load_tape(path)
    assert (tape.name, tape.source) == ("demo", "demo.jsonl")
    assert tape.conversations[0].turns[0].text == "a\u2028b"
    assert TapeModel(path).id == "tape:demo.jsonl"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "has no turns"),
        (["{"], "line 2: not valid JSON"),
        (['{"chunk": ' + "9" * 5000 + "}"], "line 2: a number has too many digits"),
        (["[" * 100_000], "line 2: nested too deeply"),
        (["[]"], "line 2: each line is a JSON object"),
        ([{}], "line 2: the turn says nothing"),
        ([{"text": 7}], "line 2: `text` must be a string, not 7"),
        ([{"text": "a", "textt": 1}], "line 2: unknown field `textt`; known here: text,"),
        ([{"text": "a", "stopReason": "done"}], "`stopReason` must be one of stop, tool_calls"),
        ([{"toolCalls": {}}], "`toolCalls` must be a list"),
        ([{"toolCalls": [{"name": ""}]}], "line 2: toolCalls[0]: `name` must be the name of a tool"),
        ([{"toolCalls": [{"name": "a", "arguments": "{}"}]}], "toolCalls[0]: `arguments` must be an object"),
        (
            [{"toolCalls": [{"name": "a", "arguments": {}, "argumentsText": ""}]}],
            "`argumentsText` must be absent",
        ),
        ([{"toolCalls": [7]}], "`toolCalls[0]` must be an object"),
        ([{"text": "a", "usage": {"input": -1}}], "usage: `input` must be a whole number"),
        ([{"text": "a", "usage": {"in": 1}}], "usage: unknown field `in`"),
        ([{"error": {"kind": "bad"}}], "error: `kind` must be one of auth"),
        ([{"error": {"kind": "auth"}, "text": "a"}], "a turn with `error` has no answer"),
        ([{"error": {"kind": "auth", "times": 1}}], "the turn says nothing"),
        ([{"error": {"kind": "auth", "retryAfter": "1"}}], "error: `retryAfter` must be a number"),
        ([{"text": "a", "expect": {"user": [1]}}], "expect: `user` must be a string or a list of strings"),
        ([{"text": "a", "delayMs": True}], "`delayMs` must be a number"),
        ([{"text": "a", "chunk": 0}], "`chunk` must be a whole number, at least 1"),
        ([{"text": "a", "hang": "yes"}], "`hang` must be true or false"),
        ([{"when": "a"}], "line 2: no turns follow this `when`"),
        ([{"when": ""}, {"text": "a"}], "line 2: `when` must be a text"),
        ([{"when": "a", "text": "b"}], "line 2: unknown field `text`"),
    ],
)
def test_an_error_names_the_line_and_the_field(lines, message):
    text = "\n".join(
        [json.dumps(HEADER), *(each if isinstance(each, str) else json.dumps(each) for each in lines)]
    )
    with pytest.raises(TapeError) as error:
        parse_tape(text, "demo.jsonl")
    assert str(error.value).startswith("demo.jsonl")
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "\n# only a comment\n", '{"text": "a"}', '{"tape": 2}', '{"tape": true}', "7"]
)
def test_a_tape_begins_with_its_header(text):
    with pytest.raises(TapeError, match=r"demo\.jsonl"):
        parse_tape(text, "demo.jsonl")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a\0b", "no file can have this name"),
        ("\ud800", "no file can have this name"),
        ("~nobody-of-this-name/a", "no such user"),
        ("a" * 300, "File name too long"),
    ],
)
@pytest.mark.parametrize("options", ["", "?loose"])
def test_a_name_that_no_file_can_have_is_refused_like_one_of_a_missing_file(name, reason, options):
    with pytest.raises(TapeError, match="Can't read the tape") as error:
        TapeModel(name + options)
    assert reason in str(error.value)
    assert str(error.value).encode()


def test_a_file_that_can_not_be_read_is_named(tmp_path):
    with pytest.raises(TapeError, match=r"Can't read the tape .*missing\.jsonl: No such file"):
        load_tape(tmp_path / "missing.jsonl")
    with pytest.raises(TapeError, match=r"read the tape ~nobody-of-this-name/x\.jsonl: no such user"):
        load_tape("~nobody-of-this-name/x.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"tape": 1}\n{"text": "\xff"}')
    with pytest.raises(TapeError, match="not UTF-8 at byte 22"):
        load_tape(tmp_path / "latin.jsonl")
