"""The log of a long session in which about everything has happened, cut off at every byte, or damaged: it is mended or
refused, and never silently shorter than by the record that was being written."""

import bisect
import json
import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.session.approvals import Answer
from steersman.session.errors import LogCorrupt, LogError, Refused
from steersman.session.fold import Fold, closed, fold
from steersman.session.log import SessionLog
from steersman.session.log_lines import Tail, tail_of
from steersman.session.log_picture import FORMAT, read_picture
from steersman.session.log_reading import read_records
from support.cases import cases
from support.crash_check import check_requests
from support.rich_session import RICH, rich_session
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness, check_wire, keys

MORE = (
    answer("", call("write", {"path": "made.txt", "content": "made\n"})),
    answer(f"A1 {'x' * 4000}", piece=2000),
    answer(f"A2 {'x' * 4000}", piece=2000),
    answer("## Goal\nall of it"),
    answer("Another way."),
)


async def everything(harness) -> tuple[SessionHarness, Path]:
    """Runs, a name, a compaction, a revert, a branch and a copy; closed. The log of the first session."""
    person = Person("accept", Answer("decline", "not that one"), "accept", otherwise="accept")
    h = harness(*RICH, *MORE, person=person)
    session = await rich_session(h)
    for prompt in ("make it", "and then"):
        await h.run(prompt, session=session)
    users = [data["messageId"] for data in h.of("message_end") if data.get("role") == "user"]
    await h.manager.library.rename(session, "My work")
    await h.manager.compact(session, h.roots)
    await h.session.operation.task
    await h.manager.reverts.revert(session, users[-2])
    await h.session.operation.task
    await h.manager.library.go_back(session, users[-1])
    await h.run("another way", session=session)
    await h.manager.library.fork(session)
    path = h.path(session)
    await h.close()
    h.events.clear()
    kinds = {record["type"] for record in read_records(path)}
    assert {"head", "compaction_end", "revert_end", "session_renamed", "approval_resolved", "retry"} <= kinds
    return h, path


def shape(picture: Fold) -> tuple[object, ...]:
    """All that a picture says, in a form that can be compared."""
    return (
        keys(picture.messages),
        list(picture.tree.nodes),
        (picture.tip, picture.title, picture.model, picture.mode, picture.last_stop, picture.asked),
        (picture.usage, picture.files, picture.reverted, picture.run, picture.compacting, picture.reverting),
    )


async def test_cut_off_at_any_byte_at_most_the_record_being_written_is_lost(harness, tmp_path):
    """36, bug 30"""
    _, path = await everything(harness)
    data = path.read_bytes()
    ends = [index + 1 for index, byte in enumerate(data) if byte == 0x0A]
    copy = tmp_path / "ses_1.jsonl"
    copy.write_bytes(data)
    fd = os.open(copy, os.O_RDWR)
    for cut in range(len(data), -1, -1):
        os.ftruncate(fd, cut)
        kept = bisect.bisect_right(ends, cut)
        whole = ends[kept - 1] if kept else 0
        assert tail_of(fd) == Tail(whole, cut - whole), f"cut off at byte {cut}"
    os.close(fd)


