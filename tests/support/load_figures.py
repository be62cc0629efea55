"""What a server process costs and how fast it answers, measured from outside. No test depends on a time."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.load_client import LoadClient


def measured(lags: Path) -> list[str]:
    """The command of a server that writes to a file how late its loop was."""
    return [sys.executable, str(Path(__file__).with_name("measured_server.py")), str(lags)]


def lags_in(path: Path) -> str:
    """How late the loop was, and how much of that was its own work."""
    late, own = zip(*json.loads(path.read_text()), strict=True)
    return f"{spread(late)}, own work {spread(own)}"


@dataclass(frozen=True)
class Cost:
    """Of a process, now."""

    rss: float
    """MB."""
    peak: float
    """MB, since `reset_peak`."""
    cpu: float
    """Seconds, since it was started."""


def cost_of(pid: int) -> Cost:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(times[11]) + int(times[12])
    rss, peak = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return Cost(rss, peak, ticks / os.sysconf("SC_CLK_TCK"))


def reset_peak(pid: int) -> None:
    Path(f"/proc/{pid}/clear_refs").write_text("5")


class Pings:
    """Asks for the status again and again, and measures how long the answers take."""

    def __init__(self, client: LoadClient, interval: float = 0.05) -> None:
        self._client, self._interval = client, interval
        self.seconds: list[float] = []

    async def __aenter__(self) -> "Pings":
        self._task = asyncio.create_task(self._ask())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _ask(self) -> None:
        while True:
            begun = time.perf_counter()
            await self._client.begin_command("status")
            self.seconds.append(time.perf_counter() - begun)
            await asyncio.sleep(self._interval)


def spread(seconds: Sequence[float]) -> str:
    """`p50/p99/max` in milliseconds."""
    if not seconds:
        return "-"
    row = sorted(seconds)
    places = (row[len(row) // 2], row[min(len(row) - 1, len(row) * 99 // 100)], row[-1])
    return "/".join(f"{1000 * each:.0f}" for each in places) + " ms"
