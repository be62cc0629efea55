"""`python -m benchmarks`: measures, prints the table, and keeps it in the documentation if everything was measured."""

import argparse
import datetime
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.model import Model
from benchmarks.peer import Installed
from benchmarks.suite import SMALL, Sizes, carried_out, workloads
from benchmarks.table import as_json, machine, markdown, versions

DOCS = Path(__file__).parents[2] / "docs"
TABLE = re.compile(r"(?<=<!-- table -->\n).*(?=<!-- end of table -->)", re.DOTALL)
BUSY = 0.5
"""Load average, a minute's, from which on something else was running."""


def main() -> int:
    """Returns 1 if a side did wrong work, whatever the times are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", default="", help="workloads whose name has this in it; nothing is kept then"
    )
    parser.add_argument(
        "--small", action="store_true", help="small sizes, to see that it works; nothing is kept"
    )
    args = parser.parse_args()
    load = os.getloadavg()[0]
    begun = datetime.datetime.now().astimezone()
    peer = Installed.found(os.environ.get("STEERSMAN_PEER"))
    with tempfile.TemporaryDirectory(prefix="steersman-bench-") as folder, Model() as model:
        bench = Bench(Path(folder), model, peer)
        chosen = [it for it in workloads(bench, SMALL if args.small else Sizes()) if args.only in it.name]
        measured = as_json(carried_out(chosen, lambda text: sys.stderr.write(f"{text}\n")))
    peer_version = peer.version if peer else None
    facts = machine()
    about = [
        f"{begun:%Y-%m-%d %H:%M}, {facts['cpus']} × {facts['cpu']}, {facts['system']}, Python {facts['python']}.",
        f"Load average before it began: {load:.1f}"
        + (": **other work was running**, trust the minima and the ratios of CPU." if load > BUSY else "."),
    ]
    if peer is None:
        about.append("The peer was not there: `STEERSMAN_PEER` names no folder that has it.")
    text = "\n".join([*about, "", *markdown(measured, peer_version)]) + "\n"
    sys.stdout.write(text)
    if not args.only and not args.small:
        kept = {"when": begun.isoformat(timespec="seconds"), "machine": facts, "load": load}
        kept |= {"versions": versions(peer_version), "workloads": measured}
        (DOCS / "benchmarks.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        page = DOCS / "benchmarks.md"
        page.write_text(TABLE.sub(lambda _: f"\n{text}\n", page.read_text()))
    return int(any(it["wrong"] for it in measured))


if __name__ == "__main__":
    sys.exit(main())
