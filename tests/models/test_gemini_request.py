"""Histories become Gemini requests that a strict server takes, and asking again costs the new messages only."""

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
from steersman.models.gemini_content import FOREIGN_SIGNATURE, IMAGE_INSIDE
from steersman.models.gemini_request import GeminiRequestBuilder
from steersman.models.gemini_thinking import BUDGETS, ThinkingStyle
from steersman.models.turns import EARLIER, GO_ON
from steersman.models.wire_values import IMAGE_LEFT_OUT, IMAGES_FOLLOW, NO_OUTPUT, NO_RESULT, NO_TEXT
from support.gemini_rules import GEMINI_MODELS, check_gemini_request
from support.histories import HISTORIES, PICTURE, TEXTS

BUDGET_MODEL = "gemini-2.5-flash"
SIGNING_MODEL = "gemini-3-flash-preview"
TOOL = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
INLINE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def user(text: str = "hello", *more) -> UserMessage:
    return UserMessage(id="u", content=(Text(text=text), *more))


def call(call_id: str, name: str = "ls", arguments: str = "{}", **known: str) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments, **known)


def assistant(*content, model: str = SIGNING_MODEL) -> AssistantMessage:
    return AssistantMessage(id="a", content=content, model=f"gemini:{model}", stop_reason="stop")


def result(call_id: str, *content, outcome="ok") -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="ls", content=content or (Text(text="out"),), outcome=outcome
    )


def signature_of(text: str) -> Thinking:
    """What the parser makes of a signature on the text before it."""
    return Thinking(text="", signature=text)


def builder_for(model: str, **options) -> GeminiRequestBuilder:
    return GeminiRequestBuilder(f"gemini:{model}", model, **options)


def body_of(*messages, model: str = SIGNING_MODEL, **fields):
    request = ModelRequest(system=fields.pop("system", "be brief"), messages=messages, **fields)
    return check_gemini_request(builder_for(model).body(request), model)


def contents_of(*messages, **options):
    """Role and parts of each content; a part that is a text and nothing else is its text."""
    return [
        (content["role"], [part["text"] if set(part) == {"text"} else part for part in content["parts"]])
        for content in body_of(*messages, **options)["contents"]
    ]


def test_a_request_has_system_text_tools_limit_and_contents():
    assert body_of(user(), tools=[TOOL], max_output_tokens=100, model="gemini-2.0-flash") == {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "name": "read",
                        "description": "Reads a file.",
                        "parametersJsonSchema": {
                            "type": "object",
                            "properties": {"path": {"type": "string"}},
                        },
                    }
                ]
            }
        ],
        "generationConfig": {"maxOutputTokens": 100},
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
    }


def test_without_system_text_tools_and_limits_nothing_is_said_of_them():
    assert set(body_of(user(), system=" \n", model="gemini-2.0-flash")) == {"contents"}


@pytest.mark.parametrize(
    ("parameters", "sent"),
    [
        ({}, None),
        ({"type": "object", "properties": {}, "required": [], "additionalProperties": False}, None),
        ({"properties": {"a": {}}}, {"type": "object", "properties": {"a": {}}}),
        ({"anyOf": [{"required": ["a"]}]}, {"type": "object", "anyOf": [{"required": ["a"]}]}),
    ],
)
def test_parameters_are_a_schema_of_an_object_and_none_where_there_are_none(parameters, sent):
    [declared] = body_of(user(), tools=[ToolSpec("now", "", parameters)])["tools"][0]["functionDeclarations"]
    assert declared.get("parametersJsonSchema") == sent


# Calls and results


def test_a_call_and_its_result():
    contents = contents_of(
        user(),
        assistant(
            Text(text="I look."), call("c1", arguments='{"path": "a"}', provider_id="9d5", signature="Eu0")
        ),
        result("c1"),
    )
    assert contents[1:] == [
        (
            "model",
            [
                "I look.",
                {
                    "functionCall": {"id": "9d5", "name": "ls", "args": {"path": "a"}},
                    "thoughtSignature": "Eu0",
                },
            ],
        ),
        ("user", [{"functionResponse": {"id": "9d5", "name": "ls", "response": {"output": "out"}}}]),
    ]


