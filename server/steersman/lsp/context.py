"""What the user points at, as text after the prompt."""

import re
from collections.abc import Callable
from pathlib import Path

from steersman.lsp.client import path_of
from steersman.lsp.documents import Documents
from steersman.lsp.params import ContextParams, SelectionParams, Span
from steersman.session.errors import Refused
from steersman.workspace.positions import LineIndex, Position

_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
MAX_SELECTION = 50_000
"""Characters of one selection; the model can read the rest in the file."""


def context_text(context: ContextParams, documents: Documents, denied: Callable[[Path], str | None]) -> str:
    """A block that names files, quotes selections and tells diagnostics; "" if there are none.

    `denied(path)` is the deny rule that covers a file.

    Raises:
        Refused: denied, for a file whose text no model may see.
    """
    named = [item.uri for item in context.selections] + [item.uri for item in context.diagnostics]
    for uri in (*context.uris, *named):
        path = path_of(uri)
        rule = None if path is None else denied(path)
        if rule is not None:
            raise Refused("denied", f"{path} is denied by the rule `{rule}`: it may hold secrets.", uri=uri)
    parts = [f"File: {_name(uri)}" for uri in context.uris]
    parts += [
        f"Selection in {_name(selection.uri)}, {_lines(selection.range)}:\n{_quoted(selection, documents)}"
        for selection in context.selections
    ]
    for diagnostic in context.diagnostics:
        severity = _SEVERITIES[diagnostic.severity or 1]
        source = f" ({diagnostic.source})" if diagnostic.source else ""
        place = f"{_name(diagnostic.uri)}, {_lines(diagnostic.range)}"
        parts.append(f"Diagnostic in {place}: {severity}{source}: {diagnostic.message}")
    return "\n\nThe user points at:\n" + "\n".join(parts) if parts else ""


def _name(uri: str) -> str:
    path = path_of(uri)
    return uri if path is None else str(path)


def _lines(span: Span) -> str:
    first, last = span.start.line + 1, span.end.line + 1
    if span.end.character == 0 and last > first:
        last -= 1  # a selection of whole lines ends at the start of the next
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _quoted(selection: SelectionParams, documents: Documents) -> str:
    text = _selected(selection, documents)
    if text is None:
        return "(the file is not open in the editor: read it)"
    cut = "\n(cut)" if len(text) > MAX_SELECTION else ""
    text = text[:MAX_SELECTION]
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}{cut}"


def _selected(selection: SelectionParams, documents: Documents) -> str | None:
    if selection.text is not None:
        return selection.text
    document = documents.get(selection.uri)
    if document is None or document.text is None:
        return None
    index = LineIndex(document.text)
    start, end = sorted(
        index.offset(Position(place.line, place.character), documents.encoding)
        for place in (selection.range.start, selection.range.end)
    )
    return document.text[start:end]
