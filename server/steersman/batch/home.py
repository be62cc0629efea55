"""Keeps the session of a task in the task's folder, with the configuration of the user."""

from dataclasses import dataclass
from pathlib import Path

from steersman.session.home import Home


@dataclass(frozen=True, slots=True)
class TaskHome(Home):
    """`root` is the user's own: its configuration, templates and instructions hold for every task."""

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
