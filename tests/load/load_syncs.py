"""What durable sessions cost: runs with and without syncs, and the time of one sync here."""

import os
import statistics
import time

from steersman.session.log import SessionLog
from support.scripted_model import answer, call
from support.session_harness import SessionHarness

TURNS, ROUNDS = 20, 5


class Unsynced(SessionLog):
    """It is written, and left to the system."""

    def _sync_file(self) -> None:
        return


def turns(changing: bool) -> list[list[object]]:
    """Of one run; `changing`: each writes a file of its own, else each reads one."""
    tools = [
        call("write", {"path": f"{number}.txt", "content": "x\n"}) if changing else call("ls", {"path": "."})
        for number in range(TURNS - 1)
    ]
    return [*(answer("", tool) for tool in tools), answer("done")]


async def test_turns_with_syncs_and_without(tmp_path, figure):
    for name, changing in (("reading", False), ("changing a file", True)):
        for kind, log_class in (("synced", SessionLog), ("unsynced", Unsynced)):
            seconds = []
            for number in range(ROUNDS):
                base = tmp_path / f"{name}-{kind}-{number}".replace(" ", "-")
                base.mkdir()
                h = SessionHarness(base, *turns(changing), mode="full-auto", log_class=log_class)
                begun = time.perf_counter()
                await h.run()
                seconds.append((time.perf_counter() - begun) / TURNS * 1000)
                await h.close()
            figure(f"a turn {name}, log {kind}", f"{statistics.median(seconds):.2f} ms")


async def test_one_sync(tmp_path, figure):
    path, seconds = tmp_path / "log", []
    with path.open("ab", buffering=0) as file:
        for _ in range(200):
            file.write(b"x" * 500 + b"\n")
            begun = time.perf_counter()
            os.fsync(file.fileno())
            seconds.append((time.perf_counter() - begun) * 1000)
    seconds.sort()
    figure("fsync of a record, median, p99", f"{seconds[100]:.2f} ms, {seconds[197]:.2f} ms")
