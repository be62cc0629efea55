"""A history taken apart for conversion: calls with their results, and encodings that are used again."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from steersman.agent.messages import AssistantMessage, LlmMessage, ToolCall, ToolResultMessage, UserMessage

_KEPT_PREFIXES: Final = 4

T = TypeVar("T")


@dataclass(slots=True)
class Group:
    """A user message, or an assistant message with the results that directly follow it."""

    message: UserMessage | AssistantMessage
    results: list[ToolResultMessage] = field(default_factory=list)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.message.tool_calls if isinstance(self.message, AssistantMessage) else ()


def groups(messages: Sequence[LlmMessage]) -> Iterator[tuple[Group, bool]]:
    """The groups of a history, each with whether it is settled, and all before it: no later message changes them, since
    their results are all there, next to their calls.

    Results without a call before them belong to no group: they are left out of the request, or found by their call.
    """
    group: Group | None = None
    settled = True
    for message in messages:
        if not isinstance(message, ToolResultMessage):
            if group is not None:
                settled = settled and _is_settled(group)
                yield group, settled
            group = Group(message)
        elif group is not None:
            group.results.append(message)
        else:
            settled = False
    if group is not None:
        yield group, settled and _is_settled(group)


def _is_settled(group: Group) -> bool:
    return [call.id for call in group.calls] == [result.tool_call_id for result in group.results]


def results_by_call(messages: Sequence[LlmMessage]) -> dict[str, deque[ToolResultMessage]]:
    results: dict[str, deque[ToolResultMessage]] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.tool_call_id, deque()).append(message)
    return results


class Prefixes(Generic[T]):
    """Remembers what the beginnings of the last few conversations became, so that only new messages are converted."""

    def __init__(self) -> None:
        self._kept: list[tuple[list[LlmMessage], T]] = []

    def longest(self, messages: Sequence[LlmMessage]) -> tuple[int, T | None]:
        """How many of the first `messages` are known, and what they became; 0 and None if none are."""
        best: tuple[int, T | None] = (0, None)
        for known, value in self._kept:
            length = len(known)
            # Lists compare by identity before equality, so this is quick for a history that only grew.
            if best[0] < length <= len(messages) and known == list(messages[:length]):
                best = (length, value)
        return best

    def keep(self, messages: Sequence[LlmMessage], value: T, instead_of: T | None) -> None:
        """Remembers what `messages` became. `instead_of` is the shorter beginning that it was made from."""
        others = (pair for pair in self._kept if pair[1] is not instead_of)
        self._kept = [(list(messages), value), *others][:_KEPT_PREFIXES]
