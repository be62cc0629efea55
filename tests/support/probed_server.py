"""`steersman serve` that tells what it holds. The first argument names the file for the figures.

At each SIGUSR1 it appends a line of JSON: how many of the objects that `held` names are alive after a collection. The
server itself knows nothing of this.
"""

import asyncio
import gc
import json
import os
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

from steersman.cli import main


class ProbedLoop(asyncio.SelectorEventLoop):
    """Knows of itself while it runs."""

    running: asyncio.AbstractEventLoop | None = None

    def run_forever(self) -> None:
        ProbedLoop.running = self
        super().run_forever()


class _Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = ProbedLoop


def held() -> dict[str, int]:
    """Of this process, now. `futures` are those that nobody has settled, tasks not among them; `requests` wait for the
    client, `calls` are the client's own; `tokens` are of progress that has not ended; `objects` are those that the
    collector knows, `blocks` what Python has allocated for all there are."""
    gc.unfreeze()  # what the server had put aside at its start is looked at too
    gc.collect()
    objects = gc.get_objects()
    sizes: Counter[str] = Counter()
    for each in objects:
        name = type(each).__name__
        if name in ("ClientRequests", "Calls"):
            sizes[name] += len(each)
        elif name == "FloorProgress":
            sizes[name] += len(each._runs)
        elif name == "OpenSessions":
            sizes[name] += len(each.all())
        elif name == "Future" and isinstance(each, asyncio.Future) and not each.done():
            sizes[name] += 1
    loop = ProbedLoop.running
    return {
        "tasks": 0 if loop is None else len(asyncio.all_tasks(loop)),
        "futures": sizes["Future"],
        "requests": sizes["ClientRequests"],
        "calls": sizes["Calls"],
        "tokens": sizes["FloorProgress"],
        "sessions": sizes["OpenSessions"],
        "threads": threading.active_count(),
        "descriptors": len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - one is the listing's own, each time
        "objects": len(objects),
        "blocks": sys.getallocatedblocks(),
    }


def answer(_number: int, _frame: FrameType | None) -> None:
    with Path(sys.argv[1]).open("a") as file:
        file.write(f"{json.dumps(held())}\n")


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, answer)
    asyncio.set_event_loop_policy(_Policy())
    sys.exit(main(["serve"]))
