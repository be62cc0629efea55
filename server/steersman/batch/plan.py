"""Makes the orders of a batch from its tasks and the command line, and refuses tasks that would disturb each other."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.batch.errors import BadTasks
from steersman.batch.folder import OutputFolder
from steersman.batch.order import Order
from steersman.batch.tasks import Task
from steersman.session.settings import Mode


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for each task that says nothing else."""

    model: str = ""
    mode: Mode = "auto-edit"
    max_turns: int | None = None
    timeout: float | None = None
    context_chars: int | None = None
    base_url: str | None = None
    in_place: bool = False
    keep_workspaces: bool = False
    all_files: bool = False
    retry_failed: bool = False


def order_of(task: Task, options: Options, folder: OutputFolder, *, trusted: bool) -> Order:
    """The order for a task: everything that a worker is told of it."""
    # In place, each task has a base of its own; tasks that work in copies of one workspace share their base.
    base = f"{task.id}\0{task.workspace}" if options.in_place else task.workspace
    return Order(
        id=task.id,
        prompt=task.prompt,
        workspace=task.workspace,
        folder=str(folder.place(task.id).root),
        base=str(folder.base(base)),
        model=task.model or options.model,
        mode=task.mode or options.mode,
        trusted=trusted,
        digest=task.digest(),
        turns=task.budget.turns or options.max_turns,
        seconds=task.budget.seconds,
        tokens=task.budget.tokens,
        cost=task.budget.cost,
        timeout=task.timeout or options.timeout,
        context_chars=task.context_chars or options.context_chars,
        base_url=options.base_url,
        in_place=options.in_place,
        keep_workspace=options.keep_workspaces,
        all_files=options.all_files,
    )


def refuse_overlaps(tasks: Sequence[Task], root: Path, *, in_place: bool) -> None:
    """Raises:
    BadTasks: the output and a workspace are one inside the other, or two tasks would work in the same files.
    """
    out = Path(os.path.realpath(root))  # Path.resolve() raises where links lead in a circle
    problems = []
    for workspace in dict.fromkeys(task.workspace for task in tasks):
        if out.is_relative_to(workspace):
            problems.append(f"{root} is inside the workspace {workspace}: name a folder outside with -o")
        elif Path(workspace).is_relative_to(out):
            problems.append(f"the workspace {workspace} is inside {root}: name another folder with -o")
    if in_place:
        problems += _shared(tasks)
    if problems:
        raise BadTasks("\n".join(problems))


def _shared(tasks: Sequence[Task]) -> Iterable[str]:
    owners: dict[Path, str] = {}
    for task in tasks:
        owner = owners.setdefault(Path(task.workspace), task.id)
        if owner != task.id:
            yield f"{owner} and {task.id} would both work in {task.workspace}: without --in-place each has a copy"
    for path, owner in owners.items():
        for above in path.parents:
            if above in owners:
                yield f"{owners[above]} and {owner} would both work in {path}: without --in-place each has a copy"
