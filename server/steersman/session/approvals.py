"""Questions put to the user, and their one answer each.

A question is pending until it is accepted, declined, or withdrawn because its run ended. The first answer counts, from
the face that shows the question or from a command that names its id. What is asked about, and how it can be edited,
comes with the question; this module doesn't know.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from steersman.agent.abort import AbortSignal
from steersman.agent.tool import Proposal
from steersman.session.errors import Refused
from steersman.session.wire import Data
from steersman.workspace.errors import WorkspaceError

log = logging.getLogger(__name__)

Decision = Literal["accept", "acceptForRun", "acceptForSession", "decline", "cancel"]
DECISIONS: tuple[Decision, ...] = ("accept", "acceptForRun", "acceptForSession", "decline", "cancel")
ACCEPTING: tuple[Decision, ...] = ("accept", "acceptForRun", "acceptForSession")
QuestionKind = Literal[
    "create", "edit", "delete", "move", "command", "tool", "outside", "protected", "conflict", "trust"
]
AnsweredBy = Literal["user", "nobody", "withdrawn"]
INLINE_CHARACTERS = 100_000
"""Edited texts up to this size are compared on the event loop, longer ones in a thread."""
_REMEMBERED = 500
"""Ids of answered questions that are remembered, to tell them from unknown ones."""


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a question, as a face shows it."""

    uri: str
    display: str
    """The path for people."""
    kind: Literal["create", "edit", "delete", "move"]
    diff: str
    """Unified; "" for a move."""
    sha256: str | None
    """Of the version that the change is based on."""
    version: int | None
    """That version in the editor, if the file is open there."""
    hunks: tuple[Data, ...] = ()
    added: int = 0
    removed: int = 0
    whole: bool = True
    """Nothing of the diff is left out."""
    old_text: str = field(default="", repr=False)
    """With LF line ends, like `new_text`."""
    new_text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ToolView:
    """A call of a tool of the editor's own, as a face shows it."""

    name: str
    arguments: Data


@dataclass(frozen=True, slots=True)
class Answer:
    decision: Decision
    feedback: str | None = None
    """What the user said with it, for the model."""
    by: AnsweredBy = "user"
    edited: Mapping[str, str] | None = None
    """With an accept: whole texts by URI, as the user has rewritten them."""
    hunks: tuple[str, ...] | None = None
    """With an accept: ids of the hunks to apply; the others are left out."""
    proposal: Proposal | None = None
    """The proposal as `edited` or `hunks` change it; see `settled`."""


Revise = Callable[[Answer], Proposal]
"""Applies an answer's `edited` or `hunks` to a proposal; WorkspaceError says why they can't be used."""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    session: str
    run: str
    tool_call_id: str
    kind: QuestionKind
    title: str
    reason: str
    """Why it is asked, for a person."""
    digest: str
    """What exactly is asked about."""
    decisions: tuple[Decision, ...] = DECISIONS
    changes: tuple[FileView, ...] = ()
    command: str | None = None
    cwd: str | None = None
    tool: ToolView | None = None
    supersedes: str | None = None
    """Id of the question that was accepted before the file changed, which this one replaces."""
    revise: Revise | None = field(default=None, repr=False, compare=False)
    """None: there is nothing that could be edited."""

    def data(self) -> Data:
        """As `approval_requested` tells it."""
        data: Data = {
            "id": self.id,
            "toolCallId": self.tool_call_id,
            "kind": self.kind,
            "title": self.title,
            "reason": self.reason,
            "changes": [_view_data(view) for view in self.changes],
            "decisions": list(self.decisions),
        }
        if self.command is not None:
            data |= {"command": self.command, "cwd": self.cwd}
        if self.tool is not None:
            data["tool"] = {"name": self.tool.name, "arguments": self.tool.arguments}
        if self.supersedes is not None:
            data["supersedes"] = self.supersedes
        return data


WITHDRAWN = Answer("decline", by="withdrawn")
NOBODY = Answer("decline", by="nobody")


class Approver(Protocol):
    """A face that can put a question to its user."""

    async def ask(self, question: Question) -> Answer | None:
        """Shows the question and waits for the answer, for as long as it takes.

        Returns None if nobody can be asked. It is cancelled when the question was answered elsewhere or withdrawn, and
        then takes the question away. An exception counts as a no, and so does an answer that doesn't fit the question.
        """
        ...


