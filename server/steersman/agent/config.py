"""What a run is given besides its conversation: model, tools, hooks, limits and a budget."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.clock import Clock, SystemClock
from steersman.agent.hooks import Hooks
from steersman.agent.model import Model, ThinkingLevel
from steersman.agent.tasks import Strays
from steersman.agent.tool import Tool


@dataclass(frozen=True, slots=True)
class KernelLimits:
    """The kernel's time limits, in seconds on the run's clock, and its bounds on repetition."""

    grace: float = 2.0
    """Given to work that was asked to stop before it is cancelled, and again before it is left running."""
    stall: float = 300.0
    """A stream that sends nothing for so long, not even pings, is given up. Models have lower limits of their own."""
    attempts: int = 20
    """Most requests for one response, whatever `on_stream_failure` says."""
    supersedes: int = 3
    """How often one call may be asked about again because the base of its proposal has changed."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The ceilings of one run; None: no ceiling. They are checked before each turn."""

    turns: int | None = 100
    """Counted anew for each follow-up. At least 1."""
    seconds: float | None = None
    tokens: int | None = None
    """Input and output of all requests, including discarded responses and those that hooks have made."""
    cost: float | None = None
    """US dollars. A model of unknown price is asked only once."""

    def __post_init__(self) -> None:
        for name in ("turns", "seconds", "tokens", "cost"):
            value = getattr(self, name)
            if (
                value is not None and not value > 0
            ):  # NaN is not above 0 either, and would be a ceiling that never holds
                raise ValueError(f"the budget of {name} must be above 0, got {value}")


def random_id(prefix: str) -> str:
    """`prefix_` and 12 random hexadecimal digits."""
    return f"{prefix}_{secrets.token_hex(6)}"


@dataclass(slots=True)
class LoopConfig:
    model: Model
    system: str = ""
    tools: Sequence[Tool] = ()
    thinking: ThinkingLevel = "off"
    max_output_tokens: int | None = None
    hooks: Hooks = field(default_factory=Hooks)
    budget: Budget = field(default_factory=Budget)
    limits: KernelLimits = field(default_factory=KernelLimits)
    execution: Literal["auto", "sequential"] = "auto"
    on_tool_exception: Literal["report", "raise"] = "report"
    clock: Clock = field(default_factory=SystemClock)
    strays: Strays = field(default_factory=Strays)
    new_id: Callable[[str], str] = random_id
    """Makes ids that are unique in the session: `msg` for messages, `call` for calls."""
