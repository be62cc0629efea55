"""The queue of a live run: shown and changed while it waits, and each text ends up in exactly one place."""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from steersman.session.errors import Refused
from steersman.session.fold import Fold
from steersman.session.prompts import Composed
from support.fake_tools import Gate
from support.images import png
from support.scripted_model import answer
from support.session_harness import SessionHarness


def queue(h):
    return [(item.kind, item.message.content[0].text) for item in h.session.queue.items]


class Waiting:
    """A run whose first request is held, with three items in its queue."""

    def __init__(self, harness, *responses):
        self.gate = Gate()
        self.h = harness([self.gate, *answer("one")], *responses)
        self.h.model.fallback = answer("more")

    async def begin(self):
        self.run = await self.h.start("go")
        await self.gate.reached.wait()
        said = (("steer", "s1"), ("followUp", "f1"), ("followUp", "f2"))
        self.ids = {text: self.h.manager.add(kind, text).item.id for kind, text in said}
        return self

    async def end(self):
        self.gate.open()
        await self.run.wait()
        return [text for text in texts_of(self.h.session.picture) if text != "go"]


def texts_of(picture: Fold) -> list[str]:
    """What the user has said that is in history."""
    return [message.content[0].text for message in picture.messages if message.role == "user"]


# What can be done


async def test_what_waits_has_ids_and_is_told_with_them(harness):
    w = await Waiting(harness).begin()
    told = w.h.of("queue_update")[-1]["items"]
    assert told == [
        {"id": w.ids["s1"], "kind": "steer", "text": "s1"},
        {"id": w.ids["f1"], "kind": "followUp", "text": "f1"},
        {"id": w.ids["f2"], "kind": "followUp", "text": "f2"},
    ]
    assert all(id.startswith("in_") for id in w.ids.values()) and len(set(w.ids.values())) == 3
    await w.end()


async def test_an_edited_item_is_delivered_with_its_new_text_in_its_old_place(harness):
    w = await Waiting(harness).begin()
    w.h.session.queue.edit(w.ids["f1"], "better")
    assert queue(w.h) == [("steer", "s1"), ("followUp", "better"), ("followUp", "f2")]
    assert w.h.of("queue_update")[-1]["items"][1] == {
        "id": w.ids["f1"],
        "kind": "followUp",
        "text": "better",
    }
    assert await w.end() == ["s1", "better", "f2"]


async def test_a_removed_item_is_given_back_and_never_delivered(harness):
    w = await Waiting(harness).begin()
    (removed,) = w.h.session.queue.remove(w.ids["f1"])
    assert removed.message.content[0].text == "f1"
    assert w.h.of("queue_update")[-1]["removed"] == [w.ids["f1"]]
    assert await w.end() == ["s1", "f2"]
    assert w.h.end["undelivered"] == []


async def test_a_cleared_queue_gives_everything_back(harness):
    w = await Waiting(harness).begin()
    assert [item.message.content[0].text for item in w.h.session.queue.clear()] == ["s1", "f1", "f2"]
    assert w.h.of("queue_update")[-1] == {"items": [], "removed": list(w.ids.values())}
    told = len(w.h.of("queue_update"))
    assert w.h.session.queue.clear() == ()
    assert len(w.h.of("queue_update")) == told, "nothing has changed"
    assert await w.end() == []


@pytest.mark.parametrize(
    ("text", "to", "kind", "after"),
    [
        ("f2", 0, None, ["steer s1", "followUp f2", "followUp f1"]),
        ("f1", None, None, ["steer s1", "followUp f2", "followUp f1"]),
        ("f1", 99, None, ["steer s1", "followUp f2", "followUp f1"]),
        ("f1", 0, None, ["steer s1", "followUp f1", "followUp f2"]),
        ("f2", None, "steer", ["steer s1", "steer f2", "followUp f1"]),
        ("f2", 0, "steer", ["steer f2", "steer s1", "followUp f1"]),
        ("s1", 1, "followUp", ["followUp f1", "followUp s1", "followUp f2"]),
    ],
)
async def test_a_moved_item_is_delivered_from_its_new_place(harness, text, to, kind, after):
    w = await Waiting(harness).begin()
    w.h.session.queue.move(w.ids[text], to, kind)
    assert [f"{kind} {text}" for kind, text in queue(w.h)] == after
    assert [item["id"] for item in w.h.of("queue_update")[-1]["items"]] == [
        w.ids[each.split()[1]] for each in after
    ]
    assert await w.end() == [each.split()[1] for each in after]


