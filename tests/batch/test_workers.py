"""A worker process that does not do what it should costs its task, and nothing else."""

import asyncio
import dataclasses
import os

import pytest

from steersman.batch.locking import take
from steersman.batch.workers import Local, WorkerLost, WorkerProcess
from support.batches import an_order, tape
from support.command_line import calls


def ordered(root, name, *turns, **fields):
    return an_order(root, name, model=tape(root / f"{name}.tape", *turns), **fields)


async def test_a_worker_that_can_not_be_aborted_is_killed_after_the_timeout(tmp_path):
    order = ordered(tmp_path, "one", calls(("bash", {"command": "kill -STOP $PPID"})), timeout=0.2)
    worker = await WorkerProcess.start()
    with pytest.raises(WorkerLost, match=r"Killed 0\.2 s after its timeout") as caught:
        await worker.do(order, overdue=0.2)
    assert caught.value.status == "timeout"


async def test_a_worker_with_an_unexpected_exception_is_lost_and_the_next_order_gets_another(tmp_path, capfd):
    local = Local()
    good = ordered(tmp_path, "two", {"text": "Done."})
    bad = dataclasses.replace(good, id="one", turns="three")
    with pytest.raises(WorkerLost, match="has ended with status 1"):
        await local.do(bad)
    assert "TypeError" in capfd.readouterr().err
    assert (await local.do(good))["result"]["status"] == "complete"
    await local.close()


async def test_an_order_after_a_stop_is_not_begun(tmp_path):
    local = Local()
    local.stop("SIGINT")
    answer = await local.do(ordered(tmp_path, "one", calls(("bash", {"command": "sleep 1000"}))))
    assert answer == {"unwritten": "stopped before it began"}
    await local.close()


async def test_an_order_that_is_cancelled_is_aborted_and_waited_for_by_the_close(tmp_path):
    local = Local()
    os.mkfifo(tmp_path / "begun")
    order = ordered(tmp_path, "one", calls(("bash", {"command": f"echo > '{tmp_path}/begun'; sleep 1000"})))
    doing = asyncio.create_task(local.do(order))
    await asyncio.to_thread((tmp_path / "begun").read_bytes)
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
    await local.close()
    os.close(take(order.place.lock))  # raises Held if the worker has not let go of the folder


async def test_a_worker_that_died_while_idle_gets_no_order(tmp_path):
    dead = await WorkerProcess.start()
    dead.kill()
    await dead.close()
    living = await WorkerProcess.one_of([dead])
    answer = await living.do(ordered(tmp_path, "one", {"text": "Done."}))
    assert answer["result"]["status"] == "complete"
    assert await WorkerProcess.one_of([living]) is living
    await living.close()
