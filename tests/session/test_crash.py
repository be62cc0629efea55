"""What is left of a session after a crash, a full disk or the end of its server, and that it goes on from there."""

import asyncio
import json
import shutil
from collections import Counter

import pytest

from steersman.session.errors import Refused
from steersman.session.fold import closed, fold
from steersman.session.log import SessionLog
from steersman.session.log_picture import read_picture
from steersman.session.log_reading import read_records
from support.event_checker import check_conversation
from support.fake_tools import FakeTool, Gate, ignores_everything
from support.rich_session import RICH, rich_person, rich_session
from support.scripted_model import answer, call
from support.session_harness import (
    Person,
    SessionHarness,
    check_wire,
    elapse,
    failing_log,
    keys,
    silence,
)


async def rich(harness) -> tuple[SessionHarness, str]:
    h = harness(*RICH, person=rich_person())
    session = await rich_session(h)
    return h, session


async def test_a_rich_session_holds_about_everything(harness):
    h, _ = await rich(harness)
    kinds = {record["type"] for record in h.records()}
    assert kinds >= {
        *("session", "config", "agent_start", "turn_start", "message_start", "message_end", "turn_end"),
        *("tool_execution_start", "tool_execution_running", "tool_execution_end", "agent_end", "retry"),
        *("approval_requested", "approval_resolved", "checkpoint", "edit_applied", "queue_update"),
    }
    assert {"ok", "denied", "unknownTool", "badArguments", "failed", "truncated"} == set(h.outcomes)
    assert [data["stopReason"] for data in h.of("agent_end")] == ["complete", "aborted", "error"]
    assert h.of("agent_end")[0]["text"] == "Tidy."


async def test_cut_after_any_record_a_session_loads_closed_and_goes_on(harness):
    h, session = await rich(harness)
    await h.close()
    whole = h.path(session).read_bytes().splitlines(keepends=True)
    person = Person()
    h.person = person
    for count in range(len(whole) + 1):
        h.path(session).write_bytes(
            b"".join(whole[:count]) + (whole[count][:-1] if count < len(whole) else b"")
        )
        h.events.clear()
        before = closed(read_picture(h.path(session)))
        h.restart(answer("going on"))
        await h.manager.resume(session)
        once = h.path(session).read_bytes()
        records = list(read_records(h.path(session)))
        assert records[0]["type"] == "session"
        assert [json.loads(line) for line in whole[:count]] == records[:count], "history is never rewritten"
        assert keys(h.session.picture.messages) == keys(before.messages), "a reader sees the same"
        check_wire(records)
        check_conversation(fold(records).messages)
        open_runs = Counter(r["type"] for r in records if r["type"] in ("agent_start", "agent_end"))
        assert open_runs["agent_start"] == open_runs["agent_end"]
        await h.close()
        h.restart(answer("going on"))
        run = await h.run("go on", session=session)
        assert h.path(session).read_bytes().startswith(once), "what was closed is not closed again"
        assert run.end.stop_reason == "complete"
        check_conversation(h.model.requests[0].messages)
        await h.close()
    h.events.clear()


async def test_a_crash_tells_apart_what_had_begun_what_had_not_and_what_was_being_asked(harness):
    h, session = await rich(harness)
    await h.close()
    whole = h.path(session).read_bytes().splitlines(keepends=True)
    texts = {}
    for name, kind in (
        ("running", "tool_execution_running"),
        ("asked", "approval_requested"),
        ("answered", "approval_resolved"),
        ("committed", "message_end"),
    ):
        at = next(
            i
            for i, line in enumerate(whole)
            if json.loads(line)["type"] == kind
            and (kind != "message_end" or json.loads(line)["data"].get("role") == "assistant")
            and json.loads(line)["seq"] > 20
        )
        h.path(session).write_bytes(b"".join(whole[: at + 1]))
        picture = closed(read_picture(h.path(session)))
        first = next(m for m in reversed(picture.messages) if m.role == "assistant").tool_calls[0].id
        result = next(m for m in picture.messages if m.role == "tool" and m.tool_call_id == first)
        texts[name] = (result.outcome, result.text)
    assert texts["running"][0] == "aborted"
    assert "effects may be partial" in texts["running"][1]
    assert texts["asked"] == (
        "notExecuted",
        "Not executed: the run was interrupted while the user was being asked, and nobody answered.",
    )
    assert texts["answered"] == texts["committed"]
    assert texts["committed"] == ("notExecuted", "Not executed: the run was interrupted.")
    h.path(session).write_bytes(b"".join(whole))


