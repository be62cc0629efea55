"""Code lenses: above lines that a pending question would change, in the document that shows a question, and at the top
of a file that a live run has edited.

Only for clients that show lenses and don't have their own interface for questions. Reads nothing from the disk.
"""

from pathlib import Path
from typing import Any, Final

from steersman.lsp.approvals import TITLES
from steersman.lsp.client import Client, real_path_of
from steersman.lsp.diffs import DiffDocuments
from steersman.lsp.documents import Documents
from steersman.lsp.plain import as_record, record, string
from steersman.lsp.refreshes import Refreshes
from steersman.lsp.wire import JsonObject, JsonValue
from steersman.session.approvals import Approvals, FileView, Question
from steersman.session.journal import Emitted

METHOD: Final = "textDocument/codeLens"
REFRESH: Final = "workspace/codeLens/refresh"


class Lenses:
    """One connection's."""

    def __init__(
        self,
        client: Client,
        approvals: Approvals,
        diffs: DiffDocuments,
        documents: Documents,
        refreshes: Refreshes,
    ) -> None:
        self._client, self._approvals, self._diffs = client, approvals, diffs
        self._documents, self._refreshes = documents, refreshes
        self._edited: dict[str, set[Path]] = {}
        """The files that each live run has edited."""

    def offered(self, params: JsonValue) -> list[JsonObject]:
        """`textDocument/codeLens`.

        Raises:
            InvalidParams: the params don't name a document.
        """
        uri = string(record(as_record(params, "params"), "textDocument"), "uri")
        shown = self._diffs.question_in(uri)
        if shown is not None:
            return [lens for each in self._approvals.list() if each.id == shown for lens in _answers(each)]
        path = real_path_of(uri)
        if path is None:
            return []
        last = self._last_line(uri)
        lenses: list[JsonObject] = []
        for run, paths in self._edited.items():
            if path in paths:
                lenses.append(_lens(0, "Steersman is editing: Stop", "abort", {"run": run}))
        for question in self._approvals.list():
            for view in question.changes:
                if real_path_of(view.uri) == path:
                    lenses += _of_question(question, min(_first_line(view), last))
        return lenses

    def on_event(self, event: Emitted) -> None:
        """Keeps track of what runs edit, and tells the client when its lenses may be out of date."""
        if not self._client.code_lens:
            return
        match event.type:
            case "edit_start" if event.run is not None:
                names = (event.data["uri"], event.data.get("target"))
                paths = {path for name in names if name and (path := real_path_of(name))}
                known = self._edited.setdefault(event.run, set())
                changed = not paths <= known
                known |= paths
            case "agent_end":
                changed = self._edited.pop(event.run or "", None) is not None
            case "approval_requested":
                changed = bool(event.data["changes"])
            case "approval_resolved":
                changed = True
            case _:
                changed = False
        if changed and self._client.refreshes_lenses:
            self._refreshes.ask(REFRESH)

    def _last_line(self, uri: str) -> int:
        """The last line that the editor shows. The text that a question is about may have more lines."""
        document = self._documents.get(uri)
        return 0 if document is None or document.text is None else document.text.count("\n")


def _first_line(view: FileView) -> int:
    first = view.hunks[0]["oldStart"] if view.hunks else 1
    return max(0, int(first) - 1)


def _of_question(question: Question, line: int) -> list[JsonObject]:
    """The first lens changes nothing, since it is easily chosen by accident."""
    lenses = [_lens(line, "Steersman waits: Show diff", "showQuestion", {"id": question.id})]
    of = f" all {len(question.changes)} files" if len(question.changes) > 1 else ""
    for decision, name in (("accept", "Accept"), ("decline", "Decline")):
        if decision in question.decisions:
            title = f"{name}{of}"
            lenses.append(_lens(line, title, "approve", {"id": question.id, "decision": decision}))
    return lenses


def _answers(question: Question) -> list[JsonObject]:
    """The lenses in a question's own document. Code actions are not enough there: VS Code's key for them does nothing
    in a read-only text."""
    return [
        _lens(0, title, "approve", {"id": question.id, "decision": decision})
        for decision, title in TITLES.items()
        if decision in question.decisions
    ]


def _lens(line: int, title: str, command: str, argument: JsonObject) -> JsonObject:
    place: dict[str, Any] = {"line": line, "character": 0}
    named: JsonObject = {"title": title, "command": f"steersman.{command}", "arguments": [argument]}
    return {"range": {"start": place, "end": place}, "command": named}
