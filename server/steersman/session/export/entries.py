"""What a transcript consists of, in its order. This module doesn't know how it looks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from steersman.agent.messages import Usage
from steersman.session.wire import Data

Format = Literal["markdown", "html"]
"""Of a transcript."""


@dataclass(frozen=True, slots=True)
class Message:
    """Something that was said."""

    id: str
    role: str
    """`user`, `assistant` or `custom`."""
    ts: int
    content: Sequence[Data]
    """Blocks of `message_end`, with the calls, each of which has a `Call` as well."""
    kind: str | None = None
    """Of a custom message."""
    source: str | None = None
    """The extension that said it in the user's place."""
    discarded: str | None = None
    """Why it is no part of the conversation."""
    failure: str | None = None

    @property
    def shown(self) -> list[Data]:
        """The blocks that are shown with it."""
        return [
            block
            for block in self.content
            if block["type"] != "toolCall" and (block.get("text") or block["type"] == "image")
        ]


@dataclass(slots=True)
class Asked:
    """A question about a call, and its answer."""

    title: str
    diffs: tuple[str, ...] = ()
    decision: str | None = None
    by: str = ""
    feedback: str | None = None

    @property
    def text(self) -> str:
        """In one sentence."""
        if self.decision is None:
            return f"Asked: {self.title}. There was no answer."
        said = f": {self.feedback}" if self.feedback else ""
        return f"Asked: {self.title}. Answer: {self.decision} (by {self.by}){said}"


@dataclass(slots=True)
class Call:
    """A tool call, and its result."""

    id: str
    name: str
    title: str
    args: Data
    args_text: str | None = None
    """As the model wrote them, where they are no JSON object."""
    asked: list[Asked] = field(default_factory=list)
    outcome: str | None = None
    """None: there is no result."""
    is_error: bool = False
    content: Sequence[Data] = ()
    duration_ms: int = 0
    ts: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A compaction: from here on the model was told this in place of what is above."""

    id: str
    ts: int
    text: str
    replaced: int
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened besides the conversation."""

    kind: str
    """`config`, `retry`, `notice`, `asked`, `branch`, `compaction`."""
    text: str
    ts: int


@dataclass(frozen=True, slots=True)
class RunEnd:
    ts: int
    stop_reason: str
    message: str
    """For a person."""
    turns: int
    usage: Usage
    files: Sequence[tuple[str, int, int]]
    """URI, lines added, lines removed."""
    undelivered: Sequence[str]


@dataclass(frozen=True, slots=True)
class Reverted:
    """The user has reverted changes of files."""

    ts: int
    title: str
    files: Sequence[tuple[str, str]]
    """URI and outcome."""
    cut: bool


Entry = Message | Call | Summary | Note | RunEnd | Reverted
