"""Messages as JSON and back: what is read is what was written."""

import pytest

from steersman.agent.events import AgentStart
from steersman.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Image,
    Refusal,
    Text,
    Thinking,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from steersman.session.jsonlines import decode, encode
from steersman.session.wire import (
    content_from,
    event_data,
    message_data,
    message_from,
    result_data,
    result_from,
)

USAGE = Usage(input=10, output=5, cache_read=3, cache_write=2, reasoning=1, cost=0.5)
MESSAGES = [
    UserMessage("u", (Text("go"), Text("one", "a.txt"), Image("AAAA", "image/png"))),
    UserMessage("u", (Text("go"),), "plan"),
    CustomMessage("c", "plan", (Text("1. look"),)),
    AssistantMessage(
        "a",
        (
            Thinking("hm", "signed"),
            Thinking("", "signed", redacted=True),
            Text("Here."),
            Refusal("No."),
            ToolCall("call_1", "ls", "{}", "provider_1", "signed"),
            ToolCall("call_2", "ls", '{"path":'),
        ),
        "m",
        "stop",
        USAGE,
    ),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.role)
def test_a_message_comes_back_as_it_was(message):
    assert message_from(decode(encode(message_data(message)))) == message


@pytest.mark.parametrize("details", [None, {"exitCode": 1}])
def test_a_result_comes_back_as_it_was(details):
    result = ToolResultMessage("call_1", "ls", (Text("a.txt"), Image("AAAA", "image/png")), "failed", details)
    assert result_from(decode(encode(result_data(result)))) == result


def test_a_block_of_another_kind_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="hologram"):
        content_from([{"type": "hologram"}])


def test_a_start_has_no_data_of_the_kernels():
    assert event_data(AgentStart()) == {}
