"""Asks one run's questions. Each is recorded and told before it is asked, and again when it is answered."""

import asyncio
from collections.abc import Callable

from steersman.agent.abort import AbortSignal
from steersman.session.approvals import WITHDRAWN, Answer, Approvals, Question
from steersman.session.errors import LogError
from steersman.session.journal import Journal
from steersman.session.run import RunState
from steersman.session.wire import Data


class Asker:
    def __init__(self, approvals: Approvals, journal: Journal, set_state: Callable[[RunState], None]) -> None:
        """`set_state` tells what the run is doing."""
        self._approvals, self._journal, self._set_state = approvals, journal, set_state

    async def ask(self, question: Question, signal: AbortSignal) -> Answer:
        """The one answer. After an abort it is `WITHDRAWN`, without asking.

        Raises:
            LogError: the question or its answer could not be kept.
        """
        if signal.aborted:
            return WITHDRAWN
        self._journal.record("approval_requested", question.data())
        self._set_state("waitingApproval")
        try:
            answer = await self._approvals.ask(question, signal)
        except asyncio.CancelledError:
            self._resolve(question, WITHDRAWN)
            raise
        self._resolve(question, answer)
        self._set_state("tool" if question.tool_call_id else "streaming")
        return answer

    def _resolve(self, question: Question, answer: Answer) -> None:
        resolved: Data = {
            "id": question.id,
            "toolCallId": question.tool_call_id,
            "decision": "withdrawn" if answer.by == "withdrawn" else answer.decision,
            "by": answer.by,
        }
        if answer.feedback:
            resolved["feedback"] = answer.feedback
        if answer.edited is not None:
            resolved["edited"] = True
        if answer.hunks is not None:
            resolved["hunks"] = list(answer.hunks)
        try:
            self._journal.record("approval_resolved", resolved)
        except LogError:
            self._journal.tell("approval_resolved", resolved)
            raise
