"""How many sessions stay open, and what closing one that is not used leaves as it was."""

import asyncio
from pathlib import Path

import pytest

from steersman.extensions import Extension
from steersman.session.errors import Refused
from steersman.session.log import SessionLog
from steersman.session.open_sessions import MAX_IDLE, MAX_KNOWN
from steersman.session.store import Store
from steersman.workspace.roots import Roots
from support.fake_tools import Gate
from support.manual_clock import settle
from support.scripted_model import answer, call
from support.session_harness import Person, SessionHarness


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def open_ids(h: SessionHarness) -> list[str]:
    return [session["session"] for session in h.manager.status()["sessions"]]


def will_write(h: SessionHarness, path: str) -> None:
    """The model's next responses: one that writes a file, and a closing word."""
    said = [answer("")] * len(h.model.requests)
    h.model.responses = [*said, answer("", call("write", {"path": path, "content": path})), answer("done")]


async def fill(h: SessionHarness, count: int = MAX_IDLE + 1) -> None:
    """Runs in so many new sessions."""
    for number in range(count):
        await h.run(f"other {number}")


async def test_descriptors_do_not_grow_with_the_number_of_sessions(harness):
    h = harness()
    h.model.fallback = answer("done")
    await fill(h, 2 * MAX_IDLE)
    before = descriptors()
    await fill(h, 3 * MAX_IDLE)
    assert descriptors() <= before
    assert len(open_ids(h)) <= MAX_IDLE + 1


async def test_sessions_of_the_same_folders_keep_them_once(harness, tmp_path):
    h = harness()
    h.model.fallback = answer("done")
    for folders in ([h.root], [h.root], [h.root, tmp_path]):
        await h.run(roots=Roots(folders))
    first, second, other = (session.kept.roots for session in h.manager._sessions.all())
    assert first is second
    assert [root.path for root in other.folders] == [h.root, tmp_path.resolve()]


async def test_the_sessions_that_were_used_last_stay_open(harness):
    h = harness()
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h, MAX_IDLE - 1)
    await h.run("again", session=first.session)
    await fill(h, 2)
    assert first.session in open_ids(h)


async def test_a_session_that_was_closed_for_want_of_use_goes_on_where_it_was(harness):
    h = harness()
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h)
    assert first.session not in open_ids(h)
    await h.run("second", session=first.session)
    texts = [message.content[0].text for message in h.model.requests[-1].messages]
    assert texts == ["first", "done", "second"]
    assert len(h.records(first.session)) == h.records(first.session)[-1]["seq"]


async def test_its_mode_and_grants_hold_when_it_is_opened_again(harness):
    h = harness(mode="full-auto", person=Person("acceptForSession"))
    h.model.fallback = answer("done")
    first = await h.run("first")
    await h.manager.configure(session=first.session, mode="ask")
    will_write(h, "a.txt")
    await h.run("write", session=first.session)
    await fill(h)
    assert first.session not in open_ids(h)
    will_write(h, "b.txt")
    run = await h.run("write more", session=first.session)
    assert run.mode == "ask"
    assert len(h.of("approval_requested")) == 1
    assert h.text("b.txt") == "b.txt"


async def test_a_closed_session_can_be_configured_and_is_known_as_the_most_recent(harness, tmp_path):
    h = harness()
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h)
    assert (await h.manager.configure(session=first.session, mode="read-only"))["mode"] == "read-only"
    await fill(h)
    assert first.session not in open_ids(h)
    assert (await h.run("second", session=first.session)).mode == "read-only"
    assert h.manager.find.most_recent(h.roots) == first.session


async def test_a_session_with_a_live_run_is_never_closed(harness):
    gate = Gate()
    h = harness([gate, *answer("late")])
    h.model.fallback = answer("done")
    live = await h.start("first")
    await gate.reached.wait()
    await fill(h, 2 * MAX_IDLE)
    gate.open()
    await live.wait()
    assert live.result.end.stop_reason == "complete"


async def test_many_closed_sessions_opened_at_once_all_run(harness):
    h = harness()
    h.model.fallback = answer("done")
    runs = [await h.run(f"run {number}") for number in range(2 * MAX_IDLE)]
    again = await asyncio.gather(*(h.run("again", session=run.session) for run in runs))
    assert {run.result.end.stop_reason for run in again} == {"complete"}


async def test_a_session_that_is_not_used_can_be_opened_by_another_process(harness):
    h = harness()
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h)
    store = Store(h.services)
    journal = await store.open(first.session, h.roots)
    await journal.close()


async def test_of_very_many_sessions_only_the_last_are_known_and_what_was_decided_in_one_stays(harness):
    h = harness()
    h.model.fallback = answer("done")
    sessions = h.manager._sessions
    chosen, plain = await h.run("the first"), await h.run("the second")
    await h.manager.configure(session=chosen.session, mode="read-only")
    for _ in range(MAX_KNOWN + 2 * MAX_IDLE):
        sessions.create(Roots([h.root]))
        sessions.close_unused()
        await asyncio.gather(*sessions._closing.values())
    assert len(sessions._kept) <= MAX_KNOWN
    assert len(sessions._roots) == 1
    assert sessions.knows(chosen.session)
    assert not sessions.knows(plain.session)
    assert (await h.run("again", session=chosen.session)).mode == "read-only"
    again = await h.run("again", session=plain.session)
    assert again.result.end.stop_reason == "complete"


