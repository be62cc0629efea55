"""How each Gemini model is asked to think, and whether it requires the signatures of its thoughts back.

Sources: the guides "Gemini thinking", "Thought signatures" and "OpenAI compatibility" (which budget corresponds to
which level), and the table of supported levels in Vertex AI's guide "Thinking".
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from steersman.agent.model import ThinkingLevel

BUDGETS: Final = {"low": 1_024, "medium": 8_192, "high": 24_576}
"""Tokens of thinking for models that take a budget. At least half of the output limit is left for the answer."""

_VERSION: Final = re.compile(r"gemini-(\d{1,2})(?!\d)(?:\.(\d{1,2})(?!\d))?", re.IGNORECASE)
_OTHER_KINDS: Final = re.compile(r"image|tts|audio|live|robotics|embedding", re.IGNORECASE)
_BUDGET_SINCE: Final = (2, 5)
_LEVEL_SINCE: Final = (3, 0)
_NO_MINIMAL_SINCE: Final = (3, 7)


@dataclass(frozen=True, slots=True)
class ThinkingStyle:
    """How one model thinks. Only its name tells."""

    control: Literal["level", "budget", None]
    """What tells it how much to think; None: it must not be told anything."""
    least: str | int | None = None
    """The level or budget that comes closest to not thinking; None: it is not known, so nothing is sent."""
    smallest: int = 0
    """Fewest tokens of a budget above `least`."""
    signs: bool = False
    """It signs its calls, refuses them without a signature, and takes images in results (since Gemini 3)."""

    @classmethod
    def of(cls, name: str) -> "ThinkingStyle":
        """A model's style, by its name. A Gemini without a version (`gemini-flash-latest`) counts as a current one."""
        is_gemini = "gemini" in name.lower()
        found = _VERSION.search(name)
        version = (int(found[1]), int(found[2] or 0)) if found else None
        signs = is_gemini and (version is None or version >= _LEVEL_SINCE)
        if not is_gemini or _OTHER_KINDS.search(name) or (version is not None and version < _BUDGET_SINCE):
            return cls(None, signs=signs)
        if version is None or version[0] > _LEVEL_SINCE[0]:
            return cls("level", signs=True)
        if version >= _LEVEL_SINCE:
            minimal = "flash" in name.lower() and version < _NO_MINIMAL_SINCE
            return cls("level", "MINIMAL" if minimal else "LOW", signs=True)
        if "pro" in name.lower():
            return cls("budget", 128, 128)
        return cls("budget", 0, 512 if "lite" in name.lower() else 1)

    def fields(self, level: ThinkingLevel, max_tokens: int | None) -> dict[str, object]:
        """The request's `thinkingConfig`, which may be empty. Thoughts count towards `max_tokens`."""
        if self.control is None or (level == "off" and self.least is None):
            return {}
        key = "thinkingLevel" if self.control == "level" else "thinkingBudget"
        if level == "off":
            return {key: self.least}
        if self.control == "level":
            return {key: level.upper(), "includeThoughts": True}
        budget = BUDGETS[level]
        if max_tokens is not None:
            budget = min(budget, max(self.smallest, max_tokens // 2))
        return {key: budget, "includeThoughts": True}
