"""A real model on this machine, behind a server that nobody here wrote. It is small, so that what it says is of no
account; that it says it, and how, is what is looked at."""

import asyncio
import json

from real_model.conftest import WINDOW
from steersman.agent.abort import AbortController
from steersman.agent.messages import Text, UserMessage
from steersman.agent.model import BlockDelta, ModelRequest, StreamDone, StreamError, ToolSpec
from steersman.models.http_model import HttpModel
from steersman.models.openai_chat import OpenAIChat

SAY = "Say hello to the crew of a ship, in one long sentence."
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def asked(text: str, *tools: ToolSpec) -> ModelRequest:
    return ModelRequest("", [UserMessage("u", (Text(text),))], tools, max_output_tokens=200)


async def answered(served, request, controller=None):
    model = HttpModel(OpenAIChat(), served.name, served.url, None)
    stream = model.stream(request, (controller or AbortController()).signal)
    return [event async for event in stream]


def data_of(client, session, kind):
    return [event["data"] for event in client.sessions[session].events if event["type"] == kind]


async def run(client, prompt, **params):
    started = await client.command("start", prompt=prompt, **params)
    await client.ends_of([started])
    return started["session"]


async def test_text_comes_in_pieces_and_is_counted(served):
    *events, last = await answered(served, asked(SAY))
    assert isinstance(last, StreamDone)
    assert last.stop_reason in ("stop", "length")
    pieces = [event.text for event in events if isinstance(event, BlockDelta)]
    assert len(pieces) > 5
    assert last.usage.input > 10
    assert last.usage.output >= len(pieces) // 2


async def test_a_call_has_the_arguments_of_its_schema(served):
    *events, last = await answered(
        served, asked("Read the file note.txt", ToolSpec("read", "Reads a file.", PATH))
    )
    assert isinstance(last, StreamDone)
    assert last.stop_reason == "tool_calls"
    assert set(json.loads("".join(event.text for event in events if isinstance(event, BlockDelta)))) == {
        "path"
    }


async def test_what_is_too_long_for_its_window_is_an_overflow(served):
    [*_, last] = await answered(served, asked("word " * 2 * WINDOW))
    assert isinstance(last, StreamError)
    assert last.failure.kind == "context_overflow"


async def test_a_session_reads_and_writes_after_a_question_and_goes_on(client):
    (client.place.root / "note.txt").write_text("one\n")
    session = await run(client, "Read the file note.txt", budget={"turns": 1})
    [result] = data_of(client, session, "tool_execution_end")
    assert (result["name"], result["outcome"]) == ("read", "ok")
    assert client.questions == 0

    session = await run(
        client, "Use the write tool to write hello into hello.txt", budget={"turns": 1}, mode="ask"
    )
    [result] = data_of(client, session, "tool_execution_end")
    assert (result["name"], result["outcome"]) == ("write", "ok")
    assert client.questions == 1
    assert "ello" in (client.place.root / "hello.txt").read_text()
    [end] = data_of(client, session, "agent_end")
    assert end["stopReason"] == "max_turns"
    assert end["usage"]["input"] > 1000
    assert await client.close() == 0


async def test_an_abort_frees_the_server_at_once_and_the_next_prompt_is_answered(client):
    started = await client.command("start", prompt="Read the file note.txt")
    session = started["session"]
    await client.until(
        lambda: session in client.sessions and client.sessions[session].passing["message_update"] > 0
    )
    await client.command("abort", run=started["run"])
    await client.ends_of([started])
    [end] = data_of(client, session, "agent_end")
    assert end["stopReason"] == "aborted"
    started = await client.command(
        "start", prompt="Read the file note.txt", session=session, budget={"turns": 1}
    )
    await client.until(lambda: len(data_of(client, session, "agent_end")) == 2)
    assert data_of(client, session, "agent_end")[-1]["stopReason"] == "max_turns"


async def test_an_abort_closes_the_connection(served):
    controller = AbortController()
    request = asked("Count from one to one thousand, in words.")
    stream = HttpModel(OpenAIChat(), served.name, served.url, None).stream(request, controller.signal)
    async for event in stream:
        if isinstance(event, BlockDelta):
            controller.abort()
            break
    await stream.aclose()
    async with asyncio.timeout(60):  # the server answers one request at a time: it has left the first
        [*_, last] = await answered(served, asked(SAY))
    assert isinstance(last, StreamDone)


async def test_a_prompt_that_does_not_fit_is_told_of_and_the_session_goes_on(client):
    session = await run(client, "word " * 2 * WINDOW)
    [end] = data_of(client, session, "agent_end")
    assert end["stopReason"] == "error"
    assert end["error"]["code"] == "context_overflow"
    assert str(WINDOW) in end["error"]["message"]