def test_arguments_are_sent_as_the_model_wrote_them():
    written = '{"b": 1.50,  "a": "\\u00fc"}'
    request = ModelRequest("", [user(), assistant(call("c1", arguments=written)), result("c1")])
    assert written.encode() in builder_for(BUDGET_MODEL).body(request)


def response(text: str, *, key: str = "output", name: str = "ls"):
    return {"functionResponse": {"name": name, "response": {key: text}}}


def test_the_results_of_a_batch_are_in_one_turn_in_the_declared_order_before_anything_else():
    contents = contents_of(
        user(),
        assistant(call("c1"), call("c2", "read")),
        result("c2", Text(text="two")),
        user("steer"),
        result("c1", Text(text="one")),
    )
    assert contents[2] == ("user", [response("one"), response("two", name="read"), "steer"])


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out():
    contents = contents_of(
        result("c0"), user(), assistant(call("c1")), user("go on"), result("c9"), result("c9")
    )
    assert contents[0] == ("user", ["hello"])
    assert contents[2] == ("user", [response(NO_RESULT, key="error"), "go on"])


def test_a_result_that_is_no_success_is_an_error():
    [*_, last] = contents_of(
        user(), assistant(call("c1")), result("c1", Text(text="no such file"), outcome="failed")
    )
    assert last == ("user", [response("no such file", key="error")])


def ids_of(*messages, **options):
    """The ids of calls and of responses, in their order."""
    parts = [part for content in body_of(*messages, **options)["contents"] for part in content["parts"]]
    return [part[key].get("id") for part in parts for key in part if key.startswith("function")]


def test_ids_are_sent_only_where_this_model_gave_one_to_each_call_of_an_answer():
    both = (call("c1", provider_id="a"), call("c2", provider_id="b"))
    results = (result("c1"), result("c2"))
    assert ids_of(user(), assistant(*both), *results) == ["a", "b", "a", "b"]
    assert ids_of(user(), assistant(*both, model="gemini-3-x"), *results) == [None] * 4
    assert ids_of(user(), assistant(both[0], call("c2")), *results) == [None] * 4
    twice = (call("c1", provider_id="a"), call("c2", provider_id="a"))
    assert ids_of(user(), assistant(*twice), *results) == [None] * 4


def test_an_id_that_comes_again_is_not_sent_again():
    turn = [assistant(call("c1", provider_id="a")), result("c1")]
    assert ids_of(user(), *turn, *turn) == ["a", "a", None, None]


@pytest.mark.parametrize(
    ("name", "sent"), [("a b", "a_b"), ("", "unknown"), ("1st", "_1st"), ("-", "_-"), ("ü" * 70, "_" * 64)]
)
def test_names_that_a_model_made_up_become_names_that_the_api_takes(name, sent):
    contents = contents_of(user(), assistant(call("c1", name)), result("c1"))
    assert contents[1][1][0]["functionCall"]["name"] == sent
    assert contents[2][1][0]["functionResponse"]["name"] == sent


# Turns


def test_user_messages_in_a_row_are_one():
    assert contents_of(user("a"), user("b")) == [("user", ["a", "b"])]


def test_an_answer_with_nothing_after_it_is_followed_by_a_word_to_go_on():
    contents = contents_of(user(), assistant(Text(text="half an ans ")))
    assert contents[1:] == [("model", ["half an ans "]), ("user", [GO_ON])]


def test_answers_in_a_row_are_parted_as_they_were_asked_for():
    """The request for the second answer had the same beginning, so that it is found in the cache."""
    first = [user(), assistant(Text(text="one"))]
    contents = contents_of(*first, assistant(Text(text="two")))
    assert contents == [*contents_of(*first), ("model", ["two"]), ("user", [GO_ON])]


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
    assert contents[2][1] == [response(NO_OUTPUT), response(NO_OUTPUT, key="error")]


