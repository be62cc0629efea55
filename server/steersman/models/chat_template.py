"""A shortcut for chunks that differ only in one text, as most chunks of a stream do."""

from collections.abc import Mapping
from typing import Final

import orjson

TEXT_KEYS: Final = ("content", "reasoning_content", "reasoning", "reasoning_text")
_QUIET_KEYS: Final = frozenset(
    {"id", "object", "created", "model", "choices", "system_fingerprint", "service_tier", "provider"}
)
"""Keys of a chunk that say nothing new after the first chunk."""


class ChunkTemplate:
    """The bytes before and after the text of a chunk in which only that text was new.

    A payload with the same bytes around one JSON string is the same JSON with another text, so the text is known
    without parsing the rest.
    """

    __slots__ = ("_after", "_before", "_shortest", "index", "key")

    def __init__(self, key: str, index: int | None, before: bytes, after: bytes) -> None:
        self.key = key
        """A key of a delta (`TEXT_KEYS`), or `arguments`."""
        self.index = index
        """For arguments: the index of their call, if they have one."""
        self._before = before
        self._after = after
        self._shortest = len(before) + len(after)

    @classmethod
    def learn(cls, payload: bytes, chunk: Mapping[str, object]) -> "ChunkTemplate | None":
        """The template of a parsed `payload`; None if more than one text is new, or the text is spelt unusually."""
        news = _only_news(chunk)
        if news is None:
            return None
        key, index, text = news
        token = b'"%s":' % key.encode()
        if payload.count(token) != 1:
            return None
        start = payload.index(token) + len(token)
        start += payload[start : start + 1] == b" "
        try:
            literal = orjson.dumps(text)
        except TypeError:
            return None
        end = start + len(literal) - 1
        if payload[start : end + 1] != literal:
            return None
        return cls(key, index, payload[: start + 1], payload[end:])

    def match(self, payload: bytes) -> str | None:
        """The text of `payload` if it fits, else None."""
        before, after = self._before, self._after
        if len(payload) < self._shortest or not (payload.startswith(before) and payload.endswith(after)):
            return None
        middle = payload[len(before) : -len(after)]
        try:
            if b"\\" not in middle and b'"' not in middle:
                return middle.decode()
            text = orjson.loads(b'"%s"' % middle)
        except ValueError:
            return None
        return text if isinstance(text, str) else None


def _only_news(chunk: Mapping[str, object]) -> tuple[str, int | None, str] | None:
    """The key, call index and text of a chunk with one choice, at index 0, that holds one text and nothing else."""
    for key, value in chunk.items():
        if value and key not in _QUIET_KEYS:
            return None
    choices = chunk.get("choices")
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        return None
    choice = choices[0]
    delta = choice.get("delta")
    if not isinstance(delta, dict) or any(value for key, value in choice.items() if key != "delta"):
        return None
    news = [(key, value) for key, value in delta.items() if value and key != "role"]
    if len(news) != 1:
        return None
    key, value = news[0]
    if key in TEXT_KEYS and isinstance(value, str):
        return key, None, value
    if key == "tool_calls" and isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return _only_arguments(value[0])
    return None


def _only_arguments(entry: Mapping[str, object]) -> tuple[str, int | None, str] | None:
    """The same for an entry of `tool_calls` that holds arguments and nothing else."""
    index, function = entry.get("index"), entry.get("function")
    if not isinstance(function, dict) or not (index is None or type(index) is int):
        return None
    arguments = function.get("arguments")
    quiet = not any(value for key, value in entry.items() if key not in ("index", "function", "type"))
    quiet = quiet and not any(value for key, value in function.items() if key != "arguments")
    return ("arguments", index, arguments) if quiet and isinstance(arguments, str) and arguments else None
