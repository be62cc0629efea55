"""What the user points at, as text after the prompt."""

from steersman.lsp.client import path_of
from steersman.lsp.documents import Documents
from steersman.lsp.params import ContextParams, SelectionParams, Span
from steersman.workspace.positions import LineIndex, Position

_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
MAX_SELECTION = 50_000
"""Characters of one selection; the model can read the rest in the file."""


def context_text(context: ContextParams, documents: Documents) -> str:
    """A block that names files, quotes selections and tells diagnostics; "" if there are none."""
    parts = [f"File: {_name(uri)}" for uri in context.uris]
    for selection in context.selections:
        text = _selected(selection, documents)
        shown = text[:MAX_SELECTION] + ("\n(cut)" if len(text) > MAX_SELECTION else "")
        parts.append(f"Selection in {_name(selection.uri)}, {_lines(selection.range)}:\n```\n{shown}\n```")
    for diagnostic in context.diagnostics:
        severity = _SEVERITIES.get(diagnostic.severity or 1, "error")
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


def _selected(selection: SelectionParams, documents: Documents) -> str:
    if selection.text is not None:
        return selection.text
    document = documents.get(selection.uri)
    if document is None or document.text is None:
        return "(the file is not open in the editor: read it)"
    text = document.text
    index = LineIndex(text)
    start, end = (
        index.offset(Position(place.line, place.character), documents.encoding)
        for place in (selection.range.start, selection.range.end)
    )
    return text[start:end]
