"""Which tasks of a batch are done, skipped, done again or left, and what is told of them."""

import asyncio
import errno
import json
import os

import pytest

from steersman.batch.errors import BatchError
from steersman.batch.folder import PREDICTIONS, OutputFolder
from steersman.batch.locking import take
from steersman.batch.run import Batch
from support.batches import FakeDoer, an_order, lost, result_of

NAMES = ("one", "two", "three")


@pytest.fixture
def folder(tmp_path):
    folder = OutputFolder.open(tmp_path / "out")
    yield folder
    folder.close()


async def run(tmp_path, folder, doer, *, at_once=2, names=NAMES, retry_failed=False, events=None):
    orders = [an_order(tmp_path, name) for name in names]
    batch = Batch(orders, folder, doer, (events if events is not None else []).append)
    return await batch.run(at_once, retry_failed=retry_failed)


def predicted(folder):
    lines = (folder.root / PREDICTIONS).read_text().splitlines()
    return sorted(json.loads(line)["instance_id"] for line in lines)


async def test_each_task_is_done_once_and_has_one_line(tmp_path, folder):
    doer, events = FakeDoer(), []
    summary = await run(tmp_path, folder, doer, events=events)
    assert sorted(doer.done) == sorted(NAMES) == predicted(folder)
    assert (doer.most, doer.closed) == (2, True)
    assert summary.statuses == {"complete": 3}
    assert summary.cost == 1.5
    assert [each["type"] for each in events] == ["batch_start", *["task_end"] * 3, "batch_end"]


async def test_what_is_finished_is_skipped(tmp_path, folder):
    await run(tmp_path, folder, FakeDoer({"two": "error"}))
    doer = FakeDoer()
    summary = await run(tmp_path, folder, doer, names=(*NAMES, "four"))
    assert doer.done == ["four"]
    assert (summary.skipped, dict(summary.statuses)) == (3, {"complete": 3, "error": 1})
    assert predicted(folder) == ["four", "one", "three", "two"]


async def test_with_retry_failed_tasks_that_are_not_complete_are_done_again(tmp_path, folder):
    await run(tmp_path, folder, FakeDoer({"one": "limit", "two": "error"}))
    doer = FakeDoer()
    summary = await run(tmp_path, folder, doer, retry_failed=True)
    assert sorted(doer.done) == ["one", "two"]
    assert summary.statuses == {"complete": 3}
    assert predicted(folder) == sorted(NAMES)
    assert (folder.root / "one/earlier/1/result.json").exists()


async def test_an_aborted_task_is_done_again_unasked(tmp_path, folder):
    doer = FakeDoer(hangs=True)
    batch = Batch([an_order(tmp_path, "one"), an_order(tmp_path, "two")], folder, doer, lambda _: None)
    doer.on_order = lambda _: batch.stop("SIGINT")
    summary = await batch.run(1)
    assert doer.stopped == "SIGINT"
    assert (summary.unfinished, dict(summary.statuses)) == (2, {"aborted": 1})
    assert predicted_or_none(folder) == []
    again = FakeDoer()
    await run(tmp_path, folder, again, names=("one", "two"))
    assert sorted(again.done) == ["one", "two"]
    assert predicted(folder) == ["one", "two"]


def predicted_or_none(folder):
    return predicted(folder) if (folder.root / PREDICTIONS).exists() else []


async def test_a_full_disk_ends_the_batch_and_what_is_done_stays(tmp_path, folder):
    doer, events = FakeDoer({"two": errno.ENOSPC}), []
    summary = await run(tmp_path, folder, doer, at_once=1, events=events)
    assert doer.done == ["one", "two"]
    assert summary.failure == "two: ENOSPC"
    assert summary.unfinished == 2
    assert predicted(folder) == ["one"]
    assert {"type": "task_unwritten", "id": "two", "message": "ENOSPC"} in events
    rest = FakeDoer()
    await run(tmp_path, folder, rest)
    assert sorted(rest.done) == ["three", "two"]


class NoRoom(OutputFolder):
    """No prediction can be written here."""

    def add(self, result):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def test_predictions_that_can_not_be_written_end_the_batch_and_come_with_the_next(tmp_path):
    full = NoRoom.open(tmp_path / "out")
    summary = await run(tmp_path, full, FakeDoer(), at_once=1, names=("one", "two"))
    full.close()
    assert summary.failure == "The predictions can't be written: No space left on device"
    assert summary.unfinished == 1
    folder, rest = OutputFolder.open(tmp_path / "out"), FakeDoer()
    await run(tmp_path, folder, rest, names=("one", "two"))
    folder.close()
    assert rest.done == ["two"]
    assert predicted(folder) == ["one", "two"]


