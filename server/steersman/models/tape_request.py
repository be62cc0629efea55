"""A request as a recorded tape keeps and compares it: the same request on every machine and every day.

It has no paths of the machine, dates, ids or durations, nothing that looks like a key, and nothing that only one
provider's wire format has (thinking, signatures, ids).
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from steersman.agent.messages import (
    AssistantMessage,
    Image,
    LlmMessage,
    MalformedArguments,
    Refusal,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    parse_arguments,
)
from steersman.agent.model import ModelRequest
from steersman.models.secrets import Redactor
from steersman.models.surrogates import whole
from steersman.models.tape_normal import Normaliser, folders_of

Role = Literal["user", "assistant", "tool"]

_DIGEST: Final = 16
"""Half the hexadecimal digits of a request's digest, and all of any other."""
DEEPEST: Final = 100
"""Levels of nested lists and objects whose strings are changed."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation, normalised."""

    role: Role
    text: str
    name: str = ""
    """For a tool result: the name of the tool."""
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments of each tool call. Arguments are JSON with sorted keys, or, if malformed, the model's text."""
    digest: bytes = field(default=b"", init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        content = json.dumps([self.role, self.text, self.name, self.calls])
        object.__setattr__(self, "digest", hashlib.sha256(content.encode()).digest())


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A request, normalised."""

    system: str
    """A digest."""
    tools: tuple[str, ...]
    """Names, sorted."""
    messages: tuple[Said, ...]
    digest: str = field(default="", init=False, compare=False)
    """Equal for equal requests."""

    def __post_init__(self) -> None:
        everything = hashlib.sha256(json.dumps([self.system, self.tools]).encode())
        for message in self.messages:
            everything.update(message.digest)
        object.__setattr__(self, "digest", everything.hexdigest()[: 2 * _DIGEST])

    @property
    def answers(self) -> int:
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def answers_since_prompt(self) -> tuple[str, int]:
        """The last user message, and how many answers follow it."""
        answers = 0
        for message in reversed(self.messages):
            if message.role == "user":
                return message.text, answers
            answers += message.role == "assistant"
        return "", answers


class Fingerprinter:
    """Takes fingerprints of the requests to one model. What a request shares with the one before is not read again."""

    def __init__(self, redact: Callable[[str], str] | None = None) -> None:
        self._redact = redact or Redactor(())
        self._system: str | None = None
        self._system_digest = ""
        self._clean: Callable[[str], str] = str
        self._messages: Sequence[LlmMessage] = ()
        self._said: list[Said] = []

    def take(self, request: ModelRequest) -> Fingerprint:
        if request.system != self._system:
            self._read_system(request.system)
        known = 0
        for old, new in zip(self._messages, request.messages, strict=False):
            if old is not new:
                break
            known += 1
        names = {
            call.id: call.name
            for message in request.messages
            if isinstance(message, AssistantMessage)
            for call in message.tool_calls
        }
        rest = [self._say(message, names) for message in request.messages[known:]]
        self._said = self._said[:known] + rest
        self._messages = tuple(request.messages)
        tools = tuple(sorted(self._name(tool.name) for tool in request.tools))
        return Fingerprint(self._system_digest, tools, tuple(self._said))

    def _read_system(self, system: str) -> None:
        normalise, redact = Normaliser(folders_of(system)), self._redact
        self._system, self._messages, self._said = system, (), []
        self._system_digest = hashlib.sha256(normalise.system(redact(system)).encode()).hexdigest()[:_DIGEST]
        self._clean = lambda text: normalise(redact(text))

    def _say(self, message: LlmMessage, names: dict[str, str]) -> Said:
        text = self._clean("".join(_shown(block) for block in message.content))
        if isinstance(message, UserMessage):
            return Said("user", text)
        if isinstance(message, ToolResultMessage):
            name = names.get(message.tool_call_id, message.tool_name)
            return Said("tool", text, name=self._name(name))
        calls = tuple((self._name(call.name), self._arguments(call)) for call in message.tool_calls)
        return Said("assistant", text, calls=calls)

    def _name(self, name: str) -> str:
        return self._redact(whole(name))

    def _arguments(self, call: ToolCall) -> str:
        try:
            return canonical(map_texts(parse_arguments(call), self._clean))
        except (MalformedArguments, RecursionError):
            return self._clean(call.arguments)


def canonical(value: object) -> str:
    """How JSON is written in fingerprints."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def map_texts(value: object, change: Callable[[str], str], depth: int = DEEPEST) -> object:
    """JSON data with `change` applied to every string, including names.

    Raises:
        RecursionError: lists and objects are nested more than `depth` levels deep.
    """
    if isinstance(value, str):
        return change(value)
    if not isinstance(value, list | dict):
        return value
    if not depth:
        raise RecursionError("nested too deeply")
    if isinstance(value, list):
        return [map_texts(item, change, depth - 1) for item in value]
    return {change(name): map_texts(item, change, depth - 1) for name, item in value.items()}


def _shown(block: object) -> str:
    """A block's text, and a placeholder for an image. A refusal counts as text, as it does in some APIs."""
    if isinstance(block, Text | Refusal):
        return block.text
    if isinstance(block, Image):
        # Letters only, so that the normaliser doesn't take the digest for an id.
        digest = hashlib.sha256(block.data.encode()).hexdigest()[:_DIGEST]
        return f"\n[{block.mime_type} {digest.translate(_LETTERS)}]\n"
    return ""


_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
