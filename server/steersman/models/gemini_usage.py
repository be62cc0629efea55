"""Token counts of the Gemini API. Its candidates don't include thoughts; its prompt includes what was cached."""

from collections.abc import Mapping
from dataclasses import dataclass

from steersman.agent.messages import Usage
from steersman.models.event_json import count


@dataclass(frozen=True, slots=True)
class GeminiUsage:
    """The numbers as the provider sent them; None if it sent none. See "UsageMetadata" in the API reference."""

    prompt: int | None
    candidates: int | None
    total: int | None
    cached: int | None
    thoughts: int | None
    tool_prompt: int | None
    """What the provider's own tools added to the prompt."""

    @property
    def is_zero(self) -> bool:
        return not (self.prompt or self.candidates or self.total or self.thoughts)

    def as_sent(self) -> dict[str, int | None]:
        """The provider's own numbers under our names."""
        return {
            "input": self.prompt,
            "output": self.candidates,
            "total": self.total,
            "cache_read": self.cached,
            "cache_write": None,
            "reasoning": self.thoughts,
        }

    def usage(self) -> Usage:
        """In our terms: thoughts are part of the output."""
        thoughts = self.thoughts or 0
        return Usage(
            input=(self.prompt or 0) + (self.tool_prompt or 0),
            output=(self.candidates or 0) + thoughts,
            cache_read=self.cached or 0,
            reasoning=thoughts,
        )


def read_usage(metadata: Mapping[str, object]) -> GeminiUsage:
    """Reads a `usageMetadata` object."""
    return GeminiUsage(
        prompt=count(metadata, "promptTokenCount"),
        candidates=count(metadata, "candidatesTokenCount"),
        total=count(metadata, "totalTokenCount"),
        cached=count(metadata, "cachedContentTokenCount"),
        thoughts=count(metadata, "thoughtsTokenCount"),
        tool_prompt=count(metadata, "toolUsePromptTokenCount"),
    )