async def test_what_was_said_and_not_delivered_before_a_crash_is_handed_back(harness):
    gate = Gate()

    async def work(*_: object) -> str:
        await gate()
        return "done"

    h = harness(answer("", call("work")), tools=[FakeTool("work", work)])
    h.model.fallback = answer("ok")
    run = await h.start("the task")
    await gate.reached.wait()
    h.manager.add("steer", "this")
    h.manager.add("followUp", "that")
    copy = h.path().read_bytes()
    gate.open()
    await run.wait()
    await h.close()
    lines = copy.splitlines(keepends=True)
    h.path(run.session).write_bytes(copy)
    end = _closing(h, run.session)
    assert end["undelivered"] == [{"kind": "steer", "text": "this"}, {"kind": "followUp", "text": "that"}]
    started = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "agent_start")
    h.path(run.session).write_bytes(b"".join(lines[: started + 1]))
    assert _closing(h, run.session)["undelivered"] == [{"kind": "prompt", "text": "the task"}]
    h.events.clear()
    h.path(run.session).unlink()


def test_a_message_that_has_left_the_queue_and_is_in_no_message_yet_is_handed_back():
    def event(kind: str, **data: object) -> dict:
        return {"seq": 1, "run": "run_1", "type": kind, "data": data}

    def item(number: int, kind: str, text: str) -> dict:
        return {"id": f"in_{number}", "kind": kind, "text": text}

    steer, other = item(1, "steer", "this"), item(3, "steer", "not this")
    picture = fold(
        [
            event("agent_start", inputs=[]),
            event("queue_update", items=[steer, other, item(2, "followUp", "thta")]),
            event("queue_update", items=[steer, other, item(2, "followUp", "that")]),
            event("queue_update", items=[steer, item(2, "followUp", "that")], removed=["in_3"]),
            event("queue_update", items=[item(2, "followUp", "that")]),
        ]
    )
    undelivered = picture.closers()[-1]["data"]["undelivered"]
    assert undelivered == [{"kind": "steer", "text": "this"}, {"kind": "followUp", "text": "that"}]
    message = {"messageId": "m", "role": "user", "content": [{"type": "text", "text": "this"}]}
    picture.feed(event("message_end", **message))
    undelivered = picture.closers()[-1]["data"]["undelivered"]
    assert undelivered == [{"kind": "followUp", "text": "that"}]


async def test_a_session_knows_what_it_has_used(harness):
    h, session = await rich(harness)
    used = sum(data["usage"]["input"] for data in h.of("agent_end"))
    assert h.session.picture.usage.input == used > 0
    await h.close()
    assert read_picture(h.path(session)).usage.input == used


def _closing(h: SessionHarness, session: str) -> dict:
    closers = read_picture(h.path(session)).closers()
    return closers[-1]["data"]


async def test_the_end_of_an_interrupted_run_says_what_it_had_done(harness):
    h, session = await rich(harness)
    await h.close()
    whole = h.path(session).read_bytes().splitlines(keepends=True)
    end = next(i for i, line in enumerate(whole) if json.loads(line)["type"] == "agent_end")
    told = json.loads(whole[end])["data"]
    h.path(session).write_bytes(b"".join(whole[:end]))
    closing = _closing(h, session)
    changed = {"stopReason": "interrupted", "message": closing["message"]}
    assert closing == told | changed
    assert closing["message"].startswith("Interrupted.")
    assert "continue goes on" in closing["message"]
    h.path(session).write_bytes(b"".join(whole))


async def test_an_interrupted_session_is_shown_so_and_continues(harness):
    h, session = await rich(harness)
    await h.close()
    lines = h.path(session).read_bytes().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if json.loads(line)["type"] == "tool_execution_running")
    h.path(session).write_bytes(b"".join(lines[: cut + 1]))
    h.events.clear()
    h.restart(answer("going on"))
    await h.manager.resume(session)
    h.events.clear()
    (shown,) = h.manager.status()["sessions"]
    assert shown["state"] == "interrupted"
    run = await h.run(None, session=session)
    assert run.end.stop_reason == "complete"
    assert h.model.requests[0].messages[-1].role == "tool"


async def test_a_log_of_a_newer_format_or_of_something_else_is_refused(harness):
    h = harness(answer("one"))
    run = await h.run()
    await h.close()
    path = h.path(run.session)
    good = path.read_bytes()
    for text, said in (
        (good.replace(b'"format":1', b'"format":2'), "format that this version doesn't read"),
        (b'{"seq":1,"type":"other"}\n', "format that this version doesn't read"),
        (b"garbage\n{}\n", "line 1"),
    ):
        path.write_bytes(text)
        h.restart()
        with pytest.raises(Refused, match=said) as refused:
            await h.start(session=run.session)
        assert refused.value.code == "readOnly"
    path.write_bytes(good)


