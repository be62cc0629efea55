"""Whatever ends a server: its stop callback runs exactly once, for a bounded time, and the exit code is right."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.lsp.parent import ProcessWatch
from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import ServeLimits, StopReason
from support import stdio_server
from support.late import pipe
from support.lsp_client import PATIENCE, AnsweredWithError, LspClient, serving


class Running:
    """A server process with its client."""

    def __init__(self, stops: Path, manner: str = "orderly") -> None:
        self._stops = stops
        self._errors = stops.with_name("stderr")
        server_reads, client_writes = pipe()
        client_reads, server_writes = pipe()
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, stdio_server.__file__, str(stops), manner],
                stdin=server_reads,
                stdout=server_writes,
                stderr=errors,
            )
        os.close(server_reads)
        os.close(server_writes)
        self.client = LspClient(client_reads, client_writes)

    async def ended(self) -> int:
        """The exit code."""
        return await asyncio.to_thread(self.process.wait, PATIENCE)

    @property
    def stops(self) -> list[str]:
        return self._stops.read_text().split()

    @property
    def errors(self) -> str:
        """What it wrote to standard error."""
        return self._errors.read_text()

    async def close(self) -> None:
        """Ends what is left of it."""
        if self.process.poll() is None:
            self.process.kill()
        await self.ended()
        await self.client.close()


@pytest.fixture
async def start(tmp_path):
    started: list[Running] = []

    async def start(manner: str = "orderly", **params: object) -> Running:
        running = Running(tmp_path / "stops", manner)
        started.append(running)
        await running.client.initialize(**params)
        return running

    yield start
    for running in started:
        await running.close()


async def test_shutdown_and_exit_end_with_0(start):
    running = await start()
    await running.client.shut_down()
    assert (await running.ended(), running.stops) == (0, ["shutdown"])


async def test_exit_without_shutdown_ends_with_1(start):
    running = await start()
    running.client.notify("exit")
    assert (await running.ended(), running.stops) == (1, ["exit"])


async def test_the_end_of_its_input_ends_it_with_1_after_answering_what_came_before(start):
    running = await start()
    request = running.client.command("echo", 1)
    running.client.close_output()
    assert await request == [1]
    assert (await running.ended(), running.stops) == (1, ["eof"])


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
async def test_a_signal_ends_it_with_its_number(start, name):
    running = await start()
    number = signal.Signals[name]
    running.process.send_signal(number)
    assert (await running.ended(), running.stops) == (128 + number, [name])


async def test_a_client_that_can_not_be_written_to_ends_it(start):
    running = await start()
    running.client.close_input()
    running.client.command("echo")
    assert (await running.ended(), running.stops) == (1, ["clientGone"])


def other_process() -> subprocess.Popen[bytes]:
    """One that ends when its input does."""
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


async def test_the_end_of_the_clients_process_ends_it_though_the_pipes_are_open(start):
    parent = other_process()
    running = await start(processId=parent.pid)
    assert await running.client.command("echo", 1) == [1]
    parent.communicate()
    assert (await running.ended(), running.stops) == (1, ["parentDied"])


async def test_a_stop_callback_that_never_returns_and_a_handler_that_never_ends_do_not_keep_the_process(
    start,
):
    running = await start("stubborn")
    running.client.command("hang")
    assert await running.client.command("echo") == []
    await asyncio.wait_for(running.client.request("shutdown"), PATIENCE)
    running.client.notify("exit")
    assert (await running.ended(), running.stops) == (0, ["shutdown"])


async def test_stray_prints_and_children_touch_neither_stream(start):
    running = await start()
    assert await running.client.command("stray") == ""
    assert await running.client.command("echo", 1) == [1]
    await running.client.shut_down()
    assert await running.ended() == 0
    assert [word in running.errors for word in ("a stray print", "a stray write", "child")] == [
        True,
        True,
        True,
    ]


# In process.


async def test_the_first_reason_counts_and_the_stop_callback_runs_once():
    server = RpcServer("x", "1")
    async with serving(server) as served:
        await served.client.initialize()
        served.connection.stop(StopReason.SIGTERM)
        served.client.close_output()
        assert await served.stopped() is StopReason.SIGTERM
    assert served.stops == [StopReason.SIGTERM]


async def test_what_the_stop_callback_sends_still_arrives_and_commands_in_flight_are_answered():
    server = RpcServer("x", "1")

    async def wait(arguments: list) -> object:
        await asyncio.Event().wait()
        return None

    async def on_stop(reason: StopReason) -> None:
        server.notify("test/stopping", {"reason": reason})

    server.add_command("wait", wait)
    async with serving(server, on_stop=on_stop) as served:
        await served.client.initialize()
        request = served.client.command("wait")
        await served.client.wait_for(lambda message: True)
        served.client.close_output()
        await served.client.wait_for_end()
        assert served.client.of_method("test/stopping")[0]["params"] == {"reason": "eof"}
        with pytest.raises(AnsweredWithError) as raised:
            await request
        assert raised.value.code == -32800


async def test_while_stopping_requests_are_refused_and_answers_of_the_client_still_taken():
    server = RpcServer("x", "1")
    answers: list[object] = []

    async def on_stop(reason: StopReason) -> None:
        answers.append(await server.request("test/last", timeout=PATIENCE))

    async with serving(server, on_stop=on_stop) as served:
        await served.client.initialize()
        served.connection.stop(StopReason.SIGTERM)
        question = await served.client.wait_for_method("test/last")
        with pytest.raises(AnsweredWithError) as raised:
            await served.client.command("echo")
        assert raised.value.code == -32600
        served.client.notify("exit")
        served.client.send({"jsonrpc": "2.0", "id": question["id"], "result": "taken"})
        assert await served.stopped() is StopReason.SIGTERM
    assert answers == ["taken"]


async def test_a_stop_callback_that_fails_is_logged(caplog):
    async def on_stop(reason: StopReason) -> None:
        raise RuntimeError("while stopping")

    async with serving(RpcServer("x", "1"), on_stop=on_stop):
        pass
    assert "while stopping" in caplog.text


async def test_a_stop_callback_over_its_time_is_left_behind(caplog):
    cancelled = asyncio.Event()

    async def on_stop(reason: StopReason) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with serving(RpcServer("x", "1"), on_stop=on_stop, limits=ServeLimits(stop=0.01)):
        pass
    await cancelled.wait()
    assert "did not stop within" in caplog.text


async def test_a_client_process_that_can_not_be_seen_is_not_watched(caplog):
    ended = other_process()
    ended.communicate()
    for process_id in (ended.pid, 0, -1, 10**30):
        async with serving(RpcServer("x", "1")) as served:
            await served.client.initialize(processId=process_id)
            assert not served.stops
    assert "not watched" in caplog.text


async def test_a_process_is_watched_by_looking_where_the_system_does_not_tell():
    child = other_process()
    ended = asyncio.Event()
    watch = ProcessWatch(child.pid, ended.set, use_pidfd=False, interval=0.01)
    assert not ended.is_set()
    child.communicate()
    async with asyncio.timeout(PATIENCE):
        await ended.wait()
    watch.close()
