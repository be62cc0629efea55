"""Histories become Responses requests that a strict server takes, and asking again costs the new messages only."""

import json
from dataclasses import replace

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
from steersman.models.responses_reasoning import always_reasons, signature_of
from steersman.models.responses_request import ResponsesQuirks, ResponsesRequestBuilder
from steersman.models.wire_values import IMAGE_LEFT_OUT, IMAGES_FOLLOW, NO_OUTPUT, NO_RESULT, NO_TEXT
from support.histories import HISTORIES, MODELS, PICTURE, TEXTS
from support.responses_rules import check_responses_request

NAME = "gpt-4.1"
OWN = f"openai-responses:{NAME}"
TOOL = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})
ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
SIGNED = Thinking(text="hm", signature=signature_of(ITEM, with_id=True))
REPLAYED = {**ITEM, "summary": [{"type": "summary_text", "text": "hm"}]}
IMAGE_PART = {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"}
BMP = Image(data="aGk=", mime_type="image/bmp")
NOT_IN_RESULTS = ResponsesQuirks(images_in_results=False)


def user(text: str = "hello", *more) -> UserMessage:
    return UserMessage(id="u", content=(Text(text=text), *more))


def call(call_id: str, name: str = "ls", arguments: str = "{}", provider_id: str | None = None) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments, provider_id=provider_id)


def assistant(*content, model: str = OWN) -> AssistantMessage:
    return AssistantMessage(id="a", content=content, model=model, stop_reason="stop")


def result(call_id: str, *content, outcome="ok") -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="ls", content=content or (Text(text="out"),), outcome=outcome
    )


def builder_for(quirks: ResponsesQuirks | None = None, *, model: str = OWN) -> ResponsesRequestBuilder:
    return ResponsesRequestBuilder(model, model.partition(":")[2], quirks)


def body_of(*messages, quirks: ResponsesQuirks | None = None, model: str = OWN, **fields):
    request = ModelRequest(system=fields.pop("system", "be brief"), messages=messages, **fields)
    return check_responses_request(builder_for(quirks, model=model).body(request))


def items_of(*messages, **fields):
    return body_of(*messages, **fields)["input"]


def outputs_of(*messages, **fields):
    items = items_of(*messages, **fields)
    return {item["call_id"]: item["output"] for item in items if item["type"] == "function_call_output"}


def call_ids(items):
    return [item["call_id"] for item in items if item["type"] == "function_call"]


def said(text: str):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


# The request


def test_a_request_has_model_instructions_and_tools_and_stores_nothing():
    body = body_of(user(), tools=(TOOL,), max_output_tokens=500)
    assert body == {
        "model": NAME,
        "stream": True,
        "store": False,
        "instructions": "be brief",
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads a file.",
                "parameters": TOOL.parameters,
                "strict": False,
            }
        ],
        "max_output_tokens": 500,
        "input": [said("hello")],
    }


def test_without_system_tools_and_limits_nothing_is_said_of_them():
    assert set(body_of(user(), system=" \n")) == {"model", "stream", "store", "input"}


def test_a_limit_is_never_lower_than_the_api_takes():
    assert body_of(user(), max_output_tokens=1)["max_output_tokens"] == 16


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_a_thinking_level_is_an_effort_and_asks_for_summaries_and_encrypted_reasoning(level):
    body = body_of(user(), thinking=level)
    assert body["reasoning"] == {"effort": level, "summary": "auto"}
    assert body["include"] == ["reasoning.encrypted_content"]


def test_summaries_can_be_left_out():
    body = body_of(user(), thinking="low", quirks=ResponsesQuirks(summaries=False))
    assert body["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("gpt-5", True),
        ("gpt-5.3-codex", True),
        ("openai/gpt-5-mini", True),
        ("gpt-6-astra", True),
        ("o3", True),
        ("o4-mini-2025-04-16", True),
        ("codex-mini-latest", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4.1", False),
        ("gpt-4o", False),
        ("omni-moderation", False),
        ("grok-4", False),
    ],
)
def test_a_model_that_reasons_without_a_level_is_known_by_its_name(name, reasons):
    assert always_reasons(name) == reasons
    body = body_of(user(), model=f"openai-responses:{name}")
    assert ("include" in body, "reasoning" in body) == (reasons, False)


