"""What a test has written for one run."""

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
"""Seconds of real time that a run may take unless the test says otherwise."""
OnEvent: TypeAlias = Callable[[Event, Live], None]


class RunOptions(TypedDict, total=False):
    """How a run goes on, beside its prompt and its model."""

    answers: Answers
    """What the user answers to the questions, in their order; or one word for all of them."""
    during: Sequence[Action]
    """What the user does while it runs."""
    mode: Mode
    """`ask` unless it is said."""
    trusted: bool
    """Whether the folder is; with False the user is asked where it matters."""
    budget: Budget | None
    """Of turns, seconds, tokens, dollars."""
    commands: Mapping[str, Results] | None
    """Results of commands, which then don't run: a text, `Ran(…)`, or a list with one for each time. Without, commands
    run in the workspace."""
    on_event: OnEvent | None
    """Is called with each event and the run, in the thread of the run."""
    timeout: float
    """Seconds of real time, after which the run is ended and the test fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The same, checked."""

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
        if not self.timeout > 0:
            raise ScriptError(f"timeout={self.timeout!r}: seconds, above 0.")
