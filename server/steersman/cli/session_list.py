"""`steersman sessions list`: sessions in columns that fit the terminal; without a terminal, separated by tabs."""

import shutil
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steersman.cli.session_ids import in_short
from steersman.cli.terminal import safe
from steersman.session.facts import dollars
from steersman.workspace.roots import printable
from steersman.workspace.uris import path_of

if TYPE_CHECKING:
    from steersman.session.listing import SessionSummary

_HEAD = ("id", "last used", "title", "model", "tokens", "cached", "cost", "state", "folder")
_AT_LEAST = {"title": 24, "model": 12, "folder": 12}
"""Columns that are cut short when there is too little room, and their least widths."""
_DROPPED = ("cached", "model", "folder", "cost", "tokens", "state", "last used")
"""Columns that are dropped on a narrow terminal, in this order."""
_GAP = 2


def show(found: "Sequence[SessionSummary]", *, folders: bool, width: int | None = None) -> None:
    """Prints one session per line.

    Args:
        folders: also print the folder of each.
        width: of a line, in columns. None: the terminal's; if there is none, cells are separated by tabs.
    """
    head: tuple[str, ...] = _HEAD if folders else _HEAD[:-1]
    rows = [dict(zip(_HEAD, _row(summary), strict=True)) for summary in found]
    if width is None and not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row[name] for name in head))
        return
    from rich.cells import cell_len, set_cell_size

    if not any(row["cached"] for row in rows):
        head = tuple(name for name in head if name != "cached")

    if width is None:
        width = shutil.get_terminal_size().columns
    natural = {name: max(cell_len(row[name]) for row in [{name: name}, *rows]) for name in head}
    widths = _fitted(natural, width)
    for row in [dict(zip(_HEAD, _HEAD, strict=True)), *rows]:
        cells = []
        for name, room in widths.items():
            text = row[name]
            if cell_len(text) > room:
                text = set_cell_size(text, max(room - 1, 0)) + "…"
            pad = " " * (room - cell_len(text))
            cells.append(pad + text if name in ("tokens", "cached", "cost") else text + pad)
        print((" " * _GAP).join(cells).rstrip())


def _fitted(natural: dict[str, int], width: int) -> dict[str, int]:
    """The columns that fit into `width`, and the width of each."""
    widths = dict(natural)

    def excess() -> int:
        return sum(widths.values()) + _GAP * (len(widths) - 1) - width

    for name in ("title", "model", "folder"):
        if name in widths and excess() > 0:
            widths[name] = max(min(widths[name], _AT_LEAST[name]), widths[name] - excess())
    for name in _DROPPED:
        if name in widths and excess() > 0:
            del widths[name]
    if excess() > 0:
        widths["title"] = max(1, widths["title"] - excess())
    elif "title" in widths:
        widths["title"] = min(natural["title"], widths["title"] - excess())
    return widths


def _row(summary: "SessionSummary") -> tuple[str, ...]:
    usage = summary.usage or {}
    tokens, cost = (usage.get("input") or 0) + (usage.get("output") or 0), usage.get("cost")
    state = f"{summary.state}, open" if summary.locked and summary.state != "live" else summary.state
    cells = (
        summary.id,
        time.strftime("%Y-%m-%d %H:%M", time.localtime(summary.updated / 1000)),
        summary.title or "",
        summary.model or "",
        _thousands(tokens),
        _thousands(usage.get("cacheRead") or 0),
        "" if cost is None else dollars(cost),
        state,
        printable(in_short(path_of(summary.roots[0]))) if summary.roots else "",
    )
    return tuple(" ".join(safe(cell).split()) for cell in cells)


def _thousands(tokens: int) -> str:
    if tokens < 1000:
        return str(tokens) if tokens else ""
    return f"{tokens / 1000:.1f}k" if tokens < 1_000_000 else f"{tokens / 1_000_000:.1f}M"
