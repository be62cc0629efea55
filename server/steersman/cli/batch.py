"""`steersman batch TASKS.jsonl -o DIR`: many tasks over many workspaces."""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.cli import ABORTED, USAGE
from steersman.cli.arguments import positive, seconds
from steersman.cli.batch_faces import JsonFace, LineFace
from steersman.cli.output import Output, beside
from steersman.cli.signals import stopping
from steersman.cli.terminal import safe, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steersman.batch.folder import OutputFolder
    from steersman.batch.order import Order
    from steersman.batch.plan import Options
    from steersman.batch.run import Batch, Doer, Summary
    from steersman.batch.tasks import Task
    from steersman.session.home import Home
    from steersman.session.settings import Settings

COMPLETE, FAILED = 0, 1
AT_ONCE = 4
"""Tasks at a time by default: models answer slowly, but the commands that agents run need cores."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `batch` to the command line."""
    parser = subparsers.add_parser(
        "batch",
        help="many tasks over many workspaces",
        description="Does the tasks in TASKS, one JSON object per line with id, prompt and workspace, each in a copy "
        "of its workspace. DIR gets a folder for each task (result.json, patch.diff, transcript.md, log.jsonl) and "
        "predictions.jsonl. Started again, the same command skips the tasks that are finished.",
        epilog="Exit status: 0 all complete; 1 some are not; 64 usage; 130 aborted.",
    )
    parser.add_argument("tasks", metavar="TASKS", help="the file with the tasks; - reads standard input")
    parser.add_argument(
        "-o", "--output", metavar="DIR", type=Path, required=True, help="the folder for all results"
    )
    parser.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=positive,
        help=f"tasks at a time (default: {AT_ONCE}; with --scheduler, as many as its workers take)",
    )
    parser.add_argument("--model", metavar="PROVIDER:NAME", help="for tasks that name none")
    parser.add_argument("--base-url", metavar="URL", help="URL of the model's API")
    parser.add_argument(
        "--mode",
        choices=["read-only", "ask", "auto-edit", "full-auto"],
        help="for tasks that name none (default: auto-edit, since nobody can be asked); full-auto also runs commands",
    )
    parser.add_argument(
        "--trust", action="store_true", help="trust the workspaces and their own instructions"
    )
    parser.add_argument(
        "--max-turns", metavar="N", type=positive, help="model answers for a task (default: 100)"
    )
    parser.add_argument(
        "--context-chars", metavar="N", type=positive, help="as for `run`, for tasks that give no number"
    )
    parser.add_argument("--timeout", metavar="S", type=seconds, help="abort a task after S seconds")
    parser.add_argument(
        "--retry-failed", action="store_true", help="redo finished tasks that are not complete"
    )
    parser.add_argument(
        "--in-place", action="store_true", help="work in the workspaces themselves, not in copies"
    )
    parser.add_argument("--keep-workspaces", action="store_true", help="keep the copies, as DIR/ID/workspace")
    parser.add_argument(
        "--all-files", action="store_true", help="include in the patches what .gitignore excludes"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="do the tasks on the workers of a Dask cluster that shares this file system (needs steersman[cluster])",
    )
    parser.add_argument("--json", action="store_true", help="one event per line on standard output")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Does the batch. Returns the exit status that the epilog lists."""
    from steersman.batch.errors import BadTasks, BatchError
    from steersman.batch.folder import OutputFolder
    from steersman.batch.plan import refuse_overlaps
    from steersman.session.errors import SessionError
    from steersman.session.home import Home
    from steersman.session.settings import load_settings

    try:
        tasks = _read(args.tasks)
        refuse_overlaps(tasks, args.output, in_place=args.in_place)
        home = Home.from_environment()
        settings = load_settings(home).with_flags(model=args.model, base_url=args.base_url)
        options = _options(args, settings)
        trusted = _trusted(tasks, options, home, all_of_them=args.trust)
        _refuse_models(tasks, options, home, settings, keys_elsewhere=args.scheduler is not None)
        folder = OutputFolder.open(Path(os.path.realpath(args.output)))
    except BadTasks as error:
        tell(f"steersman batch: {args.tasks} can't be used; nothing was begun.\n{safe(str(error))}")
        return USAGE
    except (BatchError, SessionError) as error:
        tell(f"steersman batch: {safe(str(error))}")
        return FAILED
    try:
        return asyncio.run(_run(args, tasks, options, folder, trusted, notices=_left_out(args, settings)))
    except BatchError as error:
        tell(f"steersman batch: {safe(str(error))}")
        return FAILED
    finally:
        folder.close()


def _read(name: str) -> "list[Task]":
    """Raises:
    BadTasks: see `read_tasks`; or the file can't be read.
    """
    from steersman.batch.errors import BadTasks
    from steersman.batch.tasks import read_tasks

    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        # A line ends at LF only: JSON strings may hold other characters that end lines elsewhere.
        return read_tasks(data.decode("utf-8-sig").split("\n"), Path() if name == "-" else Path(name).parent)
    except OSError as error:
        raise BadTasks(f"It can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadTasks(f"It is not UTF-8: {error.reason} at byte {error.start}.") from error


def _options(args: argparse.Namespace, settings: "Settings") -> "Options":
    from steersman.batch.plan import Options

    # In mode ask, with nobody to ask, no task could change anything.
    configured = settings.mode if settings.mode != "ask" else "auto-edit"
    return Options(
        model=settings.model or "",
        mode=args.mode or configured,
        max_turns=args.max_turns or settings.max_turns,
        timeout=args.timeout,
        context_chars=args.context_chars,
        base_url=args.base_url,
        in_place=args.in_place,
        keep_workspaces=args.keep_workspaces,
        all_files=args.all_files,
        retry_failed=args.retry_failed,
    )


def _trusted(tasks: "list[Task]", options: "Options", home: "Home", *, all_of_them: bool) -> set[str]:
    """The workspaces that are trusted.

    Raises:
        BadTasks: a task would change a workspace that is not.
    """
    from steersman.batch.errors import BadTasks
    from steersman.session.settings import stricter
    from steersman.session.trust import TrustStore

    workspaces = {task.workspace for task in tasks}
    if all_of_them:
        return workspaces
    store = TrustStore(home)
    trusted = {name for name in workspaces if store.answer(Path(name))}
    modes = {task.id: task.mode or options.mode for task in tasks}
    loose = [task for task in tasks if stricter(modes[task.id], "ask") != modes[task.id]]
    wrong = list(dict.fromkeys(task.workspace for task in loose if task.workspace not in trusted))
    if wrong:
        more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise BadTasks(
            f"{wrong[0]}{more} is not a trusted folder, and mode {modes[loose[0].id]} wants one: add --trust, which "
            "follows the workspaces' own instructions too, or take --mode read-only."
        )
    return trusted


def _refuse_models(
    tasks: "list[Task]", options: "Options", home: "Home", settings: "Settings", *, keys_elsewhere: bool
) -> None:
    """Raises:
    BadTasks: a model can't be used.
    """
    from steersman.batch.errors import BadTasks
    from steersman.models.errors import TapeError
    from steersman.session.compose import model_factory
    from steersman.session.errors import Refused

    make = model_factory(home, settings)
    problems = []
    for spec in dict.fromkeys(task.model or options.model for task in tasks):
        try:
            make(spec)
        except Refused as refusal:
            if refusal.code != "noCredentials" or not keys_elsewhere:
                problems.append(str(refusal))
        except TapeError as error:
            problems.append(str(error))
    if problems:
        raise BadTasks("\n".join(problems))


def _left_out(args: argparse.Namespace, settings: "Settings") -> "Sequence[str]":
    """Of the enabled extensions, which can't be used here and why: nobody looks for that in the log of each task."""
    from steersman.session.extensions import load_extensions

    return () if args.scheduler is not None else load_extensions(settings.extensions).problems


