"""Plan first, with tools that only read; then carry the plan out, step by step, and plan anew if a step fails."""

from plan_strategy.steps import Step, read_steps
from plan_strategy.strategy import PlanStrategy

__all__ = ["PlanStrategy", "Step", "read_steps"]
