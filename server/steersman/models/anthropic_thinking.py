"""How each Claude model is asked to think, and when its thinking has to be sent back.

Sources: the guides "Thinking", "Extended thinking", "Effort", "Troubleshooting thinking" and "Prefix checks on
thinking blocks".
"""

import re
from dataclasses import dataclass
from typing import Final

from steersman.agent.model import ThinkingLevel

BUDGETS: Final = {"low": 4_000, "medium": 8_000, "high": 16_000}
"""Tokens of thinking for models that take a budget. At least half of `max_tokens` is left for the answer."""
SMALLEST_BUDGET: Final = 1_024
BINDING_BETA: Final = "thinking-binding-controls-2026-08-01"
"""The API's beta with `block_binding`."""

_VERSION: Final = re.compile(r"claude\D*?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?", re.IGNORECASE)
_ADAPTIVE_SINCE: Final = (4, 6)
_ON_BY_DEFAULT_SINCE: Final = (5, 0)
_BINDS_SINCE: Final = (5, 1)


@dataclass(frozen=True, slots=True)
class ThinkingStyle:
    """How one model thinks. Only its name tells."""

    adaptive: bool
    """It decides how much to think, guided by an effort; otherwise it takes a budget of tokens."""
    on_by_default: bool
    """It thinks even if the request doesn't ask for it. A request may contain thinking only if the model thinks."""
    binds: bool
    """Its thinking is only valid after exactly what preceded it, including the system prompt and the tools."""

    @classmethod
    def of(cls, name: str) -> "ThinkingStyle":
        """The style of a model by its name, in any provider's spelling. A Claude without a version counts as a current
        one. Any other model takes a budget, as servers that are compatible with this API do."""
        found = _VERSION.search(name)
        if found is None:
            is_claude = "claude" in name.lower()
            return cls(adaptive=is_claude, on_by_default=is_claude, binds=False)
        version = (int(found[1]), int(found[2] or 0))
        return cls(version >= _ADAPTIVE_SINCE, version >= _ON_BY_DEFAULT_SINCE, version >= _BINDS_SINCE)

    def fields(self, level: ThinkingLevel, max_tokens: int) -> dict[str, object]:
        """The request's fields for thinking. `off` doesn't forbid it: some models refuse to be told not to think."""
        if not self.adaptive:
            return {} if level == "off" else _budget(level, max_tokens)
        # Without `display` newer models only send signatures.
        thinking: dict[str, object] = {"type": "adaptive", "display": "summarized"}
        if self.binds:
            # Our system prompt may change within a conversation, and old turns may be shortened. The provider then
            # drops the thinking that is no longer valid, instead of refusing the request.
            thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
        if level == "off":
            return {"thinking": thinking} if self.binds else {}
        return {"thinking": thinking, "output_config": {"effort": level}}


def _budget(level: ThinkingLevel, max_tokens: int) -> dict[str, object]:
    budget = min(BUDGETS[level], max(SMALLEST_BUDGET, max_tokens // 2))
    if budget >= max_tokens:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}
