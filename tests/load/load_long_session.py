"""A session of 10,000 records is resumed and replayed, page by page, while another run streams."""

import time

from support.load_client import LoadClient
from support.load_figures import Pings, cost_of, lags_in, measured, reset_peak, spread
from support.load_work import Streams, tape_server
from support.long_log import write_long_log

RECORDS = 10_000


async def test_replay_and_resume_beside_a_stream(tmp_path, figure):
    streams = Streams(tmp_path, 2, seconds=5.0)
    path = streams.place.home.sessions / "ses_long.jsonl"
    write_long_log(path, "ses_long", RECORDS, root=streams.place.root)
    lags = tmp_path / "lags.json"
    with tape_server(streams.place.tape) as model:
        client = LoadClient(streams.place, rich=True, command=measured(lags), **model)
        pid = client.process.pid
        try:
            await client.initialize()
            [streaming] = await streams.start(client, 1)
            reset_peak(pid)
            before = cost_of(pid)
            async with Pings(client, 0.01) as pings:
                begun, pages, seqs, more = time.monotonic(), 0, [0], True
                while more:
                    page = await client.command("events", session="ses_long", after=seqs[-1])
                    seqs += [event["seq"] for event in page["events"]]
                    more, pages = page["more"], pages + 1
                assert seqs == list(range(RECORDS + 1))
                figure(f"replay, {pages} pages", f"{time.monotonic() - begun:.2f} s")
                figure("status meanwhile p50/p99/max", spread(pings.seconds))
                figure("RSS before, peak", f"{before.rss:.0f}, {cost_of(pid).peak:.0f} MB")
            async with Pings(client, 0.01) as pings:
                begun = time.monotonic()
                resumed = await client.command(
                    "start", prompt=streams.names[1], session="ses_long", mode="full-auto"
                )
                figure("resume", f"{time.monotonic() - begun:.2f} s")
                figure("status meanwhile p50/p99/max", spread(pings.seconds))
                figure("RSS after", f"{cost_of(pid).rss:.0f} MB")
                await client.ends_of([streaming, resumed])
            streams.verify(client, [streaming])
            assert await client.close() == 0
            figure("loop lag p50/p99/max", lags_in(lags))
        finally:
            client.kill()
