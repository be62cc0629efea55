"""However the client goes while a command runs: the command is gone, the log is whole and says so, and a new server
goes on from it."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import pytest

from support.event_checker import check
from support.processes import wait_gone
from support.served_process import Place, Running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

TAPE = (
    {"when": "wait"},
    {"toolCalls": [{"name": "bash", "arguments": {"command": "echo begun; sleep 300"}}]},
    {"text": "it went on"},
)


@pytest.fixture
async def begin(tmp_path):
    servers = []

    async def begin(place, **params):
        running = Running(place)
        servers.append(running)
        await running.initialize(**params)
        return running

    yield begin
    for running in servers:
        await running.close()


@pytest.fixture
def parent():
    """A process that the client says it is."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


async def gone(running, sleepers):
    """Returns when the processes have ended, and in how many seconds the server had."""
    began = time.monotonic()
    code = await running.ended()
    seconds = time.monotonic() - began
    for pid in sleepers:
        await asyncio.to_thread(wait_gone, pid)
    return code, seconds


def run_of(log, run):
    """A run's events, as far as the one checker of event sequences knows them."""
    return [e for e in log if e.get("run") == run and e["type"] != "config"]


@pytest.mark.parametrize(
    ("leave", "code"),
    [
        ("eof", 1),
        ("SIGTERM", 128 + signal.SIGTERM),
        ("SIGHUP", 128 + signal.SIGHUP),
        ("SIGINT", 128 + signal.SIGINT),
        ("exit", 1),
        ("shutdown", 0),
        ("parentDied", 1),
    ],
)
async def test_a_client_that_goes_during_a_command_leaves_no_process_and_a_whole_log(
    tmp_path, begin, parent, *, leave, code, record_property
):
    place = Place(tmp_path, *TAPE)
    running = await begin(place, processId=parent.pid)
    started = await running.start("wait")
    await running.event("tool_execution_update", "begun")
    await running.client.wait_for(lambda _: "begin" in running.token_kinds(started["token"]))
    sleepers = await place.sleeping(1)
    if leave == "eof":
        running.client.close_output()
    elif leave == "exit":
        running.client.notify("exit")
    elif leave == "shutdown":
        await running.client.shut_down()
    elif leave == "parentDied":
        parent.kill()
    else:
        running.process.send_signal(getattr(signal, leave))
    exit_code, seconds = await gone(running, sleepers)
    record_property("seconds", round(seconds, 2))
    assert exit_code == code, running.errors
    assert place.sleepers() == set()
    # The log is whole, says what happened, and is what was sent.
    log = place.log(started["session"])
    check(run_of(log, started["run"]))
    assert [record["seq"] for record in log] == list(range(1, len(log) + 1))
    assert (log[-1]["type"], log[-1]["data"]["stopReason"]) == ("agent_end", "interrupted")
    result = next(record for record in log if record["type"] == "tool_execution_end")
    assert result["data"]["outcome"] == "aborted" and "begun" in json.dumps(result["data"])
    await running.client.wait_for_end()
    assert [event for event in running.events() if "seq" in event] == log
    assert running.token_kinds(started["token"])[0] == "begin"
    assert running.token_kinds(started["token"]).count("end") == 1


async def test_a_killed_server_leaves_no_command_and_its_session_is_mended_and_continued(tmp_path, begin):
    place = Place(tmp_path, *TAPE)
    running = await begin(place)
    started = await running.start("wait")
    await running.event("tool_execution_update", "begun")
    sleepers = await place.sleeping(1)
    running.process.kill()
    await gone(running, sleepers)
    again = await begin(place)
    on = await again.client.command("steersman.continue", {"session": started["session"]})
    assert on["session"] == started["session"]
    assert (await again.event("agent_end", "it went on"))["stopReason"] == "complete"
    log = place.log(started["session"])
    assert [record["seq"] for record in log] == list(range(1, len(log) + 1))
    for run in (started["run"], on["run"]):
        check(run_of(log, run))
    ends = [record["data"]["stopReason"] for record in log if record["type"] == "agent_end"]
    assert ends == ["interrupted", "complete"]


async def test_a_session_of_a_server_that_was_stopped_goes_on_in_the_next(tmp_path, begin):
    place = Place(tmp_path, *TAPE)
    running = await begin(place)
    started = await running.start("wait")
    await running.event("tool_execution_update", "begun")
    running.client.close_output()
    await running.ended()
    again = await begin(place)
    on = await again.client.command("steersman.continue", {"session": started["session"]})
    assert (await again.event("agent_end", "it went on"))["stopReason"] == "complete"
    replay = await again.client.command("steersman.events", {"session": started["session"]})
    assert replay["events"] == place.log(started["session"])
    assert on["run"] != started["run"]


async def test_a_session_that_another_server_holds_is_locked(tmp_path, begin):
    place = Place(tmp_path, *TAPE)
    first, second = await begin(place), await begin(place)
    started = await first.start("wait")
    await first.event("tool_execution_update", "begun")
    request = second.client.command("steersman.start", {"prompt": "wait", "session": started["session"]})
    error = (await request.message())["error"]
    assert (error["code"], error["data"]["code"]) == (-32803, "locked")
    read = await second.client.command("steersman.events", {"session": started["session"]})
    assert read["events"][0]["type"] == "session"


async def test_an_aborted_command_takes_its_whole_tree_along_before_the_end_is_told(
    tmp_path, begin, record_property
):
    command = "bash -c 'echo begun; (sleep 300 & sleep 300 & wait) & sleep 300'"
    place = Place(
        tmp_path,
        {"when": "wait"},
        {"toolCalls": [{"name": "bash", "arguments": {"command": command}}]},
        {"text": "never"},
    )
    running = await begin(place)
    started = await running.start("wait")
    await running.event("tool_execution_update", "begun")
    await place.sleeping(3)
    began = time.monotonic()
    await running.client.command("steersman.abort", {"run": started["run"]})
    ended = await running.event("agent_end")
    record_property("seconds", round(time.monotonic() - began, 2))
    assert place.sleepers() == set()
    assert ended["stopReason"] == "aborted"
    check(run_of(place.log(started["session"]), started["run"]))