async def test_cut_off_within_any_record_the_picture_is_that_of_the_records_before_it(harness, tmp_path):
    """36, bug 30"""
    _, path = await everything(harness)
    lines = path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    copy = tmp_path / "ses_1.jsonl"
    for count, line in enumerate(lines):
        before = b"".join(lines[:count])
        copy.write_bytes(before + line[: len(line) // 2])
        expected = shape(closed(read_picture(copy)))
        for cut in (0, 1, len(line) - 1):
            copy.write_bytes(before + line[:cut])
            assert shape(closed(read_picture(copy))) == expected
            log, tail = SessionLog.open(copy)
            log.cut_off(tail)
            await log.close()
            assert tail == Tail(len(before), cut)
            assert copy.read_bytes() == before
        if not fold(records[:count]).stale:
            assert expected == shape(closed(fold(records[:count])))


async def test_cut_off_anywhere_it_is_resumed_and_its_next_request_is_valid_for_every_api(harness):
    """36"""
    h, path = await everything(harness)
    lines = path.read_bytes().splitlines(keepends=True)
    special = ("compaction", "revert", "head", "session", "retry", "checkpoint")
    for count, line in enumerate(lines):
        if count % 4 and not json.loads(line)["type"].startswith(special):
            continue
        path.write_bytes(b"".join(lines[:count]) + line[: len(line) // 2])
        before = shape(closed(read_picture(path)))
        h.restart(answer("going on"))
        await h.manager.resume(path.stem)
        h.events.clear()
        assert shape(h.session.picture)[:2] == before[:2], "a reader sees the same"
        run = await h.run("go on", session=path.stem)
        assert run.end.stop_reason == "complete"
        check_requests(h.model.requests[0])
        check_wire(list(read_records(path)))
        await h.close()
    h.events.clear()


# Damage


class Damaged:
    """A session's log with something done to it, opened by the next server."""

    def __init__(self, h: SessionHarness, path: Path) -> None:
        self._h, self._path = h, path
        self.data = path.read_bytes()

    async def opened(self, data: bytes) -> str | None:
        """What it is refused with; None: it was mended, and goes on."""
        self._path.write_bytes(data)
        self._h.restart(answer("going on"))
        try:
            await self._h.manager.resume(self._path.stem)
        except Refused as refused:
            assert refused.code == "readOnly"
            return str(refused)
        finally:
            await self._h.close()
            self._h.events.clear()
        return None

    @property
    def left(self) -> bytes:
        return self._path.read_bytes()


@pytest.fixture
async def damaged(harness):
    h, path = await everything(harness)
    it = Damaged(h, path)
    yield it
    path.write_bytes(it.data)


async def test_what_is_no_record_at_the_end_is_cut_off(damaged):
    """30"""
    chance = random.Random(1)
    for rest in (
        *(bytes(chance.randrange(256) for _ in range(size)).replace(b"\n", b"") for size in (1, 100, 5000)),
        b"\0" * 4096,
        *(b"7\n", b"null\n", b"{}\n", b"\n", b"\0\0\n", b'{"seq":1}\n'),
    ):
        assert await damaged.opened(damaged.data + rest) is None
        assert damaged.left == damaged.data, rest[:20]


async def test_records_that_a_loss_of_power_left_as_nulls_are_cut_off(damaged):
    """30"""
    ends = [index + 1 for index, byte in enumerate(damaged.data) if byte == 0x0A]
    for lost in (1, 3):
        at = ends[-lost - 1] + 5
        nulls = damaged.data[:at] + b"\0" * (len(damaged.data) - at)
        assert await damaged.opened(nulls) is None
        assert damaged.left.startswith(damaged.data[: ends[-lost - 1]])
        assert b"\0" not in damaged.left


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data + data,
        lambda data: data + data[-4096:],
        lambda data: data + data.splitlines(keepends=True)[-1],
        lambda data: data[: len(data) // 2] + data[len(data) // 2 + 4096 :],
        lambda data: data + b"one\ntwo\n",
        lambda data: b"\0" * 10 + data,
        lambda data: b"one\n" + data,
        lambda data: b"one\n",
        lambda data: data.replace(b'"seq":20', b'"seq":21', 1),
        lambda data: data.replace(b'"content":[', b'"contents":[', 1),
        lambda data: data.replace(b'"type":"text"', b'"type":"picture"'),
    ],
    ids=[
        "twice",
        "last-block",
        "last-record",
        "hole",
        "words",
        "nulls",
        "first",
        "no-log",
        "number",
        "field",
        "value",
    ],
)
async def test_a_log_that_is_damaged_elsewhere_is_refused_with_what_to_do_and_not_touched(damaged, harm):
    data = harm(damaged.data)
    said = await damaged.opened(data)
    assert said is not None
    assert ", line " in said
    assert "head -n" in said or "line 1:" in said
    assert damaged.left == data
    for torn in (b'{"seq":', b"no record\n", b'no record\n{"seq":'):
        assert await damaged.opened(data + torn) is not None
        assert damaged.left == data + torn, "nor is the end cut off that is cut off a log of use"


async def test_a_log_whose_header_names_no_folders_is_refused_each_time_and_its_lock_given_back(damaged):
    for roots in (b"7", b"[7]", b'["file://[x"]'):
        data = re.sub(rb'"roots":\[[^]]*\]', b'"roots":' + roots, damaged.data, count=1)
        for _ in range(2):
            assert "is damaged" in (await damaged.opened(data) or "")
            assert damaged.left == data


async def test_cut_off_where_the_refusal_says_it_goes_on(damaged):
    said = await damaged.opened(damaged.data + damaged.data[-4096:])
    assert said is not None
    count = int(said.rsplit("head -n ", 1)[1].split(")")[0])
    lines = (damaged.data + damaged.data[-4096:]).splitlines(keepends=True)
    assert await damaged.opened(b"".join(lines[:count])) is None


async def test_of_a_log_of_a_newer_format_no_byte_is_changed(damaged):
    newer = damaged.data.replace(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT + 1), 1)
    for rest in (b"", b"\x01\x02binary", b"not a record\n", b'{"torn":'):
        said = await damaged.opened(newer + rest)
        assert said is not None
        assert "open it with the version that wrote it" in said
        assert damaged.left == newer + rest


@pytest.mark.fuzz
async def test_any_byte_that_is_another_is_noticed_or_costs_nothing(harness, tmp_path):
    _, path = await everything(harness)
    data, count = path.read_bytes(), len(list(read_records(path)))
    copy = tmp_path / "ses_1.jsonl"

    @cases(150)
    @given(at=st.integers(0, len(data) - 1), value=st.integers(0, 255))
    def any_byte(at: int, value: int) -> None:
        harmed = data[:at] + bytes([value]) + data[at + 1 :]
        copy.write_bytes(harmed)
        try:
            kept = len(list(read_records(copy)))
        except LogCorrupt as error:
            assert ", line " in str(error)
            return
        assert kept >= count - 1
        if kept == count - 1:
            assert at >= data.rindex(b"\n", 0, len(data) - 1), "only the last record may be taken for torn"

    any_byte()


async def test_a_log_that_can_be_read_once_more_is_opened_again_after_a_full_disk(harness):
    """A failed attempt to open the session again must not be the last."""

    class Full(SessionLog):
        is_full = False

        def append(self, line: bytes) -> None:
            if Full.is_full:
                raise LogError("The session log can't be written: no space left on device")
            super().append(line)

    h = harness(answer("", call("look")), answer("one"), answer("two"), log_class=Full)
    h.services.bus.listen(
        lambda event: event.type == "tool_execution_start" and setattr(Full, "is_full", True)
    )
    run = await h.run()
    assert h.end["error"]["code"] == "logFailed"
    for _ in range(2):
        with pytest.raises(Refused, match="no space left"):
            await h.run("again", session=run.session)
    Full.is_full = False
    again = await h.run("again", session=run.session)
    assert again.end.stop_reason == "complete"
    told = [event.data["stopReason"] for event in h.events if event.type == "agent_end"]
    kept = [record["data"]["stopReason"] for record in h.records() if record["type"] == "agent_end"]
    assert told == ["error", "complete"], "each run's end is told once"
    assert kept == ["interrupted", "complete"], "and is once in the log"
