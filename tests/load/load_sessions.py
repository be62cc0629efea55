"""Fifty sessions of five turns at once in one server, slow streams and fast ones, round after round."""

import time

import pytest

from support.load_client import LoadClient
from support.load_figures import Pings, cost_of, lags_in, measured, reset_peak, spread
from support.load_work import Work, tape_server

SESSIONS, TURNS, ROUNDS = 50, 5, 3


@pytest.mark.parametrize("profile", ["rich", "floor"])
async def test_fifty_sessions_complete_and_memory_stays_flat(tmp_path, profile, figure):
    work = Work(tmp_path, SESSIONS, TURNS)
    lags = tmp_path / "lags.json"
    with tape_server(work.place.tape) as model:
        client = LoadClient(work.place, rich=profile == "rich", command=measured(lags), **model)
        pid = client.process.pid
        try:
            await client.initialize()
            figure("RSS at the start", f"{cost_of(pid).rss:.0f} MB")
            after = []
            for number in range(1, ROUNDS + 1):
                reset_peak(pid)
                begun, before = time.monotonic(), cost_of(pid)
                async with Pings(client) as pings:
                    runs = await work.round(client)
                now = cost_of(pid)
                after.append(now.rss)
                figure(
                    f"round {number}: wall, CPU",
                    f"{time.monotonic() - begun:.1f} s, {now.cpu - before.cpu:.1f} s",
                )
                figure(f"round {number}: RSS after, peak", f"{now.rss:.1f} MB, {now.peak:.1f} MB")
                figure(f"round {number}: status p50/p99/max", spread(pings.seconds))
                work.verify(client, runs)
                client.sessions.clear()
            assert client.questions == ROUNDS * SESSIONS * (TURNS // 2)
            assert after[-1] < 1.1 * after[1], f"it grows with every round: {after}"
            assert await client.close() == 0
            figure("loop lag p50/p99/max", lags_in(lags))
        finally:
            client.kill()
