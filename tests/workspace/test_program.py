"""Helper programs are read record by record, and ended as soon as no more is needed."""

import asyncio
import itertools
import os
import uuid
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.workspace.launch import StartError
from steersman.workspace.program import ProgramResult, RecordSplitter, run_program
from support.processes import StopSwitch, alive_with

TAG = "STEERSMAN_TEST_TAG"


class Desk:
    """Collects records, and has enough after `enough` of them."""

    def __init__(self, enough: int = 1_000_000) -> None:
        self.records: list[bytes] = []
        self.stop = StopSwitch()
        self.tag = uuid.uuid4().hex
        self.first = asyncio.Event()
        self._enough = enough

    def take(self, record: bytes) -> bool:
        self.records.append(record)
        self.first.set()
        return len(self.records) < self._enough

    async def run(self, directory: Path, script: str, **options) -> ProgramResult:
        options = {"on_record": self.take} | options
        env = os.environ | {TAG: self.tag}
        return await run_program(["sh", "-c", script], cwd=directory, env=env, stop=self.stop, **options)


async def test_records_status_and_stderr_are_kept_apart(tmp_path: Path):
    desk = Desk()
    result = await desk.run(tmp_path, "echo one; echo oops >&2; printf 'two\n\nlast'; exit 2")
    assert desk.records == [b"one", b"two", b"", b"last"]
    assert result == ProgramResult(code=2, stderr="oops\n")


async def test_records_can_end_with_nul(tmp_path: Path):
    desk = Desk()
    await desk.run(tmp_path, r"printf 'a\nb\0c\0'", separator=b"\0")
    assert desk.records == [b"a\nb", b"c"]


async def test_a_program_is_ended_when_enough_was_seen(tmp_path: Path):
    desk = Desk(enough=3)
    result = await desk.run(tmp_path, "while :; do echo x; done")
    assert desk.records == [b"x"] * 3
    assert (result.code, result.stopped, result.aborted) == (None, True, False)
    assert alive_with(desk.tag) == set()


async def test_an_abort_ends_a_program(tmp_path: Path):
    desk = Desk()
    running = asyncio.create_task(desk.run(tmp_path, "trap '' TERM; echo x; exec sleep 300"))
    await desk.first.wait()
    desk.stop.throw()
    result = await running
    assert (result.code, result.stopped, result.aborted) == (None, False, True)
    assert alive_with(desk.tag) == set()


async def test_after_an_abort_no_program_starts(tmp_path: Path):
    desk = Desk()
    desk.stop.throw()
    assert (await desk.run(tmp_path, "touch made")).aborted
    assert not (tmp_path / "made").exists()


async def test_a_cancellation_ends_a_program(tmp_path: Path):
    desk = Desk()
    running = asyncio.create_task(desk.run(tmp_path, "echo x; exec sleep 300"))
    await desk.first.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert alive_with(desk.tag) == set()


async def test_what_the_consumer_raises_ends_the_program(tmp_path: Path):
    desk = Desk()

    def fail(record: bytes) -> bool:
        raise LookupError(record)

    with pytest.raises(LookupError):
        await desk.run(tmp_path, "echo x; exec sleep 300", on_record=fail)
    assert alive_with(desk.tag) == set()


async def test_much_on_stderr_neither_blocks_nor_is_kept(tmp_path: Path):
    desk = Desk()
    result = await desk.run(tmp_path, "head -c 3000000 /dev/zero >&2; echo done", max_stderr=10)
    assert desk.records == [b"done"]
    assert result.stderr == "\0" * 10


async def test_much_output_is_taken_whole(tmp_path: Path):
    desk = Desk()
    await desk.run(tmp_path, "seq 200000")
    assert len(desk.records) == 200_000
    assert desk.records[-1] == b"200000"


async def test_overlong_records_are_counted_and_left_out(tmp_path: Path):
    desk = Desk()
    script = "echo a; head -c 3000000 /dev/zero; echo; echo b"
    result = await desk.run(tmp_path, script, max_record=1000)
    assert desk.records == [b"a", b"b"]
    assert result.overlong == 1


async def test_a_program_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(StartError, match="not found: no-such-program"):
        await run_program(
            ["no-such-program"], cwd=tmp_path, env=os.environ, stop=StopSwitch(), on_record=lambda _: True
        )


@given(st.lists(st.binary(max_size=12)), st.lists(st.integers(0, 60)), st.integers(0, 8))
@settings(max_examples=200, deadline=None)
def test_records_are_the_same_wherever_the_stream_is_cut(parts: list[bytes], cuts: list[int], limit: int):
    stream = b"\n".join(parts)
    splitter = RecordSplitter(b"\n", limit)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    records = [r for start, end in itertools.pairwise(places) for r in splitter.feed(stream[start:end])]
    records += splitter.finish()
    whole = stream.split(b"\n")
    if whole[-1] == b"":
        whole.pop()
    assert records == [record for record in whole if len(record) <= limit]
    assert splitter.overlong == sum(len(record) > limit for record in whole)
