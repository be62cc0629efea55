"""`steersman sessions …`: the kept sessions, from a terminal or a script."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steersman.cli.arguments import positive
from steersman.cli.terminal import safe

if TYPE_CHECKING:
    from steersman.session.home import Home

_ID = "the id of a session, or the beginning of it"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `sessions` to the command line."""
    parser = subparsers.add_parser(
        "sessions",
        help="list, show, export, fork, shorten and undo kept sessions",
        description="Lists the sessions of this folder, or does something with one. To go on in one: steersman run "
        "--session ID or --continue.",
        epilog="Exit status: 0 done; 1 error; 64 usage, or a question and nobody to ask; 130 for Ctrl-C.",
    )
    parser.set_defaults(func=main, action="list")
    _add_listing(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.default = "list"

    def add(name: str, help: str, *, of_one: bool = True) -> argparse.ArgumentParser:
        action: argparse.ArgumentParser = actions.add_parser(
            name, help=help, description=f"{help[0].upper()}{help[1:]}."
        )
        if of_one:
            action.add_argument("id", metavar="ID", help=_ID)
        return action

    _add_listing(add("list", "list the sessions of this folder, the last used first", of_one=False))
    show = add("show", "print a session's transcript, as Markdown")
    show.add_argument("--all", action="store_true", help="include branches that were left by going back")
    export = add("export", "write a session's transcript to a file, and print its path")
    export.add_argument(
        "--format", choices=["html", "markdown"], help="default: by the ending of FILE, else html"
    )
    export.add_argument("--all", action="store_true", help="include branches that were left by going back")
    _add_file(export, "default: a new file in Steersman's own folder")
    fork = add("fork", "copy a session, and print the copy's id")
    fork.add_argument("--message", metavar="ID", help="copy only what came before this message of the user")
    add("rename", "give a session a title").add_argument("title", metavar="TITLE")
    _add_yes(add("delete", "delete a session for good; what it did to files stays"))
    compact = add("compact", "have the old messages of a session summarised for its model")
    compact.add_argument("--instructions", metavar="TEXT", help="what the summary must take care of")
    add("checkpoints", "list the messages of a session back to which its file changes can be taken")
    revert = add("revert", "take back what a session has changed since a checkpoint")
    revert.add_argument(
        "checkpoint", metavar="CHECKPOINT", help="the id of a checkpoint, or the beginning of it"
    )
    revert.add_argument("--preview", action="store_true", help="only show what would be taken back")
    revert.add_argument(
        "--on-conflict",
        choices=["keep", "restore", "skip"],
        help="for files that somebody else has changed since: keep and skip leave them, restore takes them back",
    )
    _add_yes(revert)
    _add_file(
        add("to-test", "turn a finished session into a test (needs steersman[testing])"), "default: print it"
    )


def _add_listing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="list the sessions of all folders")
    parser.add_argument(
        "--query", metavar="WORDS", default="", help="list sessions with all these words in their titles"
    )
    parser.add_argument(
        "--limit", metavar="N", type=positive, default=50, help="list at most N (default: 50)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="do it without a question")


def _add_file(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help=f"{default}; - for standard output")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def main(args: argparse.Namespace) -> int:
    """Does what is asked. Returns the exit status that the epilog lists."""
    from steersman.cli import session_work as work
    from steersman.session.errors import SessionError
    from steersman.session.home import Home

    actions: dict[str, Callable[[argparse.Namespace, Home], int | Coroutine[Any, Any, int]]] = {
        "list": _list,
        "show": _show,
        "export": _export,
        "fork": work.fork,
        "rename": work.rename,
        "delete": work.delete,
        "compact": work.compact,
        "checkpoints": work.checkpoints,
        "revert": work.revert,
        "to-test": _to_test,
    }
    try:
        done = actions[args.action](args, Home.from_environment())
        return done if isinstance(done, int) else asyncio.run(done)
    except SessionError as error:
        print(f"steersman sessions {args.action}: {safe(str(error))}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        raise  # not a failure: nobody reads any more
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"steersman sessions {args.action}: {safe(f'{where}{error.strerror}')}", file=sys.stderr)
        return 1


def _list(args: argparse.Namespace, home: "Home") -> int:
    from steersman.cli.session_list import show
    from steersman.session.listing import MAX_LOGS, list_sessions

    folder = None if args.all else Path.cwd().resolve()
    words = args.query.casefold().split()
    found = list_sessions(home.sessions, folder, limit=MAX_LOGS if words else args.limit)
    found = [each for each in found if all(word in (each.title or "").casefold() for word in words)]
    found = found[: args.limit]
    if args.json:
        print(json.dumps({"sessions": [each.data() for each in found]}))
    elif found:
        show(found, folders=args.all)
    else:
        where = "" if args.all else " in this folder; --all lists those of other folders"
        print(f"There is no session{' with these words' if words else ''}{where}.", file=sys.stderr)
    return 0


def _show(args: argparse.Namespace, home: "Home") -> int:
    from steersman.cli.session_ids import session_named
    from steersman.session.export.writing import transcript

    log = home.sessions / f"{session_named(home, args.id)}.jsonl"
    for piece in transcript(log, "markdown", all_branches=args.all):
        sys.stdout.buffer.write(piece.encode())
    return 0


def _export(args: argparse.Namespace, home: "Home") -> int:
    from steersman.cli.session_ids import session_named
    from steersman.session.export.entries import Format
    from steersman.session.export.writing import transcript, write_transcript
    from steersman.session.exports import in_home
    from steersman.session.listing import summarize

    session = session_named(home, args.id)
    log = home.sessions / f"{session}.jsonl"
    file: Path | None = args.output
    by_name: Format = "html"
    if file is not None and file.suffix.lower() in (".md", ".markdown"):
        by_name = "markdown"
    format: Format = args.format or by_name
    if file == Path("-"):
        for piece in transcript(log, format, all_branches=args.all):
            sys.stdout.buffer.write(piece.encode())
        return 0
    if file is None:
        summary = summarize(log)
        target = in_home(home, session, summary.title if summary is not None else None, format)
    else:
        target = file
        _refuse_existing(args, target)
    write_transcript(log, target, format, all_branches=args.all, replace=args.force, private=file is None)
    _print_path(target)
    return 0


def _to_test(args: argparse.Namespace, home: "Home") -> int:
    from steersman.cli.session_ids import session_named
    from steersman.testing.repeat import CannotRepeat, session_to_test

    session = session_named(home, args.id)
    file: Path | None = None if args.output == Path("-") else args.output
    if file is not None:
        _refuse_existing(args, file)
    try:
        source = session_to_test(session, home)
    except CannotRepeat as error:
        print(f"steersman sessions to-test: {safe(str(error))}", file=sys.stderr)
        return 1
    if file is None:
        sys.stdout.buffer.write(source.encode())
        return 0
    from steersman.workspace.atomic import write_pieces

    write_pieces(file, [source.encode()], replace=args.force)
    _print_path(file)
    return 0


def _print_path(path: Path) -> None:
    """Byte for byte, since a script opens it."""
    sys.stdout.buffer.write(os.fsencode(path) + b"\n")


def _refuse_existing(args: argparse.Namespace, path: Path) -> None:
    from steersman.session.errors import Refused

    if os.path.lexists(path) and not args.force:
        raise Refused("exists", f"{path} exists. Name another file, or replace it with --force.")