# A log that can't be written


def _kinds() -> list[str]:
    return [
        *("session", "agent_start", "config", "turn_start", "message_start", "message_end", "turn_end"),
        *("tool_execution_start", "tool_execution_running", "tool_execution_end", "agent_end", "retry"),
        *(
            "approval_requested",
            "approval_resolved",
            "edit_start",
            "checkpoint",
            "edit_applied",
            "queue_update",
        ),
    ]


@pytest.mark.parametrize("kind", _kinds())
@pytest.mark.parametrize("sync", [False, True], ids=["full", "unsyncable"])
async def test_a_log_that_fails_ends_the_run_and_memory_holds_nothing_that_it_lacks(harness, kind, sync):
    seen = Counter()
    count = 2 if kind in ("message_end", "tool_execution_end") else 1

    def fails(record: dict) -> bool:
        seen[record["type"]] += 1
        return seen[kind] == count and record["type"] == kind

    h = harness(*RICH, person=rich_person(), log_class=failing_log(fails, sync=sync))
    h.put("a.txt", "one\n")
    h.put("old.txt", "old\n")

    def queue(event) -> None:
        if event.type == "tool_execution_end" and event.data["name"] == "write":
            h.manager.add("steer", "mind the gap")

    h.services.bus.listen(queue)
    if kind == "session" and not sync:
        with pytest.raises(Refused, match="no space left") as refused:
            await h.start("do it")
        assert refused.value.code == "readOnly"
        return
    run = await h.elapsed(await h.start("do it"))
    if kind == "agent_end" and sync:
        return  # everything was told before it could be known
    assert h.types.count("agent_end") == 1
    last = h.events[-1]
    assert (last.type, last.seq) == ("agent_end", None)
    assert last.data["stopReason"] == "error"
    assert last.data["error"]["code"] == "logFailed"
    assert last.run == run.id
    session = h.session
    assert keys(session.picture.messages) == keys(read_picture(h.path()).messages)
    assert session.live is None
    if kind in ("tool_execution_running", "edit_start", "checkpoint"):
        assert not (h.root / "b.txt").exists(), "nothing is done that the log doesn't know of"
    with pytest.raises(Refused) as refused:
        await h.start("again", session=session.id)
    assert refused.value.code == "readOnly"


async def test_a_session_whose_log_failed_goes_on_when_there_is_room_again(harness):
    log_class = failing_log(lambda record: record["type"] == "tool_execution_end")
    h = harness(answer("", call("look")), answer("after"), tools=[FakeTool("look")], log_class=log_class)
    run = await h.run("do it")
    assert h.end["error"]["code"] == "logFailed"
    h.services.log_class = type(h.services).__dataclass_fields__["log_class"].default
    await h.run("again", session=run.session)
    kept = [record["data"].get("stopReason") for record in h.records() if record["type"] == "agent_end"]
    assert kept == ["interrupted", "complete"]
    assert [message.role for message in h.model.requests[-1].messages] == [
        "user",
        "assistant",
        "tool",
        "user",
    ]


# The end of the server


async def test_closing_ends_a_live_run_as_interrupted(harness):
    gate = Gate()
    h = harness([gate, *answer("late")])
    run = await h.start()
    await gate.reached.wait()
    h.manager.add("followUp", "then that")
    await h.close()
    end = h.records(run.session)[-1]
    assert end["type"] == "agent_end"
    assert end["data"]["stopReason"] == "interrupted"
    assert end["data"]["undelivered"] == [{"kind": "followUp", "text": "then that"}]
    assert h.killed == 0


async def test_closing_ends_a_run_that_was_never_released(harness):
    h = harness()
    run = await h.manager.start(h.request("the task"))
    await h.close()
    end = h.records(run.session)[-1]["data"]
    assert end["stopReason"] == "interrupted"
    assert end["undelivered"] == [{"kind": "prompt", "text": "the task"}]
    assert h.model.requests == []


async def test_closing_withdraws_the_question_that_is_open(harness):
    person = Person(silence)
    h = harness(answer("", call("write", {"path": "a.txt", "content": "x"})), person=person)
    run = await h.start()
    await person.shown.wait()
    await h.close()
    kinds = [record["type"] for record in h.records(run.session)]
    assert kinds[-4:] == ["approval_resolved", "tool_execution_end", "turn_end", "agent_end"]
    assert not (h.root / "a.txt").exists()


