"""Token counts of the Messages API. Its input doesn't include what was read from or written to the cache."""

from collections.abc import Mapping
from dataclasses import dataclass

from steersman.agent.messages import Usage
from steersman.models.event_json import count, first


@dataclass(slots=True)
class AnthropicUsage:
    """The latest of each number that the provider sent; None if it sent none."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None

    def read(self, usage: Mapping[str, object]) -> None:
        """Reads a `usage` object. Counts are cumulative, so the last one counts; but compatible servers may send the
        input only at the start, and zero later."""
        details = usage.get("output_tokens_details")
        self.input = count(usage, "input_tokens") or self.input
        self.output = first(count(usage, "output_tokens"), self.output)
        self.cache_read = first(count(usage, "cache_read_input_tokens"), self.cache_read)
        self.cache_write = first(count(usage, "cache_creation_input_tokens"), self.cache_write)
        if isinstance(details, dict):
            self.reasoning = first(count(details, "thinking_tokens"), self.reasoning)

    def as_sent(self) -> dict[str, int | None]:
        """The provider's own numbers under our names."""
        return {
            "input": self.input,
            "output": self.output,
            "total": None,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "reasoning": self.reasoning,
        }

    def usage(self) -> Usage:
        """In our terms: the input includes the cache."""
        cache_read, cache_write = self.cache_read or 0, self.cache_write or 0
        return Usage(
            input=(self.input or 0) + cache_read + cache_write,
            output=self.output or 0,
            cache_read=cache_read,
            cache_write=cache_write,
            reasoning=self.reasoning or 0,
        )
