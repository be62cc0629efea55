"""One server for a long time, with all that people do at it: nothing that it holds grows.

Meanwhile another client comes and goes on the same home, each time with a new process: it reads what the first one
has said, goes on with a session of its own, and leaves in order, at once, or without a word.
"""

import asyncio
import itertools
import json
import os
import signal
import sys
import time
from pathlib import Path

from support.event_checker import check
from support.load_work import tape_server
from support.processes import alive_with
from support.served_process import COMMAND, Place, Running
from support.soak_figures import Probe, Sample, grown, table
from support.soak_visits import PATIENCE, SoakClient, a_round, write_tape

MINUTES = float(os.environ.get("STEERSMAN_SOAK", "30"))
LEAST = 3
"""Rounds: one for each third."""
PROBED = Path(__file__).parents[1] / "support" / "probed_server.py"
LEAVES = ("shutdown", "eof", "SIGTERM", "SIGKILL")


async def test_nothing_grows_while_sessions_come_and_go(tmp_path, capsys):
    place, figures = Place(tmp_path), tmp_path / "figures"
    write_tape(place)
    samples: list[Sample] = []
    with tape_server(place.tape) as model:
        running = Running(place, [sys.executable, str(PROBED), str(figures)], client=SoakClient, **model)
        client, probe = running.client, Probe(running.process.pid, figures)
        assert isinstance(client, SoakClient)
        try:
            await client.begin_session(place)
            began, comer = time.monotonic(), Comer(place, model)
            while time.monotonic() - began < MINUTES * 60 or len(samples) < LEAST:
                await a_round(client, place.root)
                await comer.comes_and_goes(await most_recent(client))
                samples.append(Sample(client.sessions, await at_rest(client, probe)))
            await client.shut_down()
            assert await running.ended() == 0, running.errors
        finally:
            await running.close()
    with capsys.disabled():
        told = f"{client.sessions} sessions, {comer.times} times another client came and went, {MINUTES:g} minutes"
        sys.stdout.write(f"\n{told}\n{table(samples)}\n")
    assert grown(samples) == []
    assert running.errors == ""
    assert alive_with(place.mark) == set()
    for path in place.home.sessions.glob("*.jsonl"):
        verify([json.loads(line) for line in path.read_bytes().splitlines()])


async def most_recent(client: SoakClient) -> str:
    sessions = (await client.command("steersman.sessions", {"limit": 1}))["sessions"]
    return str(sessions[0]["session"])


async def at_rest(client: SoakClient, probe: Probe) -> dict[str, float]:
    """What is held once all is done that was begun."""
    deadline = time.monotonic() + PATIENCE
    while True:
        values = await asyncio.to_thread(probe.ask)
        if not any(values[name] for name in ("requests", "calls", "tokens")):
            return values
        assert time.monotonic() < deadline, f"something is never done: {values}"
        await client.command("steersman.status")


class Comer:
    """The other client."""

    def __init__(self, place: Place, model: dict[str, str]) -> None:
        self._place, self._model = place, model
        self._ways = itertools.cycle(LEAVES)
        self._mine: str | None = None
        self.times = 0

    async def comes_and_goes(self, other: str) -> None:
        """`other` is a session of the first client's."""
        self.times += 1
        running = Running(self._place, COMMAND, client=SoakClient, **self._model)
        client = running.client
        assert isinstance(client, SoakClient)
        try:
            await client.begin_session(self._place)
            for session in {other, self._mine or other}:
                page = await client.command("steersman.events", {"session": session})
                seqs = [event["seq"] for event in page["events"]]
                assert seqs == list(range(1, len(seqs) + 1))
            more = {} if self._mine is None else {"session": self._mine}
            visit = await client.start("stream", **more)
            await visit.event("message_update")
            self._mine = visit.session if self.times % 10 else None
            await self._leaves(running, client, next(self._ways))
        finally:
            await running.close()

    async def _leaves(self, running: Running, client: SoakClient, how: str) -> None:
        if how == "shutdown":
            await client.shut_down()
        elif how == "eof":
            client.close_output()
        else:
            running.process.send_signal(getattr(signal, how))
        await running.ended()


def verify(records: list[dict[str, object]]) -> None:
    """The log is whole, and each run that it has closed is as it should be."""
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    runs: dict[object, list[dict[str, object]]] = {}
    for record in records:
        if "run" in record and record["type"] != "config":
            runs.setdefault(record["run"], []).append(record)
    for run in runs.values():
        if run[-1]["type"] == "agent_end":
            check(run)
        else:
            assert run is list(runs.values())[-1], "only the last one may have been killed"
