"""How each Claude model is asked to think, and when it wants its thinking back.

Sources: the guides "Thinking", "Extended thinking", "Effort", "Troubleshooting thinking" and "Prefix checks on
thinking blocks".
"""

import re
from dataclasses import dataclass
from typing import Final

from steersman.agent.model import ThinkingLevel

BUDGETS: Final = {"low": 4_000, "medium": 8_000, "high": 16_000}
"""Tokens of thinking for models that take a budget. At least half of `max_tokens` is for the answer."""
SMALLEST_BUDGET: Final = 1_024
BINDING_BETA: Final = "thinking-binding-controls-2026-08-01"
"""The beta of the API that has `block_binding`."""

_VERSION: Final = re.compile(r"claude\D*?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?", re.IGNORECASE)
_ADAPTIVE_SINCE: Final = (4, 6)
_ON_BY_DEFAULT_SINCE: Final = (5, 0)
_BINDS_SINCE: Final = (5, 1)


@dataclass(frozen=True, slots=True)
class ThinkingStyle:
    """What one model takes. Which it is, only its name tells."""

    adaptive: bool
    """It decides how much it thinks, guided by an effort; else it is given a budget of tokens."""
    on_by_default: bool
    """It thinks also where nothing is said of it. Only where a model thinks may a request hold thinking."""
    binds: bool
    """Its thinking is valid after exactly what was before it, the system prompt and the tools included."""

    @classmethod
    def of(cls, name: str) -> "ThinkingStyle":
        """Of a model name in any provider's spelling. A Claude without a version is a current one; a model that is no
        Claude takes a budget, as servers that are compatible with this API do."""
        found = _VERSION.search(name)
        if found is None:
            is_claude = "claude" in name.lower()
            return cls(adaptive=is_claude, on_by_default=is_claude, binds=False)
        version = (int(found[1]), int(found[2] or 0))
        return cls(version >= _ADAPTIVE_SINCE, version >= _ON_BY_DEFAULT_SINCE, version >= _BINDS_SINCE)

    def fields(self, level: ThinkingLevel, max_tokens: int) -> dict[str, object]:
        """The request's fields. At `off` nothing is said of thinking: some models refuse to be told not to think."""
        if not self.adaptive:
            return {} if level == "off" else _budget(level, max_tokens)
        # Without `display` the newer models send signatures only.
        thinking: dict[str, object] = {"type": "adaptive", "display": "summarized"}
        if self.binds:
            # Our system prompt may change within a conversation, and an old turn may be shortened: the thinking that
            # is no longer valid then is left out, where the request would be refused otherwise.
            thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
        if level == "off":
            return {"thinking": thinking} if self.binds else {}
        return {"thinking": thinking, "output_config": {"effort": level}}


def _budget(level: ThinkingLevel, max_tokens: int) -> dict[str, object]:
    budget = min(BUDGETS[level], max(SMALLEST_BUDGET, max_tokens // 2))
    if budget >= max_tokens:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}