@pytest.mark.parametrize(("quirk", "level", "asks"), [("always", "off", True), ("never", "high", False)])
def test_whether_encrypted_reasoning_is_asked_for_can_be_said(quirk, level, asks):
    body = body_of(user(), thinking=level, quirks=ResponsesQuirks(encrypted_reasoning=quirk))
    assert ("include" in body) == asks


# Calls and results


def test_a_call_and_its_output():
    items = items_of(user(), assistant(Text(text="let me see"), call("c1", "ls", '{"a":1}')), result("c1"))
    assert items == [
        said("hello"),
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "let me see", "annotations": []}],
        },
        {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"a":1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "out"},
    ]


def test_arguments_are_sent_as_the_model_wrote_them_if_they_are_an_object():
    arguments = ['{"a": 1.50}', "", '{"a":', "[1]"]
    calls = [call(f"c{place}", arguments=each) for place, each in enumerate(arguments)]
    items = items_of(user(), assistant(*calls))
    sent = [item["arguments"] for item in items if item["type"] == "function_call"]
    assert sent == ['{"a": 1.50}', "{}", "{}", "{}"]


def test_the_outputs_of_a_batch_follow_it_in_the_declared_order():
    items = items_of(user(), assistant(call("c1"), call("c2")), result("c2"), user("more"), result("c1"))
    kinds = [(item["type"], item.get("call_id")) for item in items[1:]]
    assert kinds == [
        ("function_call", "c1"),
        ("function_call", "c2"),
        ("function_call_output", "c1"),
        ("function_call_output", "c2"),
        ("message", None),
    ]


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out():
    assert outputs_of(user(), result("c9"), assistant(call("c1")), user("go on")) == {"c1": NO_RESULT}


def test_one_call_that_comes_twice_is_two_calls_with_a_result_each():
    first, second = (result("c1", Text(text=text)) for text in ("first", "second"))
    outputs = outputs_of(assistant(call("c1")), assistant(call("c1")), first, second)
    assert list(outputs.values()) == ["first", "second"]


def test_a_result_that_says_nothing_has_a_word_for_it():
    assert outputs_of(assistant(call("c1")), result("c1", Text(text=" \n"))) == {"c1": NO_OUTPUT}


def test_the_model_s_own_ids_are_sent_back():
    assert call_ids(items_of(assistant(call("c1", provider_id="call_9")), result("c1"))) == ["call_9"]


def test_ids_that_a_provider_repeats_are_made_unique():
    items = items_of(
        assistant(call("c1", provider_id="call_0")),
        result("c1"),
        assistant(call("c2", provider_id="call_0"), call("c3", provider_id="call_1")),
        result("c2"),
        result("c3"),
    )
    assert call_ids(items) == ["call_0", "c2", "call_1"]


@pytest.mark.parametrize("provider_id", ["functions.ls:0", "x" * 65, "", None, "a b"])
def test_ids_that_the_api_does_not_take_are_replaced(provider_id):
    assert call_ids(items_of(assistant(call("c1", provider_id=provider_id)))) == ["c1"]


def test_another_model_s_ids_are_not_sent():
    other = assistant(call("c1", provider_id="toolu_1"), model="anthropic:claude-x")
    assert call_ids(items_of(user(), other, result("c1"))) == ["c1"]


def test_a_name_that_a_model_made_up_is_put_right():
    assert items_of(assistant(call("c1", name="a b.ü")))[0]["name"] == "a_b__"


# Texts and images


def test_nothing_that_is_sent_is_blank():
    assert items_of() == [said(NO_TEXT)]
    assert items_of(user(" \n")) == [said(NO_TEXT)]
    assert items_of(user(" \n", Text(text="a"))) == [said("a")]
    assert items_of(user(), assistant(Text(text="\n"))) == [said("hello")]


def test_a_refusal_is_a_text_of_the_model():
    [item] = items_of(assistant(Refusal(text="I can't.")))
    assert item["content"] == [{"type": "output_text", "text": "I can't.", "annotations": []}]


def test_texts_of_the_model_have_ids_of_their_own():
    items = items_of(assistant(Text(text="a"), call("msg_1"), Text(text="b")), assistant(Text(text="c")))
    ids = [item["id"] for item in items if item["type"] == "message"]
    assert len(set(ids)) == 3


