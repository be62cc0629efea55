"""The event stream of a session: numbered, in order, in the log before anybody hears of it."""

import asyncio
import json

import pytest

from steersman.session.errors import LogError
from steersman.session.journal import Emitted, EventBus, Journal
from steersman.session.log import SessionLog
from steersman.session.log_reading import read_records
from support.session_harness import failing_log


class Heard:
    """A journal on a log, and what a listener heard of it."""

    def __init__(self, path, log_class: type[SessionLog] = SessionLog) -> None:
        self.path = path
        self.bus = EventBus()
        self.events: list[Emitted] = []
        self.stop = self.bus.listen(self.events.append)
        self.log = log_class.create(path)
        self.journal = Journal("ses_1", self.log, self.bus, lambda: 1.0)

    @property
    def types(self) -> list[tuple[str, int | None]]:
        return [(event.type, event.seq) for event in self.events]


async def test_an_event_is_in_the_log_when_it_is_heard(tmp_path):
    heard = Heard(tmp_path / "log.jsonl")
    kept = []
    heard.bus.listen(lambda event: kept.append(len(list(read_records(heard.path)))))
    heard.journal.record("notice", {"message": "one"})
    heard.journal.tell("state", {"state": "idle"})
    heard.journal.record("notice", {"message": "two"})
    assert heard.types == [("notice", 1), ("state", None), ("notice", 2)]
    assert kept == [1, 1, 2]
    assert [json.loads(event.line) for event in heard.events if event.seq] == list(read_records(heard.path))
    await heard.journal.close()


async def test_run_and_turn_are_those_that_are_open(tmp_path):
    heard = Heard(tmp_path / "log.jsonl")
    journal = heard.journal
    journal.record("notice", {"message": "before"})
    journal.record("agent_start", {"inputs": []}, run="run_1")
    journal.record("turn_start", {"turn": 1}, turn=1)
    journal.tell("message_update", {})
    journal.record("turn_end", {"turn": 1})
    journal.record("agent_end", {"stopReason": "complete"})
    journal.record("notice", {"message": "after"})
    assert [(event.run, event.turn) for event in heard.events] == [
        (None, None),
        ("run_1", None),
        ("run_1", 1),
        ("run_1", 1),
        ("run_1", 1),
        ("run_1", None),
        (None, None),
    ]
    await journal.close()


async def test_what_is_to_be_durable_is_heard_after_the_sync_and_nothing_overtakes_it(tmp_path):
    synced = asyncio.Event()
    syncing = asyncio.Event()

    class SlowLog(SessionLog):
        async def sync(self) -> None:
            syncing.set()
            await synced.wait()
            await super().sync()

    heard = Heard(tmp_path / "log.jsonl", SlowLog)
    durable = asyncio.ensure_future(heard.journal.record_durably("turn_end", {"turn": 1}))
    await syncing.wait()
    heard.journal.record("queue_update", {"items": []})
    heard.journal.tell("state", {"state": "tool"})
    assert heard.events == []
    synced.set()
    await durable
    assert heard.types == [("turn_end", 1), ("queue_update", 2), ("state", None)]
    await heard.journal.close()


async def test_what_could_not_be_synced_is_not_heard_and_nothing_is_recorded_after_it(tmp_path):
    heard = Heard(tmp_path / "log.jsonl", failing_log(lambda record: True, sync=True))
    with pytest.raises(LogError):
        await heard.journal.record_durably("turn_end", {"turn": 1})
    with pytest.raises(LogError, match="open the session again"):
        heard.journal.record("notice", {"message": "x"})
    heard.journal.tell("turn_end", {"turn": 1})
    assert heard.types == [("turn_end", None)]
    await heard.journal.close()


async def test_what_is_not_json_breaks_the_journal_and_is_not_kept(tmp_path):
    heard = Heard(tmp_path / "log.jsonl")
    with pytest.raises(LogError, match="notice"):
        heard.journal.record("notice", {"message": object()})
    assert heard.journal.broken
    assert heard.path.read_bytes() == b""
    assert heard.journal.picture.seq == 0
    await heard.journal.close()


async def test_who_has_stopped_listening_hears_nothing_and_may_stop_while_it_is_told(tmp_path):
    heard = Heard(tmp_path / "log.jsonl")
    order = []

    def once(event: Emitted) -> None:
        order.append("once")
        stop()

    stop = heard.bus.listen(once)
    heard.bus.listen(lambda event: order.append("always"))
    heard.journal.tell("state", {})
    heard.journal.tell("state", {})
    stop()
    heard.stop()
    heard.journal.tell("state", {})
    assert order == ["once", "always", "always", "always"]
    assert len(heard.events) == 2
    await heard.journal.close()


async def test_what_comes_during_a_sync_that_fails_is_heard_without_a_number(tmp_path):
    """Whoever waits for the end of a run must hear of it, though another's change could not be synced."""
    fail, syncing = asyncio.Event(), asyncio.Event()

    class BrokenDisk(SessionLog):
        async def sync(self) -> None:
            syncing.set()
            await fail.wait()
            raise LogError("The session log can't be synced: input/output error")

    heard = Heard(tmp_path / "log.jsonl", BrokenDisk)
    durable = [asyncio.ensure_future(heard.journal.record_durably("checkpoint", {"uri": u})) for u in "ab"]
    await syncing.wait()
    heard.journal.record("agent_end", {"stopReason": "aborted"})
    heard.journal.tell("revert_end", {"cut": True})
    fail.set()
    outcomes = await asyncio.gather(*durable, return_exceptions=True)
    assert [type(each) for each in outcomes] == [LogError, LogError]
    assert heard.types == [("agent_end", None), ("revert_end", None)]
    await heard.journal.close()


async def test_a_record_that_can_not_be_written_takes_no_number_from_one_that_is_being_synced(tmp_path):
    synced, syncing = asyncio.Event(), asyncio.Event()

    class FullDisk(SessionLog):
        def append(self, line: bytes) -> None:
            if syncing.is_set():
                raise LogError("The session log can't be written: no space left on device")
            super().append(line)

        async def sync(self) -> None:
            syncing.set()
            await synced.wait()
            await super().sync()

    heard = Heard(tmp_path / "log.jsonl", FullDisk)
    durable = asyncio.ensure_future(heard.journal.record_durably("turn_end", {"turn": 1}))
    await syncing.wait()
    with pytest.raises(LogError):
        heard.journal.record("notice", {"message": "x"})
    synced.set()
    await durable
    assert heard.types == [("turn_end", 1)]
    await heard.journal.close()
