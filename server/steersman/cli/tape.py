"""`steersman tape serve FILE`: a recorded model conversation behind a real socket."""

import argparse
import asyncio
import json
import os
import signal
import stat
import sys
import threading

from steersman.models.errors import TapeError


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `tape` to the command line."""
    parser = subparsers.add_parser("tape", help="work with recorded model conversations")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    serve = actions.add_parser(
        "serve",
        help="answer chat completions from a tape",
        description="Answers POST /v1/chat/completions from a tape. Prints one line of JSON with `url` and `pid` when "
        "it listens; ends on SIGTERM, on SIGINT, or when its standard input, if that is a pipe, is closed.",
        epilog="A tape is JSON Lines, written by hand or by `steersman run --record FILE`. Its format: "
        "pydoc steersman.models.tape_format.",
    )
    serve.add_argument("file", metavar="FILE", help="the tape (JSON Lines)")
    serve.add_argument("--port", type=int, default=0, help="0 for any free port (default)")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Serves until it is told to end. Exit status 1 if the tape or the address can't be used."""
    try:
        return asyncio.run(_serve(args.file, args.host, args.port))
    except (TapeError, OSError, OverflowError) as error:
        print(f"steersman tape serve: {error}", file=sys.stderr)
        return 1


async def _serve(file: str, host: str, port: int) -> int:
    from steersman.models.tape import TapeModel
    from steersman.models.tape_server import TapeServer

    ended = asyncio.Event()
    _end_on_signals(ended)
    server = TapeServer(TapeModel(file))
    url = await server.start(host, port)
    try:
        print(json.dumps({"url": url, "pid": os.getpid()}), flush=True)
        _end_with_stdin(ended)
        await ended.wait()
    finally:
        await server.close()
    return 0


def _end_on_signals(ended: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, ended.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(ended.set))


def _end_with_stdin(ended: asyncio.Event) -> None:
    """Ends when the parent closes standard input. Only a pipe or a socket shows that."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return
    if not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
        return
    loop = asyncio.get_running_loop()

    def wait_for_end() -> None:
        while os.read(0, 65536):
            pass
        try:
            loop.call_soon_threadsafe(ended.set)
        except RuntimeError:
            return  # the loop is closed: the server ended before its standard input

    # A thread, since a pipe can't be waited for by every event loop; os.read, since it holds no lock at exit.
    threading.Thread(target=wait_for_end, daemon=True, name="stdin watch").start()
