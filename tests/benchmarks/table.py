"""The figures as one table and as JSON: medians, minima, and how ours compare with the others."""

import os
import platform
import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.suite import Measured

SIDES = ("floor", "peer", "ours")
RATIOS = ("floor", "peer")


def machine() -> dict[str, Any]:
    cpu = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "cpu": cpu[1] if cpu else platform.machine(),
        "cpus": os.cpu_count(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
    }


def versions(peer: str | None) -> dict[str, str | None]:
    libraries = {name: version(name) for name in ("pygls", "httpx")}
    return {"steersman": version("steersman"), "pi": peer, **libraries}


def as_json(measured: Iterable[Measured]) -> list[dict[str, Any]]:
    """For each workload its figures: by name and side the median, the minimum and all samples."""
    return [
        {
            "name": each.workload.name,
            "title": each.workload.title,
            "figures": {name: _compared(each, name) for name in _names(each)},
            "wrong": each.wrong,
        }
        for each in measured
    ]


def _names(measured: Measured) -> list[str]:
    """Of all figures that a side has, in the order of the one that has most."""
    rows = sorted(measured.figures.values(), key=len, reverse=True)
    return list(dict.fromkeys(name for row in rows for name in row))


def _compared(measured: Measured, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for side in SIDES:
        if samples := measured.figures.get(side, {}).get(name):
            row[side] = {
                "median": statistics.median(samples),
                "min": min(samples),
                "samples": [round(sample, 4) for sample in samples],
            }
    for other in RATIOS:
        if "ours" in row and other in row and row[other]["median"] > 0:
            row[f"ours/{other}"] = row["ours"]["median"] / row[other]["median"]
    return row


def markdown(workloads: Sequence[dict[str, Any]], peer: str | None) -> Iterator[str]:
    """The lines of the table, from what `as_json` gives."""
    named = f"peer (pi {peer})" if peer else "peer"
    yield f"| median (min) | floor | {named} | ours | ours/floor | ours/peer |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for workload in workloads:
        label = f"{workload['title']}:"
        for name, row in workload["figures"].items():
            sides = [_figure(row.get(side)) for side in SIDES]
            ratios = [f"{row[key]:.2f}" if (key := f"ours/{other}") in row else "–" for other in RATIOS]
            yield f"| {label} {name} | " + " | ".join([*sides, *ratios]) + " |"
            label = "·"
        for side, why in workload["wrong"].items():
            yield f"| {label} {side} did wrong work: {_one_line(why)} | – | – | – | – | – |"


def _figure(found: dict[str, Any] | None) -> str:
    return "–" if found is None else f"{_number(found['median'])} ({_number(found['min'])})"


def _number(value: float) -> str:
    """Three digits that count, more before the point, down to a thousandth."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def _one_line(text: str) -> str:
    return re.sub(r"[|\s]+", " ", text)[:200]
