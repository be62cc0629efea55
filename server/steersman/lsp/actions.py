"""Code actions that show and answer a pending question: in its diff, and in the files that it would change.

A question that isn't about files, such as a command's, can be answered in any document.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from steersman.lsp.approvals import TITLES, show_title
from steersman.lsp.client import Client, real_path_of
from steersman.lsp.diffs import DiffDocuments
from steersman.lsp.documents import Documents
from steersman.session.approvals import Approvals, Question

KIND: Final = "quickfix.steersman.answer"
SHOWING: Final = "steersman"
"""The kind of actions that change nothing."""


class AnswerActions:
    """The code actions while a question is pending."""

    def __init__(
        self, approvals: Approvals, diffs: DiffDocuments, documents: Documents, client: Client
    ) -> None:
        self._approvals, self._diffs = approvals, diffs
        self._documents, self._client = documents, client

    def here(self, uri: str) -> list[dict[str, Any]]:
        """The actions for questions about this document or about no file; in a diff, for its own question only."""
        questions = self._approvals.list()
        shown = self._diffs.question_in(uri) if questions else None
        if shown is not None:
            return [action for question in questions if question.id == shown for action in _answers(question)]
        path = real_path_of(uri)
        return self._of(
            question
            for question in questions
            if not question.changes or (path is not None and path in _files(question))
        )

    def elsewhere(self, uri: str) -> list[dict[str, Any]]:
        """The actions for questions about files none of which is open in the editor: they would appear nowhere else."""
        questions = [] if self._client.features.approval else self._approvals.list()
        path = real_path_of(uri) if questions else None
        if path is None or self._diffs.question_in(uri) is not None:
            return []
        known = {real_path_of(document.uri) for document in self._documents} | {path}
        return self._of(
            question for question in questions if question.changes and known.isdisjoint(_files(question))
        )

    def _of(self, questions: Iterable[Question]) -> list[dict[str, Any]]:
        """The first action changes nothing, since it is easily chosen by accident."""
        actions: list[dict[str, Any]] = []
        for question in questions:
            title = show_title(question)
            if title is not None and not self._client.features.approval:  # such a client shows it itself
                shows = _action(title, SHOWING, question, "showQuestion", {"id": question.id})
                actions.append(shows)
            actions += _answers(question)
        return actions


def _files(question: Question) -> set[Path | None]:
    return {real_path_of(view.uri) for view in question.changes}


def _answers(question: Question) -> list[dict[str, Any]]:
    return [
        _action(title, KIND, question, "approve", {"id": question.id, "decision": decision})
        for decision, title in TITLES.items()
        if decision in question.decisions
    ]


def _action(
    title: str, kind: str, question: Question, command: str, argument: dict[str, Any]
) -> dict[str, Any]:
    named = {"title": title, "command": f"steersman.{command}", "arguments": [argument]}
    return {"title": f"{title}: {question.title}", "kind": kind, "command": named}
