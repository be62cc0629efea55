"""What `steersman sessions` does with one session: fork, rename, delete or compact it, list its checkpoints, revert."""

import argparse
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from steersman.cli import USAGE
from steersman.cli.session_ids import in_short, named, session_named
from steersman.cli.terminal import colour_diff, is_interactive, read_line, safe
from steersman.session.errors import Refused
from steersman.workspace.roots import printable
from steersman.workspace.uris import path_of

if TYPE_CHECKING:
    from steersman.session.home import Home
    from steersman.session.journal import Emitted
    from steersman.session.manager import SessionManager

_NO_TERMINAL = "There is no terminal to ask on. --yes does it without a question."


@asynccontextmanager
async def managed(home: "Home") -> "AsyncIterator[SessionManager]":
    """A manager of all sessions that are kept, closed at the end."""
    from steersman.session.compose import build_services
    from steersman.session.manager import SessionManager
    from steersman.session.settings import load_settings

    manager = SessionManager(build_services(home, load_settings(home), approver=None))
    try:
        yield manager
    finally:
        await manager.close()


async def fork(args: argparse.Namespace, home: "Home") -> int:
    session = session_named(home, args.id)
    async with managed(home) as manager:
        message = args.message and await _checkpoint(manager, session, args.message, "message")
        made = await manager.library.fork(session, message)
    print(made["session"])
    if text := made.get("text"):
        print(f"It ends before this message: {safe(text)}", file=sys.stderr)
    print(f'To go on in it: steersman run --session {made["session"]} "…"', file=sys.stderr)
    return 0


async def rename(args: argparse.Namespace, home: "Home") -> int:
    session = session_named(home, args.id)
    async with managed(home) as manager:
        await manager.library.rename(session, args.title)
    return 0


async def delete(args: argparse.Namespace, home: "Home") -> int:
    session = session_named(home, args.id)
    async with managed(home) as manager:
        found = await manager.library.list(limit=1000)
        title = next((each.title for each in found if each.id == session), None)
        status = await _confirmed(args, f"Delete {session}{f' “{safe(title)}”' if title else ''} for good?")
        if status is not None:
            return status
        await manager.library.delete(session)
    return 0


async def compact(args: argparse.Namespace, home: "Home") -> int:
    from steersman.workspace.roots import Roots

    session = session_named(home, args.id)
    ended: list[dict[str, Any]] = []
    async with managed(home) as manager:
        manager.services.bus.listen(lambda event: _keep(event, "compaction_end", ended))
        await manager.compact(session, Roots([]), args.instructions)
        await manager.operated(session)
    if not ended or "failed" in ended[-1]:
        why = safe(ended[-1]["failed"]) if ended else "see the log"
        print(f"steersman sessions compact: nothing was shortened: {why}", file=sys.stderr)
        return 1
    end = ended[-1]
    print(
        f"{end['replaced']} messages were summarised for the model: about {end['tokensBefore']:,} tokens became "
        f"{end['tokensAfter']:,}. The log keeps them."
    )
    return 0


async def checkpoints(args: argparse.Namespace, home: "Home") -> int:
    session = session_named(home, args.id)
    async with managed(home) as manager:
        told = await manager.reverts.checkpoints(session)
    for each in told["checkpoints"]:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(each["ts"] / 1000))
        print(f"{each['checkpoint']}  {when}  {safe(each['title'])}")
        for uri in each["files"]:
            print(f"    {_name(uri)}")
    return 0


async def revert(args: argparse.Namespace, home: "Home") -> int:
    session = session_named(home, args.id)
    async with managed(home) as manager:
        since = await _checkpoint(manager, session, args.checkpoint, "checkpoint")
        preview = await manager.reverts.preview(session, since)
        _show_preview(preview)
        conflicts = [each["uri"] for each in preview["files"] if each["state"] == "conflict"]
        if args.preview:
            return 0
        if not any(each["state"] in ("ready", "conflict") for each in preview["files"]):
            print("There is nothing to take back.")
            return 0
        if conflicts and args.on_conflict is None:
            raise Refused(
                "conflict", "Say what to do with the conflicts: --on-conflict keep, restore or skip."
            )
        status = await _confirmed(args, "Take this back?")
        if status is not None:
            return status
        ended: list[dict[str, Any]] = []
        manager.services.bus.listen(lambda event: _keep(event, "revert_end", ended))
        await manager.reverts.revert(session, since, choices=dict.fromkeys(conflicts, args.on_conflict))
        await manager.operated(session)
    return _tell_outcome(ended[-1]["files"] if ended else [])


def _show_preview(preview: dict[str, Any]) -> None:
    for each in preview["files"]:
        state = {"ready": each["action"], "done": "as it was"}.get(each["state"], each["state"])
        print(f"{state}: {_name(each['uri'])}" + (f" ({safe(each['reason'])})" if "reason" in each else ""))
        if diff := each.get("diff"):
            print((colour_diff(diff) if sys.stdout.isatty() else safe(diff)).rstrip("\n"))
    if preview["commands"]:
        print("What these commands did is not taken back:")
        for command in preview["commands"]:
            print(f"    {safe(command)}")
    if preview["notRevertible"]:
        print("They may have written:")
        for uri in preview["notRevertible"]:
            print(f"    {_name(uri)}")


def _tell_outcome(files: list[dict[str, Any]]) -> int:
    """Prints what became of each file. Exit status 1 if something could not be taken back, else 0."""
    bad = [each for each in files if each["outcome"] in ("failed", "conflict")]
    for each in files:
        why = f": {safe(each['message'])}" if each.get("message") else ""
        print(f"{each['outcome']}: {_name(each['uri'])}{why}", file=sys.stderr if each in bad else sys.stdout)
    return 1 if bad or not files else 0


async def _checkpoint(manager: "SessionManager", session: str, word: str, what: str) -> str:
    told = await manager.reverts.checkpoints(session)
    return named(word, [each["checkpoint"] for each in told["checkpoints"]], what)


async def _confirmed(args: argparse.Namespace, question: str) -> int | None:
    """None if the user says yes; else the exit status."""
    if args.yes:
        return None
    if not is_interactive():
        print(f"steersman sessions {args.action}: {_NO_TERMINAL}", file=sys.stderr)
        return USAGE
    line = await read_line(f"{question} [y/N] ")
    if line is not None and line.strip().lower() in ("y", "yes"):
        return None
    print("Nothing was done.", file=sys.stderr)
    return 0


def _keep(event: "Emitted", kind: str, into: list[dict[str, Any]]) -> None:
    if event.type == kind:
        into.append(event.data)


def _name(uri: str) -> str:
    return printable(in_short(path_of(uri)))
