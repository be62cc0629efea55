"""What a face tells of where the user is: with a prompt, what it points at; in general, what its editor has open."""

from collections.abc import Sequence
from dataclasses import dataclass
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
class Pointed:
    """What comes with a prompt. Files are named by URI or path."""

    uris: Sequence[str] = ()
    selections: Sequence[Selection] = ()
    diagnostics: Sequence[Diagnostic] = ()
    images: Sequence[GivenImage] = ()


@dataclass(frozen=True, slots=True)
class EditorState:
    """What an editor shows, as far as its face knows."""

    open: Sequence[Path] = ()
    unsaved: Sequence[Path] = ()
    """Those of them whose newest text is not on the disk."""
    active: Path | None = None
    """Where the user is."""