def test_text_that_is_no_valid_unicode_is_put_right():
    assert items_of(user("a\ud83d"))[0]["content"][0]["text"] == "a\ufffd"


def test_images_of_users_and_of_results_stay_where_they_are():
    asked, _, output = items_of(
        user("look", PICTURE), assistant(call("c1")), result("c1", Text(text="t"), PICTURE)
    )
    assert asked["content"] == [{"type": "input_text", "text": "look"}, IMAGE_PART]
    assert output["output"] == [{"type": "input_text", "text": "t"}, IMAGE_PART]


def test_images_follow_the_batch_for_a_server_whose_results_hold_only_text():
    items = items_of(
        assistant(call("c1"), call("c2")),
        result("c1", PICTURE),
        result("c2", Text(text="t"), PICTURE),
        user("so?"),
        quirks=NOT_IN_RESULTS,
    )
    assert [item["output"] for item in items[2:4]] == [IMAGES_FOLLOW, f"t\n{IMAGES_FOLLOW}"]
    assert items[4:] == [
        {"type": "message", "role": "user", "content": [IMAGE_PART, IMAGE_PART]},
        said("so?"),
    ]


def test_images_of_a_kind_that_the_api_does_not_take_are_named_instead():
    assert items_of(user("look", BMP))[0]["content"][1] == {"type": "input_text", "text": IMAGE_LEFT_OUT}
    assert outputs_of(assistant(call("c1")), result("c1", BMP)) == {"c1": IMAGE_LEFT_OUT}


@pytest.mark.parametrize("in_results", [True, False])
def test_a_model_without_eyes_gets_words_for_images(in_results):
    blind = ResponsesQuirks(images=False, images_in_results=in_results)
    messages = (user("look", PICTURE), assistant(call("c1")), result("c1", Text(text="t"), PICTURE))
    assert items_of(*messages, quirks=blind)[0]["content"][1]["text"] == IMAGE_LEFT_OUT
    assert outputs_of(*messages, quirks=blind) == {"c1": f"t\n{IMAGE_LEFT_OUT}"}


# Reasoning


def test_reasoning_is_sent_back_unchanged_right_before_what_it_led_to():
    second = Thinking(text="", signature=signature_of({**ITEM, "id": "rs_2"}, with_id=True), redacted=True)
    items = items_of(user(), assistant(SIGNED, Text(text="a"), second, call("c1")), result("c1"))
    assert items[1] == REPLAYED
    assert [item["type"] for item in items[1:5]] == ["reasoning", "message", "reasoning", "function_call"]
    assert items[3] == {**ITEM, "id": "rs_2"}


@pytest.mark.parametrize("model", ["openai-responses:gpt-4.1-mini", "azure:gpt-4.1", "anthropic:claude-x"])
def test_reasoning_of_another_model_is_left_out(model):
    items = items_of(user(), assistant(SIGNED, Text(text="a"), model=model))
    assert [item["type"] for item in items] == ["message", "message"]


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "EqQB",
        "{",
        "[]",
        "{}",
        '{"id":"rs_1"}',
        '{"encrypted_content":""}',
        '{"encrypted_content":1}',
    ],
)
def test_thinking_that_was_no_encrypted_reasoning_is_left_out(signature):
    items = items_of(assistant(Thinking(text="hm", signature=signature), Text(text="a")))
    assert [item["type"] for item in items] == ["message"]


def test_reasoning_that_led_to_nothing_is_left_out():
    """An answer that was cut while the model thought."""
    items = items_of(user(), assistant(Text(text="a"), SIGNED), user("go on"))
    assert [item["type"] for item in items] == ["message", "message", "message"]
    assert items_of(user(), assistant(SIGNED)) == [said("hello")]


def test_what_is_opaque_in_reasoning_is_kept_to_the_letter():
    opaque = {"encrypted_content": 'ü"\\\n}{', "format": "some-v1"}
    item = {"type": "reasoning", "id": "rs_ü", "summary": [], **opaque}
    kept = Thinking(text="", signature=signature_of(item, with_id=True))
    assert items_of(assistant(kept, call("c1")))[0] == item
    nameless = {"type": "reasoning", "summary": [], **opaque}
    for signature in (signature_of(item, with_id=False), signature_of({**item, "id": ""}, with_id=True)):
        assert items_of(assistant(Thinking(text="", signature=signature), call("c1")))[0] == nameless


