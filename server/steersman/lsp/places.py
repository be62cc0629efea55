"""Places in files, as language servers name them, turned into lines for the model: `path:line: source`.

Denied paths are left out, what is outside the workspace is named but not shown, and all is bounded.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from steersman.lsp.client import path_of
from steersman.tools.base import MAX_RESULT_BYTES, clipped, count, with_notes
from steersman.workspace.errors import DeniedPath, WorkspaceError
from steersman.workspace.ports import Workspace
from steersman.workspace.positions import LineIndex
from steersman.workspace.roots import ResolvedPath, printable

MAX_PLACES = 200
MAX_FILES = 60
"""Files that are looked at for one result."""
MAX_SOURCE = 200
"""Characters of a line that are shown."""
INLINE = 1_000_000
"""Characters of a text whose lines are found on the event loop."""


@dataclass(frozen=True, slots=True)
class Place:
    uri: str
    line: int | None
    """From 0; None where only the file is known."""
    label: str | None = None
    """What is said of it in place of its source line."""


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
    """Lines for the model, and what there is to say of them."""

    lines: list[str] = field(default_factory=list)
    denied: int = 0
    """Places that a deny rule covers."""
    total: int = 0
    """Places, each once."""

    def text(self, *, unusable: int = 0) -> str:
        """`unusable`: entries of the answer that were none."""
        notes: list[str] = []
        if len(self.lines) + self.denied < self.total:
            notes.append(f"{len(self.lines)} of {count(self.total, 'place')} are shown")
        if self.denied:
            notes.append(f"{count(self.denied, 'place')} left out by deny rules")
        if unusable:
            notes.append(f"{count(unusable, 'place')} of the editor's answer could not be understood")
        return with_notes("".join(f"{line}\n" for line in self.lines), notes)


async def listing_of(places: Sequence[Place], workspace: Workspace) -> Listing:
    """As many as a result has room for, in the order in which they come, each once."""
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
    """The text of the line; "" if it isn't known."""
    if not file.read and file.path is not None:
        file.read = True
        try:
            file.index = await index_of(file.path, workspace)
        except WorkspaceError:  # gone, or not text: the place is named all the same
            file.index = None
    if file.index is None or line >= file.index.line_count:
        return ""
    return file.index.line(line).strip().replace("\t", " ")


async def index_of(path: ResolvedPath, workspace: Workspace) -> LineIndex:
    """The lines of a file as an editor counts them.

    Raises:
        WorkspaceError: it can't be read, or is not text.
    """
    raw = (await workspace.read(path)).as_text().raw
    return LineIndex(raw) if len(raw) <= INLINE else await asyncio.to_thread(LineIndex, raw)


# What language servers answer


@dataclass(slots=True)
class Found:
    places: list[Place] = field(default_factory=list)
    unusable: int = 0
    """Entries that were none."""

    def add(self, place: Place | None) -> None:
        if place is None:
            self.unusable += 1
        else:
            self.places.append(place)


def locations(data: object) -> Found:
    """Of `null`, `Location`, `Location[]` or `LocationLink[]`."""
    found = Found()
    for item in _items(data):
        if isinstance(item, Mapping) and "targetUri" in item:
            span = item.get("targetSelectionRange") or item.get("targetRange")
            found.add(_place(item.get("targetUri"), span))
        else:
            found.add(_place(item.get("uri"), item.get("range")) if isinstance(item, Mapping) else None)
    return found


def symbols(data: object, uri: str | None, wanted: str = "") -> Found:
    """Of `SymbolInformation[]`, `WorkspaceSymbol[]`, or `DocumentSymbol[]` of the document `uri`; only those whose name
    holds `wanted`, which is case-folded."""
    found = Found()
    for item, container in _nested(_items(data)):
        name, location = item.get("name"), item.get("location")
        if isinstance(name, str) and wanted not in name.casefold():
            continue
        kind = _number(item.get("kind")) or 0
        label = f"{_KINDS[kind if kind < len(_KINDS) else 0]} {name}"
        within = item.get("containerName") or container
        if isinstance(within, str) and within:
            label += f" (in {within})"
        place: Place | None = None
        if not isinstance(name, str):
            pass
        elif isinstance(location, Mapping):
            place = _place(location.get("uri"), location.get("range"), label, lineless=True)
        elif uri is not None:
            place = _place(uri, item.get("selectionRange") or item.get("range"), label)
        found.add(place)
    return found


def changes(data: object) -> tuple[Found, list[str], int]:
    """Reads a `WorkspaceEdit`: where text would change, the URIs of files that would be created, renamed (the old
    URI) or deleted, and how many text edits there are. `documentChanges` go before `changes`, as LSP says."""
    found, files = Found(), list[str]()
    if not isinstance(data, Mapping):
        return Found(unusable=1), [], 0
    by_uri, document_changes = data.get("changes"), data.get("documentChanges")
    by_uri = by_uri if isinstance(by_uri, Mapping) and not document_changes else {}
    groups = list(by_uri.items())
    for item in _items(document_changes):
        if not isinstance(item, Mapping):
            found.add(None)
        elif isinstance(document := item.get("textDocument"), Mapping):
            groups.append((document.get("uri"), item.get("edits")))
        elif item.get("kind") in ("create", "rename", "delete"):
            uri = item.get("oldUri" if item["kind"] == "rename" else "uri")
            if isinstance(uri, str):
                files.append(uri)
            else:
                found.add(None)
        else:
            found.add(None)
    for uri, edits in groups:
        for edit in _items(edits):
            found.add(_place(uri, edit.get("range")) if isinstance(edit, Mapping) else None)
    return found, files, len(found.places)


_MAX_ITEMS = 20_000
"""Entries of an answer that are looked at."""


def _items(data: object) -> list[object]:
    if data is None:
        return []
    return list(islice(data, _MAX_ITEMS)) if isinstance(data, list) else [data]


def _nested(items: Sequence[object]) -> Iterator[tuple[Mapping[str, object], str]]:
    """The symbols and those inside them, each with the name of the one that it is in; depth first."""
    left: list[tuple[object, str]] = [(item, "") for item in reversed(items)]
    seen = 0
    while left and seen < _MAX_ITEMS:
        item, container = left.pop()
        seen += 1
        if not isinstance(item, Mapping):
            yield {}, ""
            continue
        yield item, container
        name = item.get("name")
        path = ".".join(filter(None, (container, name if isinstance(name, str) else "")))
        if item.get("children"):
            left += [(child, clipped(path, MAX_SOURCE)) for child in reversed(_items(item["children"]))]


def _place(uri: object, span: object, label: str | None = None, *, lineless: bool = False) -> Place | None:
    start = span.get("start") if isinstance(span, Mapping) else None
    line = _number(start.get("line")) if isinstance(start, Mapping) else None
    if not isinstance(uri, str) or (line is None and not lineless):
        return None
    return Place(uri, line, label)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


_KINDS = (
    "symbol",
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum-member",
    "struct",
    "event",
    "operator",
    "type-parameter",
)
"""By SymbolKind of LSP 3.17, which counts from 1."""
