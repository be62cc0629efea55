"""The checker itself: it takes what is whole, in the kernel's form and the wire's, and names what is broken."""

import pytest

from steersman.agent.messages import AssistantMessage, ToolCall, ToolResultMessage
from support.event_checker import Violation, as_wire, check, check_conversation
from support.fake_tools import FakeTool
from support.scripted_model import answer, call


def event(kind, **data):
    return {"type": kind, "data": data}


CALL = [{"type": "toolCall", "id": "c", "text": "{}"}]
WHOLE = [
    event("agent_start"),
    event("turn_start", turn=1),
    event("message_start", messageId="m", role="assistant"),
    event("message_update", messageId="m", index=0, offset=0, text="{"),
    event("message_update", messageId="m", index=0, offset=1, text="}"),
    event("message_end", messageId="m", role="assistant", content=CALL),
    event("tool_execution_start", toolCallId="c"),
    event("tool_execution_running", toolCallId="c"),
    event("tool_execution_update", toolCallId="c", offset=0, text="𝒂"),
    event("tool_execution_update", toolCallId="c", offset=2, text="b"),
    event("notice", text="of the product"),
    event("tool_execution_end", toolCallId="c", outcome="ok", isError=False),
    event("turn_end", turn=1, toolCallIds=["c"]),
    event("agent_end", stopReason="complete"),
]


def test_a_whole_run_passes():
    check(WHOLE)


async def test_the_kernels_events_pass_in_both_forms(harness):
    h = harness(answer("a", call("tool")), answer("b"), tools=[FakeTool()])
    result = await h.prompt()
    check(h.events, result=result)
    check([as_wire(each) for each in h.events], history=result.messages)


@pytest.mark.parametrize("missing", [at for at in range(len(WHOLE)) if at not in (4, 7, 8, 9, 10)])
def test_whatever_is_missing_is_found(missing):
    with pytest.raises(Violation):
        check(WHOLE[:missing] + WHOLE[missing + 1 :])


@pytest.mark.parametrize("twice", [at for at in range(len(WHOLE)) if at != 10])
def test_whatever_comes_twice_is_found(twice):
    with pytest.raises(Violation):
        check(WHOLE[: twice + 1] + WHOLE[twice:])


@pytest.mark.parametrize("at", [at for at in range(1, len(WHOLE)) if at not in (10, 11)])
def test_whatever_comes_too_early_is_found(at):
    with pytest.raises(Violation):
        check([*WHOLE[: at - 1], WHOLE[at], WHOLE[at - 1], *WHOLE[at + 1 :]])


def test_a_violation_shows_where_it_is():
    with pytest.raises(
        Violation, match=r"(?s)no execution without a committed call.*→ *6 tool_execution_start"
    ):
        check([*WHOLE[:6], event("tool_execution_start", toolCallId="other"), *WHOLE[6:]])


def test_history_that_differs_from_what_was_told_is_found():
    with pytest.raises(Violation, match="history"):
        check(WHOLE, history=[])


def test_orphans_are_found():
    asks = AssistantMessage("m", (ToolCall("c", "tool", "{}"),), "test:m", "stop")
    result = ToolResultMessage("c", "tool", ())
    check_conversation([asks, result])
    for broken in ([asks], [result], [asks, result, result], [result, asks]):
        with pytest.raises(Violation):
            check_conversation(broken)