def settled(question: Question, answer: Answer) -> Answer:
    """The answer, with the changed `proposal` if its edits change anything. Edits that come with a no are dropped.

    Raises:
        Refused: badAnswer, it doesn't fit the question.
    """
    if answer.decision not in question.decisions:
        takes = ", ".join(question.decisions)
        raise _bad(question, f"{answer.decision!r} is no answer to this question; it takes {takes}.")
    if answer.decision not in ACCEPTING or (answer.edited is None and answer.hunks is None):
        return replace(answer, edited=None, hunks=None, proposal=None)
    if answer.proposal is not None:
        return answer
    if answer.edited is not None and answer.hunks is not None:
        raise _bad(question, "Either edited or hunks: what the user has edited is the whole text.")
    if question.revise is None:
        raise _bad(question, "There is no text in this question that could be edited.")
    try:
        proposal = question.revise(answer)
    except WorkspaceError as error:
        raise _bad(question, str(error)) from error
    if proposal.digest == question.digest:  # all hunks, or the text that was proposed
        return replace(answer, edited=None, hunks=None)
    return replace(answer, proposal=proposal)


async def settled_apart(question: Question, answer: Answer) -> Answer:
    """`settled`, in a thread if the texts are so long that comparing them would hold up the event loop.

    Raises:
        Refused: see `settled`.
    """
    if answer.edited is None and answer.hunks is None:
        return settled(question, answer)
    size = sum(len(view.old_text) + len(view.new_text) for view in question.changes)
    size += sum(map(len, (answer.edited or {}).values()))
    if size <= INLINE_CHARACTERS:
        return settled(question, answer)
    return await asyncio.to_thread(settled, question, answer)


def _bad(question: Question, message: str) -> Refused:
    return Refused("badAnswer", message, id=question.id, decisions=list(question.decisions))


@dataclass(slots=True)
class _Pending:
    question: Question
    answer: asyncio.Future[Answer]


class Approvals:
    """The pending questions of one server. One for all sessions, so that a face can show them in turn."""

    def __init__(self, approver: Approver | None) -> None:
        """Without an `approver` every question is declined at once."""
        self._approver = approver
        self._pending: dict[str, _Pending] = {}
        self._answered: deque[str] = deque(maxlen=_REMEMBERED)

    def list(self) -> Sequence[Question]:
        """Oldest first."""
        return [pending.question for pending in self._pending.values()]

    def get(self, question_id: str) -> Question:
        """Raises:
        Refused: unknownApproval, alreadyAnswered.
        """
        if question_id in self._pending:
            return self._pending[question_id].question
        if question_id in self._answered:
            raise Refused("alreadyAnswered", f"The question {question_id} has been answered.", id=question_id)
        raise Refused("unknownApproval", f"There is no question {question_id}.", id=question_id)

    def answer(self, question_id: str, answer: Answer) -> None:
        """Answers a pending question. The first answer stands.

        Raises:
            Refused: unknownApproval, alreadyAnswered; badAnswer, and the question stays open.
        """
        self._settle(question_id, settled(self.get(question_id), answer))

    def answer_alike(self, question: Question, answer: Answer) -> None:
        """Gives the answer to a question to all that ask the same: others of its kind with its digest."""
        for pending in self.list():
            if (pending.kind, pending.digest) == (question.kind, question.digest):
                self._settle(pending.id, answer)

    async def ask(self, question: Question, signal: AbortSignal) -> Answer:
        """Puts the question and returns its answer; `WITHDRAWN` after an abort."""
        if signal.aborted:
            return WITHDRAWN
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[question.id] = _Pending(question, future)
        withdraw = signal.on_abort(lambda: self._settle(question.id, WITHDRAWN))
        face = asyncio.create_task(self._ask_face(question))
        try:
            return await future
        finally:
            withdraw()
            self._settle(question.id, WITHDRAWN)
            face.cancel()
            await asyncio.gather(face, return_exceptions=True)

    def _settle(self, question_id: str, answer: Answer) -> None:
        pending = self._pending.pop(question_id, None)
        if pending is None:
            return
        self._answered.append(question_id)
        if not pending.answer.done():
            pending.answer.set_result(answer)

    async def _ask_face(self, question: Question) -> None:
        answer = NOBODY
        try:
            said = None if self._approver is None else await self._approver.ask(question)
            if said is not None:
                answer = settled(question, said)
        except Refused as refusal:
            log.warning("the answer to the question %s is taken as a no: %s", question.id, refusal)
            answer = Answer("decline")
        except Exception:
            log.exception("the question %s could not be shown: declined", question.id)
        finally:  # also where what the face waits for was cancelled
            self._settle(question.id, answer)


def _view_data(view: FileView) -> Data:
    base: Data = {"sha256": view.sha256}
    if view.version is not None:
        base["version"] = view.version
    data: Data = {
        "uri": view.uri,
        "kind": view.kind,
        "base": base,
        "diff": view.diff,
        "hunks": list(view.hunks),
        "added": view.added,
        "removed": view.removed,
    }
    return data if view.whole else data | {"truncated": True}
