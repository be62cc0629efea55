"""The event stream under a client that takes little or nothing: records complete and in order, the rest bounded."""

import asyncio
import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.event_stream import EventStream
from steersman.session.journal import EventBus, Journal
from steersman.session.log import SessionLog
from support.lsp_client import PATIENCE
from support.manual_clock import settle


class Narrow:
    """What the stream sends through: takes so many frames, and tells of room after it has refused one."""

    def __init__(self) -> None:
        self.room: float = 0
        self.refusals = 0
        self.sent = []
        self._refused = False
        self._drained = []
        self._changed = asyncio.Event()

    def on_drained(self, callback) -> None:
        self._drained.append(callback)

    def send_raw_notification(self, method, params_json, *, droppable=False, key=None):
        assert (method, droppable, key) == ("$/progress", True, None)
        self._changed.set()
        if self.room < 1:
            self._refused = True
            self.refusals += 1
            return False
        self.room -= 1
        params = json.loads(params_json)
        assert params["token"] == "events"
        self.sent.append(params["value"])
        return True

    def give(self, frames: float) -> None:
        self.room += frames
        if self._refused:
            self._refused = False
            for callback in self._drained:
                callback()

    def of(self, session: str):
        return [event for event in self.sent if event["session"] == session]

    def seqs(self, session: str):
        return [event["seq"] for event in self.of(session) if "seq" in event]

    async def until(self, holds) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


class Sessions:
    """Journals on real logs, streamed to one narrow client."""

    def __init__(self, base: Path) -> None:
        self.base, self.bus, self.client = base, EventBus(), Narrow()
        self.stream = EventStream(self.client, "events", self.path, max_places=2)
        self.bus.listen(self.stream.on_event)
        self.told = []
        self.bus.listen(self.told.append)
        self._journals: dict[str, Journal] = {}

    def path(self, session: str) -> Path:
        return self.base / f"{session}.jsonl"

    def journal(self, session: str) -> Journal:
        if session not in self._journals:
            log = SessionLog.create(self.path(session))
            self._journals[session] = Journal(session, log, self.bus, lambda: 1.0)
        return self._journals[session]

    def record(self, session: str, message: str = "x") -> None:
        self.journal(session).record("notice", {"message": message})

    async def close(self) -> None:
        await self.stream.close()
        for journal in self._journals.values():
            await journal.close()


async def test_with_room_everything_is_sent_at_once(tmp_path):
    it = Sessions(tmp_path)
    it.client.give(10)
    it.record("ses_a")
    it.journal("ses_a").tell("message_update", {"text": "x"})
    it.journal("ses_a").tell("state", {"state": "tool"})
    it.record("ses_a")
    assert it.client.sent == [json.loads(event.line) for event in it.told]
    await it.close()


async def test_without_room_records_come_from_the_log_updates_not_at_all_and_the_latest_state_last(tmp_path):
    it = Sessions(tmp_path)
    it.client.give(1)
    for number in range(5):
        it.record("ses_a", str(number))
        it.journal("ses_a").tell("message_update", {"text": str(number)})
        it.journal("ses_a").tell("state", {"state": str(number)})
    await settle()
    it.client.give(100)
    await it.client.until(lambda: it.client.sent[-1]["type"] == "state")
    await settle()
    it.record("ses_a", "live again")
    kinds = [(event["type"], event.get("seq")) for event in it.client.sent]
    assert kinds == [*(("notice", seq) for seq in range(1, 6)), ("state", None), ("notice", 6)]
    assert it.client.sent[-2]["data"] == {"state": "4"}
    await it.close()


async def test_a_client_that_takes_nothing_costs_nothing(tmp_path):
    it = Sessions(tmp_path)
    for number in range(100):
        it.record(f"ses_{number % 3}")
        it.journal(f"ses_{number % 3}").tell("message_update", {"text": "x"})
    await it.client.until(lambda: it.client.refusals == 4)  # one of each session, and one try to catch up
    await settle()
    it.client.give(1)
    await it.client.until(lambda: it.client.sent)
    await it.client.until(lambda: it.client.refusals == 5)
    await settle()
    assert it.client.refusals == 5
    await it.close()


async def test_the_state_of_a_run_that_has_ended_is_not_told_after_its_end(tmp_path):
    it = Sessions(tmp_path)
    it.journal("ses_a").tell("state", {"state": "tool"})
    it.journal("ses_a").record("agent_end", {"stopReason": "complete"})
    it.client.give(100)
    await it.client.until(lambda: it.client.sent)
    await settle()
    assert [event["type"] for event in it.client.sent] == ["agent_end"]
    await it.close()