async def test_a_run_that_doesnt_stop_is_closed_as_after_a_crash_in_bounded_time(harness):
    release = asyncio.Event()

    began_work = asyncio.Event()

    async def stubborn(*_: object) -> str:
        began_work.set()
        await ignores_everything(release)
        return "at last"

    h = harness(answer("", call("work")), tools=[FakeTool("work", stubborn)])
    run = await h.start()
    await began_work.wait()
    began = h.clock.now
    closing = asyncio.ensure_future(h.manager.close())
    await elapse(h.clock, closing)
    limits = h.services.limits
    assert h.killed == 1, "commands are ended once the patience is over"
    assert h.clock.now - began <= limits.close + limits.grace + limits.close
    records = h.records(run.session)
    assert records[-1]["type"] == "agent_end"
    assert records[-1]["data"]["stopReason"] == "interrupted"
    assert "effects may be partial" in records[-3]["data"]["content"][0]["text"]
    release.set()
    await elapse(h.clock, run.task)
    assert h.records(run.session) == records
    assert h.types.count("agent_end") == 1


async def test_what_was_left_running_is_awaited_at_the_close_and_its_end_is_told(harness):
    release, began_work = asyncio.Event(), asyncio.Event()

    async def stubborn(*_: object) -> str:
        began_work.set()
        await ignores_everything(release)
        return "at last"

    h = harness(answer("", call("work")), tools=[FakeTool("work", stubborn)])
    run = await h.start()
    await began_work.wait()
    h.manager.abort()
    await h.elapsed(run)
    assert "still running when the run ended" in h.results()[0]
    closing = asyncio.ensure_future(h.manager.close())
    await asyncio.sleep(0)
    release.set()
    await closing
    last = h.records(run.session)[-1]
    assert last["type"] == "notice"
    assert last["data"]["message"] == "work, left running after an abort, ended by itself."
    assert "run" not in last


async def test_nothing_is_begun_once_the_server_is_closing(harness):
    h = harness(answer("one"))
    run = await h.run()
    await h.close()
    for request in (h.request(), h.request(session=run.session)):
        with pytest.raises(Refused) as refused:
            await h.manager.start(request)
        assert refused.value.code == "shuttingDown"


@pytest.mark.parametrize(
    "work",
    [
        lambda manager, session, said: manager.library.resume(session),
        lambda manager, session, said: manager.library.go_back(session, said),
        lambda manager, session, said: manager.library.fork(session),
        lambda manager, session, said: manager.library.rename(session, "another"),
        lambda manager, session, said: manager.library.delete(session),
        lambda manager, session, said: manager.reverts.preview(session, said),
        lambda manager, session, said: manager.reverts.revert(session, said),
    ],
    ids=["resume", "go back", "fork", "rename", "delete", "preview", "revert"],
)
async def test_no_session_is_opened_once_the_server_is_closing(harness, work):
    h = harness(answer("one"))
    run = await h.run()
    said = h.of("message_end")[0]["messageId"]
    await h.close()
    with pytest.raises(Refused) as refused:
        await work(h.manager, run.session, said)
    assert refused.value.code == "shuttingDown"
    log, _ = SessionLog.open(h.path(run.session))
    await log.close()


async def test_a_start_that_is_overtaken_by_the_close_is_refused(harness):
    h = harness(answer("one"))
    run = await h.run()
    await h.close()
    h.restart(answer("two"))
    start = asyncio.ensure_future(h.manager.start(h.request(session=run.session)))
    await asyncio.sleep(0)
    await h.close()
    with pytest.raises(Refused) as refused:
        await start
    assert refused.value.code == "shuttingDown"
    log, _ = SessionLog.open(h.path(run.session))
    await log.close()


async def test_two_servers_on_one_session(harness):
    h = harness(answer("one"), answer("two"))
    run = await h.run()
    first = h.manager
    h.restart()
    with pytest.raises(Refused) as refused:
        await h.start(session=run.session)
    assert refused.value.code == "locked"
    seen = await h.manager.events(run.session, run=None, after=0, limit=None)
    assert len(seen["events"]) == len(list(read_records(h.path(run.session)))), "it can be read"
    before = h.path(run.session).read_bytes()
    copy = (await h.manager.library.fork(run.session))["session"]
    assert h.path(run.session).read_bytes() == before, "it can be forked, which does not touch it"
    assert [record["type"] for record in read_records(h.path(copy))].count("agent_end") == 1
    await first.close()


async def test_a_reader_changes_nothing(harness):
    h, session = await rich(harness)
    await h.close()
    whole = h.path(session).read_bytes()
    cut = whole[: len(whole) // 2]
    h.path(session).write_bytes(cut)
    picture = closed(read_picture(h.path(session)))
    check_conversation(picture.messages)
    assert h.path(session).read_bytes() == cut
    h.path(session).write_bytes(whole)
    shutil.rmtree(h.home.preimages)
