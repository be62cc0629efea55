"""The command line. Each command imports what it needs when it is asked for."""

import argparse
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from steersman import __version__

COMMANDS = ("serve", "run", "batch", "sessions", "demo", "doctor", "models", "tape", "schema", "debug")
"""Each is a module here. One that is named loads no other: an editor waits for `serve`."""

USAGE = 64
"""Exit status of a command line that can't be understood (EX_USAGE)."""

INTERRUPTED = 130
"""Exit status of what Ctrl-C has ended before it could say so itself (what a shell says of SIGINT)."""

READER_GONE = 141
"""Exit status when nobody reads the output any more: what a shell says of SIGPIPE."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns its exit status."""
    try:
        return _main(argv)
    except KeyboardInterrupt:
        return INTERRUPTED


def _main(argv: Sequence[str] | None) -> int:
    given = sys.argv[1:] if argv is None else argv
    parser = _Parser(
        prog="steersman",
        description="A coding agent that lives in a language server.",
        epilog="To see it work without a model or a key: steersman demo.",
    )
    parser.add_argument("--version", action="version", version=f"steersman {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        importlib.import_module(f"steersman.cli.{name}").add_parser(commands)
    _open_missing_streams()
    if not _is_folder_there():
        print("steersman: the current folder does not exist any more: go to another one.", file=sys.stderr)
        return 1
    if not given:
        parser.print_help(sys.stderr)
        return USAGE
    args = parser.parse_args(given)
    if hasattr(signal, "SIGCHLD"):
        # Some parents leave it ignored, and then every command would seem to end with status 0.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        status: int = args.func(args)
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            print(f"{parser.prog}: the output can't be written: {error.strerror}", file=sys.stderr)
        elif not isinstance(error, BrokenPipeError):
            raise
        # The reader has gone (`| head`); what is still to be flushed at the exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE if isinstance(error, BrokenPipeError) else 1
    return status


def _open_missing_streams() -> None:
    """A parent may have closed some of them; what is written there is for nobody."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _is_folder_there() -> bool:
    try:
        return bool(Path.cwd())
    except FileNotFoundError:
        return False
