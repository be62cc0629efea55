"""Where Steersman keeps what it writes outside workspaces: `STEERSMAN_HOME`, or the platform's place for user data."""

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steersman.session.errors import SessionError

log = logging.getLogger(__name__)


class HomeError(SessionError):
    """STEERSMAN_HOME can't be used."""


@dataclass(frozen=True, slots=True)
class Home:
    root: Path

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Home":
        """The place that the environment names.

        Raises:
            HomeError: it is not absolute, or in the home of a user whom the system doesn't know.
        """
        named = environ.get("STEERSMAN_HOME")
        # Path.expanduser() raises where there is no home.
        root = Path(os.path.expanduser(named)) if named else _usual_place()  # noqa: PTH111
        if not root.is_absolute():
            raise HomeError(f"STEERSMAN_HOME is {named}: it must be an absolute path, outside of workspaces.")
        return cls(root)

    def make(self) -> None:
        """Makes the folder, for its owner only. If that fails, the first one who needs it says so."""
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            log.info("%s could not be made: %s", self.root, error)

    @property
    def config(self) -> Path:
        return self.root / "config.toml"

    @property
    def templates(self) -> Path:
        """The user's own prompt templates."""
        return self.root / "templates"

    @property
    def trust(self) -> Path:
        return self.root / "trust.json"

    @property
    def model_facts(self) -> Path:
        """What providers have said of their models."""
        return self.root / "cache" / "models"

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
    def exports(self) -> Path:
        """Transcripts of sessions, for people."""
        return self.root / "exports"

    @property
    def transcripts(self) -> Path:
        """Transcripts that an editor shows while their sessions go on."""
        return self.root / "transcripts"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def diffs(self) -> Path:
        """Diff documents that are shown with a question."""
        return self.root / "diffs"


def _usual_place() -> Path:
    from platformdirs import user_data_path  # noqa: PLC0415 - only where no other place is named

    return user_data_path("steersman", appauthor=False)
