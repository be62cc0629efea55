"""Histories become requests that a strict server takes, and asking again costs the new messages only."""

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
from steersman.models.chat_request import ChatQuirks, ChatRequestBuilder
from steersman.models.wire_values import (
    IMAGE_LEFT_OUT,
    IMAGES_FOLLOW,
    NO_OUTPUT,
    NO_RESULT,
    wire_arguments,
    wire_name,
)
from support.chat_rules import check_chat_request
from support.histories import HISTORIES, PICTURE, TEXTS

MODEL = "openai-chat:m-1"


def user(text: str = "hello", *more) -> UserMessage:
    return UserMessage(id="u", content=(Text(text=text), *more))


def call(call_id: str, name: str = "ls", arguments: str = "{}", provider_id: str | None = None) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments, provider_id=provider_id)


def assistant(*content, model: str = MODEL) -> AssistantMessage:
    return AssistantMessage(id="a", content=content, model=model, stop_reason="stop")


def result(call_id: str, *content) -> ToolResultMessage:
    return ToolResultMessage(tool_call_id=call_id, tool_name="ls", content=content or (Text(text="out"),))


def body_of(*messages, quirks: ChatQuirks | None = None, **fields):
    request = ModelRequest(system=fields.pop("system", "be brief"), messages=messages, **fields)
    builder = ChatRequestBuilder(MODEL, "m-1", quirks)
    replay = quirks is not None and quirks.replay_reasoning
    return check_chat_request(builder.body(request), reasoning_replay=replay)


def messages_of(*messages, **options):
    return body_of(*messages, **options)["messages"][1:]


def test_a_request_has_model_stream_usage_system_tools_and_limits():
    tool = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {}})
    body = body_of(user(), tools=[tool], thinking="low", max_output_tokens=100)
    assert body == {
        "model": "m-1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {"name": "read", "description": "Reads a file.", "parameters": tool.parameters},
            }
        ],
        "max_completion_tokens": 100,
        "reasoning_effort": "low",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}],
    }


def test_without_system_tools_and_limits_nothing_is_said_of_them():
    assert set(body_of(user(), system="")) == {"model", "stream", "stream_options", "messages"}
    assert "stream_options" not in body_of(user(), quirks=ChatQuirks(stream_usage=False))
    assert (
        body_of(user(), quirks=ChatQuirks(max_tokens_field="max_tokens"), max_output_tokens=5)["max_tokens"]
        == 5
    )


def test_a_call_and_its_result():
    messages = messages_of(
        user(), assistant(Text(text="I look."), call("c1", provider_id="p1")), result("c1")
    )
    assert messages[1]["tool_calls"][0]["id"] == "p1"
    assert messages[1]["content"] == "I look."
    assert messages[2] == {"role": "tool", "tool_call_id": "p1", "content": "out"}


def test_ids_that_a_provider_repeats_are_made_unique():
    turn = [assistant(call("c1", provider_id="call_0")), result("c1")]
    again = [
        assistant(call("c2", provider_id="call_0"), call("c3", provider_id="call_0")),
        result("c2"),
        result("c3"),
    ]
    messages = messages_of(user(), *turn, *again)
    assert [each["tool_call_id"] for each in messages if each["role"] == "tool"] == ["call_0", "c2", "c3"]


def test_another_model_s_ids_are_not_sent():
    messages = messages_of(
        user(), assistant(call("c.1", provider_id="x" * 99), model="gemini:g"), result("c.1")
    )
    assert messages[2]["tool_call_id"] == "c_1"


def test_results_come_right_after_their_calls_in_the_declared_order():
    messages = messages_of(
        user(),
        assistant(call("c1"), call("c2")),
        result("c2", Text(text="two")),
        user("steer"),
        result("c1", Text(text="one")),
    )
    assert [(each["role"], each.get("content")) for each in messages[2:]] == [
        ("tool", "one"),
        ("tool", "two"),
        ("user", "steer"),
    ]


def test_calls_without_a_result_get_one_and_results_without_a_call_are_left_out():
    messages = messages_of(
        result("c0"), user(), assistant(call("c1")), user("go on"), result("c9"), result("c9")
    )
    assert [(each["role"], each.get("content")) for each in messages] == [
        ("user", "hello"),
        ("assistant", None),
        ("tool", NO_RESULT),
        ("user", "go on"),
    ]


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("", "{}"),
        ('{"a": "cu', "{}"),
        ("[1]", "{}"),
        ("null", "{}"),
        ("{'a': 1}", "{}"),
        ('{"a": NaN}', "{}"),
        ('{"a": "\\ud83d"}', "{}"),
        ('{"a": "\ud83d"}', "{}"),
        ("{" * 100_000, "{}"),
    ],
)
def test_arguments_always_parse(arguments, sent):
    assert wire_arguments(arguments) == sent


def test_names_that_a_model_made_up_are_put_right():
    assert wire_name("fs.read file") == "fs_read_file"
    assert wire_name("") == "unknown"
    assert len(wire_name("x" * 100)) == 64