def test_an_answer_with_nothing_to_send_is_left_out_and_a_refusal_is_text():
    thought = Thinking(text="hm", signature="EqQB")
    contents = contents_of(user("a"), assistant(thought), user("b"), assistant(Refusal(text="no")), user("c"))
    assert contents == [("user", ["a", "b"]), ("model", ["no"]), ("user", ["c"])]


def test_text_that_is_no_valid_unicode_is_put_right():
    assert contents_of(user("a\ud83d\ude00b\ud83dc")) == [("user", ["a😀b\ufffdc"])]


def test_what_is_attached_to_a_message_or_a_result_is_text_of_its_own():
    attached = Text(text="[be brief]", attached="a/AGENTS.md")
    contents = contents_of(
        user("see", attached), assistant(call("c1")), result("c1", Text(text="out"), attached)
    )
    assert contents[0][1] == ["see", "[be brief]"]
    assert contents[2][1] == [response("out\n\n[be brief]")]


# Images


def test_images_of_users_stay_where_they_are():
    assert contents_of(user("see", PICTURE, Text(text="this"))) == [("user", ["see", INLINE, "this"])]


def test_images_of_results_are_inside_them_since_gemini_3():
    contents = contents_of(
        user(),
        assistant(call("c1"), call("c2")),
        result("c1", Text(text="a"), PICTURE),
        result("c2", PICTURE, outcome="failed"),
    )
    first, second = (part["functionResponse"] for part in contents[2][1])
    assert (first["response"], first["parts"]) == ({"output": "a"}, [INLINE])
    assert (second["response"], second["parts"]) == ({"error": IMAGE_INSIDE}, [INLINE])


def test_images_of_results_follow_the_batch_before_gemini_3():
    contents = contents_of(
        user(),
        assistant(call("c1"), call("c2")),
        result("c1", Text(text="a"), PICTURE),
        result("c2"),
        user("steer"),
        model=BUDGET_MODEL,
    )
    assert contents[2][1] == [response(f"a\n{IMAGES_FOLLOW}"), response("out"), INLINE, "steer"]


@pytest.mark.parametrize("mime_type", ["image/bmp", "image/gif"])
@pytest.mark.parametrize("model", [BUDGET_MODEL, SIGNING_MODEL])
def test_images_of_a_kind_that_the_api_does_not_take_are_named_instead(mime_type, model):
    odd = Image(data="aGk=", mime_type=mime_type)
    contents = contents_of(user("see", odd), assistant(call("c1")), result("c1", odd), model=model)
    assert contents[0][1] == ["see", IMAGE_LEFT_OUT]
    assert contents[2][1] == [response(IMAGE_LEFT_OUT)]


@pytest.mark.parametrize("model", [BUDGET_MODEL, SIGNING_MODEL])
def test_a_model_without_eyes_gets_words_for_images(model):
    history = (user("see", PICTURE), assistant(call("c1")), result("c1", Text(text="a"), PICTURE))
    request = ModelRequest(system="", messages=history)
    body = json.dumps(check_gemini_request(builder_for(model, images=False).body(request), model))
    assert ("inlineData" in body, body.count(IMAGE_LEFT_OUT)) == (False, 2)


# Thoughts and their signatures


def signatures_of(*content, said_by: str = SIGNING_MODEL, model: str = SIGNING_MODEL):
    """What parts an answer has, each with its signature."""
    message = assistant(*content, model=said_by)
    results = [result(each.id) for each in message.tool_calls]
    [_, answer, *_] = body_of(user(), message, *results, user(), model=model)["contents"]
    return [
        (
            part["functionCall"]["name"] if "functionCall" in part else part["text"],
            part.get("thoughtSignature"),
        )
        for part in answer["parts"]
    ]


