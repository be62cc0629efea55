"""Reads the tasks of a batch: one JSON object per line. All are checked before anything runs.

It knows what a task may say and checks the folders that it names, but not how a task is done.
"""

import difflib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from steersman.batch.errors import BadTasks
from steersman.session.jsonlines import decode, encode
from steersman.session.said import MAX_PROMPT
from steersman.session.settings import Mode

MAX_SHOWN = 100
"""Errors that are listed. Of further ones only their number is told."""
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,+@=-]{0,199}")
_RESERVED = ("predictions.jsonl",)


class TaskBudget(BaseModel):
    """Limits of one task, checked before each request to the model."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turns: Annotated[int, Field(ge=1)] | None = None
    seconds: Annotated[float, Field(gt=0, lt=1e9)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[float, Field(gt=0, lt=1e9)] | None = None
    """US dollars."""


class Task(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: str
    """Names its folder and its prediction. The key may also be called `instance_id`."""
    prompt: str
    workspace: str
    """A folder: absolute, or relative to the file of the tasks. Absolute after `read_tasks`."""
    model: str | None = None
    """`PROVIDER:NAME`; a tape's path is relative to the file of the tasks."""
    mode: Mode | None = None
    budget: TaskBudget = TaskBudget()
    timeout: Annotated[float, Field(gt=0, lt=1e9)] | None = None
    """Seconds after which it is aborted."""
    context_chars: Annotated[int, Field(ge=1)] | None = None
    """Send the model only so many of the newest characters of the conversation."""

    def digest(self) -> str:
        """Of all that the task says: with another digest, it is another task under the same id."""
        return hashlib.sha256(encode(self.model_dump(exclude_none=True))).hexdigest()[:16]


def read_tasks(lines: Iterable[str], folder: Path) -> list[Task]:
    """The tasks in their order; blank lines are skipped. `folder`: what their paths are relative to.

    Raises:
        BadTasks: there is none, or something is wrong with some. The text names each line and what is wrong with it.
    """
    reader = _Reader(folder)
    tasks = [task for number, line in enumerate(lines, 1) if (task := reader.read(number, line)) is not None]
    if not tasks and not reader.errors:
        raise BadTasks("There are no tasks. Write one JSON object per line, with id, prompt and workspace.")
    if reader.errors:
        shown = reader.errors[:MAX_SHOWN]
        more = len(reader.errors) - len(shown)
        raise BadTasks("\n".join([*shown, *([f"… and {more} more errors"] if more else [])]))
    return tasks


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.errors: list[str] = []
        self._folder = folder
        self._lines: dict[str, int] = {}

    def read(self, number: int, line: str) -> Task | None:
        if not line.strip():
            return None
        task, problems = _task(line)
        if task is not None:
            problems += self._named_twice(number, task)
            task = _resolved(task, self._folder)
            # Path.is_dir() raises where a name is too long or a folder above can't be entered.
            if _unnameable(task.workspace) is None and not os.path.isdir(task.workspace):  # noqa: PTH112
                problems.append(f"workspace: {task.workspace} is not a folder")
        self.errors += [f"line {number}: {problem}" for problem in problems]
        return task

    def _named_twice(self, number: int, task: Task) -> list[str]:
        # On some disks, ids that differ only in case would name the same folder.
        first = self._lines.setdefault(task.id.casefold(), number)
        return [] if first == number else [f"id {task.id} is that of line {first} too"]


def _task(line: str) -> tuple[Task | None, list[str]]:
    try:
        data = decode(line)
    except ValueError as error:
        return None, [f"no JSON: {error}"]
    if not isinstance(data, dict):
        return None, ["no JSON object"]
    problems = []
    if "instance_id" in data:
        if "id" in data:
            problems.append("id and instance_id are the same key: give one of them")
        data["id"] = data.pop("instance_id")
    problems += _unknown(data, Task)
    if isinstance(data.get("budget"), dict):
        problems += _unknown(data["budget"], TaskBudget, "budget.")
    try:
        task = Task.model_validate(data)
    except ValidationError as error:
        return None, [*problems, *_wrong_values(error)]
    return task, [*problems, *_unusable(task)]


_Model = TypeVar("_Model", bound=BaseModel)


def _unknown(data: dict[str, Any], model: type[_Model], prefix: str = "") -> Iterator[str]:
    """Removes the keys that the model does not have, and says what may have been meant."""
    known = [*model.model_fields, *(["instance_id"] if model is Task else [])]
    for key in [key for key in data if key not in known]:
        del data[key]
        near = [prefix + each for each in difflib.get_close_matches(key, known, n=2)]
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        yield f"{prefix}{key[:60]} is no key of a task; {hint}"


def _wrong_values(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False):
        name = ".".join(str(part) for part in each["loc"])
        yield f"{name} is missing" if each["type"] == "missing" else f"{name}: {each['msg']}"


def _unusable(task: Task) -> Iterator[str]:
    if not _ID.fullmatch(task.id) or task.id.casefold() in _RESERVED or task.id.endswith("."):
        yield f"id {task.id[:60]!r} can't name a folder: 1 to 200 letters, digits and _ . , + @ = -, no . or - first"
    if not task.prompt.strip():
        yield "prompt is empty: say what to do"
    if len(task.prompt) > MAX_PROMPT:
        yield f"prompt is longer than {MAX_PROMPT} characters; name files instead"
    for name, value in (("workspace", task.workspace), ("model", task.model)):
        if value is not None and (why := _unnameable(value)) is not None:
            yield f"{name} contains {why}"


def _unnameable(path: str) -> str | None:
    """What keeps every file from having this name; None if nothing does."""
    try:
        return "a null character" if b"\0" in os.fsencode(path) else None
    except UnicodeEncodeError:
        return "half of a surrogate pair"


def _resolved(task: Task, folder: Path) -> Task:
    model = task.model
    if model is not None and model.startswith("tape:"):
        model = f"tape:{(folder / model.removeprefix('tape:')).absolute()}"
    workspace = folder / task.workspace
    if _unnameable(task.workspace) is None:
        workspace = Path(os.path.realpath(workspace))  # Path.resolve() raises where links lead in a circle
    return task.model_copy(update={"workspace": str(workspace), "model": model})
