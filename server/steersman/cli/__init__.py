"""The command line. Each command imports what it needs when it is asked for."""

import argparse
import contextlib
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from steersman import __version__

COMMANDS = ("serve", "run", "batch", "sessions", "demo", "doctor", "models", "tape", "schema", "debug")
"""Each is a module here. Naming one loads no other: an editor waits for `serve`."""

USAGE = 64
"""Exit status of a command line that can't be understood (EX_USAGE)."""

ABORTED = 130
"""Exit status after Ctrl-C: what a shell reports for SIGINT."""

READER_GONE = 141
"""Exit status when nobody reads the output any more: what a shell reports for SIGPIPE."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns its exit status.

    Raises:
        SystemExit: the command line can't be understood (status `USAGE`), or asks for help or the version (0).
    """
    _open_missing_streams()
    try:
        return _main(argv)
    except KeyboardInterrupt:
        return ABORTED
    finally:
        _forget_untold()


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
    _take_any_text()
    if not _is_folder_there():
        print("steersman: the current folder does not exist any more: go to another one.", file=sys.stderr)
        return 1
    if not given:
        parser.print_help(sys.stderr)
        return USAGE
    args = parser.parse_args(given)
    if hasattr(signal, "SIGCHLD"):
        # A parent may have left it ignored. Then every process that we start would seem to end with status 0.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return _status_of(args)


def _status_of(args: argparse.Namespace) -> int:
    """Runs the command that the arguments name. Returns its exit status."""
    status: int = 0
    try:
        status = args.func(args)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head`
        _discard_rest(sys.stdout)
        return READER_GONE
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO):  # a full disk, a terminal that has gone
            raise
        with contextlib.suppress(OSError):
            print(f"steersman: the output can't be written: {error.strerror}", file=sys.stderr)
        _discard_rest(sys.stdout)
        return status or 1
    return status


def _forget_untold() -> None:
    """A standard error that can't be written leaves the exit status as it is: Python would make it 120."""
    try:
        sys.stderr.flush()
    except OSError:
        _discard_rest(sys.stderr)


def _discard_rest(stream: TextIO) -> None:
    """What Python still has to flush at its exit goes nowhere, instead of failing there."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_missing_streams() -> None:
    """Opens the null device for standard streams that the parent has closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _take_any_text() -> None:
    """Lets the standard streams carry what their encoding lacks: names of files that are not UTF-8, and most characters
    where the locale has an old encoding. Standard error does so by itself."""
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _is_folder_there() -> bool:
    try:
        return bool(Path.cwd())
    except FileNotFoundError:
        return False
