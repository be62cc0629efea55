"""A language server in a process of its own, for tests of its end.

Commands: echo; stray (writes to sys.stdout, writes to descriptor 1, reads standard input, and asks a child to do the
same); hang (never ends, ignores its cancellation). Its stop callback writes the reason to the file that the
first argument names; with a second argument `stubborn` it never returns.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from steersman.lsp.rpc import RpcServer
from steersman.lsp.serve import ServeLimits, StopReason, serve


def main(stops: Path, manner: str) -> int:
    server = RpcServer("stdio", "1")

    async def echo(arguments: list) -> object:
        return arguments

    async def stray(arguments: list) -> object:
        sys.stdout.write("a stray print\n")
        os.write(1, b"and a stray write\n")
        read = sys.stdin.read()
        child = [
            sys.executable,
            "-c",
            "import sys; print('child'); print(len(sys.stdin.read()), file=sys.stderr)",
        ]
        await asyncio.to_thread(subprocess.run, child, check=True)
        return read

    async def hang(arguments: list) -> object:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    async def on_stop(reason: StopReason) -> None:
        with stops.open("a") as file:
            file.write(f"{reason}\n")
        if manner == "stubborn":
            await hang([])

    server.add_command("echo", echo)
    server.add_command("stray", stray)
    server.add_command("hang", hang)
    limits = ServeLimits(stop=0.2, flush=0.2, last=0.2) if manner == "stubborn" else None
    return serve(server, on_stop, limits)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
