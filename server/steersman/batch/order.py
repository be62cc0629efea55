"""What one task comes to: everything that a worker is told, as JSON, and everything that it says when it is done."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from steersman.session.settings import Mode

Status = Literal["complete", "declined", "limit", "error", "timeout", "aborted"]
"""As the exit statuses of `steersman run`. `declined`: it went to its end, but a call was not allowed."""

Data = dict[str, Any]  # Any: JSON that is about to be serialised, or has just been read


@dataclass(frozen=True, slots=True)
class Order:
    """Keys of models are not among it: a worker has them from its own environment or configuration."""

    id: str
    prompt: str
    workspace: str
    """The folder that the task is about."""
    folder: str
    """Where what comes of it is put."""
    base: str
    """The copy of the workspace that the work begins with and is compared to; made if it isn't there."""
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
    """Also what ignore files exclude is in the patch."""

    def data(self) -> Data:
        return asdict(self)

    @property
    def place(self) -> "Place":
        return Place(Path(self.folder))


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of one task. `result.json` is written last: with it, and not aborted, the task is finished."""

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
        """What came of attempts that were not finished, or were repeated, by number."""
        return self.root / "earlier"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"


@dataclass(slots=True)
class Changes:
    """How the workspace differs from its beginning."""

    files: list[Data] = field(default_factory=list)
    """`{path, kind}`, kind one of added, changed, deleted."""
    left_out: list[str] = field(default_factory=list)
    """Paths that ignore files exclude; not in the patch."""