async def test_a_run_that_is_about_to_begin_in_a_session_that_is_deleted_is_refused(harness):
    asked, go_on, closing = asyncio.Event(), asyncio.Event(), asyncio.Event()

    class Lingers(Extension):
        async def close(self):
            closing.set()
            await go_on.wait()

    async def prepare(_: str) -> None:
        if h.events:
            asked.set()
            await closing.wait()

    h = harness(answer("done"), extensions={"lingers": Lingers})
    h.model.fallback = answer("never")
    first = await h.run()
    h.services.prepare_model = prepare
    starting = asyncio.ensure_future(h.manager.start(h.request("again", session=first.session)))
    await asked.wait()
    deleting = asyncio.ensure_future(h.manager.library.delete(first.session))
    with pytest.raises(Refused) as refused:
        await starting
    assert refused.value.code == "unknownSession"
    go_on.set()
    await deleting
    assert h.of("agent_start") == [h.of("agent_start")[0]]


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_session_that_is_being_deleted_is_there_for_nobody_else(harness, is_open):
    h = harness(answer("done"))
    session = (await h.run()).session
    if not is_open:
        await h.close()
        h.restart()
    library = h.manager.library
    said = await asyncio.gather(
        library.delete(session),
        library.delete(session),
        library.rename(session, "another title"),
        h.manager.configure(session=session, mode="auto-edit"),
        return_exceptions=True,
    )
    assert said[0] == {"session": session}
    assert [getattr(each, "code", each) for each in said[1:]] == ["unknownSession"] * 3
    assert open_ids(h) == []
    assert not h.path(session).exists()


async def test_a_session_that_can_not_be_deleted_is_there_for_those_who_wait(harness):
    h = harness(answer("done"), keep_logs=False)
    session = (await h.run()).session
    said = await asyncio.gather(
        h.manager.library.delete(session), h.manager.resume(session), return_exceptions=True
    )
    assert [getattr(each, "code", each) for each in said] == ["readOnly", h.session]
    h.model.fallback = answer("more")
    assert (await h.run("again", session=session)).end.stop_reason == "complete"


async def test_a_deletion_whose_caller_is_cancelled_is_done_all_the_same(harness):
    gone = asyncio.Event()

    async def also(_: str) -> None:
        gone.set()

    h = harness(answer("done"))
    session = (await h.run()).session
    deleting = asyncio.ensure_future(h.manager.library.delete(session, also))
    await asyncio.sleep(0)
    assert deleting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deleting
    with pytest.raises(Refused) as refused:
        await h.manager.resume(session)
    assert refused.value.code == "unknownSession"
    assert open_ids(h) == []
    assert gone.is_set()


async def test_a_session_that_is_wanted_while_it_is_being_closed_is_opened_again_after_that(harness):
    closing, go_on = asyncio.Event(), asyncio.Event()

    class Lingers(Extension):
        async def close(self):
            closing.set()
            await go_on.wait()

    h = harness(extensions={"lingers": Lingers})
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h)
    await closing.wait()
    again = asyncio.ensure_future(h.run("again", session=first.session))
    await settle()
    assert not again.done()
    go_on.set()
    assert (await again).end.stop_reason == "complete"


async def test_a_session_that_can_not_be_made_gives_its_log_back(harness):
    h = harness(answer("done"))
    run = await h.run()
    await h.close()
    h.restart()
    make_tools = h.services.make_tools

    def fails(_):
        raise RuntimeError("no tools today")

    h.services.make_tools = fails
    with pytest.raises(RuntimeError):
        await h.manager.resume(run.session)
    h.services.make_tools = make_tools
    assert (await h.manager.resume(run.session)).id == run.session


async def test_a_session_that_fails_to_close_is_told_of_in_the_log(harness, caplog):
    class Stuck(SessionLog):
        async def close(self) -> None:
            await super().close()
            raise OSError("input/output error")

    h = harness(log_class=Stuck)
    h.model.fallback = answer("done")
    first = await h.run("first")
    await fill(h)
    await settle()
    assert f"the session {first.session} could not be closed" in caplog.text
    last = open_ids(h)[-1]
    await h.close()  # the others, and the connections to models, are closed all the same
    assert f"the session {last} could not be closed" in caplog.text


async def test_a_session_that_is_about_to_be_used_stays_open_however_long_it_was_idle(harness):
    h = harness()
    h.model.fallback = answer("done")
    first = await h.run("first")
    with h.manager._sessions.wanted(first.session):
        await fill(h)
        assert first.session in open_ids(h)
    await h.run("another")
    assert first.session not in open_ids(h)
