"""Converts what the user points at and what the editor shows to the session's types."""

from collections.abc import Sequence

from steersman.lsp.buffers import Buffers
from steersman.lsp.client import Client
from steersman.lsp.documents import Documents
from steersman.lsp.open_documents import UnattachedDocuments
from steersman.lsp.params import ContextParams, SelectionParams, Span
from steersman.lsp.problems import ProblemStore
from steersman.session.pointing import Diagnostic, EditorState, GivenImage, Pointed, Selection
from steersman.workspace.positions import LineIndex, Position

_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


def pointed_of(context: ContextParams | None, documents: Documents) -> Pointed | None:
    """What the user points at with a message; None if there is nothing."""
    if context is None:
        return None
    return Pointed(
        tuple(context.uris),
        tuple(_selection(item, documents) for item in context.selections),
        tuple(
            Diagnostic(
                item.uri, *_lines(item.range), item.message, _SEVERITIES[item.severity or 1], item.source
            )
            for item in context.diagnostics
        ),
        tuple(GivenImage(item.data, item.mime_type) for item in context.images),
    )


class EditorView:
    """What the editor shows now, for the messages of a session."""

    def __init__(
        self, client: Client, buffers: Buffers, problems: ProblemStore, unattached: UnattachedDocuments
    ) -> None:
        self._client, self._buffers, self._problems = client, buffers, problems
        self._unattached = unattached

    async def state(self) -> EditorState | None:
        """What is open and unsaved. None for a client that doesn't list all open documents."""
        if not self._client.features.open_documents:
            return None
        await self._unattached.known(now=True)
        unsaved = [buffer.path for buffer in self._buffers.unsaved()]
        seen = self._unattached.seen
        if seen is None:
            return EditorState([buffer.path for buffer in self._buffers.open()], unsaved)
        return EditorState(seen.open, unsaved, seen.active, seen.visible)

    def diagnostics(self) -> Sequence[Diagnostic]:
        """The last report on each file, most severe first in each."""
        return [
            Diagnostic(
                path.as_uri(),
                problem.start.line + 1,
                problem.start.line + 1,
                problem.message,
                problem.severity,
                problem.source or None,
            )
            for path in self._problems.files()
            if (report := self._problems.of(path)) is not None
            for problem in report.problems
        ]


def _lines(span: Span) -> tuple[int, int]:
    """The first and the last line, from 1."""
    first, last = sorted((span.start, span.end), key=lambda place: (place.line, place.character))
    if last.character == 0 and last.line > first.line:
        return first.line + 1, last.line  # a selection of whole lines ends at the start of the next line
    return first.line + 1, last.line + 1


def _selection(selection: SelectionParams, documents: Documents) -> Selection:
    return Selection(selection.uri, *_lines(selection.range), _selected(selection, documents))


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
