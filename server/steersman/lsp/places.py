"""Turns places in files, as language servers name them, into lines for the model: `path:line: source`.

Places in denied paths are left out; for files outside the workspace no source is shown; everything is bounded.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from steersman.lsp.client import path_of
from steersman.tools.base import MAX_RESULT_BYTES, clipped, count, with_notes
from steersman.workspace.errors import DeniedPath, WorkspaceError
from steersman.workspace.ports import Workspace
from steersman.workspace.positions import LineIndex
from steersman.workspace.roots import ResolvedPath, printable

MAX_PLACES = 200
MAX_FILES = 60
"""Files of one result whose places are listed."""
MAX_SOURCE = 200
"""Characters of a line, of a label or of the name of a symbol's container that are shown."""
INLINE = 1_000_000
"""Texts up to this length are split into lines on the event loop, longer ones in a thread."""


@dataclass(frozen=True, slots=True)
class Place:
    uri: str
    line: int | None
    """From 0; None if only the file is known."""
    label: str | None = None
    """Shown instead of the source line."""


@dataclass(slots=True)
class _File:
    display: str
    path: ResolvedPath | None = None
    """None: its text is not shown."""
    remark: str = ""
    index: LineIndex | None = None
    read: bool = False


@dataclass(slots=True)
class Listing:
    """Lines for the model, with counts of what is left out."""

    lines: list[str] = field(default_factory=list)
    denied: int = 0
    """Places that a deny rule covers."""
    total: int = 0
    """Distinct places."""

    def text(self, *, unusable: int = 0) -> str:
        """The whole text. `unusable`: how many entries of the answer could not be used."""
        notes: list[str] = []
        if len(self.lines) + self.denied < self.total:
            notes.append(f"{len(self.lines)} of {count(self.total, 'place')} are shown")
        if self.denied:
            notes.append(f"{count(self.denied, 'place')} left out by deny rules")
        if unusable:
            notes.append(f"{count(unusable, 'place')} of the editor's answer could not be understood")
        return with_notes("".join(f"{line}\n" for line in self.lines), notes)


async def listing_of(places: Sequence[Place], workspace: Workspace) -> Listing:
    """Lists as many distinct places as fit into a result, in their order."""
    unique = list(dict.fromkeys(places))
    listing, files, room = Listing(total=len(unique)), dict[str, _File | None](), MAX_RESULT_BYTES
    for place in unique:
        if place.uri not in files:
            if len(files) >= MAX_FILES:
                continue
            files[place.uri] = _file(place.uri, workspace)
        file = files[place.uri]
        if file is None:
            listing.denied += 1
            continue
        line = await _line(place, file, workspace)
        room -= len(line.encode("utf-8", "replace")) + 1
        if room < 0 or len(listing.lines) >= MAX_PLACES:
            break
        listing.lines.append(line)
    return listing


def _file(uri: str, workspace: Workspace) -> _File | None:
    """None: a deny rule covers it."""
    named = path_of(uri)
    if named is None:
        return _File(printable(clipped(uri, MAX_SOURCE)), remark="(not a file)")
    try:
        path = workspace.resolve(str(named))
    except DeniedPath:
        return None
    except WorkspaceError:
        return _File(printable(clipped(uri, MAX_SOURCE)), remark="(not a file that can be read)")
    if not workspace.roots.may_read(path):
        return _File(path.display, remark="(outside the workspace)")
    return _File(path.display, path)


async def _line(place: Place, file: _File, workspace: Workspace) -> str:
    head = file.display if place.line is None else f"{file.display}:{place.line + 1}"
    said = [head]
    if place.label is not None:
        said.append(clipped(printable(place.label), MAX_SOURCE))
    elif place.line is not None and (source := await _source(file, place.line, workspace)):
        said.append(clipped(printable(source), MAX_SOURCE))
    return ": ".join(said) + (f" {file.remark}" if file.remark else "")


async def _source(file: _File, line: int, workspace: Workspace) -> str:
    """The text of the line; "" if it can't be shown."""
    if not file.read and file.path is not None:
        file.read = True
        try:
            file.index = await index_of(file.path, workspace)
        except WorkspaceError:  # gone, or not text: the place is listed without its source
            file.index = None
    if file.index is None or line >= file.index.line_count:
        return ""
    return file.index.line(line).strip().replace("\t", " ")


async def index_of(path: ResolvedPath, workspace: Workspace) -> LineIndex:
    """The lines of a file, as an editor counts them.

    Raises:
        WorkspaceError: the file can't be read, or is not text.
    """
    raw = (await workspace.read(path)).as_text().raw
    return LineIndex(raw) if len(raw) <= INLINE else await asyncio.to_thread(LineIndex, raw)
