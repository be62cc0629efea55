"""`steersman demo`: shows a whole run, or one behaviour at a time, without a model or a key."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from steersman.cli import ABORTED, USAGE

_ALL = "all"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `demo` to the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="see it work, without a model or a key",
        description="Plays a recorded run in a temporary workspace: a language server, an editor and the tape of a "
        "model, as processes on this machine. With names, plays tapes that show one behaviour each.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"a tape of the list; {_ALL} for every one")
    parser.add_argument("--list", action="store_true", help="list the tapes")
    parser.add_argument("--yes", action="store_true", help="accept what is asked (without names)")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Plays. Exit status: 0 if all went as described, 1 if not, 64 for an unknown name, 130 for Ctrl-C."""
    from steersman.cli.demo.scenes import SCENES
    from steersman.cli.demo.screen import Screen

    screen = Screen()
    if args.list:
        for scene in SCENES.values():
            screen.row(scene.name, scene.description, indent=22, label_style="bold")
        screen.row(_ALL, "every one of them", indent=22, label_style="bold")
        return 0
    unknown = [name for name in args.names if name not in SCENES and name != _ALL]
    if unknown:
        print(f"steersman demo: no such tape: {unknown[0]}. See steersman demo --list.", file=sys.stderr)
        return USAGE
    if not args.names:
        from steersman.cli.demo.story import play

        return _run(play(screen, yes=args.yes))
    from steersman.cli.demo.stage import play_scenes

    names = list(SCENES) if _ALL in args.names else args.names
    return _run(play_scenes(screen, [SCENES[name] for name in names]))


def _run(playing: Coroutine[Any, Any, int]) -> int:
    """Plays to the end, or until a signal. Either way nothing is left behind."""
    from steersman.cli.demo.client import ServerError, ServerGone
    from steersman.cli.demo.processes import DemoFailed

    try:
        return asyncio.run(_stoppable(playing))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("\nsteersman demo: stopped; nothing is left behind.", file=sys.stderr)
        return ABORTED
    except (DemoFailed, ServerGone, ServerError, OSError) as error:
        print(f"\nsteersman demo: {error}", file=sys.stderr)
        return 1


async def _stoppable(playing: Coroutine[Any, Any, int]) -> int:
    """asyncio turns Ctrl-C into a cancellation. This does the same for SIGTERM and SIGHUP."""
    task = asyncio.current_task()
    assert task is not None  # a coroutine runs in one
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await playing