async def test_a_change_before_the_release_is_told_with_the_queue_after_the_start(harness):
    h = harness(answer("one"), answer("two"))
    run = await h.manager.start(h.request())
    one, two = (h.manager.add("followUp", text).item.id for text in ("one", "two"))
    h.session.queue.edit(one, "only")
    h.session.queue.remove(two)
    assert h.types == ["session"]
    run.release()
    await run.wait()
    assert h.of("queue_update")[0] == {"items": [{"id": one, "kind": "followUp", "text": "only"}]}
    assert texts_of(h.session.picture) == ["go", "only"]


# What comes too late


def too_late(h, item_id):
    """The refusals of every change of one item."""
    changes = (
        lambda: h.session.queue.edit(item_id, "x"),
        lambda: h.session.queue.remove(item_id),
        lambda: h.session.queue.move(item_id, 0, "steer"),
    )
    for change in changes:
        with pytest.raises(Refused) as refused:
            change()
        yield refused.value


async def test_an_item_that_has_gone_to_the_model_is_refused_by_name(harness):
    second = Gate()
    w = await Waiting(harness, [second, *answer("two")]).begin()
    w.gate.open()
    await second.reached.wait()
    told = len(w.h.of("queue_update"))
    for refusal in too_late(w.h, w.ids["s1"]):
        assert refusal.code == "unknownItem"
        assert refusal.data == {"session": w.h.session.id, "run": w.run.id, "id": w.ids["s1"]}
        assert w.ids["s1"] in str(refusal)
    assert len(w.h.of("queue_update")) == told
    second.open()
    assert await w.end() == ["s1", "f1", "f2"]


async def test_after_the_end_no_item_is_there_to_change(harness):
    w = await Waiting(harness).begin()
    w.h.manager.abort()
    await w.run.wait()
    for refusal in too_late(w.h, w.ids["f1"]):
        assert (refusal.code, refusal.data["id"]) == ("notRunning", w.ids["f1"])
    assert [item["text"] for item in w.h.end["undelivered"]] == ["s1", "f1", "f2"]
    assert w.h.session.queue.clear() == ()


async def test_what_is_changed_while_the_run_aborts_is_handed_back_as_it_is_then(harness):
    w = await Waiting(harness).begin()
    w.h.manager.abort()
    w.h.session.queue.edit(w.ids["s1"], "later")
    w.h.session.queue.remove(w.ids["f1"])
    await w.run.wait()
    assert w.h.end["undelivered"] == [
        {"kind": "steer", "text": "later"},
        {"kind": "followUp", "text": "f2"},
    ]


async def test_what_was_removed_is_not_handed_back_after_a_crash(harness):
    w = await Waiting(harness).begin()
    w.h.session.queue.edit(w.ids["f2"], "better")
    w.h.session.queue.move(w.ids["f2"], 0, "steer")
    w.h.session.queue.remove(w.ids["f1"])
    end = w.h.session.picture.closers()[-1]["data"]
    assert end["undelivered"] == [{"kind": "steer", "text": "better"}, {"kind": "steer", "text": "s1"}]
    await w.end()


# Anything, at any instant

KINDS = st.sampled_from(["steer", "followUp"])
ITEM = st.integers(0, 7)
"""Of all that were ever queued, also those that have gone."""
OPS = st.one_of(
    st.tuples(st.just("add"), KINDS),
    st.tuples(st.just("add"), KINDS),
    st.tuples(st.just("edit"), ITEM),
    st.tuples(st.just("remove"), ITEM),
    st.tuples(st.just("move"), ITEM, st.none() | st.integers(0, 3), st.none() | KINDS),
    st.just(("clear",)),
    st.just(("answer",)),
    st.tuples(st.just("turn"), st.integers(1, 8)),
    st.just(("abort",)),
)


