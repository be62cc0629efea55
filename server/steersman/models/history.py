"""Converts a conversation for a wire API, and keeps what no later message can change: asking again with a longer
conversation costs only the new messages. How a message is written is up to the API.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, Generic, Protocol, Self, TypeAlias, TypeVar

from steersman.agent.messages import AssistantMessage, LlmMessage, ToolCall, ToolResultMessage, UserMessage

_KEPT: Final = 4
"""How many conversations are remembered."""

Results: TypeAlias = Sequence[ToolResultMessage | None]
"""The results of an answer's calls, in the order of the calls; None for a call without one."""


class Draft(Protocol):
    """The converted messages so far."""

    def copy(self) -> Self:
        """A copy. What is added to it doesn't change this draft."""
        ...


D = TypeVar("D", bound=Draft)


class Conversations(Generic[D]):
    """Makes drafts of conversations for one model, and remembers the beginnings of the last few.

    Args:
        begin: makes an empty draft.
        say: adds what a user said.
        answer: adds a model's answer and the results of its calls.
    """

    def __init__(
        self,
        begin: Callable[[], D],
        say: Callable[[D, UserMessage], None],
        answer: Callable[[D, AssistantMessage, Results], None],
    ) -> None:
        self._begin, self._say, self._answer = begin, say, answer
        self._kept: list[tuple[list[LlmMessage], D]] = []

    def draft(self, messages: Sequence[LlmMessage]) -> D:
        """The draft of all `messages`. The caller may change it."""
        known, kept = self._longest(messages)
        draft = self._begin() if kept is None else kept.copy()
        rest = messages[known:]
        settled, others = _groups(rest)
        results = _results_by_call(rest)
        self._add(draft, settled, results)
        if settled:
            beginning = messages[: known + sum(1 + len(group.results) for group in settled)]
            # It replaces the shorter one that it was made from.
            longer_known = [pair for pair in self._kept if pair[1] is not kept]
            self._kept = [(list(beginning), draft), *longer_known][:_KEPT]
            draft = draft.copy()
        self._add(draft, others, results)
        return draft

    def _longest(self, messages: Sequence[LlmMessage]) -> tuple[int, D | None]:
        """How many of the first `messages` are remembered, and their draft; 0 and None if none are."""
        best: tuple[int, D | None] = (0, None)
        for known, draft in self._kept:
            length = len(known)
            # Lists compare items by identity first, so this is quick for a history that only grew.
            if best[0] < length <= len(messages) and known == list(messages[:length]):
                best = (length, draft)
        return best

    def _add(
        self, draft: D, groups: Iterable["_Group"], results: dict[str, deque[ToolResultMessage]]
    ) -> None:
        for group in groups:
            message = group.message
            if isinstance(message, UserMessage):
                self._say(draft, message)
            else:
                waiting = [results.get(call.id) for call in message.tool_calls]
                self._answer(draft, message, [each.popleft() if each else None for each in waiting])


class Items:
    """The draft for an API that takes a plain list of messages or items."""

    __slots__ = ("_encoded", "ids")

    def __init__(self, encoded: Iterable[bytes] = (), ids: Iterable[str] = ()) -> None:
        self._encoded = list(encoded)
        self.ids = set(ids)
        """The ids of calls and answers in the request."""

    def copy(self) -> "Items":
        self._join()
        return Items(self._encoded, self.ids)

    def add(self, *items: bytes) -> None:
        """Adds encoded items."""
        self._encoded += items

    def encoded(self) -> bytes:
        """The JSON of all items, separated by commas."""
        self._join()
        return b"".join(self._encoded)

    def _join(self) -> None:
        if len(self._encoded) > 1:
            self._encoded = [b",".join(self._encoded)]


@dataclass(slots=True)
class _Group:
    """A user message, or an assistant message, with the results that directly follow it."""

    message: UserMessage | AssistantMessage
    results: list[ToolResultMessage] = field(default_factory=list)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.message.tool_calls if isinstance(self.message, AssistantMessage) else ()

    def is_settled(self) -> bool:
        return [call.id for call in self.calls] == [result.tool_call_id for result in self.results]


def _groups(messages: Sequence[LlmMessage]) -> tuple[list[_Group], list[_Group]]:
    """The groups of a history: the settled ones at its beginning, and the others.

    No later message can change a settled group, since all results up to there stand right after their calls. A result
    without its call before it is left out of the request, or found by its call's id.
    """
    groups: list[_Group] = []
    begins_with_result = bool(messages) and isinstance(messages[0], ToolResultMessage)
    for message in messages:
        if not isinstance(message, ToolResultMessage):
            groups.append(_Group(message))
        elif groups:
            groups[-1].results.append(message)
    settled = 0 if begins_with_result else sum(1 for _ in takewhile(_Group.is_settled, groups))
    return groups[:settled], groups[settled:]


def _results_by_call(messages: Sequence[LlmMessage]) -> dict[str, deque[ToolResultMessage]]:
    results: dict[str, deque[ToolResultMessage]] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.tool_call_id, deque()).append(message)
    return results
