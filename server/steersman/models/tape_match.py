"""Finds the recorded turn that answers a request; if there is none, says how the nearest one differs."""

import difflib
from collections.abc import Sequence
from typing import Final

from steersman.models.tape_request import Fingerprint, Said
from steersman.models.tape_turn import RecordedTurn

_SHOWN: Final = 120
"""Most characters that are shown of each side of a difference."""
_BEFORE: Final = 30
"""Characters that are shown before the first difference of two lines."""
_NEAR: Final = 100
"""Most recordings whose texts are compared to find the nearest."""
_COMPARED: Final = 2000
"""Most characters of a message that are compared."""


def same_request(turns: Sequence[RecordedTurn], asked: Fingerprint) -> list[RecordedTurn]:
    """The recordings of exactly this request, in the order in which they were recorded."""
    return [turn for turn in turns if turn.fingerprint.digest == asked.digest]


def same_place(turns: Sequence[RecordedTurn], asked: Fingerprint) -> list[RecordedTurn]:
    """The recordings of the request at the same place in the conversation: as many answers after the same prompt, else
    as many answers after the beginning."""
    prompt = asked.answers_since_prompt
    near = [turn for turn in turns if turn.fingerprint.answers_since_prompt == prompt]
    in_place = [turn for turn in near or turns if turn.fingerprint.answers == asked.answers]
    chosen = in_place or near
    return same_request(turns, chosen[0].fingerprint) if chosen else []


def nearest(turns: Sequence[RecordedTurn], asked: Fingerprint) -> RecordedTurn:
    """The recording with the most messages in common from the beginning; of several, the one whose next message is most
    similar."""
    shared = [_shared(turn.fingerprint, asked) for turn in turns]
    most = max(shared)
    near = [turn for turn, same in zip(turns, shared, strict=True) if same == most]
    return max(near[:_NEAR], key=lambda turn: _nearness(turn.fingerprint, asked, most))


def _nearness(recorded: Fingerprint, asked: Fingerprint, same: int) -> tuple[float, int]:
    rest = recorded.messages[same : same + 1] + asked.messages[same : same + 1]
    alike = _likeness(*rest) if len(rest) == 2 else float(not rest)
    return alike, -abs(len(recorded.messages) - len(asked.messages))


def _shared(recorded: Fingerprint, asked: Fingerprint) -> int:
    """How many messages at the beginning are the same."""
    same = 0
    for one, other in zip(recorded.messages, asked.messages, strict=False):
        if one.digest != other.digest:
            break
        same += 1
    return same


def _likeness(one: Said, other: Said) -> float:
    if one.role != other.role:
        return 0.0
    texts = (one.text[:_COMPARED], other.text[:_COMPARED])
    return 0.5 + difflib.SequenceMatcher(None, *texts, autojunk=False).quick_ratio() / 2


def difference(recorded: Fingerprint, asked: Fingerprint) -> str:
    """The first difference between two requests, in one bounded sentence without a full stop."""
    if recorded.tools != asked.tools:
        return _difference_of_tools(recorded.tools, asked.tools)
    at = _shared(recorded, asked)
    if at < min(len(recorded.messages), len(asked.messages)):
        return _difference_of_messages(at + 1, recorded.messages[at], asked.messages[at])
    if at < len(asked.messages):
        return f"message {at + 1} is new: {_what(asked.messages[at])}, {_quoted(asked.messages[at].text)}"
    if at < len(recorded.messages):
        missing = recorded.messages[at]
        return f"message {at + 1} of the recording is missing: {_what(missing)}, {_quoted(missing.text)}"
    return "the system prompt differs: that of another version, or with other instructions of the workspace"


def _difference_of_tools(recorded: Sequence[str], asked: Sequence[str]) -> str:
    gone = [name for name in recorded if name not in asked]
    new = [name for name in asked if name not in recorded]
    parts = [f"{words}: {', '.join(names)}" for words, names in (("not now", gone), ("new", new)) if names]
    return "other tools are offered (" + _bounded("; ".join(parts) or "some twice") + ")"


def _difference_of_messages(number: int, recorded: Said, asked: Said) -> str:
    where = f"message {number}, {_what(asked)},"
    if recorded.role != asked.role:
        return (
            f"{where} is {_quoted(asked.text)}, where there was {_what(recorded)}, {_quoted(recorded.text)}"
        )
    if recorded.text != asked.text:
        return f"{where} differs in {_difference_of_texts(recorded.text, asked.text)}"
    if recorded.name != asked.name:
        return f"{where} is not {_what(recorded)}"
    for at, (one, other) in enumerate(zip(recorded.calls, asked.calls, strict=False), 1):
        if one[0] != other[0]:
            return f"{where} call {at}: recorded {_quoted(one[0])}, now {_quoted(other[0])}"
        if one[1] != other[1]:
            return f"{where} call {at} ({_bounded(one[0])}): {_sides(one[1], other[1])}"
    return f"{where} has {len(asked.calls)} tool calls, not {len(recorded.calls)}"


def _difference_of_texts(recorded: str, asked: str) -> str:
    ours, theirs = recorded.split("\n"), asked.split("\n")
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            return f"line {number}: {_sides(one, other)}"
    number = min(len(ours), len(theirs)) + 1
    if len(ours) > len(theirs):
        return f"line {number}: recorded {_quoted(ours[number - 1])}, now the text ends before it"
    return f"line {number}: recorded the end of the text, now {_quoted(theirs[number - 1])}"


def _sides(one: str, other: str) -> str:
    """Both lines, around their first difference."""
    same = next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )
    start = max(0, same - _BEFORE) if max(len(one), len(other)) > _SHOWN else 0
    return f"recorded {_quoted(one, start)}, now {_quoted(other, start)}"


def _quoted(text: str, start: int = 0) -> str:
    return ("…" if start else "") + repr(_bounded(text[start:]))


def _bounded(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _what(message: Said) -> str:
    if message.role == "tool":
        return f"the result of {_bounded(message.name) or 'a tool'}"
    return "what the user says" if message.role == "user" else "the model's answer"
