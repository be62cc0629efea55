"""The main job over stdio, with pytest-lsp's client: its stock progress handler for the floor, one of ours for the
event stream."""

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from support.event_checker import check
from support.lsp_workspace import tree_hashes
from support.served_process import Place
from support.stock_client import StockClient, stock_client

EDIT = {"name": "edit", "arguments": {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]}}
LONG = {"name": "bash", "arguments": {"command": "echo begun; sleep 300"}}
TREE = {"name": "bash", "arguments": {"command": "bash -c '(sleep 300 & sleep 300 & wait) & sleep 300'"}}
TAPE = (
    {"when": "change"},
    {"toolCalls": [EDIT]},
    {"text": "All done."},
    {"when": "wait"},
    {"toolCalls": [LONG]},
    {"text": "never said"},
    {"when": "tree"},
    {"toolCalls": [TREE]},
    {"text": "never said"},
    {"when": "look"},
    {"toolCalls": [{"name": "bash", "arguments": {"command": "until test -e go; do sleep 0.01; done"}}]},
    {"text": "looked"},
    {"text": "and steered", "expect": {"user": "more"}},
)
TEXT, UNSAVED = "one\ntwo\nthree\n", "one\ntwo\nthree\nnot saved\n"


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path, *TAPE)
    (place.root / "a.txt").write_text(TEXT)
    return place


@pytest.fixture(params=[False, True], ids=["floor", "rich"])
async def client(request, place):
    async with stock_client(place, rich=request.param) as client:
        yield client


@pytest.fixture
async def rich(place):
    async with stock_client(place, rich=True) as client:
        yield client


async def test_start_question_accept_edit_of_an_open_unsaved_document_end(place, client: StockClient):
    uri = client.open(place.root / "a.txt", UNSAVED)
    started = await client.command("start", {"prompt": "change it"})
    question, reply = await client.question()
    assert [action.title for action in question.actions or ()] == [
        "Show diff",
        "Accept",
        "Accept all in this run",
        "Decline",
        "Stop",
    ]
    assert client.texts[uri] == UNSAVED
    reply.set_result(types.MessageActionItem("Accept"))
    assert "1 file changed (+1 −1)" in await client.end_of(started["token"])
    assert client.texts[uri] == UNSAVED.replace("two", "2")
    assert (place.root / "a.txt").read_text() == TEXT
    kinds = [type(value).__name__ for value in client.progress_reports[started["token"]]]
    assert (kinds[0], kinds[-1]) == ("WorkDoneProgressBegin", "WorkDoneProgressEnd")
    assert kinds.count("WorkDoneProgressBegin") == kinds.count("WorkDoneProgressEnd") == 1
    assert list(client.progress_reports) == [started["token"]]
    log = place.log(started["session"])
    check([e for e in log if e.get("run") == started["run"] and e["type"] != "config"])
    if client.rich:
        assert [event for event in client.events if "seq" in event] == log
        assert client.messages == []
    else:
        assert [message.message for message in client.messages] == ["All done."]


@pytest.mark.parametrize(
    "reply",
    [
        types.MessageActionItem("Decline"),
        None,
        {},
        JsonRpcException("broken", -32603),
        types.MessageActionItem("Perhaps"),
    ],
    ids=["decline", "null", "empty", "error", "unknown"],
)
async def test_whatever_is_no_yes_changes_nothing(place, client: StockClient, reply):
    uri = client.open(place.root / "a.txt", UNSAVED)
    before = tree_hashes(place.root)
    started = await client.command("start", {"prompt": "change it"})
    _, answer = await client.question()
    if isinstance(reply, Exception):
        answer.set_exception(reply)
    else:
        answer.set_result(reply)
    assert "1 call declined" in await client.end_of(started["token"])
    assert tree_hashes(place.root) == before
    assert client.texts[uri] == UNSAVED
    client.faults.clear()  # pygls reports the error that it was told to answer with


async def test_steer_follow_up_and_a_second_start_while_a_run_is_live(place, rich: StockClient):
    started = await rich.command("start", {"prompt": "look", "mode": "full-auto"})
    await rich.event("tool_execution_running")
    error = await rich.refusal("start", {"prompt": "change it", "session": started["session"]})
    assert (error.code, error.data["code"], error.data["text"]) == (-32803, "busy", "change it")
    assert (await rich.refusal("start", "change it")).data["code"] == "busy"
    assert (await rich.command("steer", "look, and more"))["disposition"] == "steered"
    assert (await rich.command("followUp", {"text": "even more"}))["disposition"] == "queued"
    (place.root / "go").touch()
    ended = await rich.event("agent_end")
    said = [e["data"]["content"][0]["text"] for e in rich.events if _is_user(e)]
    assert said == ["look", "look, and more", "even more"]
    assert ended["undelivered"] == []
    assert (await rich.command("status"))["sessions"][0]["state"] == "idle"


def _is_user(event):
    return event["type"] == "message_end" and event["data"].get("role") == "user"


async def test_an_abort_in_mid_run_hands_back_what_was_not_delivered(place, client: StockClient):
    started = await client.command("start", {"prompt": "wait", "mode": "full-auto"})
    await place.sleeping(1)
    await client.command("steer", "left")
    assert await client.command("abort") == {"aborted": True}
    assert (await client.end_of(started["token"])).startswith("Aborted.")
    assert place.sleepers() == set()
    end = place.log(started["session"])[-1]
    assert end["data"]["undelivered"] == [{"kind": "steer", "text": "left"}]
    assert (await client.refusal("steer", "right")).data == {"code": "notRunning", "text": "right"}
    if not client.rich:
        assert "send it again: left" in client.messages[-1].message


async def test_the_cancel_button_ends_a_whole_tree_of_processes_before_the_end_is_told(
    place, client: StockClient
):
    started = await client.command("start", {"prompt": "tree", "mode": "full-auto"})
    await place.sleeping(3)
    client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(started["token"]))
    await client.end_of(started["token"])
    assert place.sleepers() == set()


async def test_an_approval_by_command_and_the_replay_of_all_events(place, rich: StockClient):
    started = await rich.command("start", {"prompt": "change it"})
    await rich.question()
    (approval,) = (await rich.command("approvals"))["approvals"]
    malformed = await rich.refusal("approve", {"id": approval["id"], "decision": "ok"})
    assert (malformed.code, malformed.data["field"]) == (-32602, "decision")
    await rich.command("approve", {"id": approval["id"], "decision": "accept"})
    await rich.event("agent_end")
    assert (place.root / "a.txt").read_text() == TEXT.replace("two", "2")
    replay = await rich.command("events", {"session": started["session"]})
    assert replay["events"] == [event for event in rich.events if "seq" in event]
    assert rich.faults == []


async def test_a_run_that_is_live_at_shutdown_is_ended_and_told(place):
    async with stock_client(place, rich=True) as client:
        started = await client.command("start", {"prompt": "wait", "mode": "full-auto"})
        await place.sleeping(1)
    assert place.sleepers() == set()
    assert client.events[-1]["data"]["stopReason"] == "interrupted"
    assert isinstance(client.progress_reports[started["token"]][-1], types.WorkDoneProgressEnd)
