"""Code actions that answer a pending question: in its diff, in the files that it would change.

A question without files, such as a command's, can be answered from any document.
"""

from collections.abc import Sequence
from typing import Any

from steersman.lsp.approvals import TITLES
from steersman.lsp.client import real_path_of
from steersman.lsp.diffs import DiffDocuments
from steersman.session.approvals import Approvals, Question

KIND = "quickfix.steersman.answer"


class AnswerActions:
    """What the light bulb offers while the user is being asked."""

    def __init__(self, approvals: Approvals, diffs: DiffDocuments) -> None:
        self._approvals, self._diffs = approvals, diffs

    def offered(self, uri: str, only: Sequence[str] | None) -> list[dict[str, Any]]:
        """The code actions of a document. `only` narrows to ours and to the kinds that hold it."""
        questions = self._approvals.list()
        if not questions or not (only is None or any(_holds(kind) for kind in only)):
            return []
        shown = self._diffs.question_in(uri)
        return [
            action
            for question in questions
            if question.id == shown or (shown is None and _concerns(question, uri))
            for action in _actions(question)
        ]


def _holds(kind: str) -> bool:
    return kind in ("", KIND) or KIND.startswith(f"{kind}.")


def _concerns(question: Question, uri: str) -> bool:
    if not question.changes:
        return True
    path = real_path_of(uri)
    return path is not None and any(real_path_of(view.uri) == path for view in question.changes)


def _actions(question: Question) -> list[dict[str, Any]]:
    return [
        {
            "title": f"{title}: {question.title}",
            "kind": KIND,
            "command": {
                "title": title,
                "command": "steersman.approve",
                "arguments": [{"id": question.id, "decision": decision}],
            },
        }
        for decision, title in TITLES.items()
        if decision in question.decisions
    ]
