"""The extension points: what each can do, and that none can break a run."""

import asyncio

import pytest

from steersman.agent.abort import AbortController
from steersman.agent.events import ToolExecutionUpdate
from steersman.agent.hooks import Block, Hooks, NextTurn
from steersman.agent.messages import CustomMessage, Text, UserMessage
from steersman.agent.tool import ToolError, ToolResult, text_result
from support.fake_tools import FakeTool
from support.scripted_model import ScriptedModel, answer, call, failure

SECRET = "hunter2"


class Crash(Exception):
    pass


async def test_the_transformed_context_is_converted_and_only_the_model_sees_it(harness):

    async def transform(messages, signal):
        return [*messages, UserMessage("x", (Text("transformed"),))]

    def convert(messages):
        return [*messages, UserMessage("y", (Text("converted"),))]

    h = harness(answer("ok"), hooks=Hooks(transform_context=transform, convert_to_llm=convert))
    await h.prompt()
    assert h.asked() == ["user:go", "user:transformed", "user:converted"]
    assert h.roles == ["user", "assistant"]


async def test_should_stop_ends_the_run_though_there_is_more_to_do(harness):
    seen = []

    async def hook(summary):
        seen.append((summary.turn, [result.text for result in summary.results], len(summary.history)))
        return "declines"

    h = harness(answer("", call("tool")), tools=[FakeTool()], hooks=Hooks(should_stop_after_turn=hook))
    end = (await h.prompt()).end
    assert (end.stop_reason, end.ended_by) == ("complete", "declines")
    assert seen == [(1, ["tool done"], 3)]


async def test_prepare_next_turn_changes_model_thinking_tools_system_and_context(harness):
    other = ScriptedModel(answer("ok"), name="other")

    async def hook(summary, signal):
        return NextTurn(other, "high", [FakeTool("new")], "be brief", [UserMessage("s", (Text("summary"),))])

    h = harness(answer("", call("tool")), tools=[FakeTool()], hooks=Hooks(prepare_next_turn=hook))
    h.config.tools = [FakeTool()]
    await h.prompt()
    (request,) = other.requests
    assert (request.system, request.thinking) == ("be brief", "high")
    assert [tool.name for tool in request.tools] == ["new"]
    assert [message.content[0].text for message in request.messages] == ["summary"]
    assert h.roles == ["user", "assistant", "tool", "assistant"]
    assert h.agent.messages[-1].model == "test:other"
    assert h.config.model is h.model


async def test_prepare_run_changes_the_first_turn_and_is_asked_once(harness):
    asked = []

    async def hook(inputs, signal):
        asked.append([item.message.content[0].text for item in inputs])
        return NextTurn(thinking="high", tools=[FakeTool()], system="be brief")

    h = harness(answer("", call("tool")), answer("ok"), hooks=Hooks(prepare_run=hook))
    await h.prompt()
    first, second = h.model.requests
    assert asked == [["go"]]
    assert (first.system, first.thinking, [tool.name for tool in first.tools]) == (
        "be brief",
        "high",
        ["tool"],
    )
    assert second.system == "be brief"


class Notebook:
    """Says each of its notes when it is asked the n-th time."""

    def __init__(self, *at: int) -> None:
        self.at, self.asked = at, 0

    def __call__(self):
        self.asked += 1
        number = self.asked
        return [CustomMessage(f"note_{number}", "note", (Text("noted"),))] if number in self.at else []


async def test_custom_messages_come_before_what_is_said_and_are_no_reason_for_a_request(harness):
    notes = Notebook(1, 3)
    h = harness(
        answer("", call("tool")), answer("ok"), tools=[FakeTool()], hooks=Hooks(get_custom_messages=notes)
    )
    await h.prompt()
    assert notes.asked == 3
    assert h.roles == ["custom", "user", "assistant", "tool", "assistant", "custom"]
    assert h.types[-4:] == ["turn_end", "message_start", "message_end", "agent_end"]
    assert len(h.model.requests) == 2


async def test_custom_messages_are_kept_at_the_end_of_an_aborted_run(harness):
    async def abort(signal):
        controller.abort()

    controller = AbortController()
    h = harness([abort, *answer("late")], hooks=Hooks(get_custom_messages=Notebook(2)))
    assert (await h.prompt(controller=controller)).end.stop_reason == "aborted"
    assert h.roles == ["user", "custom"]


@pytest.mark.parametrize("failing", ["message_start", "message_end"])
async def test_a_custom_message_that_cannot_be_kept_at_the_end_is_closed_and_the_run_fails(harness, failing):
    h = harness(answer("ok"), hooks=Hooks(get_custom_messages=Notebook(2)))
    h.sink.fails = lambda event: (
        (event.type == failing and getattr(event, "message_id", None) == "note_2")
        or (
            event.type == failing == "message_end"
            and getattr(getattr(event, "message", None), "id", "") == "note_2"
        )
    )
    end = (await h.prompt()).end
    assert (end.stop_reason, end.error.code) == ("error", "logFailed")
    assert h.roles == ["user", "assistant"]


