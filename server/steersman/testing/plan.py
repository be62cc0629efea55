"""What a test plans for one run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypedDict, get_args

from steersman.agent.config import Budget
from steersman.session.settings import Mode
from steersman.testing.asked import Answers
from steersman.testing.commands import Results
from steersman.testing.errors import ScriptError
from steersman.testing.moments import Action, Event, Live
from steersman.testing.turns import ModelScript

TIMEOUT: Final = 60.0
"""Seconds of real time that a run may take by default."""
OnEvent: TypeAlias = Callable[[Event, Live], None]


class RunOptions(TypedDict, total=False):
    """What can be planned for a run besides its prompt and its model."""

    answers: Answers
    """The user's replies, in the order of the questions; or one word for all questions."""
    during: Sequence[Action]
    """What the user does during the run."""
    mode: Mode
    """Default: `ask`."""
    trusted: bool
    """Whether the folder is trusted. If not, the user is asked where it matters."""
    budget: Budget | None
    """Limits of turns, seconds, tokens and dollars."""
    commands: Mapping[str, Results] | None
    """Results of commands, which then don't run: a text, `Ran(…)`, or a list with one for each time. None: commands
    really run, in the workspace."""
    on_event: OnEvent | None
    """Called with each event and the run, in the thread of the run."""
    timeout: float
    """Seconds of real time after which the run is aborted and the test fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that is planned for a run, checked."""

    prompt: str | None
    model: ModelScript
    answers: Answers = ()
    during: Sequence[Action] = ()
    mode: Mode = "ask"
    trusted: bool = True
    budget: Budget | None = None
    commands: Mapping[str, Results] | None = None
    on_event: OnEvent | None = None
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise ScriptError(f"mode={self.mode!r}: it is one of {', '.join(get_args(Mode))}.")
        if not isinstance(self.budget, Budget | None):
            raise ScriptError(f"budget={self.budget!r}: give Budget(turns=…), or None.")
        if not self.timeout > 0:
            raise ScriptError(f"timeout={self.timeout!r}: seconds, above 0.")
