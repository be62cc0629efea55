"""`steersman doctor`: tells what is configured, reachable and missing, and how to mend it."""

import argparse
import asyncio
import json
import sys
from typing import TYPE_CHECKING

from steersman.cli.terminal import is_interactive, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steersman.session.machine import Finding

_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `doctor` to the command line."""
    parser = subparsers.add_parser(
        "doctor",
        help="what is configured, reachable and missing, and how to mend it",
        description="Looks at settings, the model's server, programs and folders. Changes nothing.",
        epilog="Exit status: 0 if a run could work here, else 1.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Prints what was found. Exit status 0 if a run could work, else 1."""
    from steersman import __version__
    from steersman.session.doctor import examine, is_usable
    from steersman.session.home import Home

    findings = asyncio.run(examine(Home.from_environment(), can_ask=is_interactive()))
    usable = is_usable(findings)
    if args.json:
        checks = [_data(finding) for finding in findings]
        print(json.dumps({"version": __version__, "ok": usable, "checks": checks}))
    elif sys.stdout.isatty():
        _show(findings, usable=usable)
    else:
        for finding in findings:
            print(safe(f"{finding.level:<8} {finding.name}: {finding.text}"))
            if finding.mend:
                print(safe(f"         {finding.mend}"))
        print(_verdict(findings, usable=usable))
    return 0 if usable else 1


def _data(finding: "Finding") -> dict[str, str]:
    data = {"name": finding.name, "level": finding.level, "text": finding.text}
    return data if finding.mend is None else data | {"mend": finding.mend}


def _verdict(findings: "Sequence[Finding]", *, usable: bool) -> str:
    count = len([finding for finding in findings if finding.level == ("warning" if usable else "problem")])
    if not usable:
        return f"A run can't work here yet: {count} to mend."
    return "A run can work here." if not count else f"A run can work here; {count} to know about."


def _show(findings: "Sequence[Finding]", *, usable: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        sign, colour = _SIGNS[finding.level]
        text = Text(safe(finding.text), style="" if finding.level != "problem" else "bold")
        if finding.mend:
            text.append("\n→ " + safe(finding.mend), style=colour)
        table.add_row(Text(sign, style=colour), Text(finding.name, style="dim"), text)
    console = Console(highlight=False)
    console.print(table)
    console.print(
        Text("\n" + _verdict(findings, usable=usable), style="bold green" if usable else "bold red")
    )
