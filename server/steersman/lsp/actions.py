"""Code actions that answer a pending question: in its diff, in the files that it would change.

A command has no file: its question can be answered from any document.
"""

from collections.abc import Callable, Sequence
from typing import Any

from steersman.lsp.approvals import TITLES, DiffDocuments
from steersman.lsp.client import path_of
from steersman.session.approvals import Approvals, Decision, Question

KIND = "quickfix.steersman.answer"
OFFERED: tuple[Decision, ...] = ("accept", "acceptForRun", "decline", "cancel")


class AnswerActions:
    """What the light bulb offers while the user is being asked."""

    def __init__(self, approvals: Callable[[], Approvals], diffs: DiffDocuments) -> None:
        self._approvals, self._diffs = approvals, diffs

    def offered(self, uri: str, only: Sequence[str] | None) -> list[dict[str, Any]]:
        """The code actions of a document. `only` narrows to kinds that hold ours, or that ours holds."""
        if only is not None and not any(kind == KIND or KIND.startswith(f"{kind}.") for kind in only):
            return []
        shown = self._diffs.question_in(uri)
        questions = [
            question
            for question in self._approvals().list()
            if question.id == shown or (shown is None and _concerns(question, uri))
        ]
        return [action for question in questions for action in _actions(question)]


def _concerns(question: Question, uri: str) -> bool:
    if not question.changes:
        return True
    path = path_of(uri)
    return any(
        view.uri == uri or (path is not None and path_of(view.uri) == path) for view in question.changes
    )


def _actions(question: Question) -> list[dict[str, Any]]:
    return [
        {
            "title": f"{TITLES[decision]}: {question.title}",
            "kind": KIND,
            "command": {
                "title": TITLES[decision],
                "command": "steersman.approve",
                "arguments": [{"id": question.id, "decision": decision}],
            },
        }
        for decision in OFFERED
        if decision in question.decisions
    ]
