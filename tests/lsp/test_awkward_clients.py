"""Whatever a user does in whatever order, at whatever client: nothing changes without a yes, nothing that they typed is
lost, every call has its result and what the model is told is true, and the next prompt works.

`make test` plays some sequences, the same each time. For more, say how many and from which number on; then it is
printed what they have covered:

    STEERSMAN_SEQUENCES=20000 STEERSMAN_SEED=1 pytest -s tests/lsp/test_awkward_clients.py
"""

import logging
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support import editor_client as editors
from support.any_person import Action, Person, put_files
from support.any_sequences import Chance, Drawn, smallest
from support.any_story import Story
from support.any_workspace import AnyModel, World
from support.awkward_client import AwkwardClient
from support.habits import HABITS
from support.in_memory import InMemoryClient, connected, run_alone
from support.lsp_workspace import EVENTS, WINDOW, Desk, desk, edits

SEQUENCES = int(os.environ.get("STEERSMAN_SEQUENCES", "200"))
SEED = os.environ.get("STEERSMAN_SEED", "0")
FACES = {
    "events and questions": {"rich": True, "approval": True},
    "events": {"rich": True, "approval": False},
    "questions": {"rich": False, "approval": True},
    "the floor": {"rich": False, "approval": False},
}


@pytest.mark.parametrize("face", FACES)
def test_nothing_is_lost_untrue_or_done_unasked_whatever_the_user_and_the_client_do(face):
    covered: Counter[str] = Counter()
    for number in range(SEQUENCES // len(FACES)):
        chance = Chance(random.Random(f"{SEED}/{face}/{number}"))
        drawn = chance.start(**FACES[face])
        played: list[Action] = []
        try:
            covered.update(play(drawn, chance, played))
        except Exception as error:
            least = smallest(replace(drawn, actions=tuple(played)), partial(fails, as_=type(error)))
            raise AssertionError(f"sequence {number} of seed {SEED}, at the least {least!r}") from error
    if "STEERSMAN_SEQUENCES" in os.environ:
        lines = [f"{count:9} {name}" for name, count in sorted(covered.items())]
        sys.stdout.write("\n".join(["", f"{face}, seed {SEED}", *lines, ""]))


def fails(drawn: Drawn, *, as_: type[Exception]) -> bool:
    try:
        play(drawn)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for or not
        return type(error) is as_
    return False


def play(drawn: Drawn, chance: Chance | None = None, played: list[Action] | None = None) -> Counter[str]:
    """Plays a sequence, or draws it as it goes and writes it down in `played`. Returns what happened, and how often.

    Raises:
        AssertionError: what must hold does not.
    """
    happened: Counter[str] = Counter()

    async def run(base: Path) -> None:
        async with desk(
            base,
            rich=drawn.habits.rich,
            mode=drawn.mode,
            encoding=drawn.habits.encoding,
            workspace=drawn.habits.capabilities(),
            window=WINDOW,
            connect=connected,
            clientInfo={"name": drawn.habits.name},
            initializationOptions={"steersman": _options(drawn)},
        ) as it:
            person = await _at(it, drawn)
            for action in drawn.actions if chance is None else _drawn(chance, person, played):
                await person.do(action)
            await _end(person)
            story = Story(person)
            story.verify()
            await _the_logs_are_to_be_had(story)
            await _the_next_prompt_works(person)
            happened.update(_counted(drawn, person, story))

    with tempfile.TemporaryDirectory() as base, no_errors_logged():
        run_alone(run(Path(base)))
    return happened


def _drawn(chance: Chance, person: Person, played: list[Action] | None) -> Iterator[Action]:
    for _ in range(chance.length):
        action = chance.action(person)
        if played is not None:
            played.append(action)
        yield action


def _options(drawn: Drawn) -> dict[str, Any]:
    token = {"eventToken": EVENTS} if drawn.habits.rich else {}
    return {"version": "1", "approval": drawn.habits.approval, **token}


async def _at(it: Desk, drawn: Drawn) -> Person:
    assert isinstance(it.client, InMemoryClient)
    it.client.twice = drawn.habits.twice
    put_files(it)
    client = AwkwardClient(it.client, drawn.habits, lambda: it.clock.now)
    model = AnyModel(lambda: World.now(it.root, client.editor), [list(turn) for turn in drawn.turns])
    person = Person(it, client, model, drawn.mode)
    it.model.fallback = model.respond
    model.seen = person.look
    it.server.services.bus.listen(lambda event: person.look() if event.type == "edit_applied" else None)
    person.look()
    person.left = {name: (data, None) for name, data in person.states[0].disk.items()}
    for number in drawn.opened:
        await person.do(("open_file", number, True))
    await person.settle()
    return person


async def _end(person: Person) -> None:
    """Nobody does anything any more: what is asked is declined, what is waited for comes, or time runs out."""
    person.model.over = True
    for _ in range(60):
        person.model.go_on()
        for prompt in list(person.client.prompts):
            person.client.reply(prompt, None)
        person.close_shown()
        person.client.catch_up()
        await person.settle()
        await person.decline_what_waits()
        if not await _live(person):
            break
        person.desk.clock.advance(20.0)
        await person.settle()
    person.desk.clock.advance(60.0)
    await person.settle()
    person.look()
    status = await person.desk.command("status")
    assert status["approvals"] == []
    assert [(each["state"], each.get("run")) for each in status["sessions"]] == [
        ("idle", None) for _ in status["sessions"]
    ]
    waiting = len(person.desk.server.rpc.protocol.requests)
    assert waiting == 0, f"{waiting} requests to the client have no end"


async def _live(person: Person) -> bool:
    status = await person.desk.command("status")
    return any("run" in each for each in status["sessions"])


async def _the_logs_are_to_be_had(story: Story) -> None:
    for session, records in story.records.items():
        events: list[Any] = []
        more = True
        while more:
            asked = {"session": session, "after": len(events), "limit": 100}
            page = await story.person.desk.command("events", asked)
            events += page["events"]
            more = page["more"]
        assert (events, page["streaming"]) == (records, None)


async def _the_next_prompt_works(person: Person) -> None:
    person.client.behave()
    where = {"session": person.runs[-1].session} if person.runs else {}
    started = await person.desk.command("start", {"prompt": "one more", "mode": "ask", **where})
    await person.settle()
    (end,) = (
        event["data"]
        for event in Story(person).records[started["session"]]
        if event["type"] == "agent_end" and event["run"] == started["run"]
    )
    assert (end["stopReason"], end["text"]) == ("complete", "done")


def _counted(drawn: Drawn, person: Person, story: Story) -> Counter[str]:
    happened = Counter({"sequences": 1})
    happened.update({f"action: {name}": count for name, count in person.done.items()})
    happened.update(f"habit: {name} = {getattr(drawn.habits, name)}" for name in HABITS)
    happened.update(story.outcomes())
    return happened


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(logging.Formatter().format(record))


@contextmanager
def no_errors_logged() -> Iterator[None]:
    errors, logger = _Errors(), logging.getLogger("steersman")
    logger.addHandler(errors)
    try:
        yield
    finally:
        logger.removeHandler(errors)
    assert errors.texts == []


async def test_a_change_that_the_user_took_back_at_once_is_told_as_taken_back(tmp_path):
    async with desk(tmp_path, *edits("a.txt", ("two", "2"))) as it:
        uri = it.editor.open(it.put("a.txt", "one\ntwo\n"))
        it.editor.behaviour = editors.bundled(("2", "two"))
        run = await it.start(mode="auto-edit")
        await it.ended(run)
        (told,) = it.result_texts()
        assert "changed the file meanwhile as well: it is back to what it was before this change." in told
        assert it.editor.buffers[uri].text == "one\ntwo\n"