# Asking again


def turns(count):
    messages = [user("start")]
    for turn in range(count):
        messages += [assistant(SIGNED, call(f"c{turn}", provider_id="call_0")), result(f"c{turn}")]
    return messages


def test_a_builder_that_asked_before_asks_the_same_as_a_fresh_one():
    builder = builder_for()
    messages = [*turns(3), assistant(Text(text="done")), user("more")]
    for length in [*range(len(messages) + 1), 3, len(messages)]:
        request = ModelRequest(system="s", messages=messages[:length])
        assert builder.body(request) == builder_for().body(request)


def test_a_result_that_comes_late_is_used():
    builder = builder_for()
    messages = [user(), assistant(call("c1")), user("and?")]
    early = builder.body(ModelRequest("", messages))
    assert NO_RESULT in early.decode()
    late = json.loads(builder.body(ModelRequest("", [*messages, result("c1")])))
    assert late["input"][2]["output"] == "out"


class Counted(str):
    """A text that counts how often its white space is looked at, as a conversion does."""

    looked = 0

    def strip(self, *args):
        Counted.looked += 1
        return super().strip(*args)


def test_what_was_sent_before_is_not_converted_again():
    builder = builder_for()
    messages = [user(), assistant(Text(text=Counted("a"))), user("b")]
    builder.body(ModelRequest("s", messages))
    looked = Counted.looked
    assert looked > 0
    builder.body(ModelRequest("s", [*messages, assistant(Text(text="c")), user("d")]))
    assert Counted.looked == looked


# Any history


SIGNATURES = st.sampled_from(
    [SIGNED.signature, signature_of(ITEM, with_id=False), "{", '{"encrypted_content":[]}', "EqQB", None]
)


@st.composite
def histories(draw):
    """Any history, with reasoning among its thinking."""
    history = draw(HISTORIES)
    for place, message in enumerate(history):
        if isinstance(message, AssistantMessage):
            content = [
                replace(block, signature=draw(SIGNATURES)) if isinstance(block, Thinking) else block
                for block in message.content
            ]
            history[place] = replace(message, content=tuple(content))
    return history


LEVELS = st.sampled_from(["off", "low", "medium", "high"])
REQUESTS = st.builds(
    ModelRequest,
    TEXTS,
    histories(),
    st.sampled_from([(), (TOOL,)]),
    LEVELS,
    st.sampled_from([None, 1, 1_500]),
)
QUIRKS = st.builds(
    ResponsesQuirks,
    images=st.booleans(),
    images_in_results=st.booleans(),
    summaries=st.booleans(),
    encrypted_reasoning=st.sampled_from(["auto", "always", "never"]),
)
ANY_MODEL = st.sampled_from([*MODELS, OWN])


@settings(max_examples=400, deadline=None)
@given(REQUESTS, QUIRKS, ANY_MODEL)
def test_any_history_makes_a_request_by_the_rules(request, quirks, model):
    check_responses_request(builder_for(quirks, model=model).body(request))


@settings(max_examples=200, deadline=None)
@given(histories(), QUIRKS, ANY_MODEL, st.lists(st.integers(0, 12), max_size=4))
def test_a_history_that_was_asked_in_steps_gives_the_same_bytes_as_at_once(history, quirks, model, steps):
    builder = builder_for(quirks, model=model)
    for length in (*steps, *range(len(history) + 1)):
        request = ModelRequest("s", history[:length])
        assert builder.body(request) == builder_for(quirks, model=model).body(request)


@settings(max_examples=100, deadline=None)
@given(histories(), ANY_MODEL, st.integers(0, 12))
def test_a_history_that_grows_by_whole_turns_leaves_its_beginning_as_it_was(history, model, length):
    """What the provider's prompt cache rests on."""
    beginning = [*history[:length], user("so far")]
    shorter = items_of(*beginning, model=model)
    longer = items_of(*beginning, assistant(Text(text="a")), user("more"), model=model)
    assert longer[: len(shorter)] == shorter
