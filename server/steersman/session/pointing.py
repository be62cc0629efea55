"""Where the user is, as a face tells it: what a prompt points at, and what the editor has open."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Selection:
    uri: str
    first: int
    """Line, from 1."""
    last: int
    text: str | None
    """None: the face does not know it."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    uri: str
    first: int
    last: int
    message: str
    severity: str
    """error, warning, information or hint."""
    source: str | None = None


@dataclass(frozen=True, slots=True)
class GivenImage:
    """An image that came with a prompt; nothing of it has been checked."""

    data: str
    """Base64."""
    mime_type: str


@dataclass(frozen=True, slots=True)
class InstructionComment:
    """A comment that asks for work; its text is the prompt. It is removed from its file with the work."""

    path: Path
    """With links resolved."""
    language: str
    """The editor's id of it."""
    text: str
    """What is asked for, as `workspace.comments` reads it."""
    first: int
    """Line, from 1."""
    last: int
    nth: int
    """Its place among the comments of the file with the same text, from 0."""
    of: int
    """How many of those there were."""
    around: str = field(default="", repr=False)
    """The lines around it, and its own."""

    def is_same(self, other: "InstructionComment") -> bool:
        """Whether both are the same comment, wherever it has moved."""
        ours, theirs = (self.path, self.text, self.nth), (other.path, other.text, other.nth)
        return ours == theirs


@dataclass(frozen=True, slots=True)
class Pointed:
    """What comes with a prompt. Files are named by URI or path."""

    uris: Sequence[str] = ()
    selections: Sequence[Selection] = ()
    diagnostics: Sequence[Diagnostic] = ()
    images: Sequence[GivenImage] = ()
    comments: Sequence[InstructionComment] = ()
    """Where the prompt was written."""


@dataclass(frozen=True, slots=True)
class EditorState:
    """What an editor shows, as far as its face knows."""

    open: Sequence[Path] = ()
    unsaved: Sequence[Path] = ()
    """Those of them whose newest text is not on the disk."""
    active: Path | None = None
    """Where the user is."""
    visible: Sequence[Path] = ()
    """What the user sees, with the active one or without."""
