"""Where Steersman keeps what it writes outside workspaces: `STEERSMAN_HOME`, or the platform's place for user data."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path


@dataclass(frozen=True, slots=True)
class Home:
    root: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Home":
        named = environ.get("STEERSMAN_HOME")
        return cls(
            Path(named).expanduser().absolute() if named else user_data_path("steersman", appauthor=False)
        )

    @property
    def config(self) -> Path:
        return self.root / "config.toml"

    @property
    def trust(self) -> Path:
        return self.root / "trust.json"

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def preimages(self) -> Path:
        """Bytes of files as they were before a run changed them."""
        return self.root / "preimages"

    @property
    def outputs(self) -> Path:
        """Whole outputs of commands whose results hold only the tail."""
        return self.root / "outputs"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def diffs(self) -> Path:
        """Diff documents that are shown with a question."""
        return self.root / "diffs"
