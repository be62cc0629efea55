"""Calls cancelled at any of their steps: files stay complete, and nothing is left over."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable

import pytest

from support.workspace import Bench, Called

STEPS = (*range(24), *range(24, 400, 53))


async def cancelled_after(steps: int, call: Callable[[], Awaitable[Called]]) -> None:
    """Starts the call and cancels it when the event loop has gone round `steps` times."""
    task = asyncio.ensure_future(call())
    for _ in range(steps):
        if task.done():
            break
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled() or not task.result().is_error, task


def nothing_is_left(bench: Bench) -> bool:
    temporary = [path for path in bench.root.rglob("*") if path.name.startswith(".steersman-")]
    return not temporary and not bench.workspace.locks.in_use


@pytest.mark.parametrize("steps", STEPS)
async def test_a_change_that_is_cancelled_is_made_whole_or_not_at_all(bench: Bench, steps: int) -> None:
    file = bench.put("a.txt", "one\ntwo\n")
    content = "line\n" * 1000
    await cancelled_after(
        steps, lambda: bench.call("edit", path="a.txt", edits=[{"oldText": "one", "newText": "1"}])
    )
    assert file.read_text() in ("one\ntwo\n", "1\ntwo\n")
    await cancelled_after(steps, lambda: bench.call("write", path="new/deep/b.txt", content=content))
    written = bench.root / "new/deep/b.txt"
    assert written.read_text() == content if written.exists() else not (bench.root / "new").exists()
    before = file.read_text()
    await cancelled_after(steps, lambda: bench.call("move", {"from": "a.txt", "to": "other/c.txt"}))
    moved = bench.root / "other/c.txt"
    assert file.exists() != moved.exists()
    place = moved if moved.exists() else file
    assert place.read_text() == before
    name = str(place.relative_to(bench.root))
    await cancelled_after(steps, lambda: bench.call("delete", path=name))
    assert not place.exists() or place.read_text() == before
    assert nothing_is_left(bench)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  (names are counted)


def has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="descriptors are counted in /proc")  # noqa: PTH110
async def test_calls_and_cancelled_calls_leave_no_descriptor_and_no_child(bench: Bench) -> None:
    async def one_of_each(number: int) -> None:
        await bench.ok("write", path=f"f{number}.txt", content="hello\n")
        await bench.ok("edit", path=f"f{number}.txt", edits=[{"oldText": "hello", "newText": "bye"}])
        await bench.ok("read", path=f"f{number}.txt")
        await bench.error("read", path="missing.txt")
        await bench.ok("ls")
        await bench.ok("find", pattern="*.txt")
        await bench.ok("grep", pattern="bye", limit=1)
        await bench.ok("bash", command="echo hello")
        for steps in (1, 2, 3, 5, 8, 13):
            await cancelled_after(steps, lambda: bench.call("grep", pattern="bye"))
            await cancelled_after(steps, lambda: bench.call("bash", command="sleep 60 & sleep 60"))
        await bench.call("move", {"from": f"f{number}.txt", "to": f"d/f{number}.txt"})
        await bench.ok("delete", path=f"d/f{number}.txt")

    await one_of_each(0)
    await asyncio.gather(
        *(bench.error("read", path="missing.txt") for _ in range(40))
    )  # all threads are there
    before = descriptors()
    for number in range(4):
        await one_of_each(number)
    assert descriptors() <= before
    assert len(asyncio.all_tasks()) == 1
    assert not has_children()
    shutil.rmtree(bench.root)
