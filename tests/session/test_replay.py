"""Replay: `events` gives what the log has, and a client that missed something ends with the same picture as others."""

import asyncio
import tempfile
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.session.log import SessionLog
from support.fake_tools import FakeTool
from support.manual_clock import settle
from support.replaying_client import SessionPicture
from support.rich_session import RICH, rich_person, rich_session
from support.scripted_model import answer, call
from support.session_harness import SessionHarness


@pytest.mark.parametrize("limit", [None, 1, 7])
async def test_after_any_number_the_events_are_exactly_the_records_of_the_log(harness, limit):
    h = harness(*RICH, person=rich_person())
    session = await rich_session(h)
    records = h.records(session)
    for after in range(len(records) + 2):
        found: list[dict[str, Any]] = []
        more = True
        while more:
            at = found[-1]["seq"] if found else after
            page = await h.manager.events(session, run=None, after=at, limit=limit)
            found += page["events"]
            more = page["more"]
            assert not more or len(page["events"]) == (limit or 1000)
        assert found == records[after:]
    await h.close()


class Pause:
    """The model's next event, and the log's next sync, wait until the test lets them pass."""

    def __init__(self) -> None:
        self.steps = asyncio.Semaphore(0)
        self.synced = asyncio.Event()
        self.synced.set()

    def stream(self, steps):
        async def stream(request, signal):
            for step in steps:
                await self.steps.acquire()
                yield step

        return stream

    @property
    def log_class(self) -> type[SessionLog]:
        synced = self.synced

        class HeldLog(SessionLog):
            async def sync(self) -> None:
                await synced.wait()

        return HeldLog


SCRIPT = (
    answer("Let me think 😀 and look.", call("tool", {"value": 1}), thinking="Hm… 🤔 yes", piece=2),
    answer("", call("tool", {"value": 2}), call("tool", {"value": 3}), piece=4),
    answer("Done, as you 👩‍💻 see.", piece=1),
    answer("One more thing.", piece=3),
)


class Stage:
    """A run, a client that hears all of it, and one on a wire that is cut and loses things."""

    def __init__(self, base: Path) -> None:
        self.pause = Pause()
        self.h = SessionHarness(
            base,
            *(self.pause.stream(steps) for steps in SCRIPT),
            tools=[FakeTool()],
            log_class=self.pause.log_class,
        )
        self.whole, self.picture = SessionPicture(), SessionPicture()
        self.wire: deque[tuple[str, dict[str, Any]]] | None = deque()
        """What is under way to the client, in order; None while it is away."""
        self.question: asyncio.Task[dict[str, Any]] | None = None
        self._questions: list[asyncio.Task[dict[str, Any]]] = []
        self.h.services.bus.listen(self._hear)

    def _hear(self, event) -> None:
        value = {"type": event.type, "data": event.data} | ({} if event.seq is None else {"seq": event.seq})
        self.whole.on_event(value)
        if self.wire is not None:
            self.wire.append(("event", value))

    # What the client does

    def ask(self, limit: int | None) -> None:
        if self.wire is None or self.question is not None:
            return
        wire, after = self.wire, self.picture.seq
        question = asyncio.create_task(
            self.h.manager.events(self.run.session, run=None, after=after, limit=limit)
        )
        self.question = question
        self._questions.append(question)
        question.add_done_callback(lambda done: wire.append(("answer", done.result())))

    def take(self, count: int) -> None:
        while self.wire and count:
            kind, message = self.wire.popleft()
            if kind == "event":
                self.picture.on_event(message)
            else:
                message["events"] = [
                    {"type": record["type"], "data": record["data"], "seq": record["seq"]}
                    for record in message["events"]
                ]
                self.picture.on_answer(message)
                self.question = None
            count -= 1

    def lose(self, index: int) -> None:
        """A notification is lost on the way."""
        events = [at for at, (kind, _) in enumerate(self.wire or ()) if kind == "event"]
        if self.wire is not None and events:
            del self.wire[events[index % len(events)]]

    def cut(self) -> None:
        self.wire, self.question = None, None
        self.picture.on_cut()

    def come_back(self) -> None:
        if self.wire is None:
            self.wire = deque()

    async def catch_up(self, limit: int | None) -> None:
        """Asks until nothing is missing; then both clients see the same."""
        self.pause.synced.set()
        await settle()
        self.come_back()
        asked = False
        while not asked or self.picture.behind or self.question is not None:
            if self.question is None:
                self.ask(limit)
                await asyncio.sleep(0)  # the question has reached the session, which goes on
                self.pause.steps.release()
                asked = True
            if self.question is not None:
                await asyncio.wait({self.question})
            await settle()
            self.take(len(self.wire or ()))
        assert not self.whole.behind
        assert self.picture.events == self.whole.events
        assert self.picture.texts == self.whole.texts

    async def start(self, prompt: str, session: str | None = None) -> None:
        self.run = await self.h.start(prompt, session=session)

    async def play(self, script) -> None:
        await self.start("go")
        for action, number in script:
            limit = number if number < 5 else None
            if action == "step":
                for _ in range(number):
                    self.pause.steps.release()
            elif action == "hold":
                self.pause.synced.clear()
            elif action == "free":
                self.pause.synced.set()
            elif action == "ask":
                self.ask(limit)
            elif action == "take":
                self.take(number)
            elif action == "lose":
                self.lose(number)
            elif action == "cut":
                self.cut()
            elif action == "back":
                self.come_back()
            elif action == "abort":
                self.run.controller.abort()
            elif action == "catch up":
                await self.catch_up(limit)
            if number % 2:
                await settle()

    async def finish(self) -> None:
        self.pause.synced.set()
        for _ in range(1000):
            self.pause.steps.release()
        await self.run.wait()
        await self.start("and more", self.run.session)
        await self.run.wait()
        await self.catch_up(3)
        await asyncio.gather(*self._questions)
        kept = [
            (record["seq"], record["type"], record["data"]) for record in self.h.records(self.run.session)
        ]
        assert [(e["seq"], e["type"], e["data"]) for e in self.picture.events] == kept
        assert self.picture.texts == {}
        await self.h.close()


ACTIONS = st.sampled_from(
    ["step"] * 4 + ["take"] * 3 + ["ask"] * 2 + ["lose", "cut", "back", "back", "hold", "free", "catch up"]
)
SCRIPTS = st.lists(st.tuples(ACTIONS, st.integers(1, 9)), max_size=50)


@settings(max_examples=150, deadline=None)
@given(script=SCRIPTS, abort=st.integers(0, 200))
def test_a_client_that_missed_anything_and_asks_has_the_picture_of_one_that_did_not(script, abort):
    async def run(base: Path) -> None:
        stage = Stage(base)
        await stage.play([*script[:abort], ("abort", 1), *script[abort:]] if abort < len(script) else script)
        await stage.finish()

    with tempfile.TemporaryDirectory() as base:
        asyncio.run(run(Path(base)))
