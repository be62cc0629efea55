"""What a run is given besides its conversation: model, tools, hooks, limits and budgets."""

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
    """Waits of the kernel, in seconds on the run's clock, and its ceilings."""

    grace: float = 2.0
    """How long something that was asked to stop may take, before it is cancelled and again before it is left."""
    stall: float = 300.0
    """Silence of a model's stream, pings included, after which the kernel gives it up. Models have their own, lower."""
    attempts: int = 20
    """Requests for one response, whatever `on_stream_failure` says."""
    supersedes: int = 3
    """How often one call is asked about again because the base of its proposal moved."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Ceilings of one run; None is none. Looked at before each model request of a new turn."""

    turns: int | None = 100
    """Model responses for one task: counted anew for each follow-up. At least 1."""
    seconds: float | None = None
    tokens: int | None = None
    """Input and output of all requests, discarded ones included."""
    cost: float | None = None
    """US dollars. A model whose price is not known is asked once."""

    def __post_init__(self) -> None:
        for name in ("turns", "seconds", "tokens", "cost"):
            value = getattr(self, name)
            if value is not None and value <= 0:
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
    """Makes ids of messages (`msg`) and calls (`call`), unique in the session."""