async def _run(
    args: argparse.Namespace,
    tasks: "list[Task]",
    options: "Options",
    folder: "OutputFolder",
    trusted: set[str],
    *,
    notices: "Sequence[str]",
) -> int:
    from steersman.batch.plan import order_of
    from steersman.batch.run import Batch

    orders = [order_of(task, options, folder, trusted=task.workspace in trusted) for task in tasks]
    output = Output(sys.stdout, on_gone=lambda: batch.stop("nobody reads the output"))
    # Without events nothing is written on standard output, and lines for people that fail are no reason to stop.
    told = beside(output) if args.json else Output(sys.stderr)
    face = JsonFace(output) if args.json else LineFace(told)
    doer = await _doer(args.scheduler)
    batch = Batch(orders, folder, doer, face.report, notices=notices)
    stopped = asyncio.Event()
    _obey_signals(batch, stopped, told)
    at_once = args.jobs or (AT_ONCE if args.scheduler is None else len(orders))
    summary = await batch.run(at_once, retry_failed=options.retry_failed)
    is_read = await output.delivered(stopped)
    if failure := f"standard output can't be written: {output.error}" if output.error else summary.failure:
        told.say(f"steersman batch: stopped: {safe(failure)}")
    await told.delivered(stopped)
    if failure is not None:
        return FAILED
    return ABORTED if batch.stopped is not None or not is_read else _status(summary, orders)


async def _doer(scheduler: str | None) -> "Doer":
    """Raises:
    BatchError: there is no such cluster, or what it needs is not installed.
    """
    from steersman.batch.errors import BatchError
    from steersman.batch.workers import Local

    if scheduler is None:
        return Local()
    try:
        from steersman.batch.cluster import Cluster
    except ModuleNotFoundError as error:
        if error.name not in ("distributed", "dask"):
            raise
        raise BatchError("--scheduler needs Dask: pip install 'steersman[cluster]'") from None
    return await Cluster.connect(scheduler)


def _obey_signals(batch: "Batch", stopped: asyncio.Event, told: Output) -> None:
    """The first one stops the batch in order, the second one ends it at once."""

    def on_signal(number: int) -> None:
        stopped.set()
        if batch.stopped is None:
            told.say("steersman batch: stopping. The next batch does what is unfinished. Ctrl-C again kills.")
            batch.stop(signal.Signals(number).name)
            return
        batch.kill()
        os._exit(ABORTED)

    loop = asyncio.get_running_loop()
    for number in stopping():
        loop.add_signal_handler(number, on_signal, number)


def _status(summary: "Summary", orders: "list[Order]") -> int:
    return COMPLETE if summary.statuses["complete"] == len(orders) else FAILED
