"""Token counts of Chat Completions and Responses, under the many names that providers give them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from steersman.agent.messages import Usage
from steersman.models.event_json import count, first

_MOST_DOLLARS: Final = 1e6
"""The cost of one response; more is not taken for a cost."""


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """The numbers as the provider sent them; None if it sent none."""

    input: int | None
    output: int | None
    total: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    cost: float | None

    def after(self, before: "ChatUsage") -> "ChatUsage":
        """These numbers, with those of `before` in place of missing ones and zeros: counts are cumulative, but some
        gateways send the input only at the start, and the output at the end."""
        return ChatUsage(
            input=self.input or before.input,
            output=self.output or before.output,
            total=self.total or before.total,
            cache_read=self.cache_read or before.cache_read,
            cache_write=self.cache_write or before.cache_write,
            reasoning=self.reasoning or before.reasoning,
            cost=self.cost or before.cost,
        )

    def as_sent(self) -> dict[str, int | None]:
        """The provider's own numbers under our names."""
        return {
            "input": self.input,
            "output": self.output,
            "total": self.total,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "reasoning": self.reasoning,
        }

    def usage(self) -> Usage:
        """In our terms: reasoning is part of the output, even if the provider counts it separately."""
        output, reasoning = self.output or 0, self.reasoning or 0
        if reasoning and self.total == (self.input or 0) + output + reasoning:
            output += reasoning
        return Usage(
            input=self.input or 0,
            output=output,
            cache_read=self.cache_read or 0,
            cache_write=self.cache_write or 0,
            reasoning=reasoning,
            cost=self.cost,
        )


def read_usage(usage: Mapping[str, object]) -> ChatUsage:
    """Reads a `usage` object: OpenAI's names first, then those of its compatible servers."""
    prompt = _object(usage, "prompt_tokens_details", "prompt_token_details", "input_tokens_details")
    completion = _object(
        usage, "completion_tokens_details", "completion_token_details", "output_tokens_details"
    )
    cost = usage.get("cost")
    return ChatUsage(
        input=_count(usage, "prompt_tokens", "input_tokens"),
        output=_count(usage, "completion_tokens", "output_tokens"),
        total=_count(usage, "total_tokens"),
        cache_read=first(
            _count(prompt, "cached_tokens"),
            _count(
                usage,
                "prompt_cache_hit_tokens",
                "cached_tokens",
                "num_cached_tokens",
                "cache_read_input_tokens",
            ),
        ),
        cache_write=first(
            _count(prompt, "cache_write_tokens", "cache_creation_tokens"),
            _count(usage, "cache_creation_input_tokens"),
        ),
        reasoning=first(_count(completion, "reasoning_tokens"), _count(usage, "reasoning_tokens")),
        cost=float(cost) if _is_number(cost) and 0 <= cost < _MOST_DOLLARS else None,
    )


def _object(usage: Mapping[str, object], *names: str) -> Mapping[str, object]:
    for name in names:
        value = usage.get(name)
        if isinstance(value, dict):
            return value
    return {}


def _count(counts: Mapping[str, object], *names: str) -> int | None:
    """The first of these counts that is there."""
    for name in names:
        value = count(counts, name)
        if value is not None:
            return value
    return None


def _is_number(value: object) -> TypeGuard[int | float]:
    """JSON's true is Python's 1."""
    return isinstance(value, int | float) and not isinstance(value, bool)