async def test_an_end_that_the_log_could_not_take_is_sent_in_its_place(tmp_path):
    it = Sessions(tmp_path)
    it.record("ses_a")
    it.journal("ses_a").tell("agent_end", {"stopReason": "error"})
    it.record("ses_a")
    it.client.give(100)
    await it.client.until(lambda: len(it.client.sent) == 3)
    assert [event.get("seq") for event in it.client.sent] == [1, None, 2]
    await it.close()


async def test_numbers_that_the_session_left_out_are_filled_in_from_the_log(tmp_path):
    it = Sessions(tmp_path)
    it.client.give(100)
    it.record("ses_a")
    journal = it.journal("ses_a")
    await journal.close()
    log, _ = SessionLog.open(it.path("ses_a"))
    # As another server does, between two times that the session is open in this one.
    Journal("ses_a", log, EventBus(), lambda: 1.0, journal.picture).record("notice", {"message": "elsewhere"})
    here = Journal("ses_a", log, it.bus, lambda: 1.0, journal.picture)
    here.record("notice", {"message": "here"})
    await it.client.until(lambda: len(it.client.sent) == 3)
    assert it.client.seqs("ses_a") == [1, 2, 3]
    await here.close()
    await it.close()


async def test_a_session_that_is_first_heard_of_late_is_not_replayed_from_its_beginning(tmp_path):
    it = Sessions(tmp_path)
    journal = it.journal("ses_a")
    journal.picture.seq = 40
    it.client.give(100)
    it.record("ses_a")
    assert it.client.seqs("ses_a") == [41]
    await it.close()


async def test_a_log_that_is_gone_leaves_a_gap_and_the_stream_goes_on(tmp_path, caplog):
    it = Sessions(tmp_path)
    it.client.give(1)
    for _ in range(4):
        it.record("ses_a")
    it.record("ses_b")
    it.path("ses_a").unlink()
    it.client.give(100)
    await it.client.until(lambda: it.client.seqs("ses_b") == [1])
    await settle()
    it.record("ses_a")
    assert "records 2 to 4 can't be sent" in caplog.text
    assert it.client.seqs("ses_a") == [1, 5]
    await it.close()


async def test_closing_while_a_session_is_behind_ends_the_work_and_later_events_begin_none(tmp_path):
    it = Sessions(tmp_path)
    it.record("ses_a")
    await settle()
    await it.stream.close()
    it.record("ses_a")
    it.client.give(100)
    await settle()
    assert it.client.sent == []
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
    await it.close()


SESSION = st.sampled_from(["ses_a", "ses_b", "ses_c"])
HAPPENING = st.one_of(
    st.tuples(st.just("record"), SESSION, st.sampled_from([1, 1000, 200_000])),
    st.tuples(st.sampled_from(["message_update", "state", "agent_end"]), SESSION, st.just(1)),
    st.tuples(st.sampled_from(["room", "pause"]), SESSION, st.integers(1, 6)),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(HAPPENING, max_size=60))
def test_however_the_client_takes_it_records_are_complete_in_order_and_none_comes_twice(happenings):
    async def run(base: Path) -> None:
        it = Sessions(base)
        for kind, session, size in happenings:
            if kind == "record":
                it.record(session, "x" * size)
            elif kind == "room":
                it.client.give(size)
            elif kind == "pause":
                await asyncio.sleep(0)
            else:
                it.journal(session).tell(kind, {"state": "tool"})
        it.client.give(float("inf"))
        sessions = {event.session for event in it.told}
        await it.client.until(lambda: all(kept(it, s) == expected(it, s) for s in sessions))
        await settle()
        for session in sessions:
            assert kept(it, session) == expected(it, session)
            states = [event for event in it.told if event.session == session and event.type == "state"]
            sent = [event for event in it.client.of(session) if event["type"] == "state"]
            assert len(sent) <= len(states)
        await it.close()

    with tempfile.TemporaryDirectory() as base:
        asyncio.run(run(Path(base)))


def kept(it: Sessions, session: str):
    """The types and numbers of what was sent and may not be dropped."""
    events = it.client.of(session)
    return [(e["type"], e.get("seq")) for e in events if e["type"] not in ("state", "message_update")]


def expected(it: Sessions, session: str):
    events = [event for event in it.told if event.session == session]
    return [(e.type, e.seq) for e in events if e.type not in ("state", "message_update")]