def test_signatures_of_calls_are_sent_back_where_they_were():
    parallel = (call("c1", "ls", signature="s1"), call("c2", "read"), call("c3", "find", signature="s3"))
    assert signatures_of(*parallel) == [("ls", "s1"), ("read", None), ("find", "s3")]


def test_the_signature_of_a_text_is_sent_back_on_it():
    assert signatures_of(Text(text="a"), signature_of("s"), Text(text="b")) == [("a", "s"), ("b", None)]


def test_a_signature_that_came_without_text_is_sent_back_so():
    content = (call("c1", signature="s1"), signature_of("s2"), Text(text="a"))
    assert signatures_of(*content) == [("ls", "s1"), ("", "s2"), ("a", None)]
    assert signatures_of(Text(text="a"), Thinking(text="hm"), signature_of("s")) == [("a", None), ("", "s")]
    assert signatures_of(Text(text=" "), signature_of("s"), Text(text="a")) == [("", "s"), ("a", None)]


def test_a_signed_thought_is_sent_back_and_summaries_are_not():
    content = (Thinking(text="hm"), Thinking(text="so", signature="s"), Text(text="a"))
    message = assistant(*content)
    [_, answer, _] = body_of(user(), message, user())["contents"]
    assert answer["parts"] == [{"text": "so", "thought": True, "thoughtSignature": "s"}, {"text": "a"}]


def test_thinking_that_another_provider_hid_is_left_out():
    hidden = Thinking(text="", signature="EmwK", redacted=True)
    assert signatures_of(hidden, Text(text="a")) == [("a", None)]


def test_signatures_of_another_model_are_left_out():
    content = (Text(text="a"), signature_of("s"), call("c1", signature="s1"))
    assert signatures_of(*content, said_by="gemini-2.5-pro", model=BUDGET_MODEL) == [
        ("a", None),
        ("ls", None),
    ]


@pytest.mark.parametrize("said_by", ["gemini-3.1-pro-preview", "gemini-2.5-flash", SIGNING_MODEL])
def test_the_first_call_of_an_answer_without_a_signature_gets_the_one_that_the_api_takes_for_it(said_by):
    """Parallel calls carry one on the first only; those of another model, or from before, carry none."""
    foreign = () if said_by == SIGNING_MODEL else (("signature", "theirs"),)
    calls = (call("c1", "ls", **dict(foreign)), call("c2", "read", **dict(foreign)))
    expected = [("ls", FOREIGN_SIGNATURE), ("read", None)]
    assert signatures_of(*calls, said_by=said_by) == expected


def test_models_before_gemini_3_need_no_signature():
    for model in (BUDGET_MODEL, "gemini-2.0-flash", "gemma-3-27b-it"):
        assert signatures_of(call("c1"), said_by="gemini-3-x", model=model) == [("ls", None)]


LEAST = {
    "gemini-2.0-flash": None,
    "gemini-2.5-flash": {"thinkingBudget": 0},
    "gemini-2.5-flash-lite": {"thinkingBudget": 0},
    "gemini-2.5-pro": {"thinkingBudget": 128},
    "gemini-3-flash-preview": {"thinkingLevel": "MINIMAL"},
    "gemini-3.1-pro-preview": {"thinkingLevel": "LOW"},
    "gemini-3.5-flash-lite": {"thinkingLevel": "MINIMAL"},
    "gemini-3.6-flash": {"thinkingLevel": "MINIMAL"},
    "gemini-3.8-flash": {"thinkingLevel": "LOW"},
    "gemini-flash-latest": None,
    "gemma-3-27b-it": None,
}


def thinking_of(model: str, **fields):
    return body_of(user(), model=model, **fields).get("generationConfig", {}).get("thinkingConfig")


