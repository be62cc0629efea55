"""Questions to a client with its own interface for them: `steersman/requestApproval`, any number at once.

If an answer can't be used, the question is not lost: it is asked again in the way that works for every client.
"""

import logging
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from steersman.lsp.approvals import until_withdrawn
from steersman.lsp.arguments import parse
from steersman.lsp.client import Client, real_path_of
from steersman.lsp.client_results import what_is_wrong
from steersman.lsp.errors import ClientGone, ErrorCode, RpcError, request_failed
from steersman.lsp.params import ApprovalAnswer, ApprovalTextsParams
from steersman.lsp.rpc import RpcServer
from steersman.lsp.wire import JsonValue
from steersman.session.approvals import Answer, Approvals, Approver, Question, settled_apart
from steersman.session.errors import Refused
from steersman.session.status import question_data
from steersman.session.wire import Data

log = logging.getLogger(__name__)

REQUEST = "steersman/requestApproval"
TEXTS = "steersman/approvalTexts"
MAX_DIFF = 200_000
"""Characters of all diffs of a question together; diffs that don't fit are left out."""


class RequestApprover:
    """Implements `session.approvals.Approver`."""

    def __init__(
        self, server: RpcServer, client: Client, floor: Approver, *, ready: Callable[[], bool]
    ) -> None:
        """`floor` asks clients that did not negotiate this, and asks again after an unusable answer."""
        self._server, self._client, self._floor, self._ready = server, client, floor, ready

    async def ask(self, question: Question) -> Answer | None:
        if not (self._ready() and self._client.features.approval):
            return await self._floor.ask(question)
        try:
            result = await self._server.request(REQUEST, request_of(question), timeout=None)
        except ClientGone:
            await until_withdrawn()
            return None
        except RpcError as error:
            log.warning("the client did not take the question %s: %s", question.id, error)
            if error.code == ErrorCode.METHOD_NOT_FOUND:
                return await self._floor.ask(question)
            return Answer("decline")
        if result is None:
            return Answer("decline")
        try:
            answer = answer_of(question, ApprovalAnswer.model_validate(result))
            return await settled_apart(question, answer)
        except ValidationError as error:
            why = what_is_wrong(error)
        except Refused as refusal:
            why = str(refusal)
        log.warning("the answer to the question %s can't be used, so it is asked again: %s", question.id, why)
        return await self._floor.ask(question)


class ApprovalTexts:
    """Answers `steersman/approvalTexts`: the whole texts of a pending question."""

    def __init__(self, approvals: Approvals) -> None:
        self._approvals = approvals

    def __call__(self, params: JsonValue) -> dict[str, Any]:
        """Answers the request.

        Raises:
            InvalidParams: the params have no id.
            CommandError: there is no pending question with this id.
        """
        asked = parse(ApprovalTextsParams, [params])
        try:
            question = self._approvals.get(asked.id)
        except Refused as refusal:
            raise request_failed(refusal) from refusal
        return {
            "changes": [
                {"uri": view.uri, "oldText": view.old_text, "newText": view.new_text}
                for view in question.changes
            ]
        }


def request_of(question: Question) -> Data:
    """The params of the request. A diff that is too long is left out as a whole, since half a diff misleads."""
    data = question_data(question)
    changes: list[Data] = data["changes"]
    left = MAX_DIFF
    for view, change in zip(question.changes, changes, strict=True):
        if view.whole and len(view.diff) <= left:
            left -= len(view.diff)
        else:
            change |= {"diff": "", "truncated": True}
    return data


def answer_of(question: Question, given: ApprovalAnswer) -> Answer:
    """The answer in the session's terms. A file is recognised however the client spells its URI.

    Raises:
        Refused: badAnswer; there are two texts for one file.
    """
    edited: dict[str, str] | None = None
    if given.edited is not None:
        known = {real_path_of(view.uri): view.uri for view in question.changes}
        edited = {known.get(real_path_of(each.uri), each.uri): each.new_text for each in given.edited}
        if len(edited) < len(given.edited):
            raise Refused("badAnswer", "There are two texts for one file.", id=question.id)
    hunks = None if given.hunks is None else tuple(given.hunks)
    return Answer(given.decision, given.feedback, edited=edited, hunks=hunks)
