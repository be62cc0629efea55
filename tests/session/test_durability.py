"""What is on the disk, and when: before a tool has effects, at the end of a turn, at the end of a run."""

import json

from steersman.agent.events import AgentEnd, RunError
from steersman.session.errors import Refused
from steersman.session.log import SessionLog
from support.fake_tools import Gate
from support.scripted_model import answer, call


def noting_log(notes: list[str]) -> type[SessionLog]:
    """A log that notes what is appended and, as `sync`, when all of it is on the disk."""

    class NotingLog(SessionLog):
        def append(self, line: bytes) -> None:
            super().append(line)
            notes.append(json.loads(line)["type"])

        async def sync(self) -> None:
            await super().sync()
            if notes[-1] != "sync":
                notes.append("sync")

    return NotingLog


async def test_what_a_crash_must_not_lose_is_synced_before_it_matters(harness):
    notes: list[str] = []
    h = harness(
        answer("", call("read", {"path": "a.txt"})),
        answer("", call("write", {"path": "b.txt", "content": "x\n"})),
        answer("done"),
        mode="full-auto",
        log_class=noting_log(notes),
    )
    h.put("a.txt", "one\n")
    await h.run()
    read, write = (i for i, kind in enumerate(notes) if kind == "tool_execution_running")
    assert notes[read + 1] == "tool_execution_end", "reading has no effects"
    assert notes[write + 1 : write + 6] == ["sync", "edit_start", "checkpoint", "sync", "edit_applied"]
    ends = [i for i, kind in enumerate(notes) if kind == "turn_end"]
    assert [notes[i + 1] for i in ends] == ["sync"] * 3
    assert notes[-2:] == ["agent_end", "sync"]


async def test_an_end_that_could_only_be_told_leaves_the_session_to_be_mended(harness):
    """The sink can fail where the log does not: then the log lacks the end, and must not get a next run after it."""
    h = harness(answer("one"))
    run = await h.manager.start(h.request())
    driver = h.session._driver
    assert driver is not None
    driver._sink.begin()
    driver._sink.tell(AgentEnd("error", error=RunError("logFailed", "It failed.")))
    assert h.session.broken
    assert h.session.live is None
    try:
        h.session.begin([], "test:scripted", h.model, "ask", run.budget)
    except Refused as refused:
        assert refused.code == "readOnly"
    else:
        raise AssertionError("begun")
    run.task.cancel()
    await h.run("again", session=run.session)
    ends = [record["data"]["stopReason"] for record in h.records() if record["type"] == "agent_end"]
    assert ends == ["interrupted", "complete"]


def counting_log(notes: list[str]) -> type[SessionLog]:
    """A log that notes every record, and as `fsync` each time that the disk is asked."""

    class CountingLog(SessionLog):
        def append(self, line: bytes) -> None:
            super().append(line)
            notes.append(json.loads(line)["type"])

        def _sync_file(self) -> None:
            notes.append("fsync")
            super()._sync_file()

    return CountingLog


def before_each_sync(notes: list[str]) -> list[str]:
    return [notes[i - 1] for i, kind in enumerate(notes) if kind == "fsync"]


async def test_a_log_is_synced_exactly_at_the_ends_of_turns_and_before_effects(harness):
    """The policy of docs/reliability.md, counted."""
    notes: list[str] = []
    h = harness(
        answer("", call("read", {"path": "a.txt"}), call("ls", {"path": "."})),
        answer(
            "",
            call("write", {"path": "b.txt", "content": "one\n"}),
            call("edit", {"path": "b.txt", "edits": [{"oldText": "one", "newText": "two"}]}),
            call("read", {"path": "b.txt"}),
        ),
        answer("done"),
        mode="full-auto",
        log_class=counting_log(notes),
    )
    h.put("a.txt", "one\n")
    await h.run()
    assert before_each_sync(notes) == [
        "turn_end",
        "tool_execution_running",  # write
        "checkpoint",
        "tool_execution_running",  # edit: the way back of its file is kept already
        "turn_end",
        "turn_end",
        "agent_end",
    ]


async def test_a_run_that_only_talks_is_synced_once_a_turn_and_at_its_end(harness):
    notes: list[str] = []
    h = harness(answer("one"), answer("two"), log_class=counting_log(notes))
    run = await h.run()
    await h.run("again", session=run.session)
    assert before_each_sync(notes) == ["turn_end", "agent_end"] * 2


async def test_an_aborted_run_is_synced_once_after_its_end_is_told(harness):
    notes: list[str] = []
    gate = Gate()
    h = harness([gate, *answer("late")], log_class=counting_log(notes))
    run = await h.start()
    await gate.reached.wait()
    h.manager.abort()
    await run.wait()
    assert h.end["stopReason"] == "aborted"
    assert before_each_sync(notes) == ["agent_end"]


async def test_a_revert_and_a_compaction_are_synced_where_files_change_and_at_the_close(harness):
    notes: list[str] = []
    h = harness(
        answer("", call("write", {"path": "b.txt", "content": "x\n"})),
        answer(f"done {'x' * 9000}", piece=3000),
        answer(f"more {'x' * 9000}", piece=3000),
        answer("## Goal\nall"),
        mode="full-auto",
        log_class=counting_log(notes),
    )
    run = await h.run()
    await h.run("more", session=run.session)
    first = next(data["messageId"] for data in h.of("message_end") if data.get("role") == "user")
    notes.clear()
    await h.manager.compact(run.session, h.roots)
    await h.session.operation.task
    assert before_each_sync(notes) == ["compaction_end"]
    notes.clear()
    await h.manager.reverts.revert(run.session, first)
    await h.session.operation.task
    assert before_each_sync(notes) == ["checkpoint", "revert_end"]
    notes.clear()
    await h.close()
    assert notes == []
