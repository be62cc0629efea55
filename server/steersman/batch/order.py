"""What a worker is told of a task, as JSON, and where it puts what comes of it."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from steersman.session.settings import Mode

Status = Literal["complete", "declined", "limit", "error", "timeout", "aborted"]
"""Like the exit statuses of `steersman run`. `declined`: the task was completed, but a call was not allowed."""

Data = dict[str, Any]  # Any: JSON that is about to be serialised, or has just been read


@dataclass(frozen=True, slots=True)
class Order:
    """Contains no API keys: a worker has them from its own environment or configuration."""

    id: str
    prompt: str
    workspace: str
    """The folder that the task is about."""
    folder: str
    """Where its results go."""
    base: str
    """The copy of the workspace that the work begins with and is compared to. Made if it isn't there."""
    model: str
    mode: Mode
    trusted: bool
    digest: str
    """Of the task as it was given."""
    turns: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: float | None = None
    timeout: float | None = None
    context_chars: int | None = None
    base_url: str | None = None
    in_place: bool = False
    keep_workspace: bool = False
    all_files: bool = False
    """Files that ignore files exclude are in the patch too."""

    def data(self) -> Data:
        return asdict(self)

    @property
    def place(self) -> "Place":
        return Place(Path(self.folder))


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one task. `result.json` is written last: the task is finished if it is there and not aborted."""

    root: Path

    @property
    def result(self) -> Path:
        return self.root / "result.json"

    @property
    def patch(self) -> Path:
        return self.root / "patch.diff"

    @property
    def transcript(self) -> Path:
        return self.root / "transcript.md"

    @property
    def log(self) -> Path:
        """A link to the session's log."""
        return self.root / "log.jsonl"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def earlier(self) -> Path:
        """Results of attempts that were not finished or were repeated, by number."""
        return self.root / "earlier"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"


@dataclass(slots=True)
class Changes:
    """How the workspace differs from its base."""

    files: list[Data] = field(default_factory=list)
    """`{path, kind}`; the kind is added, changed or deleted."""
    left_out: list[str] = field(default_factory=list)
    """Changed paths that are not in the patch, since ignore files exclude them."""
