"""Histories become Messages requests that a strict server takes, and asking again costs the new messages only."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.anthropic_request import DEFAULT_MAX_TOKENS, AnthropicRequestBuilder
from steersman.models.anthropic_thinking import BUDGETS, ThinkingStyle
from steersman.models.turns import EARLIER, GO_ON
from steersman.models.wire_values import IMAGE_LEFT_OUT, IMAGES_FOLLOW, NO_OUTPUT, NO_RESULT, NO_TEXT
from support.anthropic_rules import check_anthropic_request
from support.histories import HISTORIES, PICTURE, TEXTS

BUDGET_MODEL = "claude-sonnet-4-5"
ADAPTIVE_MODEL = "claude-opus-4-8"
BINDING_MODEL = "claude-opus-5-5"
MARK = {"type": "ephemeral"}
TOOL = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})
SIGNED = Thinking(text="hm", signature="EqQB")


def user(text: str = "hello", *more) -> UserMessage:
    return UserMessage(id="u", content=(Text(text=text), *more))


def call(call_id: str, name: str = "ls", arguments: str = "{}", provider_id: str | None = None) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments, provider_id=provider_id)


def assistant(*content, model: str = BUDGET_MODEL) -> AssistantMessage:
    return AssistantMessage(id="a", content=content, model=f"anthropic:{model}", stop_reason="stop")


def result(call_id: str, *content, outcome="ok") -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="ls", content=content or (Text(text="out"),), outcome=outcome
    )


def builder_for(model: str) -> AnthropicRequestBuilder:
    return AnthropicRequestBuilder(f"anthropic:{model}", model)


def body_of(*messages, model: str = BUDGET_MODEL, **fields):
    request = ModelRequest(system=fields.pop("system", "be brief"), messages=messages, **fields)
    return check_anthropic_request(builder_for(model).body(request))


def unmarked(value):
    """`value` without its cache marks."""
    if isinstance(value, dict):
        return {key: unmarked(item) for key, item in value.items() if key != "cache_control"}
    return [unmarked(item) for item in value] if isinstance(value, list) else value


def messages_of(*messages, **options):
    return unmarked(body_of(*messages, **options)["messages"])


def contents_of(*messages, **options):
    """Role and content blocks of each message; a block of text is its text."""
    return [
        (message["role"], [block.get("text", block) for block in message["content"]])
        for message in messages_of(*messages, **options)
    ]


def test_a_request_has_model_limit_system_and_tools():
    body = body_of(user(), tools=[TOOL], max_output_tokens=100)
    assert body == {
        "model": BUDGET_MODEL,
        "max_tokens": 100,
        "stream": True,
        "tools": [
            {
                "name": "read",
                "description": "Reads a file.",
                "input_schema": {"type": "object", "properties": {}},
                "cache_control": MARK,
            }
        ],
        "system": [{"type": "text", "text": "be brief", "cache_control": MARK}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello", "cache_control": MARK}]}],
    }


def test_without_system_tools_and_limits_nothing_is_said_of_them_but_a_limit():
    body = body_of(user(), system=" \n")
    assert set(body) == {"model", "max_tokens", "stream", "messages"}
    assert body["max_tokens"] == DEFAULT_MAX_TOKENS


def test_a_schema_without_a_type_is_one_of_an_object():
    assert body_of(user(), tools=[ToolSpec("now", "", {})])["tools"][0]["input_schema"] == {"type": "object"}


# Calls and results


def test_a_call_and_its_result():
    messages = messages_of(
        user(),
        assistant(Text(text="I look."), call("c1", arguments='{"path": "a"}', provider_id="toolu_1")),
        result("c1"),
    )
    assert messages[1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "ls", "input": {"path": "a"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "out"}]},
    ]


def test_arguments_are_sent_as_the_model_wrote_them():
    written = '{"b": 1.50,  "a": "\\u00fc"}'
    request = ModelRequest("", [user(), assistant(call("c1", arguments=written)), result("c1")])
    assert written.encode() in builder_for(BUDGET_MODEL).body(request)


def test_the_results_of_a_batch_are_in_one_message_in_the_declared_order_before_anything_else():
    contents = contents_of(
        user(),
        assistant(call("c1"), call("c2")),
        result("c2", Text(text="two")),
        user("steer"),
        result("c1", Text(text="one")),
    )
    assert contents[2] == (
        "user",
        [
            {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "two"},
            "steer",
        ],
    )


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out():
    contents = contents_of(
        result("c0"), user(), assistant(call("c1")), user("go on"), result("c9"), result("c9")
    )
    missing = {"type": "tool_result", "tool_use_id": "c1", "content": NO_RESULT, "is_error": True}
    assert contents[0] == ("user", ["hello"])
    assert contents[2] == ("user", [missing, "go on"])


def test_a_result_that_is_no_success_is_marked_as_an_error():
    [*_, last] = messages_of(
        user(), assistant(call("c1")), result("c1", Text(text="no such file"), outcome="failed")
    )
    assert last["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "no such file", "is_error": True}
    ]


def test_ids_that_a_provider_repeats_are_made_unique():
    turn = [assistant(call("c1", provider_id="call_0")), result("c1")]
    again = [
        assistant(call("c2", provider_id="call_0"), call("c3", provider_id="call_0")),
        result("c2"),
        result("c3"),
    ]
    messages = messages_of(user(), *turn, *again)
    results = [
        block for message in messages for block in message["content"] if block["type"] == "tool_result"
    ]
    assert [block["tool_use_id"] for block in results] == ["call_0", "c2", "c3"]


@pytest.mark.parametrize("provider_id", ["functions.ls:0", "a b", "", "ü"])
def test_ids_that_the_api_does_not_take_are_replaced(provider_id):
    messages = messages_of(user(), assistant(call("c.1", provider_id=provider_id)), result("c.1"))
    assert messages[1]["content"][0]["id"] == "c_1"


def test_another_model_s_ids_are_not_sent():
    messages = messages_of(user(), assistant(call("c1", provider_id="x1"), model="claude-x"), result("c1"))
    assert messages[1]["content"][0]["id"] == "c1"


def test_one_call_object_that_comes_twice_is_two_calls():
    twice = call("c1", provider_id="toolu_1")
    messages = messages_of(user(), assistant(twice, twice), result("c1"), result("c1"))
    assert [block["id"] for block in messages[1]["content"]] == ["toolu_1", "c1"]


def test_a_request_without_tools_names_those_of_its_history_but_permits_none():
    body = body_of(
        user(), assistant(call("c1"), call("c2", "a b")), result("c1"), result("c2"), user("sum up")
    )
    assert [tool["name"] for tool in body["tools"]] == ["ls", "a_b"]
    assert body["tool_choice"] == {"type": "none"}


# Turns


def test_user_messages_in_a_row_are_one():
    assert contents_of(user("a"), user("b")) == [("user", ["a", "b"])]


def test_an_answer_with_nothing_after_it_is_followed_by_a_word_to_go_on():
    contents = contents_of(user(), assistant(Text(text="half an ans ")))
    assert contents[1:] == [("assistant", ["half an ans "]), ("user", [GO_ON])]


def test_answers_in_a_row_are_parted_as_they_were_asked_for():
    """The request for the second answer had the same beginning, so that it is found in the cache."""
    first = [user(), assistant(Text(text="one"))]
    contents = contents_of(*first, assistant(Text(text="two")))
    assert contents == [*contents_of(*first), ("assistant", ["two"]), ("user", [GO_ON])]


def test_a_history_that_begins_with_an_answer_or_is_empty_begins_with_a_user_all_the_same():
    assert contents_of(assistant(Text(text="one")), user())[0] == ("user", [EARLIER])
    assert contents_of() == [("user", [GO_ON])]


def test_nothing_that_is_sent_is_blank():
    contents = contents_of(
        UserMessage(id="u", content=(Text(text=" \n"),)),
        assistant(Text(text="\n\n"), call("c1"), call("c2")),
        result("c1", Text(text="")),
        result("c2", Text(text=" "), outcome="failed"),
    )
    assert contents[0] == ("user", [NO_TEXT])
    assert len(contents[1][1]) == 2
    assert [block["content"] for block in contents[2][1]] == [NO_OUTPUT, NO_OUTPUT]


def test_an_answer_with_nothing_to_send_is_left_out_and_a_refusal_is_text():
    contents = contents_of(user("a"), assistant(SIGNED), user("b"), assistant(Refusal(text="no")), user("c"))
    assert contents == [("user", ["a", "b"]), ("assistant", ["no"]), ("user", ["c"])]


def test_text_that_is_no_valid_unicode_is_put_right():
    assert contents_of(user("a\ud83d\ude00b\ud83dc")) == [("user", ["a😀b\ufffdc"])]


# Images


def test_images_of_users_and_of_results_stay_where_they_are():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    contents = contents_of(
        user("see", PICTURE), assistant(call("c1")), result("c1", Text(text="a"), PICTURE, Text(text="b"))
    )
    assert contents[0][1] == ["see", image]
    texts = [{"type": "text", "text": text} for text in "ab"]
    assert contents[2][1][0]["content"] == [texts[0], image, texts[1]]


def test_images_of_errors_follow_the_results_since_errors_hold_only_text():
    contents = contents_of(
        user(),
        assistant(call("c1"), call("c2")),
        result("c1", Text(text="no"), PICTURE, outcome="failed"),
        result("c2"),
    )
    first, second, image = contents[2][1]
    assert first["content"] == f"no\n{IMAGES_FOLLOW}"
    assert (second["tool_use_id"], image["type"]) == ("c2", "image")


def test_images_of_a_kind_that_the_api_does_not_take_are_named_instead():
    odd = Image(data="aGk=", mime_type="image/bmp")
    contents = contents_of(user("see", odd), assistant(call("c1")), result("c1", odd))
    assert contents[0][1] == ["see", IMAGE_LEFT_OUT]
    assert contents[2][1][0]["content"] == [{"type": "text", "text": IMAGE_LEFT_OUT}]


def test_a_model_without_eyes_gets_words_for_images():
    history = (
        user("see", PICTURE),
        assistant(call("c1"), call("c2")),
        result("c1", Text(text="a"), PICTURE),
        result("c2", Text(text="no"), PICTURE, outcome="failed"),
    )
    builder = AnthropicRequestBuilder("anthropic:m", "m", images=False)
    body = check_anthropic_request(builder.body(ModelRequest(system="", messages=history)))
    assert '"image"' not in json.dumps(body)
    assert json.dumps(body).count(IMAGE_LEFT_OUT) == 3


def test_what_is_attached_to_a_message_or_a_result_is_text_of_its_own():
    attached = Text(text="[be brief]", attached="a/AGENTS.md")
    contents = contents_of(
        user("see", attached), assistant(call("c1")), result("c1", Text(text="out"), attached)
    )
    assert contents[0][1] == ["see", "[be brief]"]
    assert contents[2][1][0]["content"] == "out\n\n[be brief]"


# The prompt cache


def marked_places(body):
    """Which messages have a mark, by their places; a mark is on the last block."""
    places = []
    for place, message in enumerate(body["messages"]):
        *others, last = message["content"]
        assert not any("cache_control" in block for block in others)
        if "cache_control" in last:
            places.append(place)
    return places


def test_tools_system_and_the_last_two_user_turns_are_marked():
    history = [user()]
    for turn in range(4):
        history += [assistant(call(f"c{turn}")), result(f"c{turn}")]
    body = body_of(*history, tools=[TOOL, ToolSpec("ls", "", {})])
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
    assert body["system"][-1]["cache_control"] == MARK
    assert marked_places(body) == [6, 8]


def test_the_last_mark_of_a_request_is_the_one_before_the_last_of_the_next():
    """Each request finds the whole of the one before in the cache, however many blocks came between."""
    history = [user(), assistant(call("c1")), result("c1")]
    before = marked_places(body_of(*history))
    batch = [call(f"d{n}") for n in range(30)]
    after = marked_places(body_of(*history, assistant(*batch), *(result(each.id) for each in batch)))
    assert before[-1] == after[-2]


# Thinking


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("claude-3-7-sonnet-20250219", (False, False, False)),
        ("claude-sonnet-4-20250514", (False, False, False)),
        ("claude-haiku-4-5@20251001", (False, False, False)),
        ("claude-opus-4-5-20251101", (False, False, False)),
        ("claude-sonnet-4-6", (True, False, False)),
        ("us.anthropic.claude-opus-4-6-v1", (True, False, False)),
        ("anthropic/claude-opus-4.8", (True, False, False)),
        ("claude-opus-5", (True, True, False)),
        ("claude-fable-5-20260601", (True, True, False)),
        ("claude-fable-5-1", (True, True, True)),
        ("claude-haiku-5-5", (True, True, True)),
        ("claude-opus-10", (True, True, True)),
        ("claude-opus-latest", (True, True, False)),
        ("MiniMax-M2", (False, False, False)),
        ("glm-5.1", (False, False, False)),
    ],
)
def test_the_name_tells_how_a_model_thinks(name, style):
    known = ThinkingStyle.of(name)
    assert (known.adaptive, known.on_by_default, known.binds) == style


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_older_models_are_given_a_budget_and_newer_ones_an_effort(level):
    assert body_of(user(), thinking=level)["thinking"] == {"type": "enabled", "budget_tokens": BUDGETS[level]}
    body = body_of(user(), thinking=level, model=ADAPTIVE_MODEL)
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": level}


def test_nothing_is_said_of_thinking_that_is_off():
    for model in (BUDGET_MODEL, ADAPTIVE_MODEL, "claude-opus-5"):
        assert not {"thinking", "output_config"} & set(body_of(user(), model=model))


def test_a_model_whose_thinking_is_bound_leaves_out_what_is_no_longer_valid():
    for level in ("off", "high"):
        binding = body_of(user(), thinking=level, model=BINDING_MODEL)["thinking"]["block_binding"]
        assert binding == {"prefix_mismatch_behavior": "drop_block"}


@pytest.mark.parametrize(
    ("limit", "budget"), [(64_000, 16_000), (20_000, 10_000), (2_000, 1_024), (1_025, 1_024), (1_024, None)]
)
def test_a_budget_leaves_room_for_the_answer(limit, budget):
    thinking = body_of(user(), thinking="high", max_output_tokens=limit).get("thinking")
    assert thinking == (budget and {"type": "enabled", "budget_tokens": budget})


@pytest.mark.parametrize("model", [BUDGET_MODEL, ADAPTIVE_MODEL, BINDING_MODEL])
def test_thinking_is_sent_back_unchanged_and_in_its_place(model):
    hidden = Thinking(text="", signature="EmwK", redacted=True)
    omitted = Thinking(text="", signature="EqQC")
    content = (SIGNED, hidden, Text(text="I look."), omitted, call("c1"))
    messages = messages_of(
        user(), assistant(*content, model=model), result("c1"), model=model, thinking="low"
    )
    assert messages[1]["content"][:4] == [
        {"type": "thinking", "thinking": "hm", "signature": "EqQB"},
        {"type": "redacted_thinking", "data": "EmwK"},
        {"type": "text", "text": "I look."},
        {"type": "thinking", "thinking": "", "signature": "EqQC"},
    ]


def kinds_of(*content, model: str = BUDGET_MODEL, said_by: str | None = None, **options):
    answer = assistant(*content, Text(text="a"), model=said_by or model)
    messages = messages_of(user(), answer, user(), model=model, **{"thinking": "low", **options})
    return [block["type"] for block in messages[1]["content"]]


def test_thinking_of_another_model_or_without_a_signature_is_left_out():
    assert kinds_of(SIGNED) == ["thinking", "text"]
    assert kinds_of(SIGNED, said_by="claude-x") == ["text"]
    assert kinds_of(Thinking(text="hm")) == ["text"]


def test_thinking_is_left_out_where_the_model_does_not_think():
    assert kinds_of(SIGNED, thinking="off") == ["text"]
    assert kinds_of(SIGNED, thinking="off", model=ADAPTIVE_MODEL) == ["text"]
    assert kinds_of(SIGNED, thinking="off", model=BINDING_MODEL) == ["thinking", "text"]


def test_thinking_in_which_an_answer_was_cut_is_left_out():
    messages = messages_of(user(), assistant(SIGNED, Text(text="a"), SIGNED), user(), thinking="low")
    assert [block["type"] for block in messages[1]["content"]] == ["thinking", "text"]


def test_a_turn_that_began_without_thinking_goes_on_without():
    """With a budget: as when the model, or the level, was changed between a call and its result."""
    begun = [user(), assistant(SIGNED, call("c1")), result("c1"), assistant(call("c2")), result("c2")]
    assert "thinking" in body_of(*begun, thinking="low")
    changed = [user(), assistant(call("c1")), result("c1"), assistant(SIGNED, call("c2")), result("c2")]
    body = body_of(*changed, thinking="low")
    assert "thinking" not in body
    assert "EqQB" not in json.dumps(body)
    assert "thinking" in body_of(*changed, assistant(Text(text="done")), user("next"), thinking="low")
    assert "thinking" in body_of(*changed, thinking="low", model=ADAPTIVE_MODEL)
    steered = [*changed[:3], user("steer"), *changed[3:]]
    assert "thinking" in body_of(*steered, thinking="low"), "what the user said began another turn"


# What was asked before


def test_a_builder_that_asked_before_asks_the_same_as_a_fresh_one():
    builder = builder_for(BUDGET_MODEL)
    history = [user("first")]

    def fresh() -> bytes:
        return builder_for(BUDGET_MODEL).body(ModelRequest("", history))

    for turn in range(5):
        assert builder.body(ModelRequest("", history)) == fresh()
        history += [assistant(call(f"c{turn}", provider_id="call_0")), result(f"c{turn}")]
        assert builder.body(ModelRequest("", history)) == fresh()
        history.append(user("steer"))
    # The same builder, another conversation, and then the first one again.
    assert b"other" in builder.body(ModelRequest("", [user("other")]))
    assert builder.body(ModelRequest("", history)) == fresh()
    # A history that was shortened is not taken for the longer one.
    del history[3:]
    assert builder.body(ModelRequest("", history)) == fresh()


def test_what_was_sent_before_is_not_converted_again():
    class Watched(UserMessage):
        reads = 0

        def __getattribute__(self, name):
            Watched.reads += name == "content"
            return super().__getattribute__(name)

    builder = builder_for(BUDGET_MODEL)
    history = [Watched(id="u", content=(Text(text="first"),)), assistant(call("c1")), result("c1")]
    builder.body(ModelRequest("", history))
    before = Watched.reads
    assert b"first" in builder.body(ModelRequest("", [*history, user("more")]))
    assert (before > 0, Watched.reads) == (True, before)


LEVELS = st.sampled_from(["off", "low", "high"])
REQUESTS = st.builds(
    ModelRequest,
    TEXTS,
    HISTORIES,
    st.sampled_from([(), (TOOL,)]),
    LEVELS,
    st.sampled_from([None, 1, 1_500]),
)
NAMES = st.sampled_from([BUDGET_MODEL, ADAPTIVE_MODEL, "claude-opus-5", BINDING_MODEL])


@settings(max_examples=400, deadline=None)
@given(REQUESTS, NAMES)
def test_any_history_makes_a_request_by_the_rules(request, name):
    check_anthropic_request(builder_for(name).body(request))


@settings(max_examples=150, deadline=None)
@given(HISTORIES, st.lists(st.tuples(st.integers(0, 12), LEVELS), max_size=4), NAMES)
def test_what_was_asked_before_changes_no_request(history, asked, name):
    builder = builder_for(name)
    for length, level in (*asked, (len(history), "low")):
        request = ModelRequest("s", history[:length], thinking=level)
        assert builder.body(request) == builder_for(name).body(request)


@settings(max_examples=100, deadline=None)
@given(HISTORIES, st.integers(0, 12))
def test_a_history_that_grows_by_whole_turns_leaves_its_beginning_as_it_was(history, length):
    """What the prompt cache and bound thinking rest on."""
    length = min(length, len(history))
    beginning = [*history[:length], user("so far")]
    shorter = messages_of(*beginning, model=BINDING_MODEL)
    longer = messages_of(*beginning, assistant(Text(text="a")), user("more"), model=BINDING_MODEL)
    assert longer[: len(shorter)] == shorter
