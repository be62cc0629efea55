"""A process that runs one command as a server would: to be killed, or to do without what a system may lack.

Usage: command_server.py SPILL_DIR COMMAND TIMEOUT [no-pidfd] [no-proc]; live output goes to stdout, then `OUTCOME:`
and the result.
"""

import asyncio
import os
import sys
from pathlib import Path

LACKING = sys.argv[4:]
if "no-pidfd" in LACKING and hasattr(os, "pidfd_open"):
    del os.pidfd_open

from steersman.workspace import process_tree  # noqa: E402 -- after the system has been made to lack something
from steersman.workspace.guard import Guard  # noqa: E402
from steersman.workspace.process import ProcessLimits, run_command  # noqa: E402

if "no-proc" in LACKING:
    process_tree._HAS_PROC = False


class Never:
    aborted = False

    async def wait(self) -> None:
        await asyncio.get_running_loop().create_future()


def tell(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


async def main(spill_dir: str, command: str, timeout: str) -> None:
    with Guard() as guard:
        result = await run_command(
            command,
            cwd=Path.cwd(),
            env=os.environ,
            stop=Never(),
            guard=guard,
            spill_dir=Path(spill_dir),
            timeout=float(timeout),
            limits=ProcessLimits(grace=0.2),
            on_output=tell,
        )
    tell(f"OUTCOME: {result.outcome} {len(result.still_running)}\n")


asyncio.run(main(*sys.argv[1:4]))
