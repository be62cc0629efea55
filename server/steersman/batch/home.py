"""Where one task's session is kept: in the task's folder. What the user has configured stays where it is."""

from dataclasses import dataclass
from pathlib import Path

from steersman.session.home import Home


@dataclass(frozen=True, slots=True)
class TaskHome(Home):
    """`root` is the user's: its configuration, templates and instructions hold for every task."""

    task: Path

    @property
    def sessions(self) -> Path:
        return self.task / "sessions"

    @property
    def preimages(self) -> Path:
        return self.task / "preimages"

    @property
    def outputs(self) -> Path:
        return self.task / "outputs"
