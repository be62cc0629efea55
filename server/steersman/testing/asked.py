"""The questions that a test expects in a run, and its answers to them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias
from urllib.parse import quote

from steersman.session.approvals import Answer, FileView, Question, settled
from steersman.session.errors import Refused
from steersman.testing.errors import ScriptError

KINDS: Final = {
    "create": "Create",
    "edit": "Edit",
    "delete": "Delete",
    "move": "Move",
    "command": "Command",
    "outside": "Outside",
    "protected": "Protected",
    "conflict": "Conflict",
    "trust": "Trust",
}
"""Kinds of questions, and what tests call them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. Two are equal if they have the same kind and are about the same; nothing else is compared."""

    kind: str
    about: tuple[str, ...] = ()
    """Paths relative to the workspace, or the command."""
    title: str = field(default="", compare=False)
    reason: str = field(default="", compare=False)
    diff: str = field(default="", compare=False)
    """The unified diffs of all its files."""
    decision: str = field(default="", compare=False)
    """`accept`, `acceptForRun`, `acceptForSession`, `decline`, `cancel` or `withdrawn`."""
    feedback: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        about = ", ".join(map(repr, self.about))
        if self.kind in KINDS:
            return f"{KINDS[self.kind]}({about})"
        return f"Asked({', '.join(filter(None, [repr(self.kind), f'({about},)' if about else '']))})"

    def accept(self) -> "Reply":
        """Yes, to exactly this."""
        return Reply(self, Answer("accept"))

    def accept_for_run(self) -> "Reply":
        """Yes, and don't ask about the like again in this run."""
        return Reply(self, Answer("acceptForRun"))

    def accept_for_session(self) -> "Reply":
        """Yes, and don't ask about the like again in this session."""
        return Reply(self, Answer("acceptForSession"))

    def decline(self, feedback: str | None = None) -> "Reply":
        """No. The model is told `feedback`."""
        return Reply(self, Answer("decline", feedback=feedback))

    def stop(self) -> "Reply":
        """Declines and ends the run."""
        return Reply(self, Answer("cancel"))

    def leave(self) -> "Reply":
        """Gives no answer: the question stays open until the run is aborted."""
        return Reply(self, None)

    def rewrite(self, text: str | Mapping[str, str]) -> "Reply":
        """Accepts the change as the user has rewritten it: the file's whole text, or texts by path."""
        return Reply(self, Answer("accept"), text)

    def accept_hunks(self, *ids: str) -> "Reply":
        """Accepts only these hunks of the change."""
        return Reply(self, Answer("accept", hunks=ids))


@dataclass(frozen=True, slots=True)
class Reply:
    """A question that the test expects, and its answer."""

    question: Asked
    answer: Answer | None
    """None: there is none."""
    texts: str | Mapping[str, str] | None = None


Answers: TypeAlias = "str | Sequence[Reply]"
"""The replies in the order of the questions; or `accept` or `decline` for every question; or `nobody` can be asked."""


def Create(*paths: str) -> Asked:
    """A new file."""
    return Asked("create", paths)


def Edit(*paths: str) -> Asked:
    """A change of a file."""
    return Asked("edit", paths)


def Delete(*paths: str) -> Asked:
    """A file that is deleted."""
    return Asked("delete", paths)


def Move(*paths: str) -> Asked:
    """A file that is moved. `paths` are old ones."""
    return Asked("move", paths)


def Command(command: str) -> Asked:
    """A command, as the model wrote it."""
    return Asked("command", (command,))


def Outside(*about: str) -> Asked:
    """Something outside the workspace: absolute paths that would change, or the title of a question about reading."""
    return Asked("outside", about)


def Protected(*about: str) -> Asked:
    """A protected path, or a command that names a denied one."""
    return Asked("protected", about)


def Conflict(*paths: str) -> Asked:
    """A file that was changed in the editor and on the disk."""
    return Asked("conflict", paths)


def Trust() -> Asked:
    """Whether the user trusts the folder and its instructions."""
    return Asked("trust")


