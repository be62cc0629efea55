"""Figures of a process over time, and whether any of them grows."""

import json
import os
import signal
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.session.open_sessions import MAX_KNOWN
from support.load_figures import cost_of
from support.lsp_client import PATIENCE

SLACK: Mapping[str, tuple[float, float]] = {
    "RSS, MB": (0.03, 2.0),
    "objects": (0, 500),
    "blocks": (0, 2000),
    "descriptors": (0, 2),
    "threads": (0, 1),
}
"""What the median of the last third may be above that of the second: a part of it, and so many. The rest not at all."""
PER_SESSION: Mapping[str, float] = {"objects": 8, "blocks": 14, "RSS, MB": 0.002}
"""What a server keeps of each of the sessions that it had open last: its folders, its mode, what was granted."""


@dataclass(frozen=True)
class Sample:
    sessions: int
    """That were begun until now."""
    values: Mapping[str, float]


class Probe:
    """Asks a `probed_server` what it holds."""

    def __init__(self, pid: int, file: Path) -> None:
        self._pid, self._file, self._known = pid, file, 0

    def ask(self) -> dict[str, float]:
        """Blocks until it has answered.

        Raises:
            AssertionError: it does not.
        """
        os.kill(self._pid, signal.SIGUSR1)
        deadline = time.monotonic() + PATIENCE
        while len(lines := self._lines()) == self._known:
            assert time.monotonic() < deadline, "the server does not say what it holds"
            time.sleep(0.01)
        self._known = len(lines)
        return {"RSS, MB": cost_of(self._pid).rss, **json.loads(lines[-1])}

    def _lines(self) -> list[str]:
        text = self._file.read_text() if self._file.exists() else ""
        return text.splitlines() if text.endswith("\n") else text.splitlines()[:-1]


def thirds(samples: Sequence[Sample]) -> Sequence[Sequence[Sample]]:
    """In their order; three samples at least."""
    length = len(samples) // 3
    return [samples[:length], samples[length : 2 * length], samples[2 * length :]]


def medians(samples: Sequence[Sample]) -> Mapping[str, Sequence[float]]:
    """Of each figure, in each third."""
    parts = thirds(samples)
    return {
        name: [statistics.median(each.values[name] for each in part) for part in parts]
        for name in samples[0].values
    }


def grown(samples: Sequence[Sample]) -> list[str]:
    """The figures whose last third is above the second by more than their slack, and what the sessions between them
    may leave while they are few."""
    most = MAX_KNOWN * 1.1
    _, before, after = (
        min(most, statistics.median(each.sessions for each in part)) for part in thirds(samples)
    )
    found = []
    for name, (_, second, last) in medians(samples).items():
        share, more = SLACK.get(name, (0, 0))
        if last > second * (1 + share) + more + (after - before) * PER_SESSION.get(name, 0):
            found.append(f"{name}: {second:g}, then {last:g}")
    return found


def table(samples: Sequence[Sample]) -> str:
    """Medians by thirds, and the largest of all."""
    rows = [f"{'':<14}{'first third':>14}{'second':>14}{'last':>14}{'largest':>14}"]
    for name, (first, second, last) in medians(samples).items():
        largest = max(each.values[name] for each in samples)
        rows.append(f"{name:<14}{first:>14,.0f}{second:>14,.0f}{last:>14,.0f}{largest:>14,.0f}")
    return "\n".join(rows)
