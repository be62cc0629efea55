"""A process that plays the story again and again, each time in a child that dies at another write.

It imports everything once, so a child costs only a fork. `python -m support.crash_runner FOLDER HOW WHICH` prints a
line of JSON for each. HOW is kill, full or read-only: what happens at the write and after it. WHICH is all, or sample:
one for each kind of write.
"""

import asyncio
import json
import os
import shutil
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from steersman.session.log_picture import read_picture
from steersman.workspace.guard import Guard
from support.crash_check import check, notes_in
from support.crash_points import DiskCalls, Plan
from support.crash_story import harness, lay_out, play, script, tree
from support.scripted_model import answer
from support.session_harness import SessionHarness, keys


def main(folder: str, how: str, which: str) -> None:
    base = Path(folder)
    points, legal = _dry_run(base / "dry")
    _say(points=Counter(points))
    for number, plan in enumerate(_plans(points, how, which)):
        place = base / str(number)
        _say(point=plan.kind, at=plan.at, **_one(place, plan, legal), how=plan.how)


def _plans(points: list[str], how: str, which: str) -> Iterator[Plan]:
    """A sample has every kind once: of log records each type, when they are killed, since that is told apart."""
    numbers: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    for label in points:
        numbers[label] += 1
        for way in (how, "tear") if how == "kill" and ": write" in label else (how,):
            kind = label if way == "tear" else label.split(" write")[0]
            if which == "all" or (kind, way) not in seen:
                seen.add((kind, way))
                yield Plan(label, numbers[label], way)


def _dry_run(base: Path) -> tuple[list[str], dict[str, list[str | None]]]:
    """Every point, and by path each state that the story has of it, first as it was."""
    status, _ = _child(lambda: _story(base, Plan(), on_file=True))
    assert status == 0, (base / "failure").read_text()
    notes = notes_in(base / "notes")
    trees = [note["tree"] for note in notes if "tree" in note]
    (points,) = [note["points"] for note in notes if "points" in note]
    legal: dict[str, list[str | None]] = {}
    for name in {name for each in trees for name in each}:
        legal[name] = []
        for each in trees:
            if each.get(name) not in legal[name]:
                legal[name].append(each.get(name))
    return points, legal


def _one(base: Path, plan: Plan, legal: dict[str, list[str | None]]) -> dict[str, Any]:
    began = time.monotonic()
    _, signal = _child(lambda: _story(base, plan))
    result: dict[str, Any] = {"signal": signal}
    if (base / "failure").exists():
        return result | {"failure": (base / "failure").read_text()}

    def checking() -> None:
        (base / "found").write_text(asyncio.run(check(base, legal)))

    _child(lambda: _guarded(base, checking))
    if (base / "failure").exists():
        return result | {"failure": (base / "failure").read_text()}
    result["found"] = (base / "found").read_text()
    shutil.rmtree(base)
    return result | {"seconds": round(time.monotonic() - began, 3)}


def _child(work: Callable[[], None]) -> tuple[int, int]:
    """Its exit status and the signal that ended it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are no other threads here
        pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - whatever it was, the child ends here
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return (os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1), (
        os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    )


def _guarded(base: Path, work: Callable[[], None]) -> None:
    try:
        work()
    except BaseException:  # noqa: BLE001 - it is told by the file
        (base / "failure").write_text(traceback.format_exc())
        os._exit(1)


def _story(base: Path, plan: Plan, *, on_file: bool = False) -> None:
    (base / "ws").mkdir(parents=True)
    lay_out(base / "ws")
    calls = DiskCalls(base / "home", base / "ws", base / "notes", plan)

    async def tell() -> None:
        with Guard() as guard:
            h = harness(base, guard, *script())
            h.model.fallback = answer("Well.")
            h.services.bus.listen(
                lambda event: (
                    event.seq is not None and calls.note(told=[event.session, event.seq, event.type])
                )
            )
            calls.install()
            await play(h)
            if plan.how in ("full", "read-only"):
                await _room_again(h, calls)
            await h.close()
            h.verify()

    def work() -> None:
        if on_file:
            calls.on_file = lambda: calls.note(tree=tree(base / "ws"))
            calls.on_file()
        asyncio.run(tell())
        calls.note(points=calls.points)

    _guarded(base, work)


async def _room_again(h: SessionHarness, calls: DiskCalls) -> None:
    """What must hold while the disk is full, and that the same server goes on when it is not any more."""
    for started, ended in (("agent_start", "agent_end"), ("revert_start", "revert_end")):
        assert h.types.count(started) == h.types.count(ended), f"{started} without {ended}"
    assert h.types.count("compaction_start") == h.types.count("compaction_end")
    for session in h.manager._sessions.all():
        assert session.live is None
        if h.path(session.id).exists() and h.path(session.id).stat().st_size:
            assert keys(session.picture.messages) == keys(read_picture(h.path(session.id)).messages)
    calls.mended = True
    ends = Counter(event.run for event in h.events if event.type == "agent_end")
    for session in [each.id for each in h.manager._sessions.all()]:
        if h.path(session).exists():
            await h.manager.resume(session)
            run = await h.run("is there room?", session=session)
            assert run.end is not None and run.end.stop_reason == "complete", run.end
    again = Counter(event.run for event in h.events if event.type == "agent_end")
    assert set(again.values()) <= {1}, "each run's end is told once"
    assert ends.total() <= again.total()


def _say(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