class ScriptedUser:
    """Answers as the test says. Implements `session.approvals.Approver`."""

    def __init__(self, answers: Answers, on_problem: Callable[[], None]) -> None:
        """`on_problem` must abort the run.

        Raises:
            ScriptError: something else than answers.
        """
        if isinstance(answers, str) and answers not in ("accept", "decline", "nobody"):
            raise ScriptError(
                f"answers={answers!r}: give 'accept', 'decline' or 'nobody', or a list of replies such as "
                "Edit('src/app.py').accept()."
            )
        if not isinstance(answers, str):
            for each in answers:
                if not isinstance(each, Reply):
                    raise ScriptError(
                        f"answers: {each!r} is not a reply. Write, for example, Edit('src/app.py').accept()."
                    )
        self.asked: list[Asked] = []
        self._replies = [] if isinstance(answers, str) else list(answers)
        self._all = answers if isinstance(answers, str) else None
        self._on_problem = on_problem
        self._problems: list[str] = []
        self._places: dict[str, int] = {}

    @property
    def problems(self) -> list[str]:
        """Questions that were not expected, and answers to questions that were not asked."""
        if self._problems or not self._replies:
            return self._problems
        return [f"Never asked: {', '.join(repr(reply.question) for reply in self._replies)}."]

    async def ask(self, question: Question) -> Answer | None:
        asked = asked_of(question)
        self._places[question.id] = len(self.asked)
        self.asked.append(asked)
        if self._all is not None:
            return None if self._all == "nobody" else Answer("accept" if self._all == "accept" else "decline")
        reply = self._next(asked)
        if reply is not None and reply.answer is None:
            await asyncio.Event().wait()
        answer = None if reply is None else self._answer(question, asked, reply)
        if answer is None:
            self._on_problem()
        return answer

    def resolved(self, question_id: str, decision: str, feedback: str | None) -> None:
        """Notes the answer that a question has got."""
        place = self._places.get(question_id)
        if place is not None:
            self.asked[place] = replace(self.asked[place], decision=decision, feedback=feedback)

    def _next(self, asked: Asked) -> Reply | None:
        """The reply to this question; None if there is a problem."""
        if not self._replies:
            self._problems.append(f"A question that the test does not expect: {_told(asked)}")
            return None
        if self._replies[0].question != asked:
            self._problems.append(
                f"A question that the test does not expect here: {_told(asked)}\n"
                f"It expects {self._replies[0].question!r}."
            )
            return None
        return self._replies.pop(0)

    def _answer(self, question: Question, asked: Asked, reply: Reply) -> Answer | None:
        """The answer; None if there is a problem."""
        try:
            edited = _edited(question.changes, reply.texts)
            return settled(question, replace(reply.answer or Answer("decline"), edited=edited))
        except (Refused, ScriptError) as error:
            self._problems.append(f"The answer to {asked!r} can't be used: {error}")
            return None


def asked_of(question: Question) -> Asked:
    """A question as a test writes it."""
    if question.command is not None:
        about: tuple[str, ...] = (question.command,)
    elif question.changes:
        about = tuple(view.display for view in question.changes)
    else:
        about = () if question.kind == "trust" else (question.title,)
    diff = "".join(view.diff for view in question.changes)
    return Asked(question.kind, about, question.title, question.reason, diff)


def _edited(views: Sequence[FileView], texts: str | Mapping[str, str] | None) -> Mapping[str, str] | None:
    if texts is None:
        return None
    if isinstance(texts, str):
        if len(views) != 1:
            raise ScriptError(
                f"the question is about {len(views)} files: give rewrite a mapping of paths to texts."
            )
        return {views[0].uri: texts}
    uris = {view.display: view.uri for view in views}
    return {uris.get(path, quote(path)): text for path, text in texts.items()}


def _told(asked: Asked) -> str:
    diff = f"\n{asked.diff.rstrip()}" if asked.diff else ""
    return f"{asked!r}. {asked.reason}{diff}\nTo expect it: answers=[{asked!r}.accept()]."