def test_thinking_is_not_replayed_except_with_calls_where_the_provider_wants_it():
    turn = (user(), assistant(Thinking(text="hm"), Text(text="a"), call("c1")), result("c1"))
    plain = (assistant(Thinking(text="so"), Text(text="b")), user("more"))
    assert "reasoning_content" not in json.dumps(messages_of(*turn, *plain))
    messages = messages_of(*turn, *plain, quirks=ChatQuirks(replay_reasoning=True))
    assert messages[1]["reasoning_content"] == "hm"
    assert "reasoning_content" not in messages[3]


def test_an_answer_with_nothing_to_send_is_left_out_and_a_refusal_is_text():
    messages = messages_of(user(), assistant(Thinking(text="hm")), assistant(Refusal(text="no")), user("why"))
    assert [each["content"] for each in messages] == ["hello", "no", "why"]


def test_images_of_users_and_of_results():
    messages = messages_of(
        user("see", PICTURE), assistant(call("c1"), call("c2")), result("c1", PICTURE), result("c2")
    )
    assert messages[0]["content"][1]["image_url"]["url"] == "data:image/png;base64,aGk="
    assert [each["content"] for each in messages[2:4]] == [IMAGES_FOLLOW, "out"]
    assert messages[4]["content"][0]["type"] == "image_url"


def test_a_model_without_eyes_gets_a_placeholder():
    messages = messages_of(
        user("see", PICTURE), assistant(call("c1")), result("c1", PICTURE), quirks=ChatQuirks(images=False)
    )
    assert "base64" not in json.dumps(messages)
    assert messages[2]["content"] == IMAGE_LEFT_OUT


def test_images_of_a_kind_that_the_api_does_not_take_are_named_instead():
    odd = Image(data="aGk=", mime_type="image/bmp")
    messages = messages_of(user("see", odd), assistant(call("c1")), result("c1", odd))
    assert messages[0]["content"][1] == {"type": "text", "text": IMAGE_LEFT_OUT}
    assert [each["content"] for each in messages[2:]] == [IMAGE_LEFT_OUT]


def test_what_is_attached_to_a_message_or_a_result_is_told_apart_from_it_by_an_empty_line():
    attached = Text(text="[be brief]", attached="a/AGENTS.md")
    messages = messages_of(
        user("see", attached), assistant(call("c1")), result("c1", Text(text="out"), attached)
    )
    assert messages[0]["content"] == "see\n\n[be brief]"
    assert messages[2]["content"] == "out\n\n[be brief]"


def test_nothing_that_is_sent_is_empty():
    messages = messages_of(
        UserMessage(id="u", content=()), assistant(call("c1")), result("c1", Text(text=""))
    )
    assert messages[0]["content"]
    assert messages[2]["content"] == NO_OUTPUT


def test_text_that_is_no_valid_unicode_is_put_right():
    messages = messages_of(user("a\ud83d\ude00b\ud83dc"))
    assert messages[0]["content"] == "a😀b\ufffdc"


def test_a_builder_that_asked_before_asks_the_same_as_a_fresh_one():
    builder = ChatRequestBuilder(MODEL, "m-1")
    history = [user("first")]

    def fresh() -> bytes:
        return ChatRequestBuilder(MODEL, "m-1").body(ModelRequest("", history))

    for turn in range(5):
        assert builder.body(ModelRequest("", history)) == fresh()
        history += [assistant(call(f"c{turn}", provider_id="call_0")), result(f"c{turn}")]
    assert builder.body(ModelRequest("", history)) == fresh()
    # The same builder, another conversation, and then the first one again.
    assert b"other" in builder.body(ModelRequest("", [user("other")]))
    assert builder.body(ModelRequest("", history)) == fresh()
    # A history that was shortened is not taken for the longer one.
    del history[3:]
    assert builder.body(ModelRequest("", history)) == fresh()


def test_what_was_sent_before_is_not_encoded_again():
    class Watched(UserMessage):
        reads = 0

        def __getattribute__(self, name):
            Watched.reads += name == "content"
            return super().__getattribute__(name)

    builder = ChatRequestBuilder(MODEL, "m-1")
    history = [Watched(id="u", content=(Text(text="first"),)), assistant(call("c1")), result("c1")]
    builder.body(ModelRequest("", history))
    before = Watched.reads
    assert b"first" in builder.body(ModelRequest("", [*history, user("more")]))
    assert (before > 0, Watched.reads) == (True, before)


QUIRKS = st.builds(
    ChatQuirks, replay_reasoning=st.booleans(), images=st.booleans(), stream_usage=st.booleans()
)


@settings(max_examples=300, deadline=None)
@given(HISTORIES, QUIRKS, TEXTS)
def test_any_history_makes_a_request_by_the_rules(history, quirks, system):
    builder = ChatRequestBuilder(MODEL, "m-1", quirks)
    body = builder.body(ModelRequest(system, history))
    check_chat_request(body, reasoning_replay=quirks.replay_reasoning)


@settings(max_examples=150, deadline=None)
@given(HISTORIES, st.lists(st.integers(0, 12), max_size=4))
def test_what_was_asked_before_changes_no_request(history, lengths):
    builder = ChatRequestBuilder(MODEL, "m-1")
    for length in (*lengths, len(history)):
        request = ModelRequest("s", history[:length])
        assert builder.body(request) == ChatRequestBuilder(MODEL, "m-1").body(request)
