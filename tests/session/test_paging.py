"""Pages of a long log: each is found without reading from the start again, and is what the log holds."""

import asyncio
import json
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.session.errors import Refused
from steersman.session.log import READ_BUFFER
from steersman.session.log_index import STEP
from steersman.session.store import MAX_INDEXES, Store
from support.counted_log import counted_log
from support.long_log import write_long_log
from support.session_harness import SessionHarness

SLACK = 2 * READ_BUFFER
"""Bytes: what a buffered file reads beyond what it is asked for, at both ends."""


class Shelf:
    """Logs in a home, a store that reads them, and the count of bytes that it read."""

    def __init__(self, base: Path) -> None:
        log_class, self.counter = counted_log()
        self.h = SessionHarness(base, log_class=log_class)
        self.store = Store(self.h.services)

    def path(self, session: str = "ses_1") -> Path:
        path = self.h.services.log_path(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def page(self, after=0, *, session="ses_1", run=None, limit=None, upto=None):
        return self.store.events(session, run=run, after=after, limit=limit, upto=upto)

    async def seqs(self, after=0, **options: Any) -> tuple[list[int], int]:
        """The numbers that pages after pages give, and the count of pages."""
        seqs, pages, more = [], 0, True
        while more:
            records, more = await self.page(after, **options)
            seqs += [record["seq"] for record in records]
            after, pages = seqs[-1] if seqs else after, pages + 1
        return seqs, pages

    def read(self) -> int:
        """Bytes read since the last call."""
        count, self.counter[0] = self.counter[0], 0
        return count


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


@pytest.mark.parametrize(("count", "limit"), [(10_000, None), (10_000, 7), (100_000, None)])
async def test_paging_through_a_log_reads_each_byte_about_once(shelf, count, limit):
    write_long_log(shelf.path(), "ses_1", count)
    seqs, pages = await shelf.seqs(limit=limit)
    assert seqs == list(range(1, count + 1))
    assert pages == -(-count // (limit or 1000))
    assert shelf.read() < shelf.path().stat().st_size + pages * SLACK


async def test_any_page_of_a_log_that_was_read_is_found_at_once(shelf):
    write_long_log(shelf.path(), "ses_1", 10_000)
    await shelf.seqs()
    shelf.read()
    for after in (9_000, 17, 5_432, 9_999, 10_000, 123_456, 0):
        records, more = await shelf.page(after, limit=5)
        found = [record["seq"] for record in records]
        assert found == list(range(after + 1, min(after + 6, 10_001)))
        assert more == (after + 5 < 10_000)
        assert shelf.read() < STEP + 64 * 1024


async def test_a_session_that_was_opened_is_known_already(shelf):
    write_long_log(shelf.path(), "ses_1", 10_000)
    journal = await shelf.store.open("ses_1", shelf.h.roots)
    shelf.read()
    records, more = await shelf.page(journal.picture.seq - 1)
    assert ([record["seq"] for record in records], more) == ([journal.picture.seq], False)
    assert shelf.read() < STEP + 64 * 1024
    await journal.close()


async def test_a_run_is_read_to_its_end_and_no_further(shelf):
    runs = write_long_log(shelf.path(), "ses_1", 10_000)
    size = shelf.path().stat().st_size
    seqs, pages = await shelf.seqs(run=runs[3], limit=10)
    assert seqs == list(range(seqs[0], seqs[-1] + 1))
    assert pages > 3
    assert shelf.read() < size // 10
    assert await shelf.page(seqs[-1], run=runs[3]) == ([], False)
    with pytest.raises(Refused, match="no run run_none") as refused:
        await shelf.page(run="run_none")
    assert refused.value.code == "unknownRun"


async def test_paging_takes_the_memory_of_a_page(shelf):
    write_long_log(shelf.path(), "ses_1", 10_000)
    assert shelf.path().stat().st_size > 4_000_000
    await shelf.page(limit=1)
    tracemalloc.start()
    try:
        await shelf.seqs(limit=100)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_500_000


async def test_of_many_logs_those_that_were_read_last_are_remembered(shelf):
    names = [f"ses_{number}" for number in range(MAX_INDEXES + 1)]
    for name in names:
        write_long_log(shelf.path(name), name, 300)
        await shelf.seqs(session=name)
    shelf.read()
    await shelf.page(299, session=names[0])
    forgotten = shelf.read()
    await shelf.page(299, session=names[-1])
    assert shelf.read() < forgotten


async def test_readers_of_one_log_at_the_same_time_do_not_mix(shelf):
    runs = write_long_log(shelf.path(), "ses_1", 3_000)
    asked = [shelf.seqs(after, limit=limit) for after in (0, 1_000, 2_999) for limit in (50, 333, None)]
    asked.append(shelf.seqs(run=runs[-1]))
    found = await asyncio.gather(*asked)
    assert [seqs[-1] for seqs, _ in found] == [3_000] * len(asked)
    for (seqs, _), after in zip(found, (0, 0, 0, 1_000, 1_000, 1_000, 2_999, 2_999, 2_999), strict=False):
        assert seqs == list(range(after + 1, 3_001))


async def test_a_log_that_was_replaced_by_another_is_read_anew(shelf):
    write_long_log(shelf.path(), "ses_1", 3_000)
    await shelf.seqs()
    write_long_log(shelf.path("ses_2"), "ses_1", 2_000, turns=1)
    shelf.path("ses_2").replace(shelf.path())
    seqs, _ = await shelf.seqs(1_500)
    assert seqs == list(range(1_501, 2_001))


async def test_a_damaged_record_is_an_error_where_it_is_and_not_before(shelf):
    write_long_log(shelf.path(), "ses_1", 100)
    lines = shelf.path().read_bytes().splitlines(keepends=True)
    lines[50] = b"{}\n"
    shelf.path().write_bytes(b"".join(lines))
    records, more = await shelf.page(limit=49)
    assert (len(records), more) == (49, True)
    for after in (0, 49, 60):
        with pytest.raises(Refused, match="line 51: not a record") as refused:
            await shelf.page(after)
        assert refused.value.code == "readOnly"


RUNS = [None, "run_a", "run_b", "run_c"]
ASK = st.tuples(
    st.just("ask"),
    st.integers(0, 40),
    st.sampled_from([1, 2, 5, None]),
    st.sampled_from(RUNS),
    st.none() | st.integers(0, 40),
)
WRITE = st.tuples(st.just("write"), st.lists(st.sampled_from([10, 3_000, 50_000]), min_size=1, max_size=6))
OTHER = st.sampled_from([("tear",), ("go on",), ("cut",)])


class Growing:
    """A log that is written, torn and mended, and what must be answered about it."""

    def __init__(self, base: Path) -> None:
        self.shelf = Shelf(base)
        self.path = self.shelf.path()
        self.path.touch()
        self.records: list[dict[str, Any]] = []
        self.torn = b""

    def next(self, size: int) -> bytes:
        """Runs follow one another, with something between them that belongs to none."""
        seq = len(self.records) + 1
        run = [None, "run_a", None, "run_b", None][min(seq // 6, 4)]
        kind = "agent_end" if run and seq % 6 == 5 else "notice"
        record = {"seq": seq, "type": kind, "data": {"text": "x" * size}}
        self.records.append(record if run is None else record | {"run": run})
        return json.dumps(self.records[-1]).encode() + b"\n"

    def append(self, data: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(data)

    def do(self, what: str, *arguments: Any) -> None:
        if what == "write" and not self.torn:
            for size in arguments[0]:
                self.append(self.next(size))
        elif what == "tear" and not self.torn:
            line = self.next(5_000)
            self.records.pop()
            self.append(line[: len(line) // 2])
            self.torn = line
        elif what == "go on" and self.torn:
            self.append(self.torn[len(self.torn) // 2 :])
            self.records.append(json.loads(self.torn))
            self.torn = b""
        elif what == "cut" and self.torn:
            data = self.path.read_bytes()
            self.path.write_bytes(data[: data.rfind(b"\n") + 1])
            self.torn = b""

    async def ask(self, after: int, limit: int | None, run: str | None, upto: int | None) -> None:
        known = [r for r in self.records[:upto] if run is None or r.get("run") == run]
        wanted = [record for record in known if record["seq"] > after]
        try:
            answer = await self.shelf.page(after, run=run, limit=limit, upto=upto)
        except Refused as refused:
            assert (refused.code, known) == ("unknownRun", [])
            return
        assert run is None or known
        count = limit or 1000
        assert answer == (wanted[:count], len(wanted) > count)


@settings(max_examples=80, deadline=None)
@given(script=st.lists(ASK | WRITE | OTHER, max_size=25))
def test_every_page_of_a_log_that_is_being_written_is_what_is_in_it(script):
    async def play(base: Path) -> None:
        growing = Growing(base)
        for what, *arguments in script:
            if what == "ask":
                await growing.ask(*arguments)
            else:
                growing.do(what, *arguments)

    with tempfile.TemporaryDirectory() as base:
        asyncio.run(play(Path(base)))
