"""Twenty runs stream to a client that reads nothing for a minute, or 4 KB a second: nothing is lost or piles up."""

import asyncio
import time

import pytest

from support.load_client import LONG, LoadClient
from support.load_figures import cost_of, lags_in, measured, reset_peak
from support.load_work import Streams, tape_server

RUNS, PAUSE, RATE = 20, 60.0, 4096
BOUND = 48.0
"""MB beside the 8 MB that may wait for the client: what is imported late, and what twenty runs and their histories need
however their client reads."""


@pytest.mark.parametrize("reading", ["nothing", "slowly"])
@pytest.mark.parametrize("profile", ["rich", "floor"])
async def test_runs_go_on_and_all_durable_events_arrive(tmp_path, profile, reading, figure):
    streams = Streams(tmp_path, RUNS, seconds=PAUSE * 0.75)
    lags = tmp_path / "lags.json"
    with tape_server(streams.place.tape) as model:
        client = LoadClient(streams.place, rich=profile == "rich", command=measured(lags), **model)
        pid = client.process.pid
        try:
            await client.initialize()
            runs = await streams.start(client)
            reset_peak(pid)
            before = cost_of(pid)
            if reading == "nothing":
                client.read_nothing()
            else:
                client.read_slowly(RATE)
            begun = time.monotonic()
            await asyncio.sleep(PAUSE / 3)
            aborted_at = time.time()
            abort = client.begin_command("abort", run=runs[0]["run"])
            await asyncio.sleep(PAUSE - (time.monotonic() - begun))
            now = cost_of(pid)
            figure("RSS before, after, peak", f"{before.rss:.0f}, {now.rss:.0f}, {now.peak:.0f} MB")
            figure("CPU", f"{now.cpu - before.cpu:.1f} s of {PAUSE:.0f} s")
            assert now.peak < before.rss + BOUND

            took = streams.place.log(runs[0]["session"])[-1]["ts"] / 1000 - aborted_at
            figure("from the abort to the run's end", f"{1000 * took:.0f} ms")
            begun, known = time.monotonic(), client.bytes
            client.read_fast()
            async with asyncio.timeout(LONG):
                assert (await abort)["result"] == {"aborted": True}
            await client.ends_of(runs)
            figure("caught up", f"{(client.bytes - known) / 1e6:.1f} MB in {time.monotonic() - begun:.1f} s")
            streams.verify(client, runs, aborted=runs[0])
            assert await client.close() == 0
            figure("loop lag p50/p99/max", lags_in(lags))
        finally:
            client.kill()