async def test_a_replaced_context_is_followed_by_what_comes_later(harness):
    asked = []

    async def hook(summary, signal):
        asked.append(summary)
        return NextTurn(context=[UserMessage("s", (Text("summary"),))]) if len(asked) == 1 else None

    h = harness(
        *[answer("", call("tool"))] * 2, answer("ok"), tools=[FakeTool()], hooks=Hooks(prepare_next_turn=hook)
    )
    await h.prompt()
    assert h.asked() == ["user:summary", "assistant:", "tool:tool done"]


async def test_before_tool_call_blocks_with_a_reason(harness):

    async def hook(pending, signal):
        return Block("denied: .env is secret")

    tool = FakeTool()
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool], hooks=Hooks(before_tool_call=hook))
    await h.prompt()
    assert (h.outcomes, h.texts, tool.executed) == (["denied"], ["denied: .env is secret"], [])


@pytest.mark.parametrize("error", [False, True])
async def test_after_tool_call_replaces_the_result_before_anything_is_told(harness, error):

    async def hook(pending, result, signal):
        assert SECRET in result.text
        return ToolResult((Text("masked"),), is_error=not error, terminate=True)

    def work(context, arguments):
        context.update(SECRET)
        if error:
            raise ToolError(SECRET)
        return SECRET

    h = harness(answer("", call("tool")), tools=[FakeTool("tool", work)], hooks=Hooks(after_tool_call=hook))
    assert (await h.prompt()).end.ended_by == "terminate"
    assert h.outcomes == ["ok" if error else "failed"]
    assert SECRET not in h.everything


async def test_after_tool_call_sees_what_a_proposal_says(harness):

    async def hook(pending, result, signal):
        return text_result("masked", is_error=True)

    async def propose(arguments, signal):
        raise ToolError(f"not found near {SECRET}")

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool(proposes=propose)],
        hooks=Hooks(after_tool_call=hook),
    )
    await h.prompt()
    assert h.texts == ["masked"]


@pytest.mark.parametrize("how", ["raises", "answers nonsense", "cancels itself"])
async def test_a_failing_after_tool_call_withholds_the_result(harness, how):

    async def hook(pending, result, signal):
        if how == "raises":
            raise Crash(SECRET)
        if how == "cancels itself":
            raise asyncio.CancelledError
        return SECRET

    tool = FakeTool("tool", lambda context, arguments: SECRET)
    h = harness(answer("", call("tool")), answer("ok"), tools=[tool], hooks=Hooks(after_tool_call=hook))
    assert (await h.prompt()).stop_reason == "complete"
    assert h.outcomes == ["failed"]
    assert "withheld" in h.texts[0]
    assert SECRET not in h.everything


async def test_live_output_passes_its_transform_and_stops_when_that_fails(harness):

    def transform(tool_call, text):
        if text == "third":
            raise Crash(SECRET)
        return text.replace(SECRET, "***") if text != "second" else None

    async def mask(pending, result, signal):
        return None

    def work(context, arguments):
        for text in (SECRET, "second", "first", "third", "fourth"):
            context.update(text)
        return "done"

    h = harness(
        answer("", call("tool")),
        answer("ok"),
        tools=[FakeTool("tool", work)],
        hooks=Hooks(after_tool_call=mask, transform_update=transform),
    )
    await h.prompt()
    assert [update.text for update in h.of(ToolExecutionUpdate)] == ["***", "first"]
    assert h.outcomes == ["ok"]


OTHERS = (
    "prepare_run",
    "get_custom_messages",
    "transform_context",
    "convert_to_llm",
    "prepare_next_turn",
    "should_stop_after_turn",
    "on_stream_failure",
)


@pytest.mark.parametrize(
    "how", ["when it is awaited", "when it is called", "by cancelling itself", "with nonsense"]
)
@pytest.mark.parametrize("name", OTHERS)
async def test_any_other_hook_that_raises_ends_the_run_with_everything_closed(harness, name, how, caplog):

    def plain(*args):
        raise Crash(SECRET)

    async def awaited(*args):
        if "cancelling" in how:
            raise asyncio.CancelledError
        raise Crash(SECRET)

    if how == "with nonsense":
        hook = lambda *args: 7  # noqa: E731
    else:
        hook = plain if "called" in how or name in ("convert_to_llm", "get_custom_messages") else awaited
    h = harness(
        failure() if name == "on_stream_failure" else answer("", call("tool")),
        tools=[FakeTool()],
        hooks=Hooks(**{name: hook}),
    )
    end = (await h.prompt()).end
    assert (end.stop_reason, end.error.code) == ("error", "hookFailed")
    assert SECRET not in h.everything
    assert name in caplog.text
