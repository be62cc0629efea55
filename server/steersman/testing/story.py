"""A session as a test repeats it: the files that were there, and for each run what was said, answered and given."""

from dataclasses import dataclass, field

from steersman.session.settings import Mode
from steersman.testing.asked import Reply
from steersman.testing.commands import Ran
from steersman.testing.moments import Action
from steersman.testing.trees import Content
from steersman.testing.turns import Turn


class CannotRepeat(Exception):
    """The session can't be made into a test. The text says why."""


@dataclass(slots=True)
class CallStory:
    """A tool call in a few words, and its outcome."""

    what: str
    outcome: str = ""


@dataclass(slots=True)
class RunStory:
    prompt: str | None
    mode: Mode
    turns: list[Turn] = field(default_factory=list)
    answers: list[Reply] = field(default_factory=list)
    nobody: bool = False
    """Nobody could be asked."""
    during: list[Action] = field(default_factory=list)
    commands: dict[str, list[Ran]] = field(default_factory=dict)
    trusted: bool = True
    calls: list[CallStory] = field(default_factory=list)
    max_turns: int | None = None
    """The limit of turns at which the run stopped."""
    stop_reason: str = ""
    notes: list[str] = field(default_factory=list)
    """Says what of the run can't be repeated."""


@dataclass(slots=True)
class Story:
    session: str
    created: int
    """Milliseconds since 1970, UTC."""
    files: dict[str, Content] = field(default_factory=dict)
    """The workspace before the first run, as far as the log tells."""
    runs: list[RunStory] = field(default_factory=list)
    allow_commands: list[str] = field(default_factory=list)
    protect: list[str] = field(default_factory=list)
    final: dict[str, str | None] = field(default_factory=dict)
    """SHA-256 of each changed file after its last change. None: the file is gone."""
    notes: list[str] = field(default_factory=list)
