"""Reads the places in the results of language servers: locations, symbols and workspace edits.

Entries that can't be used are counted and left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from steersman.lsp.places import MAX_SOURCE, Place
from steersman.tools.base import clipped

_MAX_ITEMS = 20_000
"""Entries of a result that are read."""
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
"""Names by `SymbolKind` of LSP 3.17, which counts from 1."""


@dataclass(slots=True)
class Found:
    places: list[Place] = field(default_factory=list)
    unusable: int = 0
    """Entries that could not be used."""

    def add(self, place: Place | None) -> None:
        if place is None:
            self.unusable += 1
        else:
            self.places.append(place)


def locations(data: object) -> Found:
    """Reads `null`, `Location`, `Location[]` or `LocationLink[]`."""
    found = Found()
    for item in _items(data):
        if isinstance(item, Mapping) and "targetUri" in item:
            span = item.get("targetSelectionRange") or item.get("targetRange")
            found.add(_place(item.get("targetUri"), span))
        else:
            found.add(_place(item.get("uri"), item.get("range")) if isinstance(item, Mapping) else None)
    return found


def symbols(data: object, uri: str | None, wanted: str = "") -> Found:
    """Reads `SymbolInformation[]`, `WorkspaceSymbol[]`, or `DocumentSymbol[]` of the document `uri`. Only symbols whose
    case-folded name contains `wanted`."""
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


def _items(data: object) -> list[object]:
    if data is None:
        return []
    return list(islice(data, _MAX_ITEMS)) if isinstance(data, list) else [data]


def _nested(items: Sequence[object]) -> Iterator[tuple[Mapping[str, object], str]]:
    """All symbols, depth first, each with the name of the symbol that contains it."""
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