@pytest.mark.parametrize("model", GEMINI_MODELS)
def test_off_is_the_least_that_a_model_takes_and_nothing_where_that_is_not_known(model):
    assert thinking_of(model) == LEAST[model]


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_a_level_is_a_budget_or_a_level_by_the_model_s_generation(level):
    assert thinking_of(BUDGET_MODEL, thinking=level) == {
        "thinkingBudget": BUDGETS[level],
        "includeThoughts": True,
    }
    for model in (SIGNING_MODEL, "gemini-flash-latest"):
        assert thinking_of(model, thinking=level) == {"thinkingLevel": level.upper(), "includeThoughts": True}
    for model in ("gemini-2.0-flash", "gemma-3-27b-it"):
        assert thinking_of(model, thinking=level) is None


@pytest.mark.parametrize(
    ("model", "limit", "budget"),
    [
        ("gemini-2.5-flash", 65_536, 24_576),
        ("gemini-2.5-flash", 20_000, 10_000),
        ("gemini-2.5-flash", 1, 1),
        ("gemini-2.5-flash-lite", 600, 512),
        ("gemini-2.5-pro", 100, 128),
    ],
)
def test_a_budget_leaves_room_for_the_answer(model, limit, budget):
    assert thinking_of(model, thinking="high", max_output_tokens=limit)["thinkingBudget"] == budget


@pytest.mark.parametrize(
    ("name", "control", "signs"),
    [
        ("gemini-2.5-flash-preview-09-2025", "budget", False),
        ("models/gemini-3-pro-preview", "level", True),
        ("gemini-4-flash", "level", True),
        ("gemini-pro-latest", "level", True),
        ("gemini-3-pro-image-preview", None, True),
        ("gemini-2.5-flash-preview-tts", None, False),
        ("gemini-1.5-pro", None, False),
        ("learnlm-2.0-flash", None, False),
    ],
)
def test_the_name_tells_how_a_model_thinks_and_whether_it_signs(name, control, signs):
    style = ThinkingStyle.of(name)
    assert (style.control, style.signs) == (control, signs)


# What was asked before


def test_a_builder_that_asked_before_asks_the_same_as_a_fresh_one():
    builder = builder_for(SIGNING_MODEL)
    history = [user("first")]

    def fresh() -> bytes:
        return builder_for(SIGNING_MODEL).body(ModelRequest("", history))

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

    builder = builder_for(SIGNING_MODEL)
    history = [Watched(id="u", content=(Text(text="first"),)), assistant(call("c1")), result("c1")]
    builder.body(ModelRequest("", history))
    before = Watched.reads
    assert b"first" in builder.body(ModelRequest("", [*history, user("more")]))
    assert (before > 0, Watched.reads) == (True, before)


LEVELS = st.sampled_from(["off", "low", "medium", "high"])
REQUESTS = st.builds(
    ModelRequest,
    TEXTS,
    HISTORIES,
    st.sampled_from([(), (TOOL,), (TOOL, ToolSpec("now", "", {}))]),
    LEVELS,
    st.sampled_from([None, 1, 1_500]),
)
NAMES = st.sampled_from(GEMINI_MODELS)


@settings(max_examples=600, deadline=None)
@given(REQUESTS, NAMES, st.booleans())
def test_any_history_makes_a_request_by_the_rules(request, name, images):
    check_gemini_request(builder_for(name, images=images).body(request), name)


@settings(max_examples=200, deadline=None)
@given(HISTORIES, NAMES)
def test_a_history_that_grows_step_by_step_becomes_the_same_bytes_as_at_once(history, name):
    builder = builder_for(name)
    for length in range(len(history) + 1):
        request = ModelRequest("s", history[:length])
        assert builder.body(request) == builder_for(name).body(request)


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
    """What the provider's prompt cache rests on."""
    beginning = [*history[: min(length, len(history))], user("so far")]
    shorter = body_of(*beginning)["contents"]
    longer = body_of(*beginning, assistant(Text(text="a")), user("more"))["contents"]
    assert longer[: len(shorter)] == shorter
