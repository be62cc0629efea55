"""Sums up in words what a sweep of crashes found."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]


def sweep(folder: Path, how: str, which: str) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Runs `crash_runner`: how often the story comes to each kind of point, and what came of each death."""
    command = [sys.executable, "-m", "support.crash_runner", str(folder), how, which]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True)  # noqa: PLW1510 - it is asserted below
    assert done.returncode == 0, done.stderr
    first, *rows = [json.loads(line) for line in done.stdout.splitlines()]
    return Counter(first["points"]), rows


def failures(rows: list[dict[str, Any]]) -> str:
    """Those that something was wrong after."""
    return "\n".join(
        f"{row['how']} at {row['point']} {row['at']}:\n{row['failure']}" for row in rows if "failure" in row
    )


def table(rows: list[dict[str, Any]]) -> str:
    """How many deaths by kind of point, and by what the session was at."""
    points = Counter(f"{row['point']}{' (by half)' if row['how'] == 'tear' else ''}" for row in rows)
    found = Counter(row.get("found", "failed") for row in rows)
    lines = [f"{count:5}  {name}" for name, count in sorted(points.items())]
    lines += ["", *(f"{count:5}  {name}" for name, count in found.most_common()), f"{len(rows):5}  in all"]
    return "\n".join(lines)