class Story:
    """A run whose model answers when the story says so, and what must have become of each text."""

    def __init__(self, base: Path) -> None:
        self.h = SessionHarness(base)
        self._go = asyncio.Semaphore(0)
        self._asked = asyncio.Event()
        self.h.model.fallback = [self._wait_for_leave, *answer("ok")]
        self.texts: dict[str, str] = {}
        """By id, as it is now."""
        self.removed: list[str] = []

    async def begin(self) -> None:
        self.run = await self.h.manager.start(self.h.request("go"))
        self.run.release()

    async def do(self, name: str, *args) -> None:
        if name == "turn":
            for _ in range(args[0]):
                await asyncio.sleep(0)
        elif name == "answer":
            await self._answer()
        elif name == "abort":
            self.h.manager.abort()
        else:
            try:
                getattr(self, f"_{name}")(*args)
            except Refused as refusal:
                assert refusal.code in ("unknownItem", "notRunning", "aborting")
        self.check()

    async def _wait_for_leave(self, _) -> None:
        self._asked.set()
        await self._go.acquire()

    async def _answer(self) -> None:
        """Lets the model answer, and returns when it is asked again or the run has ended."""
        self._asked.clear()
        self._go.release()
        asked = asyncio.create_task(self._asked.wait())
        await asyncio.wait({asked, self.run.task}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)

    def _add(self, kind) -> None:
        text = f"text {len(self.texts) // 2}"  # some are the same
        self.texts[self.h.manager.add(kind, text).item.id] = text

    def _edit(self, index) -> None:
        if item := self._item(index):
            self.h.session.queue.edit(item, f"edited {self.texts[item]}"[-40:])
            self.texts[item] = f"edited {self.texts[item]}"[-40:]

    def _remove(self, index) -> None:
        if item := self._item(index):
            self._gone(self.h.session.queue.remove(item))

    def _move(self, index, to, kind) -> None:
        if item := self._item(index):
            self.h.session.queue.move(item, to, kind)

    def _clear(self) -> None:
        self._gone(self.h.session.queue.clear())

    def _item(self, index) -> str | None:
        return list(self.texts)[index] if index < len(self.texts) else None

    def _gone(self, items) -> None:
        for item in items:
            text = item.message.content[0].text
            assert self.texts[item.id] == text
            self.removed.append(text)

    def check(self) -> None:
        """Each text is in one place: as a crash in this instant would leave it, and as it is."""
        picture = self.h.session.picture
        closers = picture.closers()
        left = closers[-1]["data"]["undelivered"] if closers else self._handed_back()
        found = [*texts_of(picture), *(item["text"] for item in left), *self.removed]
        if self.h.of("agent_start"):
            assert Counter(found) == Counter(["go", *self.texts.values()])

    def _handed_back(self) -> list[dict[str, str]]:
        return self.h.end["undelivered"] if self.h.of("agent_end") else []

    async def end(self) -> None:
        for _ in range(len(self.texts) + 2):
            self._go.release()
        await self.run.wait()
        assert self.h.session.queue.items == ()
        self.check()
        self.h.verify()


@given(st.lists(OPS, max_size=30))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([("turn", 8), ("add", "steer"), ("answer",), ("remove", 0), ("add", "followUp"), ("edit", 1)])
@example([("add", "steer"), ("abort",), ("turn", 3)])
@example([("add", "followUp"), ("add", "followUp"), ("edit", 1), ("remove", 0), ("abort",), ("clear",)])
async def test_every_text_ends_up_exactly_once_delivered_handed_back_removed_or_waiting(ops):
    with tempfile.TemporaryDirectory() as base:
        story = Story(Path(base))
        await story.begin()
        for op in ops:
            await story.do(*op)
        await story.end()
        await story.h.close()


async def test_what_is_said_when_no_run_is_live_or_it_has_just_ended_comes_back(harness):
    refused = []

    def say(_: str) -> None:
        """The window is looked up while the end is told: the run is live, and takes nothing more."""
        if h.of("turn_end"):
            with pytest.raises(Refused) as caught:
                h.session.queue.add("steer", Composed("late"))
            refused.append(caught.value)

    h = harness(answer("one"))
    h.services.window = say
    await h.run()
    with pytest.raises(Refused) as caught:
        h.session.queue.add("followUp", Composed("later"))
    refused.append(caught.value)
    assert [(str(each), each.data["text"]) for each in refused] == [
        ("The run has just ended.", "late"),
        ("No run is live in this session.", "later"),
    ]


async def test_of_an_edited_item_too_the_user_hears_what_is_missing_and_what_the_model_does_not_see(harness):
    w = await Waiting(harness).begin()
    w.h.services.takes_images = lambda _: False
    (w.h.root / "a.png").write_bytes(png())
    await w.h.manager.edit_queued(w.h.session, w.ids["f1"], "compare @a.png with @a.pmg")
    missing, blind = (data["message"] for data in w.h.of("notice"))
    assert "Did you mean a.png?" in missing
    assert "not known to take images" in blind
    await w.end()