async def test_a_task_whose_worker_was_killed_is_an_error_and_the_others_go_on(tmp_path, folder):
    doer = FakeDoer({"two": lost()})
    order = an_order(tmp_path, "two")
    order.place.root.mkdir()
    order.place.lock.touch()
    order.place.transcript.write_text("so far")
    summary = await run(tmp_path, folder, doer)
    assert summary.statuses == {"complete": 2, "error": 1}
    result = json.loads(order.place.result.read_text())
    assert result["message"].endswith("was killed by SIGKILL. What it had done is in earlier/1.")
    assert (order.place.earlier / "1/transcript.md").read_text() == "so far"
    assert predicted(folder) == sorted(NAMES)


async def test_a_worker_that_died_after_its_result_loses_nothing(tmp_path, folder):
    order = an_order(tmp_path, "two")
    doer = FakeDoer({"two": lost()})
    doer.on_order = lambda each: each.id == "two" and FakeDoer()._written(order, "complete")
    summary = await run(tmp_path, folder, doer)
    assert summary.statuses == {"complete": 3}


async def test_a_task_whose_lost_worker_still_holds_its_folder_is_left_to_the_next_batch(tmp_path, folder):
    order = an_order(tmp_path, "two")
    order.place.root.mkdir()
    held = take(order.place.lock)
    batch = Batch([order], folder, FakeDoer({"two": lost()}), lambda _: None, let_go=0.0)
    summary = await batch.run(1)
    os.close(held)
    assert (dict(summary.statuses), summary.unfinished, summary.failure) == ({}, 1, None)


async def test_when_no_process_can_be_started_nothing_more_is_begun(tmp_path, folder):
    doer = FakeDoer({"one": BatchError("No worker process can be started: No memory.")})
    summary = await run(tmp_path, folder, doer, at_once=1)
    assert summary.failure == "No worker process can be started: No memory."
    assert (doer.done, summary.unfinished) == (["one"], 3)


async def test_a_base_is_removed_with_the_last_task_that_needs_it(tmp_path, folder):
    orders = [an_order(tmp_path, name, base=str(folder.base("w"))) for name in ("one", "two")]
    base = folder.base("w")
    there = []

    def on_order(order):
        base.mkdir(parents=True, exist_ok=True)
        there.append(base.exists())

    doer = FakeDoer({"two": errno.EACCES}, on_order)
    await Batch(orders, folder, doer, lambda _: None).run(1)
    assert base.exists(), "two is to be done yet, from the same beginning"
    await Batch(orders, folder, FakeDoer(), lambda _: None).run(1)
    assert not base.parent.exists()


async def test_a_finished_task_that_says_something_else_now_is_told(tmp_path, folder):
    await run(tmp_path, folder, FakeDoer())
    events = []
    orders = [an_order(tmp_path, name, digest="another") for name in NAMES]
    await Batch(orders, folder, FakeDoer(), events.append).run(1)
    notices = [each["message"] for each in events if each["type"] == "notice"]
    assert len(notices) == 1
    assert notices[0].startswith("3 finished tasks say something else now")


async def test_of_a_workspace_whose_repository_is_not_in_its_copies_it_is_told(tmp_path, folder):
    def told(orders):
        events = []
        return Batch(orders, folder, FakeDoer(), events.append), events

    (tmp_path / "w").mkdir()
    (tmp_path / "w/.git").write_text("gitdir: /repository/.git/worktrees/w\n")
    batch, events = told([an_order(tmp_path, "one", in_place=True)])
    await batch.run(1)
    assert [each for each in events if each["type"] == "notice"] == []
    batch, events = told([an_order(tmp_path, "two"), an_order(tmp_path, "three")])
    await batch.run(1)
    (notice,) = [each["message"] for each in events if each["type"] == "notice"]
    assert notice.startswith(f"{tmp_path / 'w'}: a git worktree or submodule")


async def test_what_no_batch_has_made_is_not_touched_and_nothing_is_begun(tmp_path, folder):
    theirs = folder.place("two").workspace / "theirs.txt"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    folder.place("one").root.mkdir()
    doer = FakeDoer()
    with pytest.raises(BatchError, match="two was made by no batch"):
        await run(tmp_path, folder, doer)
    assert (doer.done, theirs.read_text()) == ([], "theirs")


async def test_a_copy_that_a_killed_batch_left_is_removed(tmp_path, folder):
    order = an_order(tmp_path, "one")
    await run(tmp_path, folder, FakeDoer(), names=("one",))
    order.place.workspace.mkdir()
    await run(tmp_path, folder, FakeDoer(), names=("one",))
    assert not order.place.workspace.exists()
    kept = result_of(order, workspace=str(order.place.workspace))
    order.place.workspace.mkdir()
    order.place.result.write_text(json.dumps(kept))
    await run(tmp_path, folder, FakeDoer(), names=("one",))
    assert order.place.workspace.exists()


async def test_after_a_stop_at_the_start_everything_is_left_to_do(tmp_path, folder):
    doer = FakeDoer()
    batch = Batch([an_order(tmp_path, "one")], folder, doer, lambda _: None)
    batch.stop("SIGTERM")
    summary = await asyncio.wait_for(batch.run(3), 30)
    assert (doer.done, summary.unfinished) == ([], 1)
